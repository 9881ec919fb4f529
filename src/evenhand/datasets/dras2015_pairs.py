"""Dras (2015), Figure 1(c): a single pair of systems with ties, artificial data."""

from __future__ import annotations

from typing import Final

from evenhand.datasets.dataset import Dataset, Number, cells

_OUTPUT: Final = "Dras (2015), section 5, R output for ModPref"
_TEXT: Final = "Dras (2015), section 5: exp(2 x 0.2778)"

MODPREF: Final = Dataset(
    name="dras2015_modpref",
    title="A moderate preference for + over -, with some ties (artificial data)",
    source=(
        "Dras, M. (2015). Evaluating human pairwise preference judgments. Computational "
        "Linguistics 41(2), 337-345. Figure 1(c), ModPref."
    ),
    columns=("left", "right", "outcome", "weight"),
    rows=tuple(cells("+", "-", (61, 24, 35))),
    numbers=(
        Number("davidson", "lambda", "+ - -", 0.2778, 5e-5, _OUTPUT),
        Number("davidson", "lambda se", "+ - -", 0.1060, 5e-5, _OUTPUT),
        Number("davidson", "lambda z", "+ - -", 2.620, 5e-4, _OUTPUT),
        Number("davidson", "lambda p", "+ - -", 0.0088, 5e-5, _OUTPUT),
        Number("davidson", "gamma", "", -0.6551, 5e-5, _OUTPUT),
        Number("davidson", "gamma se", "", 0.2300, 5e-5, _OUTPUT),
        Number("davidson", "gamma z", "", -2.848, 5e-4, _OUTPUT),
        Number("davidson", "gamma p", "", 0.0044, 5e-5, _OUTPUT),
        Number("davidson", "odds", "+ - -", 1.74, 5e-3, _TEXT),
        Number("davidson", "deviance", "", 0, 1e-8, _OUTPUT),
        Number("davidson", "df", "", 0, 0, _OUTPUT),
    ),
    note=(
        "The counts are the only whole numbers below 400 that give the estimates and standard "
        "errors of the paper's R output. The model is saturated: three cells, three parameters. "
        "+ is the paper's new system, - its baseline."
    ),
)
