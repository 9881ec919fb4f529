"""Tables 1 and 2 of Hamon et al. (2007): n-agreement, P_o, P_e and κ by criterion and input."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evenhand.agreement.coincidences import Blocks, count_coincidences
from evenhand.agreement.fleiss import fleiss_parts
from evenhand.agreement.n_agreement import choose_steps, n_agreement
from evenhand.agreement.sums import Sums
from evenhand.agreement.units import Units, find_units
from evenhand.errors import NotIdentified
from evenhand.judgments.rating_rows import RatingRows
from evenhand.judgments.scale import Scale
from evenhand.screening.diagnosis_result import AgreementRow
from evenhand.screening.profiles import knows_items

_NO_ITEMS = "the data have no items, so that nobody knows which scores are of one output"


def measure_rows(
    rows: RatingRows, scales: Mapping[str, Scale], input_type: str | None
) -> tuple[AgreementRow, ...]:
    """Measure agreement under each criterion, on each input type and on all.

    Args:
        rows: scores, one of each judge for an output.
        scales: criterion → its scale.
        input_type: the factor that holds input types, or None.

    """
    found = []
    for (criterion,), part in rows.split(("criterion",)).items():
        inputs = {} if input_type is None else part.split((input_type,))
        for (name,), own in inputs.items():
            found.append(_measure(criterion, name, own, scales[criterion]))
        found.append(_measure(criterion, "", part, scales[criterion]))
    return tuple(found)


def _measure(criterion: str, name: str, rows: RatingRows, scale: Scale) -> AgreementRow:
    if not knows_items(rows):
        return AgreementRow(criterion, name, 0, (), (), None, None, None, _NO_ITEMS)
    units = find_units(rows)
    outputs = int(units.several.sum())
    sums = Sums(count_coincidences(units, _one_block(units)))
    try:
        parts = fleiss_parts(sums.coincidences)
    except NotIdentified as refusal:
        return AgreementRow(criterion, name, 0, (), (), None, None, None, str(refusal))
    points = np.array(scale.points or units.points)
    steps = choose_steps(scale.low, scale.high, points)
    if (points == np.round(points)).all():  # n between two points is the point below
        steps = tuple(sorted({float(np.floor(step)) for step in steps}))
    shares = tuple(_share(sums, n) for n in steps)
    why = "all scores are alike" if parts.kappa is None else None
    return AgreementRow(
        criterion, name, outputs, steps, shares, parts.observed, parts.chance, parts.kappa, why
    )


def _share(sums: Sums, n: float) -> float:
    """Return n-agreement of data in which some output has two judges."""
    found = n_agreement(sums, n)
    return float(found.over[0] / found.under[0])


def _one_block(units: Units) -> Blocks:
    """Return all units as one cluster: nothing is drawn again."""
    return Blocks(1, np.zeros(units.size, dtype=np.int64), None, "item", 1)
