"""Imputers against naive versions, SciPy and scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from shallows.prepare import (
    ChainedImputer,
    ClassImputer,
    DeckImputer,
    DensityImputer,
    mask_missing,
)
from shallows.prepare._conditional import conditional

COVARIANCE = np.array([[2.0, 1.2, 0.5], [1.2, 1.5, 0.3], [0.5, 0.3, 1.0]])
MEAN = np.array([1.0, -1.0, 3.0])


@pytest.fixture(scope="module")
def complete():
    return np.random.default_rng(0).multivariate_normal(MEAN, COVARIANCE, size=600)


@pytest.fixture(scope="module")
def gappy(complete):
    return mask_missing(complete, "mcar", 0.2, random_state=0)


class TestClassImputer:
    def test_equals_simple_imputer_within_each_class(self, gappy):
        y = np.random.default_rng(1).choice(["a", "b", "c"], size=len(gappy))
        for strategy in ("mean", "median"):
            filled = ClassImputer(strategy).fit_transform(gappy, y)
            for label in "abc":
                own = y == label
                expected = SimpleImputer(strategy=strategy).fit_transform(gappy[own])
                assert np.allclose(filled[own], expected)

    def test_column_means_of_classes_are_unchanged(self, gappy):
        y = np.arange(len(gappy)) % 2
        filled = ClassImputer().fit_transform(gappy, y)
        assert np.allclose(filled[y == 1].mean(axis=0), np.nanmean(gappy[y == 1], axis=0))

    def test_rows_without_label_are_refused_or_filled_overall(self, gappy):
        y = np.arange(len(gappy)) % 2
        model = ClassImputer().fit(gappy, y)
        with pytest.raises(ValueError, match="unlabelled='overall'"):
            model.transform(gappy)
        filled = ClassImputer(unlabelled="overall").fit(gappy, y).transform(gappy)
        assert np.allclose(filled, SimpleImputer().fit_transform(gappy))
        with pytest.raises(ValueError, match="requires y"):
            ClassImputer().fit(gappy, None)
        with pytest.raises(ValueError, match="y contains 7, but the classes are"):
            model.transform(gappy, np.full(len(gappy), 7))

    def test_class_without_value_takes_the_overall_statistic(self):
        X = [[1.0, 5.0], [3.0, 7.0], [np.nan, 9.0]]
        assert ClassImputer().fit_transform(X, [0, 0, 1])[2].tolist() == [2.0, 9.0]
        with pytest.raises(ValueError, match="column 0 has no value"):
            ClassImputer().fit([[np.nan], [np.nan]], [0, 1])

    def test_names_in_a_pipeline(self, gappy):
        frame = pd.DataFrame(gappy, columns=list("xyz"))
        model = ClassImputer(unlabelled="overall").set_output(transform="pandas")
        assert list(model.fit_transform(frame, np.arange(600) % 2).columns) == list("xyz")
        pipe = make_pipeline(ClassImputer(unlabelled="overall"), SVC())
        assert pipe.fit(frame, frame.index % 2).predict(frame).shape == (600,)


class TestDeckImputer:
    def test_every_value_was_seen_in_the_donors(self, gappy):
        for donor in ("nearest", "random"):
            filled = DeckImputer(donor, random_state=0).fit_transform(gappy)
            for j in range(3):
                assert np.isin(filled[:, j], gappy[:, j]).all()

    def test_nearest_donor_by_brute_force(self, gappy):
        filled = DeckImputer().fit_transform(gappy)
        scale = np.nanstd(gappy, axis=0)
        for i in np.flatnonzero(np.isnan(gappy).any(axis=1))[:60]:
            missing = np.isnan(gappy[i])
            if missing.all():
                continue
            best, nearest = np.inf, None
            for row in gappy:
                common = ~np.isnan(row) & ~missing
                if np.isnan(row[missing]).any() or not common.any():
                    continue
                gap = (((row - gappy[i]) / scale)[common] ** 2).sum() * 3 / common.sum()
                if gap < best:
                    best, nearest = gap, row
            assert np.array_equal(filled[i][missing], nearest[missing])

    def test_cold_deck_takes_values_of_the_other_set(self, gappy):
        deck = np.random.default_rng(2).normal(size=(50, 3))
        filled = DeckImputer().fit(deck).transform(gappy)
        for j in range(3):
            assert np.isin(filled[np.isnan(gappy[:, j]), j], deck[:, j]).all()

    def test_values_of_one_donor_stay_together(self):
        deck = np.outer(np.arange(30.0), [1.0, 2.0, 3.0])
        row = [[7.1, np.nan, np.nan]]
        assert DeckImputer().fit(deck).transform(row)[0].tolist() == [7.1, 14.0, 21.0]
        drawn = DeckImputer("random", random_state=0).fit(deck).transform(row * 50)
        assert np.allclose(drawn[:, 1] * 1.5, drawn[:, 2])
        assert len(np.unique(drawn[:, 1])) > 10

    def test_each_gap_has_its_own_donor_where_no_row_has_all(self):
        deck = [[1.0, 5.0, np.nan], [1.0, np.nan, 6.0]]
        assert DeckImputer().fit(deck).transform([[1.0, np.nan, np.nan]]).tolist() == [[1, 5, 6]]

    def test_rows_without_any_value_and_empty_columns(self, complete):
        filled = DeckImputer().fit(complete).transform([[np.nan] * 3])
        assert (filled == complete).all(axis=1).any()
        with pytest.raises(ValueError, match="column 1 has no value"):
            DeckImputer().fit([[1.0, np.nan], [2.0, np.nan]])


class TestDensityImputer:
    def test_conditional_agrees_with_scipy(self):
        missing = np.array([False, True, False])
        seen = np.array([[0.5, 2.0], [1.5, 4.0]])
        part = conditional(MEAN, COVARIANCE, missing, seen)
        marginal = multivariate_normal(MEAN[~missing], COVARIANCE[np.ix_(~missing, ~missing)])
        assert np.allclose(part.log_density, marginal.logpdf(seen))
        joint = multivariate_normal(MEAN, COVARIANCE)
        grid = np.linspace(-8, 6, 4001)
        for row, mean in zip(seen, part.mean[:, 0], strict=True):
            weights = joint.pdf(
                np.column_stack([np.full(4001, row[0]), grid, np.full(4001, row[1])])
            )
            weights /= weights.sum()
            assert weights @ grid == pytest.approx(mean, abs=1e-6)
            assert weights @ (grid - mean) ** 2 == pytest.approx(part.covariance[0, 0], abs=1e-4)

    def test_em_on_complete_data_is_the_sample_gaussian(self, complete):
        model = DensityImputer(reg_covar=0.0).fit(complete)
        assert np.allclose(model.means_[0], complete.mean(axis=0))
        assert np.allclose(model.covariances_[0], np.cov(complete.T, bias=True))

    def test_em_likelihood_rises_and_is_stationary(self, gappy):
        model = DensityImputer(tol=1e-10, max_iter=500).fit(gappy)
        loss = np.array(model.history_["loss"])
        assert (np.diff(loss) < 1e-9).all()

        def minus_log_likelihood(mean, covariance):
            total = 0.0
            for row in gappy:
                seen = ~np.isnan(row)
                if seen.any():
                    part = multivariate_normal(mean[seen], covariance[np.ix_(seen, seen)])
                    total -= part.logpdf(row[seen])
            return total / len(gappy)

        mean, covariance = model.means_[0], model.covariances_[0]
        best = minus_log_likelihood(mean, covariance)
        assert best == pytest.approx(loss[-1], abs=1e-6)
        for step in np.eye(3):
            for sign in (-1, 1):
                assert minus_log_likelihood(mean + sign * 0.05 * step, covariance) > best
                bent = covariance + sign * 0.05 * np.outer(step, step)
                assert minus_log_likelihood(mean, bent) > best

    def test_means_restore_a_linear_relation_and_draws_keep_correlation(self, complete):
        X = np.column_stack([complete[:, 0], 2 * complete[:, 0] - 1, complete[:, 2]])
        holes = X.copy()
        holes[::4, 1] = np.nan
        assert np.allclose(DensityImputer().fit_transform(holes)[:, 1], X[:, 1], atol=1e-2)
        holes = mask_missing(complete, "mcar", 0.4, random_state=1)
        true = np.cov(complete.T)
        drawn = np.cov(DensityImputer(draw=True, random_state=0).fit_transform(holes).T)
        mean = np.cov(DensityImputer().fit_transform(holes).T)
        assert np.abs(drawn - true).max() < 0.35
        assert mean[0, 0] < 0.85 * true[0, 0] < drawn[0, 0]

    @pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
    def test_mixture_of_any_covariance_type(self, kind):
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(-5, 1, size=(200, 2)), rng.normal(5, 1, size=(200, 2))])
        mixture = GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
        model = DensityImputer(mixture).fit(X)
        filled = model.transform([[5.0, np.nan], [np.nan, -5.0], [np.nan, np.nan]])
        assert filled[0, 1] == pytest.approx(5, abs=0.4)
        assert filled[1, 0] == pytest.approx(-5, abs=0.4)
        assert np.allclose(filled[2], 0, atol=0.4)
        expected = -mixture.score(X)
        assert model.history_["loss"] == pytest.approx([expected])

    def test_model_that_is_not_fitted_is_fitted_to_complete_rows(self, gappy):
        rows = gappy[~np.isnan(gappy).any(axis=1)]
        model = DensityImputer(GaussianMixture(1)).fit(gappy)
        assert np.allclose(model.means_[0], rows.mean(axis=0))
        with pytest.raises(ValueError, match="0 complete rows are not enough"):
            DensityImputer(GaussianMixture(1)).fit([[1.0, np.nan], [np.nan, 2.0]])
        with pytest.raises(ValueError, match=r"PCA lacks means_"):
            DensityImputer(PCA(1)).fit(np.eye(2).repeat(2, axis=0))

    def test_draws_are_the_same_in_every_call(self, gappy):
        model = DensityImputer(draw=True, random_state=0).fit(gappy)
        assert np.array_equal(model.transform(gappy), model.transform(gappy))


class TestChainedImputer:
    def test_exact_linear_relation_is_restored(self, complete):
        X = np.column_stack([complete, complete @ [1.0, -2.0, 0.5] + 3])
        holes = X.copy()
        holes[::5, 3] = np.nan
        filled = ChainedImputer().fit_transform(holes)
        assert np.allclose(filled, X, atol=1e-3)

    def test_beats_the_mean_on_correlated_numbers(self, complete, gappy):
        gaps = np.isnan(gappy)
        error = ChainedImputer().fit_transform(gappy)[gaps] - complete[gaps]
        naive = SimpleImputer().fit_transform(gappy)[gaps] - complete[gaps]
        assert (error**2).mean() < 0.8 * (naive**2).mean()

    def test_agrees_with_em_for_a_gaussian(self, gappy):
        chained = ChainedImputer(tol=1e-6, max_iter=100).fit_transform(gappy)
        em = DensityImputer(tol=1e-9, max_iter=500).fit_transform(gappy)
        gaps = np.isnan(gappy)
        assert np.corrcoef(chained[gaps], em[gaps])[0, 1] > 0.99

    @pytest.fixture
    def mixed(self):
        rng = np.random.default_rng(0)
        n = 300
        kind = rng.choice(["cat", "dog", "fish"], size=n)
        legs = np.where(kind == "fish", 0.0, 4.0)
        weight = np.select([kind == "cat", kind == "dog"], [4.0, 20.0], 0.5)
        weight = weight * np.exp(0.1 * rng.normal(size=n))
        full = pd.DataFrame({"kind": kind, "weight": weight, "legs": legs, "wet": kind == "fish"})
        holes = full.astype({"wet": object})
        for j in range(4):
            holes.iloc[rng.permutation(n)[:40], j] = None
        return full, holes

    def test_mixed_frame_comes_back_as_a_frame(self, mixed):
        full, holes = mixed
        filled = ChainedImputer(random_state=0).fit_transform(holes)
        assert list(filled.columns) == list(full.columns) and not filled.isna().any().any()
        assert filled.dtypes.astype(str)["weight"] == "float64"
        known = holes.notna()
        assert (filled.where(known) == holes.where(known))[known].all().eq(True).all()
        assert (filled["kind"] == full["kind"]).mean() > 0.95
        assert (filled["wet"] == full["wet"]).mean() > 0.95

    def test_forests_and_categories_of_other_types(self, mixed):
        full, holes = mixed
        model = ChainedImputer(
            RandomForestRegressor(20), RandomForestClassifier(20), max_iter=5, tol=0.05,
            random_state=0,
        )  # fmt: skip
        filled = model.fit_transform(holes.astype({"kind": "category"}))
        assert filled["kind"].dtype == "category"
        assert (filled["kind"].astype(object) == full["kind"]).mean() > 0.95
        again = model.fit_transform(holes.astype({"kind": "category"}))
        assert filled.equals(again)

    def test_numbers_may_be_named_categories(self):
        X = np.array([[0, 1.0], [0, 1.1], [2, 9.0], [2, 9.1], [np.nan, 9.0], [1, 5.0], [1, 5.2]])
        filled = ChainedImputer(categorical=[0]).fit_transform(X)
        assert filled[4, 0] == 2 and filled.dtype == np.float64
        frame = pd.DataFrame(X, columns=["code", "size"])
        assert ChainedImputer(categorical=["code"]).fit(frame).categories_[0].tolist() == [0, 1, 2]
        with pytest.raises(ValueError, match="neither a column name nor an index"):
            ChainedImputer(categorical=["colour"]).fit(frame)

    def test_draws_keep_the_variance_that_predictions_lose(self, complete):
        holes = mask_missing(complete, "mcar", 0.4, random_state=1)
        model = ChainedImputer(sample=True, max_iter=5, random_state=0)
        drawn = model.fit_transform(holes)
        assert model.n_iter_ == 5
        mean = ChainedImputer().fit_transform(holes)
        assert mean[:, 0].var() < 0.85 * complete[:, 0].var() < drawn[:, 0].var()

    def test_rounds_that_do_not_settle_warn(self, gappy):
        with pytest.warns(ConvergenceWarning, match="after max_iter=2 rounds"):
            ChainedImputer(max_iter=2, tol=1e-12).fit(gappy)

    def test_new_rows_may_miss_what_training_rows_had(self, complete):
        model = ChainedImputer().fit(complete)
        row = complete[:1].copy()
        row[0, 1] = np.nan
        beta = np.linalg.lstsq(
            np.column_stack([complete[:, [0, 2]], np.ones(600)]), complete[:, 1], rcond=None
        )[0]
        expected = row[0, [0, 2]] @ beta[:2] + beta[2]
        assert model.transform(row)[0, 1] == pytest.approx(expected, abs=1e-3)

    def test_unknown_categories_and_empty_columns_are_named(self):
        X = np.array([["a", 1.0], ["b", 2.0], [None, 2.0]], dtype=object)
        model = ChainedImputer().fit(X)
        with pytest.raises(ValueError, match="column 0 has 'z', which was not seen"):
            model.transform(np.array([["z", 1.0]], dtype=object))
        with pytest.raises(ValueError, match="column 1 has no value"):
            ChainedImputer().fit(np.array([["a", None], ["b", None]], dtype=object))

    def test_one_category_only_needs_no_model(self):
        X = np.array([["a", 1.0], ["a", 2.0], [None, 2.0]], dtype=object)
        assert ChainedImputer().fit_transform(X)[2, 0] == "a"

    def test_pipeline_with_a_linear_model(self, gappy):
        pipe = make_pipeline(ChainedImputer(), LogisticRegression())
        y = np.nan_to_num(gappy[:, 0]) > 1
        assert pipe.fit(gappy, y).score(gappy, y) > 0.7
