"""Counting theory against the sum a user would write with SciPy."""

from benchmarks.harness import Comparison, Quality, Run, case


@case("count_dichotomies", sizes=[{"P": 2_000, "N": 1_000}, {"P": 10_000, "N": 4_000}])
def count_dichotomies(P, N):
    return Comparison(
        ours=Run("shallows.theory.count_dichotomies", lambda count: count(P, N)),
        peers=[
            Run(
                "scipy.special.comb",
                lambda comb: 2 * sum(comb(P - 1, i, exact=True) for i in range(N)),
            )
        ],
        quality=[Quality("bits", lambda count: count.bit_length(), better="larger", within=0)],
    )
