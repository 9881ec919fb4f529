"""Dras (2015), Table 1: four systems, four judges, three outcomes for each pair."""

from __future__ import annotations

from typing import Final

from evenhand.datasets.dataset import Dataset, Number, cells

_PAIRS: Final = (("A", "B"), ("A", "C"), ("A", "D"), ("B", "C"), ("B", "D"), ("C", "D"))

# One line per judge, one triple per pair in the printed order: left preferred, tie, right.
_COUNTS: Final = {
    "J1": ((38, 0, 2), (36, 1, 3), (37, 1, 2), (39, 1, 0), (0, 2, 38), (3, 0, 37)),
    "J2": ((37, 2, 1), (36, 3, 1), (38, 1, 1), (37, 2, 1), (2, 2, 36), (1, 0, 39)),
    "J3": ((33, 4, 3), (33, 3, 4), (3, 3, 34), (4, 4, 32), (2, 4, 34), (1, 0, 39)),
    "J4": ((37, 2, 1), (39, 0, 1), (35, 3, 2), (34, 2, 4), (2, 2, 36), (3, 1, 36)),
}

_TEXT: Final = "Dras (2015), Table 1, summed over judges; section 2 gives the order A-D-B-C"
_EQ1: Final = "R 4.2.2, glm(y ~ 0 + pair + o1 + o2 + o3 + g1, family = poisson), Dras eq. (1)"
_NO_G1: Final = "R 4.2.2, the glm of eq. (1) without g1, tie cells kept"
_EQ2: Final = "R 4.2.2, gnm 1.1.2 and prefmod 0.8-36, llbtPC.fit(formel = ~SUBJ), Dras eq. (2)"

_NUMBERS: Final = (
    Number("counts", "first preferences", "A", 402, 0, _TEXT),
    Number("counts", "first preferences", "D", 334, 0, _TEXT),
    Number("counts", "first preferences", "B", 127, 0, _TEXT),
    Number("counts", "first preferences", "C", 54, 0, _TEXT),
    Number("davidson", "lambda", "A - D", 0.400671143644859, 1e-6, _EQ1),
    Number("davidson", "lambda", "B - D", -1.09806814223783, 1e-6, _EQ1),
    Number("davidson", "lambda", "C - D", -1.54952425741054, 1e-6, _EQ1),
    Number("davidson", "lambda se", "A - D", 0.0792878552022269, 1e-6, _EQ1),
    Number("davidson", "lambda se", "B - D", 0.095261106916222, 1e-6, _EQ1),
    Number("davidson", "lambda se", "C - D", 0.107426468200565, 1e-6, _EQ1),
    Number("davidson", "gamma", "", -1.83170436481691, 1e-6, _EQ1),
    Number("davidson", "gamma se", "", 0.162291677991797, 1e-6, _EQ1),
    Number("davidson", "worth", "A", 0.65838289143318, 1e-6, _EQ1),
    Number("davidson", "deviance", "", 30.4554360241702, 1e-5, _EQ1),
    Number("davidson", "df", "", 8, 0, _EQ1),
    Number("gamma zero", "deviance", "", 220.946556878442, 1e-5, _NO_G1),
    Number("gamma zero", "df", "", 9, 0, _NO_G1),
    Number("davidson by judge", "deviance", "", 107.500010763465, 1e-5, _EQ2),
    Number("davidson by judge", "df", "", 35, 0, _EQ2),
    Number("davidson by judge", "lambda", "A:J3", -1.8675677994437, 1e-6, _EQ2),
)

TABLE: Final = Dataset(
    name="dras2015_table1",
    title="Four translation systems, compared in pairs by four judges (artificial data)",
    source=(
        "Dras, M. (2015). Evaluating human pairwise preference judgments. Computational "
        "Linguistics 41(2), 337-345. Table 1."
    ),
    columns=("judge", "left", "right", "outcome", "weight"),
    rows=tuple(
        row
        for judge, triples in _COUNTS.items()
        for (left, right), counts in zip(_PAIRS, triples, strict=True)
        for row in cells(left, right, counts, judge)
    ),
    numbers=_NUMBERS,
    note=(
        "The paper prints deviance 30.646 on 8 df and, without ties, 221.22 on 9 df. Those are "
        "the values of the table with its AD and BC columns exchanged: the table's order is AB AC "
        "AD BC BD CD, the software the paper used expects (12)(13)(23)(14)(24)(34). The printed "
        "table itself gives 30.4554 and 220.9466. Left and right are the order of the table's "
        "headings, not of presentation."
    ),
)
