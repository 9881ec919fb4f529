"""WMT's RNK table (2010 to 2016): a judge ranks n systems, five as a rule, in one wide row.

    srclang,trglang,srcIndex,documentId,segmentId,judgeId,
        system1Number,system1Id,…,system5Number,system5Id,system1rank,…,system5rank

(one line). Rank 1 is best, ties share a rank, −1 was left blank. The task is the pair of languages
by code ("Czech,English" is "cs-en"), the item is srcIndex, the ranking is the row, the position is
the slot. System names stay as they are; the numbers of systems are not used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw

from evenhand.errors import InvalidJudgments, UnknownColumn
from evenhand.formats.asides import place_asides
from evenhand.formats.columns import name_covariates, read_label
from evenhand.formats.handles import refuse_comparison_wishes
from evenhand.formats.numbers import read_number, refuse_text
from evenhand.formats.roles import SOFT, Header, assign, fold
from evenhand.formats.rows import stack
from evenhand.formats.table import Table, Wishes
from evenhand.judgments.engine import Frame
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.source import ASIDES, find_rows, name_rows, number_rows

NAME: Final = "wmt_rnk"
TITLE: Final = "WMT rankings"
NEEDS: Final = ("system1Id", "system1rank", "system2Id", "system2rank")
ROLES: Final = ("judge", "item", "task", "weight", *ASIDES)

_CODES: Final = {
    "cs": ("czech", "ces", "cze"),
    "de": ("german", "deu", "ger"),
    "en": ("english", "eng"),
    "es": ("spanish", "spa"),
    "fi": ("finnish", "fin"),
    "fr": ("french", "fra", "fre"),
    "hi": ("hindi", "hin"),
    "ht": ("haitian", "haitian creole", "hat"),
    "hu": ("hungarian", "hun"),
    "ro": ("romanian", "ron", "rum"),
    "ru": ("russian", "rus"),
    "tr": ("turkish", "tur"),
}
# Names in lower case of WMT's languages, 2010 to 2016, and their codes; others stay
LANGUAGES: Final = {name: code for code, names in _CODES.items() for name in names}

_ADDED: Final = ("task", "ranking", "system", "rank", "position")
_FIXED: Final = {"judge": "judgeId", "item": "srcIndex"}
_SLOT: Final = re.compile(r"system(\d+)(id|rank|number)")


@dataclass(frozen=True)
class _Slots:
    """Columns of the ranked outputs, in the order of the screen."""

    systems: list[str]
    ranks: list[str]
    numbers: list[str]

    @property
    def all(self) -> set[str]:
        return {*self.systems, *self.ranks, *self.numbers}


def recognise(header: Header) -> bool:
    """Say whether at least two systems with their ranks stand in one row."""
    return header.holds(NEEDS)


def understand(table: Table, wishes: Wishes) -> Rankings:
    """Turn each row into one row for each ranked output."""
    refuse_comparison_wishes(wishes, "rankings")
    slots = _find_slots(table)
    _refuse_ranks(table, slots.ranks)
    assigned = assign(table.header(wishes), ROLES, (), _FIXED)
    roles = {role: column for role, column in assigned.items() if role not in SOFT}
    beside = {role: column for role, column in assigned.items() if role in SOFT}
    languages = [table.header(wishes).named(name) for name in ("srclang", "trglang")]
    pair = [] if "task" in roles else [name for name in languages if name is not None]
    wide, notes = _widen(table, slots, roles, pair)
    n = range(len(slots.systems))
    places = {name: [f"evenhand_{name}_{i}" for i in n] for name in ("system", "rank")}
    ranked = stack(number_rows(wide, "ranking"), places, "position")
    frame = ranked.filter(~(nw.col("system").is_null() & (nw.col("rank").fill_null(-1) == -1)))
    columns = roles | {"system": _span(slots.systems), "rank": _span(slots.ranks)}
    if len(pair) == 2:
        columns["task"] = "-".join(pair)
    said = ", ".join(
        f"{role}={columns[role]}" for role in ("judge", "item", "task") if role in columns
    )
    note = f"read {TITLE}: {columns['system']}, {said}".removesuffix(", ")
    source = table.source(NAME, columns, note).noting(*notes)
    asides = place_asides(table, wishes, dict.fromkeys((*roles, *_ADDED), ""), beside)
    data = Rankings(frame, source=replace(source, asides=asides))
    data.check()
    return data


def _find_slots(table: Table) -> _Slots:
    found: dict[str, dict[int, str]] = {"id": {}, "rank": {}, "number": {}}
    for column in table.columns:
        match = _SLOT.fullmatch(fold(column))
        if match:
            found[match[2]][int(match[1])] = column
    alone = sorted(found["id"].keys() ^ found["rank"].keys())
    if alone or not found["id"]:
        which = f"system{alone[0]}" if alone else "system1Id, system1rank"
        raise UnknownColumn(
            f"{TITLE} need a name and a rank of each system: {which} of {table.name}"
        )
    places = sorted(found["id"])
    return _Slots(
        [found["id"][i] for i in places],
        [found["rank"][i] for i in places],
        list(found["number"].values()),
    )


def _widen(
    table: Table, slots: _Slots, roles: dict[str, str], pair: list[str]
) -> tuple[Frame, list[str]]:
    """Give roles to the columns of the wide table."""
    chosen = [
        read_number(table, column, role) if role == "weight" else read_label(table, column, role)
        for role, column in roles.items()
    ]
    if len(pair) == 2:
        codes = [_code(read_label(table, name, "task")) for name in pair]
        chosen.append(nw.concat_str(codes, separator="-").alias("task"))
    for i, (system, rank) in enumerate(zip(slots.systems, slots.ranks, strict=True)):
        chosen.append(read_label(table, system, f"evenhand_system_{i}"))
        number = read_number(table, rank, "rank", check=False).cast(nw.Float64)
        chosen.append(number.alias(f"evenhand_rank_{i}"))
    used = {*roles.values(), *pair, *slots.all}
    taken = dict.fromkeys((*roles, *_ADDED), "")
    names, notes = name_covariates([c for c in table.columns if c not in used], taken)
    kept = [nw.col(column).alias(name) for column, name in names.items()]
    return table.frame.select(*chosen, *kept), notes


def _code(language: nw.Expr) -> nw.Expr:
    lower = language.str.to_lowercase()
    return lower.replace_strict(LANGUAGES, default=lower)


def _refuse_ranks(table: Table, ranks: list[str]) -> None:
    """Check all ranks of a row at once, so that rows of the file are named."""
    text = [column for column in ranks if table.schema[column] == nw.String]
    if text:
        refuse_text(table, text, "rank")
    read = [read_number(table, column, "rank", check=False) for column in ranks]
    bad = [(rank != -1) & ((rank < 1) | (rank % 1 != 0)) for rank in read]
    rows = find_rows(table.frame, nw.any_horizontal(*bad, ignore_nulls=True))
    for column, wrong in zip(ranks, bad, strict=True) if rows else ():
        rows = find_rows(table.frame, wrong)
        if rows:
            raise InvalidJudgments(
                f"rank {rows[0][column]} in column '{column}' of {table.name}{name_rows(rows)}:"
                " ranks are whole numbers from 1 (best); −1 or blank means not ranked"
            )


def _span(columns: list[str]) -> str:
    return f"{columns[0]}..{columns[-1]}"
