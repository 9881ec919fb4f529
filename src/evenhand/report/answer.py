"""The answer in a sentence for each decision, in words that need no statistics; and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.design.more_judgments import separate_pairs
from evenhand.errors import ActionableError, EvenhandError, NotIdentified
from evenhand.ranking.clustering import ENOUGH_JUDGES
from evenhand.ranking.ranking import Ranking, name_clusterings
from evenhand.render.values import MAX_NAMES, begin_sentence, join_names
from evenhand.report.document import FAILED, Part

# Judgments below which an open answer is no advice; the models are not held against each other on
# fewer either
MIN_JUDGMENTS: Final = 30
# What is wanting → what to collect
COLLECT: Final = {"judge": "of more judges", "item": "on more items"}


def say_answer(ranking: Ranking, *, advise: bool = True) -> tuple[str, ...]:
    if ranking.rank_lower is None or ranking.rank_upper is None:
        sentences = [
            f"{ranking.systems[0]} leads; so many systems have no intervals here, and it is open"
            " which of them are really behind it."
        ]
    elif ranking.rank_upper[0] == 1:
        sentences = [_say_best(ranking, advise=advise), *_say_next(ranking)]
    else:
        n = round(ranking.n_judgments)
        few = advise and ranking.n_judgments < MIN_JUDGMENTS
        sentences = [_say_open(ranking, advise=advise and not few), *_say_barred(ranking)]
        if few:
            s = "s" * (n != 1)
            sentences.append(f"{n} judgment{s} are too few to act on: collect more.")
    return (*sentences, *([f"This is {ranking.headline}."] if ranking.headline else []))


def _say_best(ranking: Ranking, *, advise: bool) -> str:
    best, *others = ranking.systems
    if len(others) == 1:
        return f"{best} is better than {others[0]}{f': take {best}' if advise else ''}."
    return f"{best} is the best of {len(ranking.systems)} systems."


def _say_next(ranking: Ranking) -> list[str]:
    lower = np.asarray(ranking.rank_lower)
    names = [ranking.systems[place] for place in np.flatnonzero(lower == 2)]
    if len(ranking.systems) == 2:
        return []
    if len(names) == 1:
        return [f"{names[0]} comes second."]
    if len(names) == len(ranking.systems) - 1:
        return ["The others cannot be told apart."]
    return [f"{join_names(names)} may each be second."] if names else []


def _say_open(ranking: Ranking, *, advise: bool) -> str:
    """Say which systems may be the best, and what to do where that is to be said.

    They share first place, but for want of judges or items more is to be collected: what nobody
    could have told apart is no reason to drop a system.
    """
    places = np.flatnonzero(np.asarray(ranking.rank_lower) == 1)
    if len(places) == 1:
        return f"{ranking.systems[places[0]]} is the best, since no other can be."
    leaders, joint = _say_leaders(ranking, places)
    if not advise:
        return f"{leaders}."
    want, more = find_want(ranking, places.tolist()), say_more(ranking)
    take = "they share first place"
    if want:
        take = f"collect judgments {' and '.join(COLLECT[way] for way in want)}"
    take = take if joint == ": " else begin_sentence(take)
    return f"{leaders}{joint}{take}{f'; {more}' if more else ''}."


def _say_leaders(ranking: Ranking, places: NDArray[np.int64]) -> tuple[str, str]:
    """Return which of several systems may be the best, and what joins the advice."""
    n, names = len(ranking.systems), [ranking.systems[place] for place in places]
    level = f"{100 * ranking.level:g} %"
    if len(names) == n == 2:
        return f"{join_names(names)} cannot be told apart", ": "
    if len(names) == n:
        return f"Nothing is decided: any of the {n} systems may be the best", ". "
    if len(names) > MAX_NAMES:
        others = f"{n - len(names)} are" if n - len(names) > 1 else "one is"
        leaders = (
            f"{len(names)} of {n} systems may each be the best, {names[0]} by its estimate; the"
            f" other {others} not, at {level} confidence"
        )
        return leaders, ". "
    sets = ranking.rank_sets
    if sets is not None and not sets.decided[np.ix_(places, places)].any():
        return f"{join_names(names)} lead and cannot be told apart", ": "
    return f"{join_names(names)} may each be the best; no other can be, at {level} confidence", ". "


def _say_barred(ranking: Ranking) -> list[str]:
    """Say how many pairs would be open whatever the answers were."""
    sets = ranking.rank_sets
    if sets is None:
        return []
    upper = np.triu_indices(len(sets.barred), 1)
    barred, n = int(sets.barred[upper].sum()), len(upper[0])
    if not barred:
        return []
    verb = "is" if barred == 1 else "are"
    whom = " or ".join(f"{way}s" for way in sets.clusterings)
    return [f"{barred:,} of {n:,} pairs {verb} open for want of {whom}."]


# The open pairs at the top of a ranking: what they want, how many judgments decide the first.

MAX_TIMES: Final = 100.0  # So many times as many judgments are more than anybody collects


def find_open(ranking: Ranking) -> list[tuple[int, int]]:
    """Return the open pairs of the first system with those that may be the best, nearest first.

    Where the first alone may be the best, those of the second place, and so on down to the first
    pair that is open: none where every pair is decided.
    """
    sets = ranking.rank_sets
    if sets is None:
        return []
    for place in range(len(ranking.systems) - 1):
        others = range(place + 1, len(ranking.systems))
        pairs = [(place, other) for other in others if sets.decided[place, other] == 0]
        if pairs:
            return pairs
    return []


def find_want(ranking: Ranking, places: Sequence[int]) -> tuple[str, ...]:
    """Return what keeps some systems from being told apart, whatever the answers.

    Most open pairs among them rest on too few; or nothing at all is decided, and there are fewer
    judges than critical values are moderate for.
    """
    sets = ranking.rank_sets
    if sets is None:
        return ()
    pairs = [pair for pair in combinations(places, 2) if sets.decided[pair] == 0]
    barred = [pair for pair in pairs if sets.barred[pair]]
    if 2 * len(barred) > len(pairs):
        return tuple(way for way in name_clusterings(sets, barred) if way in ("judge", "item"))
    few = ranking.effective_judges is not None and ranking.effective_judges < ENOUGH_JUDGES
    return ("judge",) if few and "judge" in sets.clusterings and not sets.decided.any() else ()


def say_more(ranking: Ranking) -> str:
    """Say how many judgments would tell the first two open systems apart."""
    try:
        separations = separate_pairs(ranking, find_open(ranking)[:1])
    except NotIdentified:
        return ""
    first = next(iter(separations), None)
    if first is None or first.barred or first.times is None or first.times > MAX_TIMES:
        return ""
    apart = f"to tell {first.better} and {first.worse} apart"
    return f"{apart} would take about {first.times:,.1f} times as many judgments"


# What speaks against acting on the answer: said behind it, in a sentence.

PLACE: Final = "there is a position bias"
SIDES: Final = "some judges favour a side"
LADDER: Final = "no single ranking fits all judgments"
CIRCLES: Final = "preferences are intransitive"
MINDS: Final = "judges differ in what they prefer"
# Failed check → what is said of it, where it does not say so itself
ISSUES: Final = {
    "judges": "some judges are doubtful",
    "agreement": "judges hardly agree",
    "order": PLACE,
    "model": LADDER,
    "circles": CIRCLES,
    "choices": "other reasonable choices change it",
}
BUT: Final = "But "  # What the sentence begins with
ALSO: Final = "And "  # What it begins with behind another such sentence


def is_warning(sentence: str) -> bool:
    """Tell whether a sentence of the answer speaks against acting on it.

    >>> is_warning("But judges hardly agree."), is_warning("Butane is the best of 3 systems.")
    (True, False)
    """
    return sentence.startswith((BUT, ALSO))


def add_warnings(part: Part) -> Part:
    checks = [check for section in part.sections for check in section.checks]
    failed = {check.name: check for check in checks if check.state == FAILED}
    warned = any(is_warning(sentence) for sentence in part.answer[1:])  # the first may begin so
    issues: dict[str, None] = {}
    for name, usual in ISSUES.items():
        if name in failed:
            issues |= dict.fromkeys(failed[name].issues or (usual,))
    known = ({PLACE} if warned else set()) | ({CIRCLES} if LADDER in issues else set())
    wrong = [issue for issue in issues if issue not in known]
    if not wrong or not part.answer or part.refused:
        return part
    warning = f"{ALSO if warned else BUT}{join_names(wrong)}: see the checks before acting on it."
    return replace(part, answer=(*part.answer, warning))


# Options of other verbs, which their refusals name and a report does not have
ABSENT_OPTIONS: Final = ("--interval", "--cluster")


def say_refused(refusal: EvenhandError) -> str:
    """Return why there is nothing, without remedies that a report has no options for."""
    return str(
        refusal.without_options(*ABSENT_OPTIONS)
        if isinstance(refusal, ActionableError)
        else refusal
    )
