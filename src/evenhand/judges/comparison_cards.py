"""Flags for judges of comparisons and rankings, with a controlled share of false ones.

Slopes on what the others say, controls, repeats and times (`comparison_evidence`) go into one
mixture of honest, careless and reversed judges (`mixture`): the flagged are the largest set with a
mean P(honest) of at most four fifths of the level. Habits are tested beside it, all judges and
habits together by Benjamini and Hochberg (1995) at the other fifth: the share of honest judges in a
union is at most the sum of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.rating_rows import TARGET
from evenhand.data.results import write_signature
from evenhand.data.votes import LEFT, TIE, Votes, digest_votes
from evenhand.errors import NotIdentified, require_level
from evenhand.judges.cards import (
    CLASS_SHARE,
    CLASSES,
    HABIT_SHARE,
    Card,
    Effect,
    Evidence,
    Screening,
    add_effects,
    adjust_habits,
    flag_judges,
    make_cards,
    note_camps,
    note_many,
    say_flags,
)
from evenhand.judges.comparison_evidence import (
    Checks,
    Slopes,
    Times,
    find_slopes,
    find_vote_habits,
    weigh_controls,
    weigh_repeats,
    weigh_seconds,
)
from evenhand.judges.habits import Habit
from evenhand.judges.mixture import MIN_JUDGES, Mixture, fit_mixture
from evenhand.judges.texts import say
from evenhand.numerics.distributions import clopper_pearson, normal_quantile
from evenhand.render.findings import Finding
from evenhand.render.values import write_p

Array = NDArray[np.float64]
Lines = list[tuple[int, Evidence]]  # Lines of cards, with the code of the judge

FALSE_ALARM_RATE: Final = 0.05
CARD_LEVEL: Final = 0.95  # Of the intervals on a card (proportion)
# Judgments, a ranking being one, below which nobody is flagged: errors are those of many
MIN_JUDGMENTS: Final = 10
MAX_JUDGMENTS_ADVISED: Final = 100_000  # Judgments per judge beyond which no number is named
MAX_EFFECTS: Final = 10  # Flagged judges of whom it is told what leaving them out changes
# Other judges on an output pair that tell something of a judge even where systems are equal
MIN_OTHERS: Final = 2
# Root mean square of weighed gaps (logits) below which systems are nearly equal
NEARLY_EQUAL: Final = 0.25


@dataclass(frozen=True, eq=False)
class VoteEvidence:
    votes: Votes  # judgments of outputs as such
    slopes: Slopes  # how strongly each judge follows the others
    mixture: Mixture  # who is honest, careless or reversed
    controls: Checks | None  # answers to controls, or None
    repeats: Checks | None  # answers given again, or None
    times: Times | None  # how long judges take, or None
    habits: tuple[Habit, ...]  # how judges press the keys
    habit_p: tuple[Array | None, ...]  # adjusted p-values of each, as its judges


def screen_comparisons(
    votes: Votes, *, level: float = FALSE_ALARM_RATE, effect: Effect | None = None
) -> Screening:
    """Say who is careless or reversed, and who has odd habits; nothing is drawn."""
    _refuse(votes, level)
    evidence = _find_evidence(votes)
    votes, mixture = evidence.votes, evidence.mixture
    abstains = mixture.abstention() or _find_no_ground(evidence)
    answers = _count_answers(votes)
    enough = answers >= MIN_JUDGMENTS
    flags = flag_judges(
        mixture,
        evidence.habits,
        evidence.habit_p,
        level,
        classable=enough & (abstains is None),
        enough=enough,
    )
    informed = mixture.testable(evidence.slopes.information, CLASS_SHARE * level)
    cards = make_cards(
        votes.judges,
        answers,
        mixture,
        flags=flags,
        evidence=_write_lines(evidence, HABIT_SHARE * level),
        testable=informed & enough & (abstains is None),
    )
    if effect is not None:
        cards = add_effects(cards, effect, MAX_EFFECTS)
    n = float(answers.sum())
    shares = dict(zip(CLASSES, mixture.shares.tolist(), strict=True))
    parts = ["flags by slopes on the others' votes", f"level {level:g}"]
    return Screening(
        cards=tuple(cards),
        level=level,
        kind="rankings" if votes.answer is not None and n < votes.size else "comparisons",
        n_judgments=int(n),
        abstains=abstains,
        detectable=_say_detectable(evidence, cards, answers, level, abstains),
        says=say_flags(cards, abstains, level),
        notes=(
            *votes.notes,
            *_note_limits(evidence),
            *note_many(cards),
            *_note_group(votes, cards),
        ),
        signature=write_signature(parts, n, digest_votes(votes), judges=len(votes.judges)),
        parameters={**shares, "mean": mixture.mean, "spread": mixture.spread},
    )


def _refuse(votes: Votes, level: float) -> None:
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


def _find_evidence(votes: Votes) -> VoteEvidence:
    """Find all there is about the judges: time last, which is weighed by what is known."""
    targets = votes if votes.kind is None else votes.take(votes.kind == TARGET)
    slopes = find_slopes(targets)
    tied = float((targets.outcome == TIE).mean())
    controls = weigh_controls(votes, tied, slopes.inflation)
    repeats = weigh_repeats(votes, slopes.inflation)
    extra = np.zeros((len(votes.judges), 3))
    for checks in (controls, repeats):
        extra += 0.0 if checks is None else checks.logs
    mixture = fit_mixture(slopes.slope, slopes.error, extra=extra)
    times = weigh_seconds(targets, mixture.posterior)
    if times is not None:
        mixture = fit_mixture(slopes.slope, slopes.error, extra=extra + times.logs)
    habits = find_vote_habits(targets, slopes) if len(votes.judges) >= MIN_JUDGES else ()
    adjusted = adjust_habits(habits, [True] * len(habits))
    return VoteEvidence(targets, slopes, mixture, controls, repeats, times, habits, adjusted)


def _find_no_ground(evidence: VoteEvidence) -> Finding | None:
    slopes = evidence.slopes
    alone = float((slopes.others.judges < MIN_OTHERS).mean())
    spread = float(np.sqrt(np.mean((slopes.weights[0] * slopes.gap) ** 2)))
    if alone <= 0.5 or spread >= NEARLY_EQUAL:
        return None
    return say("no-shared-outputs", alone=alone, others=MIN_OTHERS)


def _count_answers(votes: Votes) -> Array:
    """Return (J,) answers of each judge, a ranking being one."""
    size = len(votes.judges)
    if votes.answer is None:
        return np.bincount(votes.judge, minlength=size).astype(float)
    both = np.unique(votes.answer.astype(np.int64) * size + votes.judge)
    return np.bincount(both % size, minlength=size).astype(float)


def _write_lines(evidence: VoteEvidence, threshold: float) -> Iterable[Lines]:
    mixture = evidence.mixture
    yield _write_slopes(evidence.slopes, mixture)
    yield _write_agreement(evidence.votes, evidence.slopes)
    yield _write_checks(evidence.controls, mixture, "controls", "controls: {} of {} as expected")
    again = "asked again: the same answer in {} of {}"
    yield _write_checks(evidence.repeats, mixture, "repeats", again)
    for habit, adjusted in zip(evidence.habits, evidence.habit_p, strict=True):
        yield _write_habit(habit, adjusted, threshold)
    times = evidence.times
    if times is not None:
        odds = mixture.odds_of(times.logs).tolist()
        says = "takes {:.1f} seconds for a judgment (median), the median judge {:.1f}"
        yield [
            (
                judge,
                Evidence("seconds", says.format(median, times.usual), median, log_odds=odds[judge]),
            )
            for judge, median in zip(times.judges.tolist(), times.seconds.tolist(), strict=True)
        ]


def _write_slopes(slopes: Slopes, mixture: Mixture) -> Lines:
    z = normal_quantile((1 + CARD_LEVEL) / 2)
    n = np.bincount(slopes.judge, minlength=len(slopes.slope))
    lines = []
    for judge, (b, error) in enumerate(zip(slopes.slope, slopes.error, strict=True)):
        says = "no decisive vote: nothing shows whether the judge follows the others"
        low, high = float(b - z * error), float(b + z * error)
        if n[judge]:
            says = (
                f"follows the other judges with a slope of {b:z.2f} ({low:z.2f} to {high:z.2f});"
                f" honest judges have {mixture.mean:.2f} on average, one who answers at random has"
                " 0"
            )
        odds = float(mixture.log_odds[judge])
        lines.append((judge, Evidence("slope", says, float(b), low, high, odds)))
    return lines


def _write_agreement(votes: Votes, slopes: Slopes) -> Lines:
    """Compare with the others on output pairs where two or more others all said the same."""
    sure, size = slopes.others.agreed, len(votes.judges)
    right = sure & (votes.outcome != TIE) & ((votes.outcome == LEFT) == (slopes.others.lead > 0))
    judged, agreed = (np.bincount(votes.judge, v, size) for v in (sure, right))
    lines = []
    for judge in np.flatnonzero(judged).tolist():
        n, k = int(judged[judge]), int(agreed[judge])
        rest = judged.sum() - n
        beside = f", the other judges {100 * (agreed.sum() - k) / rest:.0f} %" if rest else ""
        says = (
            f"where two or more others all prefer one output: agrees in {k} of {n}"
            f" ({100 * k / n:.0f} %){beside}"
        )
        ends = clopper_pearson(k, n, CARD_LEVEL)
        lines.append((judge, Evidence("agreement", says, k / n, *ends)))
    return lines


def _write_checks(checks: Checks | None, mixture: Mixture, name: str, counted: str) -> Lines:
    if checks is None:
        return []
    lines, odds = [], mixture.odds_of(checks.logs).tolist()
    for judge in np.flatnonzero(checks.asked).tolist():
        hits, n = float(checks.seen[judge, 0]), float(checks.asked[judge])
        says = (
            f"{counted.format(f'{hits:.0f}', f'{n:.0f}')}; all judges"
            f" {100 * checks.usual[0]:.0f} %, by chance {100 * checks.chance[judge, 0]:.0f} %"
        )
        ends = clopper_pearson(hits, n, CARD_LEVEL)
        lines.append((judge, Evidence(name, says, hits / n, *ends, odds[judge])))
    return lines


def _write_habit(habit: Habit, adjusted: Array | None, threshold: float) -> Lines:
    lines = []
    for k, judge in enumerate(habit.judges.tolist()):
        value, usual = float(habit.value[k]), float(habit.usual[k])
        median = 100 / (1 + np.exp(-usual))
        if habit.name == "position-biased":
            name, share = "position", 100 / (1 + np.exp(-value))
            says = (
                f"the output shown first was preferred in {100 * habit.beside[k]:.0f} % of decisive"
                f" votes; between equals about {share:.0f} %, the median judge {median:.0f} %"
            )
        elif habit.name == "drifting":
            name = "session"
            says = (
                f"within a session the slope {'falls' if value < 0 else 'rises'} by"
                f" {abs(value):.2f} from the first to the last answer; the median judge's changes"
                f" by {usual:+z.2f}"
            )
        else:
            name, share = "ties", 100 * habit.beside[k]
            says = f"ties in {share:.0f} % of judgments, the median judge {median:.0f} %"
        if adjusted is not None:
            says += f" (adjusted p {write_p(float(adjusted[k]))}; flagged up to {threshold:.2g})"
        lines.append((judge, Evidence(name, says, value)))
    return lines


def _say_detectable(
    evidence: VoteEvidence,
    cards: list[Card],
    answers: Array,
    level: float,
    abstains: Finding | None,
) -> str:
    mixture, slopes = evidence.mixture, evidence.slopes
    least, median = mixture.least_information(CLASS_SHARE * level), int(np.median(answers))
    each = float(slopes.information.sum() / answers.sum())
    if least is None or least > MAX_JUDGMENTS_ADVISED * each:
        return (
            "slopes alone cannot flag a careless judge here, with no number of judgments within"
            f" reach: honest judges' slopes differ by {mixture.spread:.2f} around"
            f" {mixture.mean:.2f}; controls or repeats would tell"
        )
    needed = max(ceil(least / each), MIN_JUDGMENTS)
    shared = float(slopes.others.judges.mean())
    design = f"{shared:.1f} other judges per output pair" if shared else "no shared outputs"
    testable = sum(card.testable for card in cards)
    have = f"; {testable:,} of {len(cards):,} judges have that many"
    if abstains is not None:
        have = ""
    if median < needed:
        return (
            f"with {median:,} judgments each (the median) and {design}, slopes alone cannot flag a"
            f" careless judge: about {needed:,} would be needed{have}"
        )
    if abstains is not None:
        return (
            "a careless judge would not be detected here, however many judgments there are: nobody"
            f" is called careless (about {needed:,} judgments would be needed otherwise)"
        )
    return f"slopes flag a careless judge from about {needed:,} judgments on, with {design}{have}"


def _note_limits(evidence: VoteEvidence) -> list[Finding]:
    slopes, votes, notes = evidence.slopes, evidence.votes, list[Finding]()
    silent = np.bincount(slopes.judge, minlength=len(slopes.slope)) == 0
    if silent.any():
        silent_names = [votes.judges[j] for j in np.flatnonzero(silent)]
        notes.append(say("no-decisive-vote", names=silent_names))
    if slopes.inflation > 1:
        notes.append(say("correlated-comparisons", inflation=float(slopes.inflation)))
    if votes.items == ("",):
        notes.append(say("no-items"))
    if slopes.passed_over:
        notes.append(say("large-tasks", n=int(slopes.passed_over)))
    if not votes.positions_known:
        notes.append(say("positions-unknown"))
    return notes


def _note_group(votes: Votes, cards: list[Card]) -> tuple[Finding, ...]:
    if votes.items == ("",):
        return ()
    flagged = [card.judge for card in cards if set(card.flags) & set(CLASSES)]
    rows = np.isin(np.array(votes.judges), flagged)[votes.judge] & (votes.outcome != TIE)
    pair = np.unique(votes.pair, return_inverse=True)[1].reshape(-1)
    return note_camps(pair[rows], votes.judge[rows], votes.preferred[rows].astype(float))
