"""Numbers whose squares can't be computed are refused, all others are let through."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from shallows._core.contract.magnitude import (
    check_magnitude,
    refuse_too_large,
    refuse_too_wide,
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("sign", [-1, 1])
def test_squares_within_the_limits_are_normal_numbers(dtype, sign):
    limits = np.finfo(dtype)
    for exponent in range(limits.minexp, limits.maxexp - 1, 7):
        X = np.array([[0, sign * 2.0**exponent], [0, 0]], dtype)
        with np.errstate(over="ignore", under="ignore"):
            square = np.square(X[0, 1])
        lost = not limits.tiny <= square <= limits.max
        try:
            check_magnitude("Model", X, dtype)
        except ValueError:
            assert not 1e-3 < abs(X[0, 1]) < 1e3
        else:
            assert not lost


def test_sparse_missing_zero_and_usual_numbers_are_let_through():
    check_magnitude("Model", np.zeros((3, 2)))
    check_magnitude("Model", np.array([[np.nan, 1.0], [2e-300, -5.0]]))
    check_magnitude("Model", csr_array(np.eye(3)))
    check_magnitude("Model", csr_array((3, 3)))
    with pytest.raises(ValueError, match="Model: the largest number in X is 1e"):
        check_magnitude("Model", csr_array(1e200 * np.eye(3)))
    with pytest.raises(ValueError, match=r"too small for float32: .* Divide X by 3e-20"):
        check_magnitude("Model", np.array([[np.nan, -3e-20]], np.float32), np.float32)


def test_sizes_that_no_machine_has_room_for_are_refused_with_their_gigabytes():
    refuse_too_large("Model", "degree=3", 30, 13)
    refuse_too_wide("Model", "n_units=5", [4, 5, 1])
    with pytest.raises(
        ValueError, match=r"Model: degree=1.* \(30, 10{15}\), 2.24e\+08 GiB.*Lower it"
    ):
        refuse_too_large("Model", f"degree={10**15}", 30, 10**15)
    with pytest.raises(ValueError, match=r"n_units=1.* needs an array"):
        refuse_too_wide("Model", f"n_units={2**70}", [4, 2**70, 1])
