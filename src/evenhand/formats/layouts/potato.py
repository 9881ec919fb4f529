"""Potato's annotations: which of the outputs, by their letter on the screen, a user preferred.

    instance_id  user_id  preference.selection        {"instance_id": "it47", "user_id": "dave",
    it46         w1       A                            "labels": {"preference": {"selection": "A"}}}

(a table, or JSON Lines). `selection` is A, B or tie; `rank_order` such as `B,D=A,C` ranks, best
first; `scale_value` below 0 prefers A, above 0 B. A is what was shown first. Which output that
was stands in `<user>/user_state.json` beside the file, without which nothing can be read. Outputs
have no names there: a system is the number of its output in the instance, from 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from evenhand.errors import MissingFile, UnknownFormat, UnknownOption, listing
from evenhand.formats.handles import Named, make_comparisons, make_rankings
from evenhand.formats.leftovers import gather_unread, list_unread, say_unread
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import (
    Record,
    Row,
    lay_out,
    read_records,
    require_columns,
    shorten,
)
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.rankings import Rankings

NAME: Final = "potato"
TITLE: Final = "Potato annotations"
NEEDS: Final = ("instance_id", "user_id")
ROLES: Final = ()

PREFERENCES: Final = {"A": "left", "B": "right", "tie": "tie"}
ORDERS: Final = "instance_id_to_presentation_order"
_NUMBER: Final = re.compile(r"[+-]?\d+(\.\d+)?")
_ASKED: Final = ("selection", "rank_order", "scale_value")
_READ: Final = (*NEEDS, "labels")


@dataclass(frozen=True)
class _Said:
    """One answer."""

    question: str  # the name of the scheme
    label: str  # selection, rank_order or scale_value
    value: str  # what was said


def recognise(header: Header) -> bool:
    """Say whether instances and users stand beside labels."""
    columns = set(header.columns)
    answers = "labels" in columns or any(_is_answer(name) for name in columns)
    return set(NEEDS) <= columns and answers


def understand(table: Table, wishes: Wishes) -> Comparisons | Rankings:
    """Read what was preferred, in the order shown."""
    require_columns(table, NEEDS, TITLE)
    if len(table.paths) != 1:
        raise UnknownFormat(
            f"{TITLE} are read from one file at a time, with user folders beside it"
        )
    meaning = {**PREFERENCES, **(wishes.outcomes or {})}
    compared: list[Row] = []
    ranked: list[Row] = []
    unread = {name for name in list_unread(table, _READ) if not _is_answer(name)}
    find_order = _Orders(table.paths[0].parent, {}).find
    for record in read_records(table):
        for said in _find_answers(record, unread):
            order = find_order(record, said.question)
            if said.label == "rank_order":
                ranked.extend(_rank(record, said, order))
            else:
                compared.append(_compare(record, said, order, meaning))
    if compared and ranked:
        raise UnknownOption(
            f"{table.name} holds rankings and comparisons: --where keeps one of them"
        )
    note = "A is what was shown first, a system the number of its output in the instance"
    flat = lay_out(table, ranked or compared, ("rank",) if ranked else ())
    plain = replace(wishes, outcomes=None)
    make = make_rankings if ranked else make_comparisons
    data = make(flat, plain, Named(NAME, TITLE))
    return replace(data, source=data.source.noting(*say_unread(unread), note))


def _is_answer(column: str) -> bool:
    return column.rpartition(".")[2] in _ASKED and "." in column


def _find_answers(record: Record, unread: set[str]) -> Iterator[_Said]:
    """Yield what was said of an instance; what was left blank is no judgment."""
    for column in record.values:
        if _is_answer(column) and record.text(column):
            question, _, label = column.rpartition(".")
            yield _Said(question, label, record.text(column))
    labels = record.mapping(record.data("labels") or {}, "labels")
    for question, given in labels.items():
        if not isinstance(given, Mapping):
            gather_unread(unread, {question: given}, (), "labels")
            continue
        gather_unread(unread, given, _ASKED, f"labels.{question}")
        for label in _ASKED:
            if given.get(label) not in (None, ""):
                yield _Said(question, label, str(given[label]))


@dataclass(frozen=True)
class _Orders:
    """In which order outputs were shown, as far as it was asked for."""

    folder: Path  # where the folders of the users are
    # file → what it says; each file is read once, and anew with the next table
    states: dict[Path, Mapping[str, Any]]

    def find(self, record: Record, question: str) -> list[int]:
        """Return the numbers of the outputs in the order shown."""
        user = record.need("user_id")
        path = self.folder / Path(user).name / "user_state.json"
        if path not in self.states:
            self.states[path] = _read_state(path)
        found = self.states[path].get(record.need("instance_id"), {})
        order = found.get(question) if isinstance(found, Mapping) else None
        if not isinstance(order, list) or sorted(map(str, order)) != sorted(
            map(str, range(len(order)))
        ):
            raise record.refuse(f"the state of {user} does not say in which order this was shown")
        return order


def _read_state(path: Path) -> Mapping[str, Any]:
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFile(
            f"there is no '{path}': without it nobody knows which output A was; put the folders of"
            " the users beside the annotations"
        ) from None
    except ValueError:
        raise UnknownFormat(f"'{path}' is not whole JSON") from None
    orders = state.get(ORDERS) if isinstance(state, Mapping) else None
    if not isinstance(orders, Mapping):
        raise UnknownFormat(f"'{path}' has no {ORDERS}")
    return orders


def _compare(record: Record, said: _Said, order: Sequence[int], meaning: Mapping[str, str]) -> Row:
    if len(order) != 2:
        raise record.refuse(f"two outputs are compared, and {len(order)} were shown")
    if said.label == "selection":
        if said.value not in meaning:
            raise record.refuse(
                f"{said.question} is '{shorten(said.value)}': expected {' | '.join(meaning)}; other"
                f" labels are given their meaning with --outcome '{shorten(said.value)}=tie'"
            )
        outcome = meaning[said.value]
    elif _NUMBER.fullmatch(said.value):
        value = float(said.value)
        outcome = "tie" if value == 0 else ("left", "right")[value > 0]
    else:
        raise record.refuse(f"scale_value is a number, not '{shorten(said.value)}'")
    return {
        "judge": record.need("user_id"),
        "item": record.need("instance_id"),
        "left": str(order[0]),
        "right": str(order[1]),
        "outcome": outcome,
        "question": said.question,
        "scale": said.value if said.label == "scale_value" else None,
    }


def _rank(record: Record, said: _Said, order: Sequence[int]) -> Iterator[Row]:
    letters = [chr(ord("A") + at) for at in range(len(order))]
    groups = [group.split("=") for group in said.value.replace(" ", "").split(",")]
    named = [letter for group in groups for letter in group]
    if sorted(named) != letters:
        raise record.refuse(f"rank_order '{said.value}' does not rank {listing(letters)} once each")
    rank = {letter: at for at, group in enumerate(groups, start=1) for letter in group}
    for place, (letter, number) in enumerate(zip(letters, order, strict=True), start=1):
        yield {
            "judge": record.need("user_id"),
            "item": record.need("instance_id"),
            "ranking": f"{record.number}:{said.question}",
            "system": str(number),
            "rank": rank[letter],
            "position": place,
            "question": said.question,
        }
