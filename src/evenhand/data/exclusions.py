"""What was excluded from judgments before anything was computed, with the reason and the counts.

A filter, the choice of a task, controls, blank ranks and the rules of a format each give one
`Exclusion`. Every result of these judgments carries them, and shows them wherever it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import narwhals as nw

from evenhand.data.engine import ANSWER, COUNT, Frame, count_by, quote_name
from evenhand.data.texts import say
from evenhand.errors import listing
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Row,
    Table,
    Text,
    describe_findings,
    take_findings,
)

if TYPE_CHECKING:
    import duckdb


Result = TypeVar("Result")
# Most characters of a name in a sentence: a merged output is called by all of its systems
MAX_NAME: Final = 60
MAX_NAMES: Final = 10  # Most judges or systems that are named; beyond, only their number is given
# Most characters of a condition that are quoted; a longer one is cut, and its digest follows
MAX_CONDITION: Final = 80
_ADDRESS: Final = re.compile(r" at 0x[0-9a-f]+")
_PLURALS: Final = {"entry": "entries"}
_KEPT: Final = "evenhand_kept"
_LOST: Final = ("{}s", "of_{}s", "{}_names")  # Fields of those of whom nothing is left
# Codes that a table has once: a result that counted them says more than the table it was made of
ONCE: Final = frozenset(
    (
        *("controls", "repeats", "again", "zero-weight", "no-score"),
        *("blank-rankings", "blank-ranks", "single-output"),
    )
)
# Codes whose reason does not say which judges or systems are meant
REFERENCES: Final = "references"  # Code of human references, which have no rank
_OF_SYSTEMS: Final = ("systems", REFERENCES)
_WHOM: Final = ("judges", *_OF_SYSTEMS)


@dataclass(frozen=True)
class Exclusion:
    # where | task | judges | systems | criterion | controls | repeats | again | blank-rankings
    # | blank-ranks | single-output | zero-weight | no-score | ties | mix | format | policy
    # | references
    code: str
    reason: str  # in words, such as `by where "judge <> 'a'"`
    rows: float  # how many were excluded
    of_rows: float | None = None  # how many there were before; None where that is not known
    unit: str = "row"  # what `rows` counts: row, judgment, ranking, rank, ..
    judges: int | None = None  # judges of whom nothing is left; None where they were not counted
    of_judges: int | None = None  # how many judges there were before, or None
    judge_names: tuple[str, ...] = ()  # their names, where these are at most 10 or LLM judges
    systems: int | None = None  # systems of which nothing is left, or None
    of_systems: int | None = None  # how many systems there were before, or None
    system_names: tuple[str, ...] = ()  # their names, where these are at most 10
    sentence: str = ""  # what notes already say of it; "" where they say nothing

    @property
    def text(self) -> str:
        if self.sentence:
            return ", ".join([self.sentence, *self._counts(named=True)[1:]])
        return f"excluded: {', '.join([*self._counts(named=True), self.reason])}"

    @property
    def signature(self) -> str:
        """The part of a signature that tells this exclusion, and no other."""
        names = self.system_names if self.code in _OF_SYSTEMS else self.judge_names
        whom = sign_names(names) if self.code in _WHOM and names else ""
        return f"excluded {', '.join([*self._counts(named=False), self.reason])}{whom}"

    @property
    def clause(self) -> str:
        """The same as part of a sentence, such as "50 of 600 rows, by where ..."."""
        return ", ".join([*self._counts(named=True), self.reason])

    @property
    def explanation(self) -> str:
        return ", ".join([self.reason, *self._counts(named=True)[1:]])

    @property
    def units(self) -> str:
        return _PLURALS.get(self.unit, f"{self.unit}s")

    def _counts(self, *, named: bool) -> list[str]:
        every = self.rows if self.of_rows is None else self.of_rows
        of = "" if self.of_rows is None else f" of {self.of_rows:,.12g}"
        counts = [f"{self.rows:,.12g}{of} {self.unit if every == 1 else self.units}"]
        whole = (
            ("judge", self.judges, self.of_judges, self.judge_names),
            ("system", self.systems, self.of_systems, self.system_names),
        )
        for word, lost, total, names in whole:
            if lost:
                short = [
                    one if len(one) <= MAX_NAME else f"{one[: MAX_NAME - 1]}…" for one in names
                ]
                some = f" ({listing(short, MAX_NAMES)})" if named and names else ""
                counts.append(f"{lost:,} of {total:,} {word}s{some}")
        return counts

    def to_dict(self) -> dict[str, Any]:
        described = {**vars(self), "text": self.text, "rows": _whole(self.rows)}
        del described["sentence"]
        described["of_rows"] = None if self.of_rows is None else _whole(self.of_rows)
        return {
            name: list(one) if isinstance(one, tuple) else one for name, one in described.items()
        }


def exclude_by_format(
    counts: Mapping[str, int], text: str = "{what} excluded: {n:,}"
) -> list[Exclusion]:
    """Return what the rules of a format exclude, such as annotations that were cancelled."""
    return [
        Exclusion("format", what, n, unit="entry", sentence=text.format(what=what, n=n))
        for what, n in sorted(counts.items())
        if n
    ]


def _whole(count: float) -> int | float:
    return int(count) if float(count).is_integer() else count


@dataclass(frozen=True, eq=False)
class Filter:
    """Rows that a condition excludes; they are counted when somebody asks, and once."""

    code: str  # as of `Exclusion`
    reason: str  # likewise
    before: Frame  # the table before
    after: Frame  # the table with the rows that are left
    columns: Mapping[str, str]  # role → column of these two tables
    condition: str = ""  # the SQL condition, where it is one on a table of DuckDB

    @cached_property
    def exclusion(self) -> Exclusion:
        names = self.before.collect_schema().names()
        known = {role: name for role, name in self.columns.items() if name in names}
        keys = {"": [], "judge": [known[one] for one in ("judge",) if one in known]}
        sides = ("system",) if "system" in known else ("left", "right")
        keys["system"] = [known[one] for one in sides if one in known]
        keys = {role: columns for role, columns in keys.items() if columns or not role}
        if self.condition and self.before.implementation.is_duckdb():
            counts = _count_duckdb(self.before, list(keys.values()), self.condition)
        else:
            counts = self._count_both([[]])
            if len({*counts[0][()]}) > 1:
                counts = self._count_both(list(keys.values()))
        every, left = counts[0].get((), (0, 0))
        if every == left:
            return Exclusion(self.code, self.reason, 0, every)
        changes: dict[str, Any] = {}
        for role, groups in zip([*keys][1:], counts[1:], strict=True):
            held = {name for names, (n, _) in groups.items() if n for name in names}
            rest = {name for names, (_, n) in groups.items() if n for name in names}
            lost = sorted(name for name in held - rest if name is not None)
            changes |= {f"{role}s": len(lost), f"of_{role}s": len(held - {None})}
            every_name = len(lost) <= MAX_NAMES or self.code == "llm-judges"  # commands name them
            changes[f"{role}_names"] = tuple(lost) if every_name else ()
        if ANSWER in names and "left" in known:  # an answer to a merged output has several
            changes["unit"] = "comparison"
        return Exclusion(self.code, self.reason, every - left, every, **changes)

    def _count_both(self, keys: Sequence[list[str]]) -> list[Counts]:
        before, after = (_count(one, keys) for one in (self.before, self.after))
        return [
            {group: (n, late.get(group, (0, 0))[0]) for group, (n, _) in early.items()}
            for early, late in zip(before, after, strict=True)
        ]


def exclude_verdicts(excluded: Iterable[Exclusion]) -> tuple[Exclusion, ...]:
    """Return what is excluded from a table of verdicts, as it stands beside people's judgments."""
    return tuple(
        replace(one, code=f"verdicts-{one.code}", unit="verdict", sentence="") for one in excluded
    )


