"""Stigler (1994): citations among four journals of statistics; the cited journal is preferred."""

from __future__ import annotations

from typing import Final

from evenhand.datasets.dataset import Dataset, Number, cells

# Journals i and j, then how often i was cited by j and how often j was cited by i.
_COUNTS: Final = (
    ("Biometrika", "Comm Statist", 730, 33),
    ("Biometrika", "JASA", 498, 320),
    ("Biometrika", "JRSS-B", 221, 284),
    ("Comm Statist", "JASA", 68, 813),
    ("Comm Statist", "JRSS-B", 17, 276),
    ("JASA", "JRSS-B", 142, 325),
)

_BTM: Final = "R 4.2.2, BradleyTerry2 1.1.2, BTm(cbind(win1, win2), journal1, journal2)"
_PRINT: Final = "R, BradleyTerry2, vignette 'Bradley-Terry Models in R', section 2.1"
_PLAIN: Final = "bradley-terry"

TABLE: Final = Dataset(
    name="citations",
    title="Citations among four journals of statistics, the cited one preferred",
    source=(
        "Stigler, S. M. (1994). Citation patterns in the journals of statistics and probability. "
        "Statistical Science 9, 94-108; the four journals of Agresti, A. (2002), Categorical Data "
        "Analysis, 2nd edition, Wiley, p. 448."
    ),
    columns=("left", "right", "outcome", "weight"),
    rows=tuple(
        row
        for left, right, cited, citing in _COUNTS
        for row in cells(left, right, (cited, 0, citing))
    ),
    numbers=(
        Number(_PLAIN, "log-worth", "Comm Statist - Biometrika", -2.94907249684391, 1e-6, _BTM),
        Number(_PLAIN, "log-worth", "JASA - Biometrika", -0.479569769751992, 1e-6, _BTM),
        Number(_PLAIN, "log-worth", "JRSS-B - Biometrika", 0.268954055819472, 1e-6, _BTM),
        Number(_PLAIN, "log-worth se", "Comm Statist - Biometrika", 0.102545335369857, 1e-6, _BTM),
        Number(_PLAIN, "log-worth se", "JASA - Biometrika", 0.0605887292396263, 1e-6, _BTM),
        Number(_PLAIN, "log-worth se", "JRSS-B - Biometrika", 0.0708299651057058, 1e-6, _BTM),
        Number(_PLAIN, "deviance", "", 4.293, 5e-4, _PRINT),
        Number(_PLAIN, "df", "", 3, 0, _PRINT),
    ),
    note=(
        "A journal that cites itself compares nothing; those counts are left out. Citations of "
        "one paper are not independent, so the standard errors are too small. Left and right are "
        "alphabetical order, not an order of presentation."
    ),
)
