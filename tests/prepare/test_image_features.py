"""Features of images, and matching with class means."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.pipeline import FeatureUnion, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer

from shallows.prepare import PrototypeMatching, mean_brightness, radiality

DIGITS, LABELS = load_digits(return_X_y=True)


def image(text):
    return [float(sign == "#") for row in text.split() for sign in row]


@pytest.mark.parametrize(
    ("text", "shape", "expected"),
    [
        (".#. #.# .#.", (3, 3), 1),
        ("... ### ...", (3, 3), 0),
        ("#.# #.# #.#", (3, 3), 0),
        ("#### #..# #..# ####", (4, 4), 1),
        ("#### #.## ##.# ####", (4, 4), 1),
        (".... .##. .##. ....", (4, 4), 0),
        (".#.. #.#. .#..", (3, 4), 1),
    ],
)
def test_radiality_wants_black_white_black_both_ways(text, shape, expected):
    assert radiality([image(text)], shape).tolist() == [[expected]]


def test_radiality_picks_out_zeros():
    radial = radiality(DIGITS, (8, 8), threshold=7)[:, 0] == 1
    zeros = LABELS == 0
    assert radial[zeros].mean() > 0.9 > 0.4 > radial[~zeros].mean()
    with pytest.raises(ValueError, match="do not fit"):
        radiality(DIGITS, (8, 9))


def test_brightness_is_the_mean_and_both_work_in_a_union():
    assert np.allclose(mean_brightness(DIGITS)[:, 0], DIGITS.sum(axis=1) / 64)
    union = FeatureUnion(
        [
            ("brightness", FunctionTransformer(mean_brightness)),
            ("radiality", FunctionTransformer(radiality, kw_args={"shape": (8, 8)})),
            ("prototypes", PrototypeMatching()),
        ]
    )
    assert union.fit_transform(DIGITS, LABELS).shape == (len(DIGITS), 12)


def test_prototype_features_are_products_with_class_means():
    model = PrototypeMatching().fit(DIGITS, LABELS)
    means = np.array([DIGITS[k == LABELS].mean(axis=0) for k in range(10)])
    assert np.allclose(model.transform(DIGITS), DIGITS @ means.T)
    assert model.get_feature_names_out()[3] == "prototype_3"


def test_normalised_matching_is_the_cosine():
    found = PrototypeMatching(normalize=True).fit(DIGITS, LABELS).transform(DIGITS)
    assert found.max() <= 1 + 1e-12
    assert (found.argmax(axis=1) == LABELS).mean() > 0.8
    unit = make_pipeline(Normalizer(), PrototypeMatching(normalize=True))
    assert unit.fit_transform(DIGITS, LABELS).shape == found.shape
