"""From a table and the roles of its columns to a handle, checked as far as is cheap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments, UnknownOption, listing, require_option
from evenhand.formats.asides import drop_misfits, is_sure, keep_documents_apart, place_asides
from evenhand.formats.columns import take
from evenhand.formats.roles import SOFT, SYNONYMS, UNKNOWN_POSITIONS, assign, describe, fold
from evenhand.formats.table import Table, Wishes
from evenhand.formats.winners import SIDES, names_winners, turn_winners
from evenhand.judgments import comparisons, rankings
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.engine import Frame
from evenhand.judgments.labels import OUTCOMES, Complete, Outcome
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import ROLES as RATING_ROLES
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.source import ASIDES, Aside, Source, find_rows

__all__ = [
    "COMPARISON_ROLES",
    "RANKING_ROLES",
    "RATING_ROLES",
    "Named",
    "assign_beside",
    "make_comparisons",
    "make_rankings",
    "make_ratings",
]


_WEIGHTS: Final = frozenset(fold(name) for name in ("weight", *SYNONYMS["weight"]))


@dataclass(frozen=True)
class Named:
    """What a layout is called."""

    name: str  # in the registry, such as "wmt_rnk"
    title: str  # in sentences, such as "WMT rankings"


COMPARISON_ROLES: Final = (*comparisons.ROLES, *ASIDES)
RANKING_ROLES: Final = (*rankings.ROLES, *ASIDES)

_NEEDED: Final[Mapping[str, Sequence[str]]] = {
    "comparisons": ("left", "right", "outcome"),
    "rankings": ("ranking", "system", "rank"),
    "ratings": ("system", "score"),
}


def make_comparisons(
    table: Table, wishes: Wishes, layout: Named, fixed: Mapping[str, str] | None = None
) -> Comparisons:
    """Make comparisons of a table with one comparison a row."""
    roles, beside = assign_beside(table, wishes, "comparisons", fixed)
    own, notes = read_outcomes(wishes), []
    if not isinstance(own, Complete) and names_winners(table, roles, own):
        table, own = turn_winners(table, roles, own), SIDES
        notes.append(f"'{roles['outcome']}' names the winner of its row")
    frame, source = _take(table, layout, roles)
    source = replace(source, asides=place_asides(table, wishes, roles, beside))
    known = UNKNOWN_POSITIONS not in table.columns
    notes += [] if known else ["which output stood left is not known"]
    data = Comparisons(
        frame,
        source=source.noting(*notes),
        outcome_labels=own,
        positions_known=known,
        weights=wishes.weights,
    )
    if wishes.weights == "importance" and "weight" not in roles:
        raise UnknownOption("importance needs a weight column: --column weight=NAME")
    if "id" in wishes.columns:
        refuse_doubled_ids(frame, source)
    return data


def make_rankings(
    table: Table, wishes: Wishes, layout: Named, fixed: Mapping[str, str] | None = None
) -> Rankings:
    """Make rankings of a table with one ranked output a row; arguments as `make_comparisons`."""
    refuse_comparison_wishes(wishes, "rankings")
    roles, beside = assign_beside(table, wishes, "rankings", fixed)
    frame, source = _take(table, layout, roles)
    source = replace(source, asides=place_asides(table, wishes, roles, beside))
    data = Rankings(frame, source=source)
    data.check()
    return data


def make_ratings(
    table: Table, wishes: Wishes, layout: Named, fixed: Mapping[str, str] | None = None
) -> Ratings:
    """Make ratings of a table with one score a row; arguments and errors as `make_comparisons`."""
    refuse_comparison_wishes(wishes, "ratings")
    roles = assign(table.header(wishes), RATING_ROLES, _NEEDED["ratings"], fixed)
    roles, notes = drop_misfits(table, wishes, roles)
    table, roles, more = keep_documents_apart(table, roles)
    unused = _weights(table, roles)
    more += [f"ratings have no weights: column '{one}' is not used" for one in unused]
    frame, source = _take(table, layout, roles)
    beside = {
        role: Aside(role, is_sure(wishes, role, column))
        for role, column in roles.items()
        if role in SOFT
    }
    return Ratings(frame, source=replace(source.noting(*notes, *more), asides=beside))


def _weights(table: Table, roles: Mapping[str, str]) -> list[str]:
    """Return the columns that are called weights, which a table of ratings has no use for."""
    return [one for one in table.columns if fold(one) in _WEIGHTS and one not in roles.values()]


def assign_beside(
    table: Table, wishes: Wishes, kind: str, fixed: Mapping[str, str] | None = None
) -> tuple[dict[str, str], dict[str, str]]:
    """Decide which column plays each role, and which were recorded beside the judgment."""
    roles = COMPARISON_ROLES if kind == "comparisons" else RANKING_ROLES
    found = assign(table.header(wishes), roles, _NEEDED[kind], fixed)
    beside = {role: column for role, column in found.items() if role in SOFT}
    return {role: column for role, column in found.items() if role not in SOFT}, beside


def _take(table: Table, layout: Named, roles: Mapping[str, str]) -> tuple[Frame, Source]:
    frame, notes = take(table, roles)
    source = table.source(layout.name, roles, f"read {layout.title}: {describe(roles)}")
    return frame, source.noting(*notes)


def refuse_comparison_wishes(wishes: Wishes, kind: str) -> None:
    """Refuse what only comparisons can be asked: outcome labels and importance weights."""
    if wishes.outcomes is not None:
        raise UnknownOption(f"outcomes are labels of comparisons; this table holds {kind}")
    if wishes.weights == "importance":
        raise UnknownOption(f"importance weights are for comparisons; this table holds {kind}")


def read_outcomes(wishes: Wishes) -> Mapping[str, Outcome] | None:
    """Check the caller's own outcome labels."""
    if wishes.outcomes is None:
        return None
    if not wishes.outcomes:
        raise UnknownOption("outcomes is empty: say what each label means, or leave it out")
    for label, outcome in wishes.outcomes.items():
        require_option(f"outcome of '{label}'", outcome, OUTCOMES)
    return (
        Complete(wishes.outcomes)
        if isinstance(wishes.outcomes, Complete)
        else dict(wishes.outcomes)
    )


def refuse_doubled_ids(frame: Frame, source: Source) -> None:
    """Refuse judgments that share an id: the same judgment stands in the file twice."""
    counted = frame.group_by("id").agg(nw.len().alias("n"))
    doubled = find_rows(counted.select("id", "n"), (nw.col("n") > 1) & ~nw.col("id").is_null())
    if doubled:
        ids = sorted(str(row["id"]) for row in doubled)
        raise InvalidJudgments(
            f"id {listing(ids)} in column '{source.named('id')}' of {source.name} stands more than"
            " once: keep one row of each, or do not map the column as id"
        )
