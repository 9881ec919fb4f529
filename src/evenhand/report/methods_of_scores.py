"""How systems were compared by scores, in sentences for a paper; only what was done is said."""

from __future__ import annotations

from evenhand.errors import NotConverged, NotIdentified
from evenhand.ranking.score_board import ScoreBoard
from evenhand.report.answer import join_names
from evenhand.report.judge_fault import find_fault
from evenhand.report.methods_of_judges import say_screening
from evenhand.report.methods_of_pairs import MERGED, Sentence
from evenhand.report.rated import Rated, are_level
from evenhand.report.references import cite


def say_scores(rated: Rated) -> list[Sentence]:
    """Say how scores became a ranking, and how judges were looked at."""
    try:
        boards = list(rated.boards.values())
    except NotIdentified:
        boards = []
    said = _say_boards(boards, rated) if boards else []
    return [*said, *_say_agreement(rated), *_say_judges(rated)]


def _say_boards(boards: list[ScoreBoard], rated: Rated) -> list[Sentence]:
    """Say what was compared, how errors were found, and what the rank sets hold."""
    n, systems = sum(int(board.scores.sum()) for board in boards), len(rated.systems)
    under = f", under each of {len(boards)} criteria by itself" if len(boards) > 1 else ""
    what = f"{n:,} scores of {systems} systems{under}"
    said: list[Sentence] = [(f"Systems were compared by their mean scores: {what}.", ())]
    if rated.references:
        verb = "has" if len(rated.references) == 1 else "have"
        one = f"{join_names(list(rated.references))} {verb} a mean score but no rank"
        said.append((f"{one}, being taken for human by name.", ()))
    methods = list(dict.fromkeys(board.method for board in boards))
    for method in methods:
        which = "" if len(methods) == 1 else _name_criteria(rated, method)
        said += [_say_errors(method, which)]
    if not all(method.startswith("nothing decided") for method in methods):
        said.append(_say_sets(boards))
    heads = dict.fromkeys(board.headline for board in boards if board.headline)
    return [*said, *((f"The statements are {one}.", ()) for one in heads)]


def _name_criteria(rated: Rated, method: str) -> str:
    names = [name for name, board in rated.boards.items() if board.method == method]
    return f" of {join_names(names)}"


def _say_errors(method: str, which: str) -> Sentence:
    """Say how the errors of mean scores were found, and how pairs were decided by them."""
    how, _, by = method.partition(", clustered by ")
    keys: tuple[str, ...] = ()
    ways = MERGED.sub("", by).strip().replace("+", " and ") or "judgment"
    errors = f"Errors{which} are clustered by {ways}"
    if any(way in ways for way in ("judge", "item")):
        keys = ("mackinnon-2023",)
        errors = f"Errors{which} are by the jackknife, clustered by {ways} {cite(*keys)}"
    if "max-|t|" in how:
        decided = ("romano-wolf-2005",)
        test = f"pairs were tested at once by max-|t| with step-down over {how.split('=')[1]} draws"
        return f"{errors}; {test} {cite(*decided)}.", (*keys, *decided)
    test = "pairs were tested by Holm's method" if how == "Holm" else "no pair could be tested"
    return f"{errors}; {test}.", keys


def _say_sets(boards: list[ScoreBoard]) -> Sentence:
    """Say what the rank sets hold together: of one criterion."""
    keys = ("mogstad-2024",)
    under = " of a criterion" if len(boards) > 1 else ""
    return (
        f"The rank set of a system holds the places that the decided pairs leave to it; all rank"
        f" sets{under} hold the true ranks together with {100 * boards[0].level:g} % confidence"
        f" {cite(*keys)}.",
        keys,
    )


def _say_agreement(rated: Rated) -> list[Sentence]:
    """Say which coefficient of agreement decides, where there is one."""
    try:
        found = rated.agreement
    except (NotIdentified, NotConverged):
        return []
    known = {one.name for one in found.whole.coefficients if one.value is not None}
    if not any(name.startswith("alpha-") for name in known):
        return []
    keys = ("krippendorff-2013",)
    return [(f"Agreement of judges is Krippendorff's α {cite(*keys)}.", keys)]


def _say_judges(rated: Rated) -> list[Sentence]:
    """Say how judges were looked at; nothing where they are not known or one is alone."""
    if find_fault(rated.rows.judges)[0] or are_level(rated.rows):
        return []
    how = "Judges were screened by how their scores follow those of others"
    try:
        flags = say_screening(rated.screening, how)
    except (NotIdentified, NotConverged):
        return []
    keys = ("hamon-2007",)
    return [flags, (f"Figures that set each judge beside the others follow {cite(*keys)}.", keys)]