def name_lost(excluded: Exclusion, before: Frame, after: Frame) -> Exclusion:
    columns = {one: one for one in ("judge", "system", "left", "right")}
    lost = Filter(excluded.code, excluded.reason, before, after, columns).exclusion
    names = (form.format(role) for role in ("judge", "system") for form in _LOST)
    return replace(excluded, **{name: getattr(lost, name) for name in names})


# Names → rows, and rows that meet the condition
Counts = dict[tuple[str | None, ...], tuple[int, int]]


def _count(frame: Frame, keys: Sequence[list[str]]) -> list[Counts]:
    """Count rows by each list of columns; an empty list counts the whole table."""
    if frame.implementation.is_duckdb():
        return _count_duckdb(frame, keys, "true")
    counts: list[Counts] = []
    for columns in keys:
        texts = [nw.col(one).cast(nw.String) for one in columns]
        sizes = count_by(frame.select(*texts) if texts else frame, columns)
        names = zip(*(sizes[one].tolist() for one in columns), strict=True) if columns else [()]
        counts.append({one: (n, n) for one, n in zip(names, map(int, sizes[COUNT]), strict=True)})
    return counts


def _count_duckdb(frame: Frame, keys: Sequence[list[str]], condition: str) -> list[Counts]:
    columns = [quote_name(one) for one in dict.fromkeys(name for some in keys for name in some)]
    sets = [f"({', '.join(map(quote_name, some))})" for some in keys]
    which = f"grouping({', '.join(columns)})" if columns else "0"
    native = cast("duckdb.DuckDBPyRelation", frame.to_native())
    flagged = native.project(f"*, cast(coalesce((\n{condition}\n), false) as bigint) as {_KEPT}")
    texts = [f"cast({one} as varchar)" for one in columns]
    wanted = ", ".join([which, "count(*)", f"coalesce(sum({_KEPT}), 0)", *texts])
    rows = flagged.aggregate(wanted, f"grouping sets ({', '.join(sets)})").fetchall()
    order = list(dict.fromkeys(name for some in keys for name in some))
    counts: list[Counts] = [{} for _ in keys]
    # grouping() has a bit for each column, the first the highest: 1 where it is not grouped by
    bits = [sum((one not in some) << at for at, one in enumerate(reversed(order))) for some in keys]
    for mask, n, n_kept, *values in rows:
        at = bits.index(mask)
        names = tuple(values[order.index(one)] for one in keys[at])
        counts[at][names] = (int(n), int(n_kept))
    return counts


