"""How few judgments carry the answer, and whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.fragility import OPENED, TURNED, Flip, Fragility, find_fragility
from evenhand.ranking.robustness.removal import NO_RANKING
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import Column, Section, Table
from evenhand.report.effort import may_rank, may_remove, say_how
from evenhand.report.numbers import write_value
from evenhand.report.study import Study

CLAIMS: Final = 7  # Conclusions of a board that are asked about, at most
# Rankings that are made until it is known what leaves a conclusion undecided, as a rule
STEPS: Final = 20
SMALL: Final = 0.01  # Share of the votes below which they are few, where a conclusion is decided
FEW: Final = 2  # Judgments, judges or items that are few, where there are ten times as many
MANY: Final = 10
COLUMNS: Final = (
    Column("claim", "conclusion"),
    Column("outcome", "what becomes of it"),
    Column("unit", "without"),
    Column("fewest", "how many", "count", "the fewest that were found"),
    Column("total", "of", "count"),
    Column("share", "share", "percent"),
    Column("whose", "which"),
)
NOTE: Final = (
    "The numbers are upper bounds: every set was checked by ranking again without it, and a smaller"
    " one may exist. Few judgments carry every close race, however honest the judges: two systems"
    " that are nearly level are turned by a few votes in a thousand, and often by one judge. That"
    " says nothing against those judges; how sure a conclusion is, rank sets say."
)


def write_section(study: Study) -> Section:
    """Write what carries the conclusions."""
    ranking, settings = study.ranking, study.settings
    command = study.write_command("doubt")
    if not may_remove(study):
        why = say_how(command, "Which judgments carry the answer")
        return Section("fragility", PREFERENCE["fragility"], not_run=why, command=command)
    whole = may_rank(study, CLAIMS * STEPS)
    opened = whole or may_rank(study, STEPS)
    found = find_fragility(
        study.pairs,
        model=settings.model,
        level=settings.level,
        seed=settings.seed,
        board=ranking,
        most=None if whole else 1,
        outcomes=(TURNED, OPENED) if opened else (TURNED,),
    )
    if not found.flips:
        says = ("All systems are level: there is no conclusion to be carried.",)
        return Section("fragility", PREFERENCE["fragility"], says, notes=found.notes)
    rows = tuple(describe(flip) for flip in found.flips)
    less = () if whole else (say_how(command, _name_rest(opened=opened)),)
    return Section(
        "fragility",
        PREFERENCE["fragility"],
        says=(*say_findings(found, ranking), *less),
        tables=(Table("fragility", "The fewest that carry each conclusion", COLUMNS, rows),),
        notes=(NOTE, *found.notes),
        command=command,
    )


def _name_rest(*, opened: bool) -> str:
    """Name what is not asked here."""
    if opened:
        return "What carries the other conclusions"
    return "What leaves a conclusion undecided, and what carries the other conclusions,"


def describe(flip: Flip) -> dict[str, Any]:
    """Return the row of a finding."""
    outcome = {TURNED: "another is ahead", OPENED: "no longer decided"}[flip.how]
    if flip.left == NO_RANKING:
        outcome = flip.effect
    unit = {"vote": "judgments", "ranking": "rankings", "judge": "judges", "item": "items"}
    return {
        "claim": flip.claim,
        "outcome": outcome,
        "unit": unit[flip.unit],
        "fewest": flip.fewest,
        "total": flip.total,
        "share": None if flip.share is None else round(flip.share, 6),
        "whose": flip.whose if flip.fewest else f"stands without all {flip.tried:,} for it",
    }


def say_findings(found: Fragility, ranking: Ranking) -> tuple[str, ...]:
    """Say what carries each conclusion, and whether that is few."""
    return (*(f"{_say(own)}." for own in found.conclusions), *_judge(found, ranking))


def _say(flips: Sequence[Flip]) -> str:
    """Say what carries one conclusion, each unit with its share; of judges and items which."""
    falls = [flip for flip in flips if flip.fewest is not None]
    claim = flips[0].claim
    if not falls:
        return f"{claim}: this stands whatever judgments for it are left out"
    effects: dict[str, list[str]] = {}
    for flip in falls:
        effects.setdefault(flip.effect, []).append(_count(flip))
    parts = [f"without {_join(few)} {effect}" for effect, few in effects.items()]
    return f"{claim}: {'; '.join(parts)}"


def _join(names: Sequence[str]) -> str:
    """Join names by commas, and by "or" before the last.

    >>> _join(["a", "b", "c"])
    'a, b or c'
    """
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def _count(flip: Flip) -> str:
    """Write how many of how many, with the share, and the names of a few judges or items."""
    share = "" if flip.share is None else write_value(flip.share, "percent")
    few = flip.few.replace("votes", "judgments").replace("vote", "judgment")
    named = flip.unit in ("judge", "item") and len(flip.removed) <= FEW
    return f"{few} ({share}{': ' + flip.whose if named else ''})"


def _judge(found: Fragility, ranking: Ranking) -> tuple[str, ...]:
    """Say whether the first conclusion hangs on few; no alarm where it is not decided anyway."""
    own = [one for one in found.flips if one.claim == found.flips[0].claim]
    if ranking.rank_upper is None or int(ranking.rank_upper[0]) > 1:
        return (
            "That is as it must be: the first place is not decided, and an order that is open turns"
            " with few judgments.",
        )
    for how, becomes in ((TURNED, "another is ahead"), (OPENED, "it is no longer decided")):
        few = [flip.few for flip in own if flip.how == how and is_few(flip)]
        if few:
            without = _join([one.replace("vote", "judgment") for one in few])
            return (
                f"That is few for a conclusion that is decided: without {without} {becomes}. Look"
                " at these judgments first.",
            )
    return (_say_many(own),)


def _say_many(flips: Sequence[Flip]) -> str:
    """Say that a conclusion that is decided hangs on no small group, as far as that was asked."""
    units = [f"{_NAMES[one.unit]}s" for one in flips if one.fewest and _is_one_of_few(one)]
    if units:
        what = _join(list(dict.fromkeys(units)))
        return (
            f"There are so few {what} that one or two of them make much of the answer: more {what}"
            " would tell whether it is theirs alone."
        )
    asked = any(one.how == OPENED for one in flips)
    return (
        "That is not few: no small group of judgments was found without which another is ahead"
        f"{', or the first place no longer decided' if asked else ''}."
    )


_NAMES: Final = {"vote": "judgment", "ranking": "ranking", "judge": "judge", "item": "item"}


def _is_one_of_few(flip: Flip) -> bool:
    """Whether one or two units carry a conclusion, and there are not many more."""
    return flip.fewest is not None and flip.fewest <= FEW and flip.total > 1


def is_few(flip: Flip) -> bool:
    """Whether a decided conclusion hangs on few.

    Few are votes below a hundredth of all, one or two of ten times as many of any unit, and one
    judge or item of several without whom another system is ahead.
    """
    if flip.fewest is None or flip.share is None:
        return False
    if flip.unit in ("vote", "ranking") and flip.share < SMALL:
        return True
    if flip.unit in ("judge", "item") and flip.how == TURNED and flip.fewest == 1 < flip.total:
        return True
    return flip.fewest <= FEW and flip.total >= MANY * flip.fewest
