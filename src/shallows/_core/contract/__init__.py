"""What an estimator promises: parameters, data checks, random numbers, training, registry."""