def sign_names(names: Iterable[str]) -> str:
    held = "\0".join(sorted(set(names)))
    return f" (sha256 {sha256(held.encode()).hexdigest()[:12]})"


def reason_by_name(judges: Collection[str]) -> str:
    return "by name" + (sign_names(judges) if len(set(judges)) > MAX_NAMES else "")


def quote_condition(condition: nw.Expr | str) -> str:
    """Return a condition for a reason: whole where short, else its beginning and its digest."""
    text = " ".join(str(condition).split())
    # A text in quotes may hold two blanks or a line break: then it is another condition
    spaced = text != str(condition).strip() and any(mark in text for mark in "'\"")
    if _ADDRESS.search(text):  # an older narwhals does not write expressions out
        return "an expression"
    quoted = f"where ({text})" if '"' in text else f'where "{text}"'
    if len(text) <= MAX_CONDITION and not spaced:
        return quoted
    digest = sha256(str(condition).encode()).hexdigest()[:12]
    if len(text) > MAX_CONDITION:
        quoted = f'where "{text[: MAX_CONDITION - 1]}…"'
    return f"{quoted} (sha256 {digest})"


def count_exclusions(stored: Iterable[Exclusion | Filter]) -> tuple[Exclusion, ...]:
    return tuple(one for one in count_filters(stored) if one.rows)


def count_filters(stored: Iterable[Exclusion | Filter]) -> list[Exclusion]:
    """Return what is excluded, filters counted, also those that exclude nothing."""
    return [one.exclusion if isinstance(one, Filter) else one for one in stored]


def list_idle(stored: Iterable[Exclusion | Filter]) -> list[str]:
    """Return a line for each condition that every row meets: it may be misspelt."""
    idle = [one for one in count_filters(stored) if one.code == "where" and not one.rows]
    return [f"no row excluded {one.reason}" for one in idle]


def sign_excluded(signature: str, excluded: Iterable[Exclusion]) -> str:
    parts = [one.signature for one in excluded]
    return " | ".join([signature, *(one for one in parts if one not in signature)])


