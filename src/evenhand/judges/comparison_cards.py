"""Flags for judges of comparisons and rankings, with a controlled share of false ones.

Slopes on what the others say (`comparison_slopes`), controls and repeats (`comparison_checks`) go
into one mixture of honest, careless and reversed judges (`mixture`): the flagged are the largest
set with a mean P(honest) of at most four fifths of the level. Habits (`comparison_habits`) are
tested beside it, all judges and habits together by Benjamini and Hochberg (1995) at the other
fifth: the share of honest judges in a union is at most the sum of both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import NotIdentified, listing, require_level
from evenhand.judges.cards import (
    CLASSES,
    OF_CLASSES,
    OF_HABITS,
    Card,
    Evidence,
    Screening,
    note_camps,
    note_many,
    say_enough,
    say_evidence,
    say_flagged,
)
from evenhand.judges.comparison_evidence import (
    Checks,
    Slopes,
    Times,
    VoteHabit,
    find_slopes,
    find_vote_habits,
    weigh_controls,
    weigh_repeats,
    weigh_seconds,
)
from evenhand.judges.mixture import FEWEST, Mixture, choose_flags, fit_mixture
from evenhand.judgments.rating_rows import TARGET
from evenhand.judgments.signature import write_signature
from evenhand.judgments.vote_digest import digest_votes
from evenhand.judgments.votes import LEFT, TIE, Votes
from evenhand.numerics.distributions import clopper_pearson, normal_quantile
from evenhand.numerics.multiple_tests import benjamini_hochberg

# What is said of a judge's comparisons, line by line of the card.

Array = NDArray[np.float64]
CARD_LEVEL: Final = 0.95  # Of the intervals on a card (proportion)


@dataclass(frozen=True, eq=False)
class Findings:
    """All that was found from one campaign of comparisons."""

    votes: Votes  # judgments of outputs as such
    slopes: Slopes  # how strongly each judge follows the others
    mixture: Mixture  # who is honest, careless or reversed
    controls: Checks | None  # answers to controls, or None
    repeats: Checks | None  # answers given again, or None
    times: Times | None  # how long judges take, or None
    habits: tuple[VoteHabit, ...]  # how judges press the keys
    habit_p: tuple[Array, ...]  # adjusted p-values of each, as its judges


def gather_evidence(found: Findings, threshold: float) -> list[tuple[Evidence, ...]]:
    """Return the lines of every judge's card, in the order of the judges' codes."""
    lines: list[list[Evidence]] = [[] for _ in found.votes.judges]
    parts: list[Sequence[tuple[int, Evidence]]] = [
        _slopes(found.slopes, found.mixture),
        _agreement(found.votes, found.slopes),
        _controls(found.controls, found.mixture),
        _repeats(found.repeats, found.mixture),
        *(
            _habit(habit, p, threshold)
            for habit, p in zip(found.habits, found.habit_p, strict=True)
        ),
        _seconds(found.times, found.mixture),
    ]
    for part in parts:
        for judge, line in part:
            lines[judge].append(line)
    return [tuple(one) for one in lines]


def _slopes(slopes: Slopes, mixture: Mixture) -> list[tuple[int, Evidence]]:
    z = normal_quantile((1 + CARD_LEVEL) / 2)
    n = np.bincount(slopes.judge, minlength=len(slopes.slope))
    found = []
    for judge, (b, error) in enumerate(zip(slopes.slope, slopes.error, strict=True)):
        says = "no decisive vote: nothing shows whether the judge follows the others"
        if n[judge]:
            low, high = b - z * error, b + z * error
            says = (
                f"follows the other judges with a slope of {b:z.2f} ({low:z.2f} to {high:z.2f});"
                f" honest judges have {mixture.mean:.2f} on average, one who answers at random has"
                " 0"
            )
        ends = (float(b - z * error), float(b + z * error))
        odds = float(mixture.log_odds[judge])
        found.append((judge, Evidence("slope", says, float(b), *ends, odds)))
    return found


def _agreement(votes: Votes, slopes: Slopes) -> list[tuple[int, Evidence]]:
    """Compare with the others on output pairs where two or more others all said the same."""
    sure, size = slopes.others.agreed, len(votes.judges)
    lead = slopes.others.lead
    right = sure & (votes.outcome != TIE) & ((votes.outcome == LEFT) == (lead > 0))
    asked, agreed = (np.bincount(votes.judge, v, size) for v in (sure, right))
    found = []
    for judge in np.flatnonzero(asked).tolist():
        n, k = int(asked[judge]), int(agreed[judge])
        low, high = clopper_pearson(k, n, CARD_LEVEL)
        rest = asked.sum() - n
        beside = f", the other judges {100 * (agreed.sum() - k) / rest:.0f} %" if rest else ""
        says = (
            f"where two or more others all prefer one output: agrees in {k} of {n}"
            f" ({100 * k / n:.0f} %){beside}"
        )
        found.append((judge, Evidence("agreement", says, k / n, low, high)))
    return found


def _controls(checks: Checks | None, mixture: Mixture) -> list[tuple[int, Evidence]]:
    if checks is None:
        return []
    found, odds = [], mixture.odds_of(checks.logs).tolist()
    for judge in np.flatnonzero(checks.asked).tolist():
        hit, n = int(checks.seen[judge, 0]), int(checks.asked[judge])
        says = (
            f"controls: {hit} of {n} as expected; all judges {100 * checks.usual[0]:.0f} %,"
            f" by chance {100 * checks.chance[judge, 0]:.0f} %"
        )
        ends = clopper_pearson(hit, n, CARD_LEVEL)
        found.append((judge, Evidence("controls", says, hit / n, *ends, odds[judge])))
    return found


def _repeats(checks: Checks | None, mixture: Mixture) -> list[tuple[int, Evidence]]:
    if checks is None:
        return []
    found, odds = [], mixture.odds_of(checks.logs).tolist()
    for judge in np.flatnonzero(checks.asked).tolist():
        same, n = float(checks.seen[judge, 0]), float(checks.asked[judge])
        says = (
            f"asked again: the same answer in {same:.0f} of {n:.0f}; all judges"
            f" {100 * checks.usual[0]:.0f} %, by chance {100 * checks.chance[judge, 0]:.0f} %"
        )
        ends = clopper_pearson(same, n, CARD_LEVEL)
        found.append((judge, Evidence("repeats", says, same / n, *ends, odds[judge])))
    return found


def _habit(habit: VoteHabit, adjusted: Array, threshold: float) -> list[tuple[int, Evidence]]:
    name, say = {
        "position-biased": ("position", _say_position),
        "drifting": ("session", _say_drift),
        "coarse": ("ties", _say_ties),
    }[habit.name]
    lines = []
    for k, (judge, p) in enumerate(zip(habit.judges.tolist(), adjusted, strict=True)):
        says = f"{say(habit, k)} (adjusted p {p:.2g}; flagged from {threshold:.2g} down)"
        lines.append((judge, Evidence(name, says, float(habit.value[k]))))
    return lines


def _say_position(habit: VoteHabit, k: int) -> str:
    share, median = (100 / (1 + np.exp(-odds)) for odds in (habit.value[k], habit.usual))
    return (
        f"the output shown first was preferred in {100 * habit.share[k]:.0f} % of decisive votes;"
        f" between equals about {share:.0f} %, the median judge {median:.0f} %"
    )


def _say_drift(habit: VoteHabit, k: int) -> str:
    way = "falls" if habit.value[k] < 0 else "rises"
    return (
        f"within a session the slope {way} by {abs(habit.value[k]):.2f} from the first to the last"
        f" answer; the median judge's changes by {habit.usual:+z.2f}"
    )


def _say_ties(habit: VoteHabit, k: int) -> str:
    median = 100 / (1 + np.exp(-habit.usual))
    return f"ties in {100 * habit.share[k]:.0f} % of judgments, the median judge {median:.0f} %"


def _seconds(times: Times | None, mixture: Mixture) -> list[tuple[int, Evidence]]:
    if times is None:
        return []
    odds = mixture.odds_of(times.logs).tolist()
    return [
        (
            judge,
            Evidence(
                "seconds",
                f"takes {median:.1f} seconds for a judgment (median), the median judge"
                f" {times.usual:.1f}",
                median,
                log_odds=odds[judge],
            ),
        )
        for judge, median in zip(times.judges.tolist(), times.seconds.tolist(), strict=True)
    ]


# What is said of all judges of comparisons together: who is flagged, and who could have been.

# Judgments, a ranking being one, below which nobody is flagged: errors are those of many
ENOUGH: Final = 10
REACH: Final = 100_000  # Judgments per judge beyond which no number is named


@dataclass(frozen=True, eq=False)
class Verdict:
    """What was decided."""

    cards: tuple[Card, ...]  # of all judges, the most doubtful first
    level: float  # the false discovery rate
    abstains: str | None  # why nobody is called careless or reversed, or None
    answers: Array  # (J,) judgments of each judge, a ranking being one


def say_flags(cards: Sequence[Card], abstains: str | None, level: float) -> tuple[str, ...]:
    """Say who is flagged for what, and what that means."""
    says = [say_flagged(cards, level)]
    if abstains is not None:
        says.append(f"nobody is called careless or reversed: {abstains}")
        says += say_evidence(cards, abstains)
    return tuple(says)


def say_detectable(found: Findings, verdict: Verdict) -> str:
    """Say how many judgments of this design a careless judge needs to be found."""
    mixture, slopes, answers = found.mixture, found.slopes, verdict.answers
    least, median = mixture.least_information(OF_CLASSES * verdict.level), int(np.median(answers))
    held = float(slopes.information.sum() / answers.sum())
    if least is None or least > REACH * held:
        return (
            "from slopes alone a careless judge cannot be told from an honest one here, with no"
            f" number of judgments within reach: honest judges' slopes differ by"
            f" {mixture.spread:.2f} around {mixture.mean:.2f}; controls or repeats would tell"
        )
    needed = max(ceil(least / held), ENOUGH)
    shared = float(slopes.others.judges.mean())
    design = f"{shared:.1f} other judges on each output pair" if shared else "no shared outputs"
    have = "" if verdict.abstains is not None else f"; {say_enough(verdict.cards)}"
    if median < needed:
        return (
            f"with {median:,} judgments each (the median) and {design} a careless judge cannot be"
            f" told from an honest one by slopes alone: about {needed:,} would be needed{have}"
        )
    if verdict.abstains is not None:
        return (
            "a careless judge would not be seen here, however many judgments there are: nobody is"
            f" called careless (about {needed:,} judgments would be needed otherwise)"
        )
    return (
        f"a careless judge can be told from an honest one from about {needed:,} judgments on, with"
        f" {design}{have}"
    )


def note_limits(found: Findings) -> tuple[str, ...]:
    """Return what must stand beside the result."""
    slopes, notes = found.slopes, []
    silent = np.bincount(slopes.judge, minlength=len(slopes.slope)) == 0
    if silent.any():
        who = listing([found.votes.judges[j] for j in np.flatnonzero(silent)])
        notes.append(f"without a decisive vote, so that nothing is known of their slope: {who}")
    if slopes.inflation > 1:
        notes.append(
            f"comparisons of one answer hang together: each counts for 1/{slopes.inflation:.2f}"
        )
    if found.votes.items == ("",):
        notes.append(
            "no column names the items, so that nobody is known to have seen the same outputs:"
            " slopes rest on what others say of the systems"
        )
    if slopes.passed_over:
        notes.append(
            f"{slopes.passed_over:,} systems stand in tasks too large to leave out one judge after"
            " the other: there slopes rest on others' votes for the same outputs alone"
        )
    if not found.votes.positions_known:
        notes.append("which output stood first is not known: nothing is said of positions")
    return tuple(notes)


Effect = Callable[[str], str]

FALSE_ALARM_RATE: Final = 0.05
MOST_EFFECTS: Final = 10  # Flagged judges of whom it is told what leaving them out changes
NOT_TOLD: Final = f"not computed: only for the {MOST_EFFECTS} most doubtful"
# Other judges on an output pair that tell something of a judge even where systems are equal
SHARED: Final = 2
# Root mean square of weighed gaps (logits) below which systems are nearly equal
NEARLY_EQUAL: Final = 0.25


def screen_comparisons(
    votes: Votes, *, level: float = FALSE_ALARM_RATE, effect: Effect | None = None
) -> Screening:
    """Say which judges are careless or reversed, and who has odd habits; nothing is drawn.

    level: share of honest judges among the flagged that is allowed (proportion).
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
    return _write(found, Verdict(tuple(cards), level, reason, answers))


def _make_cards(
    found: Findings,
    decided: tuple[Array, list[tuple[str, ...]], NDArray[np.bool_]],
    level: float,
) -> list[Card]:
    """Return the cards of all judges.

    decided: (J,) answers, flags, and who would be seen if careless; the flagged were.
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
    """Refuse what cannot be screened."""
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
