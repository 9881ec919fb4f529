"""From what stands on the command line to judgments."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.cli.kept import keep_excluded, kept
from evenhand.cli.left_out import remember_opened
from evenhand.errors import UnknownFormat, UnknownOption

if TYPE_CHECKING:
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.rankings import Rankings
    from evenhand.judgments.ratings import Ratings


@dataclass(frozen=True)
class Wishes:
    """What was said about the columns."""

    columns: Mapping[str, str]  # role → column
    weights: Any = "frequency"  # "frequency" or "importance"
    outcomes: Mapping[str, Any] | None = None  # label → what it means, or None for the usual labels
    # the sign between the systems of one output, or None to take names as they are
    merged: str | None = None


@dataclass(frozen=True)
class Reading:
    """Which judgments to read."""

    files: tuple[str, ...]  # names or patterns, all of one layout
    layout: str | None  # format by its registry name, or None to recognise it
    wishes: Wishes  # what was said about the columns
    where: str | None  # SQL condition, or None
    task: str | None  # the one task to keep, or None

    def open(self) -> Comparisons | Rankings | Ratings:
        """Open the files."""
        from evenhand.formats.reading import read

        data = read(
            self.files[0] if len(self.files) == 1 else list(self.files),
            format=self.layout,
            columns=self.wishes.columns or None,
            weights=self.wishes.weights,
            outcomes=self.wishes.outcomes,
            where=self.where,
            task=self.task,
            merged=self.wishes.merged,
        )
        remember_opened({} if self.wishes.merged else data.source.columns, self.where)
        return data

    def open_systems(self) -> Comparisons | Rankings | Ratings:
        """Open the files and leave controls out, which say nothing of systems."""
        from evenhand.judgments.controls import leave_out_controls

        return leave_out_controls(self.open())

    def open_comparisons(self, verb: str) -> Comparisons:
        """Open the files, leave controls out and expand rankings."""
        from evenhand.judgments.controls import take_pairs

        return take_pairs(self.open_pairs(verb))

    def open_pairs(self, verb: str) -> Comparisons | Rankings:
        """Open the files as they are, controls and all."""
        from evenhand.judgments.ratings import Ratings

        data = self.open()
        if isinstance(data, Ratings):
            if verb == "rank":
                way = f"evenhand report {shlex.join(self.files)} ranks them by mean score"
            else:
                way = "evenhand inspect says what is in it"
            raise UnknownFormat(
                f"{data.source.name} holds ratings, and {verb} needs comparisons or rankings: {way}"
            )
        return data

    def open_ratings(self, verb: str) -> Ratings:
        """Open the files and leave controls out."""
        from evenhand.judgments.controls import leave_out_controls
        from evenhand.judgments.ratings import Ratings

        data = self.open()
        if not isinstance(data, Ratings):
            held = type(data).__name__.lower()
            raise UnknownFormat(
                f"{data.source.name} holds {held}, and {verb} needs ratings, one score of one"
                " output a row: evenhand inspect says what is in it"
            )
        return leave_out_controls(data)

    def open_either(self) -> Comparisons | Ratings:
        """Open the files, leave controls out and expand rankings."""
        from evenhand.judgments.rankings import Rankings

        data = self.open_systems()
        return data.comparisons() if isinstance(data, Rankings) else data


def take_reading() -> Reading:
    """Return what the words of the command say is to be read."""
    columns = choose_columns(kept("columns"), kept("weight"))
    outcomes = choose_outcomes(kept("outcomes"))
    wishes = Wishes(columns, kept("weights"), outcomes, kept("merged"))
    return Reading(kept("files"), kept("layout"), wishes, kept("where"), kept("task"))


def choose_columns(given: tuple[tuple[str, str], ...], weight: str | None) -> dict[str, str]:
    """Join --column and --weight."""
    pairs = [*given, *([("weight", weight)] if weight else [])]
    columns: dict[str, str] = {}
    for role, column in pairs:
        if columns.get(role, column) != column:
            raise UnknownOption(
                f"role '{role}' is given two columns, '{columns[role]}' and '{column}': one will do"
            )
        columns[role] = column
    return columns


def choose_outcomes(given: tuple[tuple[str, str], ...]) -> dict[str, str] | None:
    """Join the words of --outcome; None where there are none."""
    outcomes: dict[str, str] = {}
    for label, outcome in given:
        if outcomes.get(label, outcome) != outcome:
            raise UnknownOption(
                f"--outcome: label '{label}' cannot be both {outcomes[label]} and {outcome}"
            )
        outcomes[label] = outcome
    return outcomes or None


def remarks_on(
    data: Comparisons | Rankings | Ratings, *noted: str, uses: Sequence[str] = ()
) -> list[str]:
    """Return what was understood and what was excluded, which every form of output tells."""
    from evenhand.judgments.exclusions import find_excluded, list_idle, list_texts

    excluded = find_excluded(data, noted, uses)
    keep_excluded(excluded)
    texts = {one.sentence: one.text for one in excluded if one.sentence}
    notes = [texts.get(one, one) for one in data.source.notes]
    return [*notes, *list_texts(excluded, notes), *list_idle(data.source.exclusions)]