def list_texts(excluded: Iterable[Exclusion], known: Iterable[str] = ()) -> list[str]:
    known_texts = set(known)
    return [one.text for one in excluded if one.text not in known_texts]


def list_findings(notes: Iterable[str], excluded: Iterable[Exclusion]) -> tuple[Finding, ...]:
    """Return notes as findings, and behind them what was excluded and they do not say."""
    told = take_findings(notes)
    codes = {one.code for one in told if one.severity != "info"}
    more = (
        Finding(one.code, one.text, "note", one.to_dict())
        for one in excluded
        if one.text not in told and one.code not in codes
    )
    return (*told, *more)


def write_contract(
    result: Any, *names: str, findings: Iterable[str] | None = None
) -> dict[str, Any]:
    """Return what the JSON of every result has: signature, exclusions, findings, some values."""
    values = {name: getattr(result, name) for name in names}
    return {
        "signature": result.signature,
        "excluded": write_excluded(result.excluded),
        "findings": describe_findings(result.notes if findings is None else findings),
        **{name: list(one) if isinstance(one, tuple) else one for name, one in values.items()},
    }


def write_document(
    result: Any,
    *parts: Table | Text,
    basis: str = "",
    answer: Iterable[str] | None = None,
    findings: Iterable[str] | None = None,
    csv_rows: tuple[Row, ...] | None = None,
) -> Document:
    """Return what people read of a result: what it says, parts, findings, signature."""
    said = tuple(result.says if answer is None else answer)
    notes = list_findings(result.notes if findings is None else findings, result.excluded)
    return Document(basis, said, parts, notes, result.signature, csv_rows)


def number_rows(table: Table) -> Table:
    """Return a table with a column that counts its rows, which files do not have."""
    rows = tuple({"n": n, **row} for n, row in enumerate(table.rows, start=1))
    column = Column("n", "", "integer", only=("text", "html"))
    return replace(table, columns=(column, *table.columns), rows=rows, without=("n",))


def write_excluded(excluded: Iterable[Exclusion]) -> list[dict[str, Any]]:
    return [one.to_dict() for one in excluded]


def note_excluded(result: Result, excluded: Sequence[Exclusion], *, once: bool = False) -> Result:
    """Return a result that carries more exclusions, in its signature too; so do its parts."""
    if not excluded or not is_dataclass(result) or isinstance(result, type):
        return result
    values = {one.name: getattr(result, one.name) for one in fields(result)}
    changes: dict[str, Any] = {
        name: part
        for name, value in values.items()
        if (part := note_excluded(value, excluded, once=once)) is not value
    }
    if isinstance(values.get("groups"), Mapping):
        changes["groups"] = note_groups(values["groups"], excluded, once=once)
    if once and isinstance(values.get("notes"), tuple):
        sentences = {one.sentence for one in excluded}
        notes = tuple(one for one in values["notes"] if one not in sentences)
        changes |= {} if notes == values["notes"] else {"notes": notes}
    if "excluded" in values:
        known = values["excluded"]
        counted = {one.code for one in known if one.code in ONCE}
        fresh = (one for one in excluded if one not in known and one.code not in counted)
        every = (*fresh, *known)
        changes["excluded"] = every
        if "signature" in values:
            changes["signature"] = sign_excluded(values["signature"], every)
    return cast("Result", replace(result, **changes)) if changes else result


def gather_excluded(result: object) -> list[Exclusion]:
    if not is_dataclass(result) or isinstance(result, type):
        return []
    values = {one.name: getattr(result, one.name) for one in fields(result)}
    own = [one for one in values.pop("excluded", ()) or () if isinstance(one, Exclusion)]
    return own + [one for value in values.values() for one in gather_excluded(value)]


def note_groups(
    groups: Mapping[str, Result], excluded: Sequence[Exclusion], *, once: bool = False
) -> Mapping[str, Result]:
    return {name: note_excluded(one, excluded, once=once) for name, one in groups.items()}


def say_unweighted(rows: int) -> Finding:
    return say("zero-weight", rows=rows)
