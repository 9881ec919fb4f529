"""Flags for judges of comparisons and rankings, with a controlled share of false ones.

Slopes on what the others say (`comparison_slopes`), controls and repeats (`comparison_checks`) go
into one mixture of honest, careless and reversed judges (`mixture`): the flagged are the largest
set with a mean P(honest) of at most four fifths of the level. Habits (`comparison_habits`) are
tested beside it, all judges and habits together by Benjamini and Hochberg (1995) at the other
fifth: the share of honest judges in a union is at most the sum of both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, require_level
from evenhand.judgments.rating_rows import TARGET
from evenhand.judgments.signature import write_signature
from evenhand.judgments.vote_digest import digest_votes
from evenhand.judgments.votes import TIE, Votes
from evenhand.screening.camps import note_camps, note_many
from evenhand.screening.card import CLASSES, OF_CLASSES, OF_HABITS, Card, Screening
from evenhand.screening.comparison_checks import weigh_controls, weigh_repeats
from evenhand.screening.comparison_habits import VoteHabit, find_vote_habits
from evenhand.screening.comparison_slopes import find_slopes
from evenhand.screening.comparison_summary import (
    ENOUGH,
    Verdict,
    note_limits,
    say_detectable,
    say_flags,
)
from evenhand.screening.comparison_times import weigh_seconds
from evenhand.screening.comparison_words import Findings, gather_evidence
from evenhand.screening.mixture import FEWEST, choose_flags, fit_mixture
from evenhand.significance.adjust import benjamini_hochberg

Array = NDArray[np.float64]
Effect = Callable[[str], str]

LEVEL: Final = 0.05
MOST_EFFECTS: Final = 10
"""Flagged judges of whom it is told what leaving them out changes."""
NOT_TOLD: Final = f"not computed: only for the {MOST_EFFECTS} most doubtful"
SHARED: Final = 2
"""Other judges on an output pair that tell something of a judge even where systems are equal."""
NEARLY_EQUAL: Final = 0.25
"""Root mean square of weighed gaps (logits) below which systems are nearly equal."""


def screen_comparisons(
    votes: Votes, *, level: float = LEVEL, effect: Effect | None = None
) -> Screening:
    """Say which judges are careless or reversed, and who has odd habits; nothing is drawn.

    Args:
        votes: comparisons row by row, of rankings too.
        level: share of honest judges among the flagged that is allowed (proportion).
        effect: what leaving a judge out changes, in a sentence; asked for flagged judges only.

    Raises:
        NotIdentified: the data name no judges, hold no decisive comparison, or hold controls and
            repeats alone.
        UnknownOption: a level that is no proportion.

    """
    _refuse(votes, level)
    found = _look(votes)
    reason = found.mixture.abstention() or _no_ground(found)
    answers = _count_answers(found.votes)
    enough = answers >= ENOUGH
    flags = _flag(found, level, enough & (reason is None), enough)
    informed = found.mixture.testable(found.slopes.information, OF_CLASSES * level) & enough
    cards = _make_cards(found, (answers, flags, informed & (reason is None)), level)
    cards.sort(key=lambda card: (not card.flags, card.p_honest, card.judge))
    if effect is not None:
        cards = _add_effects(cards, effect)
    return _write(found, Verdict(tuple(cards), level, reason, answers, informed))


def _make_cards(
    found: Findings,
    decided: tuple[Array, list[tuple[str, ...]], NDArray[np.bool_]],
    level: float,
) -> list[Card]:
    """Return the cards of all judges.

    Args:
        found: what was found.
        decided: (J,) answers, flags, and who would be seen if careless; the flagged were.
        level: the false discovery rate.

    """
    return [
        Card(
            judge=judge,
            n=int(n),
            posterior=dict(zip(CLASSES, map(float, chances), strict=True)),
            flags=own,
            evidence=lines,
            testable=bool(seen) or bool(set(own) & set(CLASSES)),
        )
        for judge, n, chances, own, lines, seen in zip(
            found.votes.judges,
            decided[0],
            found.mixture.posterior,
            decided[1],
            gather_evidence(found, OF_HABITS * level),
            decided[2],
            strict=True,
        )
    ]


def _add_effects(cards: list[Card], effect: Effect) -> list[Card]:
    """Say what leaving out the most doubtful of the flagged changes: each is a ranking anew."""
    told = [
        effect(card.judge) if k < MOST_EFFECTS else NOT_TOLD
        for k, card in enumerate(card for card in cards if card.flags)
    ]
    ends = [None] * (len(cards) - len(told))
    return [replace(card, effect=said) for card, said in zip(cards, [*told, *ends], strict=True)]


def _doubt(found: Findings, verdict: Verdict) -> tuple[str, ...]:
    """Note where the flagged are many, or of one mind."""
    votes = found.votes
    flagged = [card.judge for card in verdict.cards if set(card.flags) & set(CLASSES)]
    shown = np.flatnonzero(np.isin(np.array(votes.judges), flagged)[votes.judge])
    pair = np.unique(votes.pair, return_inverse=True)[1].reshape(-1)
    shown = shown[votes.outcome[shown] != TIE] if votes.items != ("",) else shown[:0]
    minds = votes.preferred[shown].astype(float)
    return (*note_many(verdict.cards), *note_camps(pair[shown], votes.judge[shown], minds))


def _refuse(votes: Votes, level: float) -> None:
    """Refuse what cannot be screened.

    Raises:
        NotIdentified: the data name no judges, hold no decisive comparison, or hold controls and
            repeats alone.
        UnknownOption: a level that is no proportion.

    """
    require_level(level, ".05")
    if votes.judges == ("",):
        raise NotIdentified(
            "nobody knows who the judges are: the data have no column of judges",
            ["name it (--column judge=NAME, in Python columns={'judge': 'NAME'})"],
        )
    if not (votes.outcome != TIE).any():
        raise NotIdentified("no comparison was decided: there is nothing to compare judges by")
    if votes.kind is not None and not (votes.kind == TARGET).any():
        raise NotIdentified(
            "all comparisons are controls or repeats: there are no outputs to set judges beside"
        )


def _look(votes: Votes) -> Findings:
    """Find out all there is about the judges: time last, which is weighed by what is known."""
    targets = votes if votes.kind is None else votes.take(votes.kind == TARGET)
    slopes = find_slopes(targets)
    tied = float((targets.outcome == TIE).mean())
    controls = weigh_controls(votes, tied, slopes.inflation)
    repeats = weigh_repeats(votes, slopes.inflation)
    extra = np.zeros((len(votes.judges), 3))
    for one in (controls, repeats):
        extra += 0.0 if one is None else one.logs
    mixture = fit_mixture(slopes.slope, slopes.error, extra=extra)
    times = weigh_seconds(targets, mixture.posterior)
    if times is not None:
        mixture = fit_mixture(slopes.slope, slopes.error, extra=extra + times.logs)
    habits = find_vote_habits(targets, slopes) if len(votes.judges) >= FEWEST else ()
    return Findings(targets, slopes, mixture, controls, repeats, times, habits, _adjust(habits))


def _adjust(habits: tuple[VoteHabit, ...]) -> tuple[Array, ...]:
    """Adjust p-values over all judges and habits."""
    if not habits:
        return ()
    together = benjamini_hochberg(np.concatenate([one.p for one in habits]))
    borders = np.cumsum([len(one.p) for one in habits])[:-1]
    return tuple(np.split(together, borders))


def _no_ground(found: Findings) -> str | None:
    """Say why slopes rest on nothing, if they do."""
    slopes = found.slopes
    alone = float((slopes.others.judges < SHARED).mean())
    spread = float(np.sqrt(np.mean((slopes.weights[0] * slopes.gap) ** 2)))
    if alone <= 0.5 or spread >= NEARLY_EQUAL:
        return None
    return (
        f"{100 * alone:.0f} % of the judgments are of outputs that fewer than {SHARED} other judges"
        " saw, and the systems are nearly equal: nothing says what an honest judge would answer;"
        " let several judges see the same outputs"
    )


def _flag(
    found: Findings, level: float, classed: NDArray[np.bool_], habitual: NDArray[np.bool_]
) -> list[tuple[str, ...]]:
    """Return the flags of every judge.

    Args:
        found: what was found.
        level: the false discovery rate.
        classed: (J,) who may be called careless or reversed.
        habitual: (J,) who may be said to have a habit.

    """
    flags: list[tuple[str, ...]] = [() for _ in found.votes.judges]
    p_honest = np.where(classed, found.mixture.p_honest, 1.0)
    for judge in np.flatnonzero(choose_flags(p_honest, OF_CLASSES * level)).tolist():
        worst = 1 + int(found.mixture.posterior[judge, 1:].argmax())
        flags[judge] = (CLASSES[worst],)
    for habit, adjusted in zip(found.habits, found.habit_p, strict=True):
        odd = (adjusted <= OF_HABITS * level) & habitual[habit.judges]
        for judge in habit.judges[odd].tolist():
            flags[judge] = (*flags[judge], habit.name)
    return flags


def _count_answers(votes: Votes) -> Array:
    """Return (J,) answers of each judge, a ranking being one."""
    size = len(votes.judges)
    if votes.answer is None:
        return np.bincount(votes.judge, minlength=size).astype(float)
    both = np.unique(votes.answer.astype(np.int64) * size + votes.judge)
    return np.bincount(both % size, minlength=size).astype(float)


def _write(found: Findings, verdict: Verdict) -> Screening:
    """Put all of it into sentences."""
    votes, mixture = found.votes, found.mixture
    ranked = votes.answer is not None and verdict.answers.sum() < votes.size
    shares = dict(zip(CLASSES, map(float, mixture.shares), strict=True))
    parts = ["flags by slopes on the others' votes", f"level {verdict.level:g}"]
    digest = digest_votes(votes)
    n = float(verdict.answers.sum())
    return Screening(
        cards=verdict.cards,
        level=verdict.level,
        kind="rankings" if ranked else "comparisons",
        n_judgments=int(n),
        abstains=verdict.abstains,
        detectable=say_detectable(found, verdict),
        says=say_flags(verdict.cards, verdict.abstains, verdict.level),
        notes=(*votes.notes, *note_limits(found), *_doubt(found, verdict)),
        signature=write_signature(parts, n, digest, judges=len(votes.judges)),
        parameters={**shares, "mean": mixture.mean, "spread": mixture.spread},
    )
