"""A sort as JSON, so that it can be taken up again tomorrow or elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from evenhand.active.sorting import Answer, Sorting
from evenhand.errors import InvalidJudgments, UnknownFormat
from evenhand.judgments.coding import SEED

FORMAT: Final = "evenhand sort 1"


def start_sorting(
    systems: Sequence[str], *, shown: int = 2, votes: int = 1, seed: int | None = SEED
) -> Sorting:
    """Begin a sort, of systems in random order.

    Args:
        systems: what to sort.
        shown: most outputs that a judge sees at once.
        votes: judges who answer each question.
        seed: of the order in which the systems are taken up; None to take them as they stand.

    Raises:
        InvalidJudgments: a system twice, or none.
        UnknownOption: fewer than two outputs shown, or no votes.

    >>> start_sorting("abcde", seed=1).questions
    (('e', 'a'), ('b', 'c'))
    """
    names = list(systems)
    if seed is not None:
        chance = np.random.Generator(np.random.PCG64(seed))
        names = [names[i] for i in chance.permutation(len(names)).tolist()]
    return Sorting(tuple(names), shown, votes)


def write_sort(sort: Sorting) -> str:
    """Return a sort as JSON: its settings and every answer.

    >>> read_sort(write_sort(Sorting(("a", "b")))) == Sorting(("a", "b"))
    True
    """
    answers = [
        {"shown": one.shown, "places": one.places, **({"judge": one.judge} if one.judge else {})}
        for one in sort.answers
    ]
    settings = {"systems": sort.systems, "shown": sort.shown, "votes": sort.votes}
    whole = {"format": FORMAT, **settings, "answers": answers}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def read_sort(text: str) -> Sorting:
    """Read what `write_sort` wrote; every answer is checked as if it were given now.

    Raises:
        UnknownFormat: this is no sort.
        InvalidJudgments: an answer that the sort would not have taken; its number is named.

    """
    try:
        whole = json.loads(text)
    except json.JSONDecodeError as error:
        raise UnknownFormat(f"this is no JSON: {error}") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise UnknownFormat(f'this is no sort: it lacks "format": "{FORMAT}"')
    try:
        sort = Sorting(tuple(map(str, whole["systems"])), int(whole["shown"]), int(whole["votes"]))
        answers = [_read_answer(one) for one in whole["answers"]]
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, InvalidJudgments):
            raise
        raise UnknownFormat(f"this sort cannot be read: {type(error).__name__} {error}") from None
    for number, one in enumerate(answers, start=1):
        try:
            sort = sort.answer(one.shown, one.places, one.judge)
        except InvalidJudgments as refusal:
            raise InvalidJudgments(f"answer {number}: {refusal}") from None
    return sort


def _read_answer(one: Mapping[str, Any]) -> Answer:
    places = tuple(int(place) for place in one["places"])
    return Answer(tuple(map(str, one["shown"])), places, str(one.get("judge", "")))
