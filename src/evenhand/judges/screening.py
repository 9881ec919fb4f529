"""Which judges are careless or reversed, in comparisons, rankings and ratings (docs/judges.md).

A judge is one person: scores under several criteria, and of several tasks, make one card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final

import numpy as np

from evenhand.data.comparisons import Comparisons
from evenhand.data.conditions import advise_without
from evenhand.data.controls import (
    Openable,
    carries_excluded,
    find_excluded,
    judged_by_llm_alone,
    leave_out_named,
    refuse_kind,
    take,
)
from evenhand.data.rankings import Rankings
from evenhand.data.rating_rows import (
    ALL_SAME,
    SPREAD_SCORES,
    TARGET,
    RatingRows,
    Scale,
    digest_ratings,
    require_scale,
)
from evenhand.data.ratings import Ratings
from evenhand.data.slips import find_short_scales
from evenhand.data.votes import LEFT, TIE, Votes, digest_votes
from evenhand.errors import NotIdentified, UnknownOption, require_level
from evenhand.judges import cards, comparison_evidence, rating_evidence
from evenhand.judges.cards import (
    MIN_JUDGES,
    Evidence,
    Lines,
    Mixture,
    Screening,
    Verdict,
    fit_mixture,
)
from evenhand.judges.outliers import describe_changes
from evenhand.judges.rating_evidence import (
    MAX_POINTS_COARSE,
    MIN_SCORES,
    find_habits,
    use_of_points,
)
from evenhand.judges.texts import say
from evenhand.judges.units import require_column
from evenhand.numerics import Array
from evenhand.numerics.cluster_means import number_groups
from evenhand.numerics.distributions import clopper_pearson, normal_quantile
from evenhand.render.document import Finding, plural, write_p, write_signature

FALSE_ALARM_RATE: Final = 0.05
CARD_LEVEL: Final = 0.95  # Of the intervals on a card (proportion)
QUANTILE: Final = normal_quantile((1 + CARD_LEVEL) / 2)
# Judgments, a ranking being one, below which nobody is flagged: errors are those of many
MIN_JUDGMENTS: Final = 10
# Judgments, or outputs, per judge beyond which no number is named
MAX_JUDGMENTS_ADVISED: Final = 100_000
MAX_EFFECTS: Final = 10  # Flagged judges of whom it is told what leaving them out changes
# Other judges on an output pair that tell something of a judge even where systems are equal
MIN_OTHERS: Final = 2
# Root mean square of weighed gaps (logits) below which systems are nearly equal
NEARLY_EQUAL: Final = 0.25
# Share of scores at one end of the scale from which nobody is flagged as careless
ONE_END: Final = 0.9

Judgments = Comparisons | Rankings | Ratings | RatingRows | Votes


def screen_judges(
    data: Judgments | Openable,
    *,
    level: float = FALSE_ALARM_RATE,
    scale: Scale | str | None = None,
    effect: Callable[[str], str] | None = None,
    llm_judges: str | Sequence[str] = (),
) -> Screening:
    """Flag careless and reversed judges and odd habits, few of whom are honest.

    Every judge gets a card with what was seen and how sure it is. Of all flags about `level` fall
    on honest judges. Where the design cannot tell, nobody is flagged and the reason is given.

    Args:
        data: judgments, with a column of judges; several tasks are taken together.
        level: share of honest judges among the flagged that is allowed.
        scale: of ratings, such as "1-5"; by default the lowest and highest score that occur.
        effect: tells, for the name of a flagged judge, what leaving that judge out changes; for
            ratings this is by default what becomes of the systems' mean scores.
        llm_judges: names of judges who are LLMs, and are excluded: people are compared with people.
            By default those whom a column judge_type marks, where people judged too.

    Returns:
        The cards, the most doubtful first, and what was found in sentences.

    Raises:
        NotIdentified: no column names the judges.
        UnknownOption: a level that is no share, or a scale that is none or not for these data.
        InvalidJudgments: no judgments, a value in the data that cannot be, or a score off the
            declared scale.

    >>> import evenhand
    >>> import pandas as pd
    >>> rows = [
    ...     {
    ...         "judge": f"J{j}",
    ...         "item": str(i),
    ...         "system": "ABC"[s],
    ...         "score": (s + i + (j + i) % 2) % 5,
    ...     }
    ...     for j in range(12)
    ...     for i in range(20)
    ...     for s in range(3)
    ... ]
    >>> found = evenhand.screen_judges(evenhand.read(pd.DataFrame(rows)))
    >>> len(found.cards), found.flagged
    (12, ())
    """
    data = take(data)
    if len(llm_judges):
        if not isinstance(data, Comparisons | Rankings | Ratings):
            raise refuse_kind(data, "LLM judges are named in tables that were read, not in")
        data = leave_out_named(data, llm_judges)
    return _screen_people(data, level=level, scale=scale, effect=effect)


def note_llm_judges_apart(data: object) -> tuple[Finding, ...]:
    """Say what tells of LLM judges, where some were excluded or nobody else judged."""
    excluded = any(one.code == "llm-judges" for one in find_excluded(data, ()))
    return (say("llm-judges-apart"),) * (excluded or judged_by_llm_alone(data))


@carries_excluded("llm-judges")
def _screen_people(
    data: Any, *, level: float, scale: Scale | str | None, effect: Callable[[str], str] | None
) -> Screening:
    if isinstance(data, Comparisons | Rankings | Ratings):
        data = data.keep_asked()
    if isinstance(data, Ratings | RatingRows):
        rows = data.rows() if isinstance(data, Ratings) else data
        screening = screen_ratings(rows, level=level, scale=require_scale(scale))
        if effect is None:
            flagged = [card.judge for card in screening.flagged]
            sentences = describe_changes(rows, [[judge] for judge in flagged])
            effect = dict(zip(flagged, sentences, strict=True)).__getitem__
        told = cards.add_effects(screening.cards, effect, len(screening.cards))
        screening = replace(screening, cards=tuple(told))
    elif scale is not None:
        raise UnknownOption("a scale is for scores: comparisons and rankings have none")
    elif isinstance(data, Comparisons | Rankings | Votes):
        pairs = data.comparisons() if isinstance(data, Rankings) else data
        votes = pairs if isinstance(pairs, Votes) else pairs.votes()
        screening = screen_comparisons(votes, level=level, effect=effect)
        if isinstance(data, Rankings):
            screening = replace(screening, kind="rankings")
    else:
        raise refuse_kind(data, "judges are seen in comparisons, rankings or ratings, not in")
    screening = replace(screening, notes=(*screening.notes, *note_llm_judges_apart(data)))
    if not screening.flagged or isinstance(data, RatingRows | Votes):
        return screening
    # how to go on without the flagged judges, where the table's names are known
    excluded = {data.source.named("judge"): [card.judge for card in screening.flagged]}
    option = advise_without(data.frame, excluded, judges=True)
    return replace(screening, notes=(*screening.notes, say("without-flagged", option=option)))


@dataclass(frozen=True, eq=False)
class VoteEvidence:
    votes: Votes  # judgments of outputs as such
    slopes: comparison_evidence.Slopes  # how strongly each judge follows the others
    mixture: Mixture  # who is honest, careless or reversed
    controls: comparison_evidence.Checks | None  # answers to controls, or None
    repeats: comparison_evidence.Checks | None  # answers given again, or None
    times: comparison_evidence.Times | None  # how long judges take, or None
    answers: Array  # (J,) answers of each judge, a ranking being one
    verdict: Verdict  # who is flagged


def screen_comparisons(
    votes: Votes, *, level: float = FALSE_ALARM_RATE, effect: cards.Effect | None = None
) -> Screening:
    """Say who is careless or reversed, and who has odd habits; nothing is drawn."""
    require_level(level, ".05")
    require_column("judge", votes.judges)
    if not (votes.outcome != TIE).any():
        raise NotIdentified("no comparison was decided: there is nothing to compare judges by")
    if votes.kind is not None and not (votes.kind == TARGET).any():
        raise NotIdentified(
            "all comparisons are controls or repeats: there are no outputs to set judges beside"
        )
    targets = votes if votes.kind is None else votes.take(votes.kind == TARGET)
    slopes = comparison_evidence.find_slopes(targets)
    tied = float((targets.outcome == TIE).mean())
    controls = comparison_evidence.weigh_controls(votes, tied, slopes.inflation)
    repeats = comparison_evidence.weigh_repeats(votes, slopes.inflation)
    extra = np.zeros((len(votes.judges), 3))
    for checks in (controls, repeats):
        extra += 0.0 if checks is None else checks.logs
    mixture = fit_mixture(slopes.slope, slopes.error, extra=extra)
    times = comparison_evidence.weigh_seconds(targets, mixture.posterior)
    if times is not None:
        mixture = fit_mixture(slopes.slope, slopes.error, extra=extra + times.logs)
    size = len(votes.judges)
    habits = comparison_evidence.find_vote_habits(targets, slopes) if size >= MIN_JUDGES else ()
    answers = np.bincount(targets.judge, minlength=size).astype(float)
    if targets.answer is not None:
        both = np.unique(targets.answer.astype(np.int64) * size + targets.judge)
        answers = np.bincount(both % size, minlength=size).astype(float)
    abstains = mixture.abstention()
    if abstains is None:  # does anything show what an honest judge would answer?
        alone = float((slopes.others.judges < MIN_OTHERS).mean())
        spread = float(np.sqrt(np.mean((slopes.weights[0] * slopes.gap) ** 2)))
        if alone > 0.5 and spread < NEARLY_EQUAL:
            abstains = say("no-shared-outputs", alone=alone, others=MIN_OTHERS)
    verdict = cards.decide_flags(
        mixture,
        slopes.information,
        [(habit, True) for habit in habits],
        level,
        abstains=abstains,
        classable=answers >= MIN_JUDGMENTS,
        enough=answers >= MIN_JUDGMENTS,
    )
    evidence = VoteEvidence(targets, slopes, mixture, controls, repeats, times, answers, verdict)
    votes, lines = targets, _write_vote_lines(evidence, cards.HABIT_SHARE * level)
    judge_cards = cards.make_cards(votes.judges, answers, mixture, verdict, lines)
    if effect is not None:
        judge_cards = cards.add_effects(judge_cards, effect, MAX_EFFECTS)
    n = float(answers.sum())
    shares = dict(zip(cards.CLASSES, mixture.shares.tolist(), strict=True))
    camps: tuple[Finding, ...] = ()
    if votes.items != ("",):
        rows = verdict.classed[votes.judge] & (votes.outcome != TIE)
        preferred = votes.preferred[rows].astype(float)
        camps = cards.note_camps(number_groups(votes.pair)[rows], votes.judge[rows], preferred)
    parts = ["flags by slopes on the others' votes", f"level {level:g}"]
    return Screening(
        cards=tuple(judge_cards),
        level=level,
        kind="rankings" if votes.answer is not None and n < votes.size else "comparisons",
        n_judgments=int(n),
        abstains=abstains,
        detectable=_say_detectable_votes(evidence, level),
        says=cards.say_flags(judge_cards, abstains, level),
        notes=(*votes.notes, *_note_limits(evidence), *cards.note_many(judge_cards), *camps),
        signature=write_signature(parts, n, digest_votes(votes), judges=len(votes.judges)),
        parameters={**shares, "mean": mixture.mean, "spread": mixture.spread},
    )


def _write_vote_lines(evidence: VoteEvidence, threshold: float) -> Iterable[Lines]:
    votes, slopes, mixture = evidence.votes, evidence.slopes, evidence.mixture
    size = len(votes.judges)
    decided = np.bincount(slopes.judge, minlength=size)
    lines = []
    usual = f"honest judges have {mixture.mean:.2f} on average, one who answers at random has 0"
    for judge, (b, error) in enumerate(zip(slopes.slope, slopes.error, strict=True)):
        says = "no decisive vote: nothing shows whether the judge follows the others"
        low, high = float(b - QUANTILE * error), float(b + QUANTILE * error)
        if decided[judge]:
            slope = f"{b:z.2f} ({low:z.2f} to {high:z.2f})"
            says = f"follows the other judges with a slope of {slope}; {usual}"
        odds = float(mixture.log_odds[judge])
        lines.append((judge, Evidence("slope", says, float(b), low, high, odds)))
    yield lines
    # beside the others on output pairs where two or more others all said the same
    sure, lines = slopes.others.agreed, []
    right = sure & (votes.outcome != TIE) & ((votes.outcome == LEFT) == (slopes.others.lead > 0))
    judged, agreed = (np.bincount(votes.judge, v, size) for v in (sure, right))
    for judge in np.flatnonzero(judged).tolist():
        n, k = int(judged[judge]), int(agreed[judge])
        rest = judged.sum() - n
        beside = f", the other judges {100 * (agreed.sum() - k) / rest:.0f} %" if rest else ""
        agrees = f"agrees in {k} of {n} ({100 * k / n:.0f} %){beside}"
        says = f"where two or more others all prefer one output: {agrees}"
        ends = clopper_pearson(k, n, CARD_LEVEL)
        lines.append((judge, Evidence("agreement", says, k / n, *ends)))
    yield lines
    yield _write_checks(evidence.controls, mixture, "controls", "controls: {} of {} as expected")
    again = "asked again: the same answer in {} of {}"
    yield _write_checks(evidence.repeats, mixture, "repeats", again)
    yield from _write_habits(evidence.verdict, threshold)
    times = evidence.times
    if times is not None:
        odds_of = mixture.odds_of(times.logs).tolist()
        says = "takes {:.1f} seconds for a judgment (median), the median judge {:.1f}"
        medians = zip(times.judges.tolist(), times.seconds.tolist(), strict=True)
        yield [
            (j, Evidence("seconds", says.format(own, times.usual), own, log_odds=odds_of[j]))
            for j, own in medians
        ]


def _write_checks(
    checks: comparison_evidence.Checks | None, mixture: Mixture, name: str, counted: str
) -> Lines:
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


def _write_habits(verdict: Verdict, threshold: float) -> Iterable[Lines]:
    for habit, adjusted in zip(verdict.habits, verdict.habit_p, strict=True):
        lines = []
        for at, judge in enumerate(habit.judges.tolist()):
            chance = "shown, not tested"
            if adjusted is not None:
                p = write_p(float(adjusted[at]))
                chance = f"adjusted p {p}; flagged up to {threshold:.2g}"
            says = f"{habit.says[at]} ({chance})"
            lines.append((judge, Evidence(habit.line, says, float(habit.value[at]))))
        yield lines


def _say_detectable_votes(evidence: VoteEvidence, level: float) -> str:
    mixture, slopes, answers = evidence.mixture, evidence.slopes, evidence.answers
    abstains, testable = evidence.verdict.abstains, evidence.verdict.testable
    least, median = mixture.least_information(cards.CLASS_SHARE * level), int(np.median(answers))
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
    have = f"; {testable.sum():,} of {len(testable):,} judges have that many"
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
    slopes, votes = evidence.slopes, evidence.votes
    decided = np.bincount(slopes.judge, minlength=len(slopes.slope))
    silent = [votes.judges[j] for j in np.flatnonzero(decided == 0)]
    notes: dict[str, tuple[bool, dict[str, Any]]] = {
        "no-decisive-vote": (bool(silent), {"names": silent}),
        "correlated-comparisons": (slopes.inflation > 1, {"inflation": float(slopes.inflation)}),
        "no-items": (votes.items == ("",), {}),
        "large-tasks": (slopes.passed_over > 0, {"n": int(slopes.passed_over)}),
        "positions-unknown": (not votes.positions_known, {}),
    }
    return [say(code, **values) for code, (applies, values) in notes.items() if applies]


@dataclass(frozen=True, eq=False)
class RatingEvidence:
    slopes: rating_evidence.RatingSlopes  # how strongly each follows the others
    mixture: Mixture  # what that and the clues say of being honest
    clues: tuple[rating_evidence.Clue, ...]  # controls, repeats, seconds
    severity: rating_evidence.Severity  # how much higher each scores
    expected: rating_evidence.Expectation  # the scores that slopes rest on
    one_end: Array  # (J,) share of scores at one end of the scale
    verdict: Verdict  # who is flagged


def screen_ratings(
    rows: RatingRows, *, level: float = FALSE_ALARM_RATE, scale: Scale | None = None
) -> Screening:
    require_level(level, ".05")
    require_column("judge", rows.judges)
    if not rows.targets().size:
        raise NotIdentified("all scores are of controls: there are no outputs to set judges beside")
    if rows.all_same:
        raise NotIdentified(ALL_SAME, [SPREAD_SCORES])
    if scale is not None:
        scale.check(rows.score)
    present, judge = np.unique(rows.judge, return_inverse=True)
    if len(present) < len(rows.judges):  # judges without a row, as in one part of split data
        names = tuple(rows.judges[j] for j in present.tolist())
        rows = replace(rows, judges=names, judge=judge.reshape(-1).astype(rows.judge.dtype))
    seen = see_judges(rows, level=level, scale=scale)
    mixture, abstains = seen.mixture, seen.verdict.abstains
    n = np.bincount(rows.judge, minlength=len(rows.judges))
    lines = _write_rating_lines(seen, cards.HABIT_SHARE * level)
    judge_cards = cards.make_cards(rows.judges, n, mixture, seen.verdict, lines)
    words = ["screening ratings", f"level {level:g}"]
    words += [] if scale is None else [f"scale {scale}"]
    severity, says = seen.severity, [*cards.say_flags(judge_cards, abstains, level)]
    known = np.flatnonzero(severity.outputs >= MIN_JUDGES)
    if len(known) >= 2:
        order = known[np.argsort(severity.gap[known], kind="stable")]
        ends = {"low": order[0], "high": order[-1]}
        gaps: dict[str, Any] = {end: float(severity.gap[at]) for end, at in ends.items()}
        gaps |= {f"{end}_judge": rows.judges[at] for end, at in ends.items()}
        says.append(say("severities", **gaps, unit=severity.unit))
    scores, flagged = seen.expected, seen.verdict.classed[seen.expected.judge]
    camps = cards.note_camps(scores.output[flagged], scores.judge[flagged], scores.scores[flagged])
    return Screening(
        cards=tuple(judge_cards),
        level=level,
        kind="ratings",
        n_judgments=rows.size,
        abstains=abstains,
        detectable=_say_detectable_ratings(seen, cards.CLASS_SHARE * level),
        says=tuple(says),
        notes=(*rows.notes, *_note_data(rows, seen), *cards.note_many(judge_cards), *camps),
        signature=write_signature(words, rows.size, digest_ratings(rows), judges=len(rows.judges)),
        parameters={
            "share of honest judges": float(mixture.shares[0]),
            "mean slope of honest judges": mixture.mean,
            "spread of honest judges": mixture.spread,
        },
    )


def see_judges(
    rows: RatingRows, *, level: float = FALSE_ALARM_RATE, scale: Scale | None = None
) -> RatingEvidence:
    expected = rating_evidence.expect_scores(rows)
    slopes = rating_evidence.rating_slopes(expected)
    clues = rating_evidence.find_clues(rows, expected)
    extra = np.zeros((len(rows.judges), 3))  # log-likelihoods of all clues together
    for clue in clues:
        extra[clue.judges] += clue.logs
    mixture = fit_mixture(slopes.slope, slopes.error, extra=extra)
    habits = find_habits(rows, expected, slopes, scale)
    one_end = use_of_points(rows.targets(), scale).one_end
    verdict = cards.decide_flags(
        mixture,
        slopes.information,
        [(habit, habit.tested and len(habit.judges) >= MIN_JUDGES) for habit in habits],
        level,
        abstains=mixture.abstention(),
        classable=(slopes.outputs >= MIN_SCORES) & (one_end < ONE_END),
        enough=np.ones(len(rows.judges), dtype=np.bool_),
    )
    severity = rating_evidence.find_severity(rows.targets())
    return RatingEvidence(slopes, mixture, clues, severity, expected, one_end, verdict)


def _write_rating_lines(seen: RatingEvidence, threshold: float) -> Iterable[Lines]:
    slopes, mixture, severity, lines = seen.slopes, seen.mixture, seen.severity, []
    for j, error in enumerate(slopes.error.tolist()):
        outputs, slope, margin = (
            plural(slopes.outputs[j], "output"),
            slopes.slope[j],
            QUANTILE * error,
        )
        low, high = float(slope - margin), float(slope + margin)
        line = Evidence("others' scores", "", float(slope), low, high, float(mixture.log_odds[j]))
        says = (
            f"slope {slope:z.2f} ({low:z.2f} to {high:z.2f}) on what the others lead one to expect,"
            f" over {outputs}, {slopes.shared[j]:,} of them scored by others too; honest judges"
            f" have {mixture.mean:.2f} ± {mixture.spread:.2f}, careless ones have 0"
        )
        if slopes.constant[j]:
            says = f"always the same score, over {outputs}: no slope on what the others say"
        if error >= rating_evidence.UNKNOWN_ERROR:
            line = Evidence("others' scores", "")
            says = f"what the others say predicts nothing of {outputs}: no slope"
        lines.append((j, replace(line, says=says)))
    yield lines
    end = (
        "{:.0f} % of scores at one end of the scale: carelessness cannot be told from severity or"
        " leniency, and is not flagged on that"
    )
    shares = [(j, share) for j, share in enumerate(seen.one_end.tolist()) if share >= ONE_END]
    yield [(j, Evidence("one end", end.format(100 * share), share)) for j, share in shares]
    for clue in seen.clues:
        lines, odds = [], mixture.odds_of(clue.logs).tolist()
        for at, j in enumerate(clue.judges.tolist()):
            value, n = float(clue.value[at]), int(clue.count[at])
            span = f"{clue.low[at]:.3g} to {clue.high[at]:.3g}"
            among = f"nine in ten honest judges with as many: {span}"
            says = f"half of {n:,} scores within {value:.3g} s; {among} s"
            if clue.name == "repeats":
                says = f"{n:,} second answers, correlation with the first {value:z.2f}; {among}"
            elif clue.name == "controls":
                says = f"{100 * clue.right[at]:.0f} % of {n:,} controls on the side expected, by"
                says += f" {value:z.2f} standard deviations on average; {among}"
            lines.append((j, Evidence(clue.name, says, value, log_odds=odds[at])))
        yield lines
    lines = []
    for j in np.flatnonzero(severity.outputs >= 2).tolist():
        gap, margin = float(severity.gap[j]), float(severity.margin[j])
        side, low, high = "higher" if gap >= 0 else "lower", gap - margin, gap + margin
        scores = f"scores {abs(gap):.2f} {severity.unit} {side} than the others"
        says = f"{scores} ({low:+z.2f} to {high:+z.2f}), which is no fault"
        lines.append((j, Evidence("severity", says, gap, low, high)))
    yield lines
    yield from _write_habits(seen.verdict, threshold)


def _say_detectable_ratings(seen: RatingEvidence, level: float) -> str:
    slopes, abstains, testable = seen.slopes, seen.verdict.abstains, seen.verdict.testable
    least, known = seen.mixture.least_information(level), slopes.information > 0
    enough, reach = f"nor can {MAX_JUDGMENTS_ADVISED:,} outputs", False
    if least is not None and known.any():  # the outputs at which the usual judge is testable
        each = float(np.median(slopes.information[known] / slopes.outputs[known]))
        needed = max(int(np.ceil(min(least / each, 1e9))), MIN_SCORES)
        if reach := needed <= MAX_JUDGMENTS_ADVISED:
            enough = f"about {needed:,} outputs are enough"
    if abstains is not None or not testable.any():
        apart = "" if slopes.shared.any() else " and no shared outputs"
        outputs = plural(int(np.median(slopes.outputs)), "output")
        more = "" if abstains is not None and reach else f"; {enough}"
        return f"with {outputs} each{apart}, slopes alone cannot flag a careless judge{more}"
    return (
        f"{testable.sum():,} of {len(testable):,} judges scored enough to detect a careless one,"
        f" more likely than not; {enough}"
    )


def _note_data(rows: RatingRows, seen: RatingEvidence) -> list[Finding]:
    outputs, habits = seen.slopes.outputs, seen.verdict.habits
    unused = [clue.name for clue in seen.clues if len(clue.judges) < MIN_JUDGES]
    few, in_all = int((outputs < MIN_SCORES).sum()), int(outputs.sum())
    at_end = np.flatnonzero((seen.one_end >= ONE_END) & (outputs >= MIN_SCORES)).tolist()
    untested = not any(len(habit.judges) >= MIN_JUDGES for habit in habits)
    notes: dict[str, tuple[bool, dict[str, Any]]] = {
        "tasks-in-cards": (len(rows.tasks) > 1, {"n": len(rows.tasks)}),
        "no-items-in-ratings": (rows.items == ("",), {}),
        "evidence-unused": (bool(unused), {"names": unused, "needed": MIN_JUDGES}),
        "few-outputs": (few > 0, {"n": few, "needed": MIN_SCORES}),
        "habits-untested": (untested, {"needed": MIN_JUDGES}),
        "one-end": (bool(at_end), {"names": [rows.judges[j] for j in at_end]}),
        "many-points": (not all(one.tested for one in habits), {"most": MAX_POINTS_COARSE}),
        "scores-and-outputs": (rows.size != in_all, {"scores": rows.size, "outputs": in_all}),
    }
    said = [say(code, **values) for code, (applies, values) in notes.items() if applies]
    return [*find_short_scales(rows), *said]
