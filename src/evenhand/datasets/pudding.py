"""Davidson (1970), Example 2: six brands of chocolate pudding, unequal numbers of comparisons."""

from __future__ import annotations

from typing import Final

from evenhand.datasets.dataset import Dataset, Number, cells

# Brands i and j, then: i preferred, no preference, j preferred.
_COUNTS: Final = (
    (1, 2, (19, 16, 22)),
    (1, 3, (16, 12, 19)),
    (2, 3, (19, 10, 19)),
    (1, 4, (18, 13, 23)),
    (2, 4, (23, 9, 19)),
    (3, 4, (19, 15, 20)),
    (1, 5, (13, 18, 19)),
    (2, 5, (16, 12, 20)),
    (3, 5, (16, 17, 15)),
    (4, 5, (17, 16, 14)),
    (1, 6, (18, 12, 21)),
    (2, 6, (22, 12, 20)),
    (3, 6, (13, 10, 18)),
    (4, 6, (14, 18, 19)),
    (5, 6, (11, 12, 21)),
)

_R: Final = (
    "R, PlackettLuce, vignette 'Introduction to PlackettLuce', section 2.1.1: "
    "PlackettLuce(R, weights = w, npseudo = 0, maxit = 7), stopped there to agree with Davidson"
)
_SUMMARY: Final = "R, PlackettLuce, the same vignette, section 2.2: summary(mod)"
_GLM: Final = "statsmodels 0.15.0, GLM(y, X, Poisson()), one nuisance parameter per pair"

_NUMBERS: Final = (
    Number("davidson", "worth", "brand 1", 0.1388005, 1e-5, _R),
    Number("davidson", "worth", "brand 2", 0.1729985, 1e-5, _R),
    Number("davidson", "worth", "brand 3", 0.1617420, 1e-5, _R),
    Number("davidson", "worth", "brand 4", 0.1653930, 3e-5, _R),
    Number("davidson", "worth", "brand 5", 0.1586805, 1e-5, _R),
    Number("davidson", "worth", "brand 6", 0.2023855, 1e-5, _R),
    Number("davidson", "nu", "", 0.7468147, 1e-5, _R),
    Number("davidson", "log-worth", "brand 6 - brand 1", 0.3771, 1e-4, _SUMMARY),
    Number("davidson", "log-worth se", "brand 6 - brand 1", 0.1924, 1e-4, _SUMMARY),
    Number("davidson", "gamma", "", -0.2919, 1e-4, _SUMMARY),
    Number("davidson", "gamma se", "", 0.0825, 1e-4, _SUMMARY),
    Number("davidson", "deviance", "", 15.7704057795, 1e-6, _GLM),
    Number("davidson", "df", "", 24, 0, _GLM),
)

TABLE: Final = Dataset(
    name="pudding",
    title="Six brands of chocolate pudding, compared in pairs with ties",
    source=(
        "Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in "
        "paired comparison experiments. Journal of the American Statistical Association 65, "
        "317-328. Example 2."
    ),
    columns=("left", "right", "outcome", "weight"),
    rows=tuple(
        row for i, j, counts in _COUNTS for row in cells(f"brand {i}", f"brand {j}", counts)
    ),
    numbers=_NUMBERS,
    note=(
        "The worths come from an iteration stopped after seven steps to agree with Davidson's; the "
        "exact maximum lies within 3e-5 of them. The brands hardly differ: the largest z of a "
        "log-worth against the mean is 1.58. Left and right are the order of the table, not of "
        "presentation."
    ),
)
