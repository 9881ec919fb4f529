"""From ratings to a table of agreement: between judges, and of judges with themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from evenhand.agreement.agreement_table import AgreementPart, AgreementTable
from evenhand.agreement.catalogue import choose_kinds
from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.intra import NONE, correlate_repeats, find_answer_units, find_repeats
from evenhand.agreement.parts import Settings, compute_kinds
from evenhand.agreement.sentences import say_parts
from evenhand.agreement.tabulation import Request, tabulate_units
from evenhand.agreement.units import Units
from evenhand.errors import NotIdentified
from evenhand.judgments.rating_digest import digest_ratings
from evenhand.judgments.rating_rows import CONTROL, REPEAT, RatingRows
from evenhand.judgments.scale import Scale

FAMILY: Final = "intra"
"""What asks for the agreement of judges with themselves."""
_KINDS: Final = ("n-agreement", "fleiss", "alpha-interval")
CORRELATION: Final = "intra-pearson"
_NEAR: Final = 3
"""Most n of n-agreement that are shown."""


def tabulate_ratings(units: Units, rows: RatingRows, request: Request) -> AgreementTable:
    """Make the table of some ratings; where judges scored outputs again, that is said too.

    Args:
        units: who scored what, first answers alone.
        rows: all answers, repeats among them.
        request: what was asked for; "intra" asks for judges against themselves, which is shown
            unasked where there are repeats.

    Raises:
        NotIdentified: nothing was scored by two judges.
        UnknownOption: a coefficient that is none.

    """
    targets = rows.targets().size
    units = replace(
        units,  # of this task
        again=targets - len(units.code),
        repeats=_count(rows, REPEAT),
        controls=_count(rows, CONTROL),
    )
    asked = FAMILY in request.coefficients
    others = tuple(name for name in request.coefficients if name != FAMILY)
    wanted = replace(request, coefficients=others, signed=request.coefficients)
    alone = asked and not others and len(find_repeats(rows).judge) > 0
    table = tabulate_units(units, replace(wanted, alone=alone), digest_ratings(rows))
    unasked = {"default", "all"} & set(others) and units.again + units.repeats
    if not asked and not (unasked and len(find_repeats(rows).judge)):
        return table
    parts = tuple(_add(part, _choose(rows, part.by), units.scale, request) for part in table.parts)
    return replace(table, parts=parts, says=say_parts(parts) if alone else table.says)


def _count(rows: RatingRows, kind: int) -> int:
    return 0 if rows.kind is None else int((rows.kind == kind).sum())


def _choose(rows: RatingRows, levels: Mapping[str, str]) -> RatingRows:
    """Keep the rows of a part."""
    kept = np.ones(rows.size, dtype=np.bool_)
    for name, level in levels.items():
        names, codes = rows.labels(name)
        kept &= codes == names.index(level)
    return rows.take(kept)


def _add(part: AgreementPart, rows: RatingRows, scale: Scale, request: Request) -> AgreementPart:
    """Add how judges agree with themselves to a part."""
    own = (*_compute(rows, scale, request), *correlate_repeats(find_repeats(rows), (CORRELATION,)))
    if request.cluster == "judge":
        own = tuple(one.without_interval() for one in own)
    return replace(part, coefficients=(*part.coefficients, *own))


def _compute(rows: RatingRows, scale: Scale, request: Request) -> Sequence[Coefficient]:
    """Return coefficients on outputs that a judge scored again, the answers being judges."""
    try:
        units = find_answer_units(rows, scale if scale.declared else None)
    except NotIdentified:
        return (Coefficient(FAMILY, "judges with themselves", None, why=NONE),)
    kinds = choose_kinds(units, _KINDS)
    near = [kind for kind in kinds if kind.family == "n-agreement"][:_NEAR]
    chosen = (*near, *(kind for kind in kinds if kind.family != "n-agreement"))
    settings = Settings(
        kinds=chosen,
        between=(),
        unasked=(),
        level=request.level,
        cluster="item",
        seed=request.seed,
    )
    return [
        replace(one, name=f"{FAMILY}-{one.name}", title=f"themselves: {one.title}")
        for one in compute_kinds(units, chosen, settings)
    ]
