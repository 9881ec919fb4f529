"""Which judgments are controls, by a column of kinds or of what is expected; and the others.

`controls.py` comes here with tables that have such a column.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Final

import narwhals as nw

from evenhand.errors import InvalidJudgments, listing
from evenhand.judgments.aside_reading import find_aside_columns, refuse_unread
from evenhand.judgments.asides import DIRECTIONS, KINDS, Unread, is_kind
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import leave_out_controls
from evenhand.judgments.engine import COUNT, Frame, fetch_columns
from evenhand.judgments.exclusions import Exclusion, name_lost
from evenhand.judgments.labels import read_outcome
from evenhand.judgments.levels import count_answers
from evenhand.judgments.merging import spread
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.rating_reading import is_unscored
from evenhand.judgments.rating_rows import CONTROL, REPEAT
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.source import Aside

if TYPE_CHECKING:
    from evenhand.judgments.controls import Held

_LABEL: Final = "evenhand_label"


def leave_out_rows(
    data: Held, asked: Comparisons | Rankings | Ratings, told: Sequence[str]
) -> Held:
    """Leave out the controls of a table that may hold some."""
    found = find_aside_columns(asked.source, asked.frame, scores=False)
    role = next(one for one in told if one in found.asides)
    named = found.only(role).add_to(asked.frame)
    named = named.with_columns(nw.col(f"evenhand_{role}").fill_null("").alias(_LABEL))
    counted = _count(asked, named)
    controls, notes = _choose(asked, (role, found.asides[role]), list(counted))
    source = replace(data.source.noting(*notes), without_controls=True)
    if not controls:
        return replace(data, source=source)
    _refuse_no_others(asked, {*counted} - {*controls}, sum(counted.values()))
    known = nw.col(_LABEL).is_in(controls)
    n = sum(counted[label] for label in controls)
    if isinstance(asked, Rankings) and isinstance(data, Comparisons):
        kept, n = _keep_pairs(data, asked, named.filter(known))
        data = replace(data, frame=kept, rankings=leave_out_controls(asked))
    else:
        data = replace(data, frame=named.filter(~known).drop(_LABEL, f"evenhand_{role}"))
    every = sum(counted.values())
    unit = "ranking" if isinstance(asked, Rankings) else "judgment"
    controls_out = Exclusion(
        "controls", _KINDS["controls"], n, every, unit=unit, sentence=_say_controls(n)
    )
    source = source.excluding(name_lost(controls_out, named, named.filter(~known)))
    return replace(data, source=replace(source, name=f"{source.name} without its controls"))


def exclude_kinds(
    data: Comparisons | Rankings | Ratings, wanted: Sequence[str], *, scored: bool = False
) -> tuple[Exclusion, ...]:
    """Count the judgments of some kinds, which an analysis excludes."""
    asked = data.rankings if isinstance(data, Comparisons) and data.rankings is not None else data
    found = find_aside_columns(asked.source, asked.frame, scores=isinstance(asked, Ratings))
    role = next((one for one in ("kind", "expected") if one in found.asides), None)
    if role is None:
        return ()
    named = found.only(role).add_to(asked.frame)
    named = named.with_columns(nw.col(f"evenhand_{role}").fill_null("").alias(_LABEL))
    if scored:
        named = named.filter(~is_unscored(named))
    counted = _count(asked, named)
    unit = "ranking" if isinstance(asked, Rankings) else "judgment"
    excluded = []
    for code, reason in _KINDS.items():
        repeats = code == "repeats"
        if repeats and role == "kind":
            held = [one for one in counted if KINDS.get(one.casefold(), (0,))[0] == REPEAT]
        elif repeats:
            continue
        else:
            held, _ = _choose(asked, (role, found.asides[role]), list(counted))
        n = sum(counted[one] for one in held)
        if n and code in wanted:
            sentence = "" if repeats else _say_controls(n)
            every = sum(counted.values())
            left_out = Exclusion(code, reason, n, every, unit=unit, sentence=sentence)
            others = named.filter(~nw.col(_LABEL).is_in(held))
            excluded.append(name_lost(left_out, named, others))
            named = others
    return tuple(excluded)


def _say_controls(n: float) -> str:
    """Return the note on controls."""
    return f"{n:,.0f} control{'s' * (n != 1)} left out"


# Code of an exclusion → its reason
_KINDS: Final = {
    "controls": "controls, whose right answer was known: they tell of judges",
    "repeats": "repeats, which tell how judges agree with themselves",
}


def _count(data: Comparisons | Rankings | Ratings, frame: Frame) -> dict[str, float]:
    """Count judgments by the label of their kind, as they are weighted; a ranking is one."""
    if isinstance(data, Comparisons):
        return count_answers(replace(data, frame=frame), _LABEL)
    if isinstance(data, Rankings):
        keys = [name for name in ("task", "ranking") if data.has(name)]
        frame = frame.select(_LABEL, *keys).unique()
    found = fetch_columns(frame.group_by(_LABEL).agg(nw.len().alias(COUNT)))
    return dict(zip(found[_LABEL].tolist(), found[COUNT].tolist(), strict=True))


def _choose(
    data: Comparisons | Rankings | Ratings, named: tuple[str, Aside], labels: list[str]
) -> tuple[list[str], tuple[str, ...]]:
    """Return which labels are those of controls; none, and a note, where a column says no kinds."""
    role, aside = named
    mean = _is_control if role == "kind" else partial(_is_expected, data)
    meant = {label: mean(label.strip()) for label in labels}
    controls = [label for label, control in meant.items() if control]
    unknown = [label for label, control in meant.items() if control is None]
    if not unknown:
        return controls, ()
    told = aside if controls else replace(aside, sure=False)
    fault = Unread(f"holds {listing(unknown, 5)}: expected {_EXPECTED[role]}")
    return [], (refuse_unread(data.source, role, told, fault),)


def _is_control(kind: str) -> bool | None:
    """Say whether a kind is that of a control; None where it is no kind."""
    if not is_kind(kind):
        return None
    return bool(kind) and KINDS[kind.casefold()][0] == CONTROL


def _is_expected(data: Comparisons | Rankings | Ratings, said: str) -> bool | None:
    """Say whether something is expected; None where it is no answer."""
    if said.casefold() in ("", "nan"):
        return False
    if isinstance(data, Comparisons):
        return read_outcome(said, data.outcome_labels) is not None or None
    try:
        return said.casefold() in DIRECTIONS or isfinite(float(said)) or None
    except ValueError:
        return None


_EXPECTED: Final = {"kind": " | ".join(KINDS), "expected": "answers, such as left or 4"}


def _refuse_no_others(
    data: Comparisons | Rankings | Ratings, others: Collection[str], n: float
) -> None:
    if others:
        return
    what = "rankings" if isinstance(data, Rankings) else "judgments"
    raise InvalidJudgments(
        f"all {n:,.0f} {what} of {data.source.name} are controls, whose answer was known: they"
        " tell of judges and say nothing of systems; read them with the other judgments"
    )


def _keep_pairs(data: Comparisons, rankings: Rankings, known: Frame) -> tuple[Frame, int]:
    """Leave out the pairs of control outputs; return the others, and how many answers lost some.

    A pair carries the kind of one of its outputs only, so that kinds are looked up in the rankings.
    """
    keys = [name for name in ("task", "ranking") if rankings.has(name)]
    if rankings.parts is not None:
        known = spread(known, "system", rankings.parts, rankings.source)
    kept, lost = data.frame, set()
    for side in ("left", "right"):
        outputs = known.select(*keys, nw.col("system").alias(side))
        on = [*keys, side]
        hit = data.frame.join(outputs, on=on, how="semi")  # type: ignore[arg-type]
        gone = fetch_columns(hit.select(*keys))
        lost |= {*zip(*(gone[name].tolist() for name in keys), strict=True)}
        kept = kept.join(outputs, on=on, how="anti")  # type: ignore[arg-type]
    return kept, len(lost)
