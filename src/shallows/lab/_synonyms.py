"""Words that mean the same to a reader who searches."""

from __future__ import annotations

import re

# Each line: what texts of the lab say, and what else readers type to find it.
GROUPS = [
    ("support vector", "svm svc large margin maximum margin"),
    ("adatron", "svm support vector machine"),
    ("forest", "random forest bagging ensemble"),
    ("boost", "adaboost gradient boosting xgboost ensemble"),
    ("bias", "overfitting underfitting overfit underfit variance generalisation generalization"),
    ("polynomial", "overfitting underfitting overfit"),
    ("weight decay", "regularisation regularization overfitting overfit l2"),
    ("dropout", "regularisation regularization overfitting overfit"),
    ("early stopping", "overfitting overfit"),
    ("posterior", "bayes naive bayes bayesian"),
    ("conditional", "naive bayes bayes"),
    ("map of", "self-organising self-organizing kohonen som"),
    ("som", "self-organising map self-organizing map kohonen"),
    ("neighbourhood", "self-organising self-organizing som kohonen"),
    ("lvq", "learning vector quantization learning vector quantisation prototype"),
    ("mixture", "expectation maximisation expectation maximization em gmm"),
    ("k-means", "kmeans clustering lloyd"),
    ("cluster", "clustering unsupervised"),
    ("hopfield", "associative memory attractor network"),
    ("network", "neural network deep learning mlp"),
    ("multilayer", "neural network deep learning mlp"),
    ("gradient", "gradient descent sgd optimiser optimizer"),
    ("step size", "learning rate gradient descent"),
    ("learning rate", "step size"),
    ("principal component", "pca karhunen-loeve dimension reduction"),
    ("eigen", "pca principal component"),
    ("t-sne", "tsne embedding dimension reduction"),
    ("reservoir", "echo state network recurrent esn"),
    ("metropolis", "mcmc markov chain monte carlo"),
    ("gibbs", "mcmc markov chain monte carlo"),
    ("nearest neighbour", "knn k-nn nearest neighbor"),
    ("nearest-neighbour", "knn k-nn nearest neighbor"),
    ("logistic", "logistic regression classification"),
    ("ridge", "regularisation regularization shrinkage tikhonov weight decay"),
    ("perceptron", "linear classifier neuron rosenblatt"),
    ("entropy", "information gain"),
    ("tree", "decision tree cart"),
    ("vapnik", "vc dimension"),
    ("belief", "bayesian network graphical model"),
    ("evidence", "bayesian network graphical model"),
]
BRITISH = re.compile(r"(\w+?)(is)(e|ed|es|ing|ation|ations)\b")


def with_synonyms(text: str) -> str:
    """Return a text in lower case with the synonyms of its words behind it."""
    found = [words for key, words in GROUPS if key in text]
    american = [BRITISH.sub(r"\1iz\3", word) for word in set(text.split()) if BRITISH.match(word)]
    return " ".join([text, *found, *sorted(american)])
