"""The table of contents: which sections a report has, and in which order they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final

from evenhand.report.document import Section
from evenhand.report.study import Study

# Sections of comparisons and rankings: name → heading. Each is a module of `sections`.
PREFERENCE: Final = {
    "ranking": "Who is better",
    "outcomes": "Wins, ties and losses",
    "heads": "Each against each",
    "judges": "The judges",
    "agreement": "Do judges agree?",
    "order": "Does the place of an output matter?",
    "items": "Where systems and judges differ",
    "model": "Does the model fit?",
    "circles": "Do preferences go round in circles?",
    "choices": "Would other reasonable choices change the answer?",
    "fragility": "How few judgments carry the answer?",
    "learning": "Would more judgments help?",
    "next": "What to judge next",
    "data": "The data",
    "methods": "Methods and citations",
}

# Sections of ratings
RATING: Final = {
    "scores": "Which system scores higher",
    "criteria": "Systems under the criteria",
    "scorers": "The judges",
    "scoring": "Do judges agree?",
    "parts": "What is due to systems, judges and items",
    "rated": "Where systems and judges differ",
    "data": "The data",
    "methods": "Methods and citations",
}


MORE: Final = "more"  # The section that says which others a report on one task alone has
# From how many tasks on which sections are left to a report on each task alone: a page of many
# tasks answers first, and each of these takes longer than the answer
LEFT_OUT: Final = {
    4: ("heads", "items", "model", "circles", "choices", "fragility", "learning", "next"),
}


def list_left_out(tasks: int) -> tuple[str, ...]:
    """Return the sections that a report on so many tasks leaves out.

    >>> list_left_out(3), list_left_out(4)[:2], len(list_left_out(40))
    ((), ('heads', 'items'), 8)
    """
    return tuple(name for least, names in LEFT_OUT.items() if tasks >= least for name in names)


def shorten(wanted: Mapping[str, str], tasks: int) -> dict[str, str]:
    """Return the sections of a report on so many tasks."""
    left = list_left_out(tasks)
    kept = {name: title for name, title in wanted.items() if name not in left}
    return kept if len(kept) == len(wanted) else {**kept, MORE: "More on this task"}


def find_writer(name: str) -> Callable[[Study], Section]:
    """Return the function that writes a section."""
    writer: Callable[[Study], Section] = import_module(
        f"evenhand.report.sections.{name}"
    ).write_section
    return writer
