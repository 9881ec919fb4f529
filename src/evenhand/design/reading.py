"""A campaign from one TOML file, which may name a table of items beside it; or from such a table.

A misspelt name is refused with the nearest there is; whatever is wrong names the file and the row.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields
from difflib import get_close_matches
from functools import cache
from inspect import signature
from math import isfinite
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from evenhand.data.source import fold
from evenhand.design import campaign as campaigns
from evenhand.design.campaign import WORDS, Item
from evenhand.design.catalogues import read_catalogue
from evenhand.design.forms import FORMS, Folder, Form
from evenhand.design.tasks import TASK_KINDS
from evenhand.errors import (
    CampaignError,
    Message,
    MissingFile,
    UnknownFormat,
    listing,
    sentence_hint,
    suggest,
)
from evenhand.formats.file_heads import is_workbook
from evenhand.formats.roles import FALLBACKS, FOLDED, SYNONYMS
from evenhand.formats.workbooks import Sheet, read_sheet

# What a campaign file may say
KEYS: Final = (
    *("name", "title", "seed", "platform", *WORDS, "texts", "language", "messages"),
    *("design", "judges", "systems", "tasks", "ignore", "training", "items", "sheet"),
    *("pay", "time"),
)
LANGUAGE: Final = ("language", "direction")
FORM: Final = tuple(one.name for one in fields(Form))
Settings = TypeVar("Settings")
DEFAULT_RATED: Final = Message("How good is it?")  # What is asked where no task is given
DEFAULT_JUDGES: Final = 3  # How many judges a campaign has that does not say


def read_campaign(path: str | Path) -> campaigns.Campaign:
    path = Path(path)
    ending = path.suffix.lower()
    if ending in TABLES:
        return make_campaign({"name": path.stem, "items": path.name}, path.name, path.parent)
    if ending != ".toml":
        raise UnknownFormat(
            f"'{path}' is no campaign: write one as .toml, or items as {', '.join(TABLES)}"
        )
    text = read_text(path)
    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnknownFormat(f"'{path}' is not valid TOML: {error}") from None
    except (RecursionError, ValueError):
        raise UnknownFormat(
            f"'{path}' is no TOML that can be read: lists stand in lists too deep, or a number has"
            " thousands of digits"
        ) from None
    return make_campaign({"name": path.stem, **settings}, path.name, path.parent)


def make_campaign(
    settings: Mapping[str, Any], where: str = "the campaign", folder: Path | None = None
) -> campaigns.Campaign:
    """Make a campaign of what a file says, or of `Campaign.to_dict()`."""
    with locate(where):
        _check_keys(settings, KEYS, "a campaign")
        value = settings.get("items", [])
        chosen = []
        for key in ("systems", "ignore"):
            names = settings.get(key, [])
            if not isinstance(names, list | tuple) or not all(
                isinstance(one, str) for one in names
            ):
                raise CampaignError(f"{key} are a list of words in quotes, not {names!r:.60}")
            chosen.append(tuple(names))
        if not isinstance(value, str):
            tables = _read_tables(settings, "items")
            rows = [(f"{where}, item {at}", one) for at, one in enumerate(tables, start=1)]
        elif folder is None:
            raise CampaignError(f"items are to be given here, not in '{value}'")
        else:
            rows = read_rows(folder / value, _read_word(settings, "sheet") or None)
        wording, beside = _read_wording(settings, where, folder), Folder(folder)

        def settle(name: str, text: object) -> Any:
            return beside.settle(wording.text(name).form, text, judged=name == "output")

        items = build_items(rows, *chosen, settle=settle)
        tasks = []
        for at, table in enumerate(_read_tables(settings, "tasks"), start=1):
            with locate(f"{where}, task {at}"):
                kind = table.get("kind")
                if not isinstance(kind, str) or kind not in TASK_KINDS:
                    hint = sentence_hint(suggest(str(kind), TASK_KINDS))
                    choices = f"choose {' | '.join(TASK_KINDS)}{hint}"
                    raise CampaignError(f"kind cannot be {kind!r}: {choices}")
                known = [one.name for one in fields(TASK_KINDS[kind])]
                of_task = {"name": "", **{key: one for key, one in table.items() if key != "kind"}}
                _check_keys(of_task, known, f"a task of kind '{kind}'")
                tasks.append(TASK_KINDS[kind](**of_task))
        if not tasks and any(len(one.systems) > 1 for one in items):
            tasks = [TASK_KINDS["pair"](name="preference", question="Which is better?")]
        elif not tasks:
            tasks = [TASK_KINDS["rating"](name="quality", question=str(DEFAULT_RATED))]
        judges = _read_judges(settings.get("judges", DEFAULT_JUDGES), where, folder)
        design = _read_settings(settings, where, "design", campaigns.Design)
        training = []
        for at, table in enumerate(_read_tables(settings, "training"), start=1):
            answer, feedback = table.get("answer", {}), table.get("feedback", "")
            of_item = {k: v for k, v in table.items() if k not in ("task", "answer", "feedback")}
            (item,) = build_items([(f"{where}, training {at}", of_item)], settle=settle)
            with locate(f"{where}, training {at}"):
                task = _read_word(table, "task")
            training.append(campaigns.Training(task, item, answer, feedback))
        return campaigns.Campaign(
            name=settings.get("name", ""),
            title=_read_word(settings, "title"),
            seed=campaigns.read_seed(settings.get("seed")),
            platform=settings.get("platform", campaigns.USUAL),
            items=items,
            tasks=tuple(tasks),
            judges=judges,
            design=design,
            wording=wording,
            pay=_read_settings(settings, where, "pay", campaigns.Pay),
            time=_read_settings(settings, where, "time", campaigns.Timing),
            training=tuple(training),
            files=beside.files,
        )


def _read_settings(
    settings: Mapping[str, Any], where: str, key: str, kind: Callable[..., Settings]
) -> Settings:
    table = settings.get(key, {})
    with locate(f"{where}, [{key}]"):
        if not isinstance(table, Mapping):
            raise CampaignError("it is a table of settings")
        _check_keys(table, [*signature(kind).parameters], f"[{key}]")
        return kind(**table)


def _check_keys(settings: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for name in settings:
        if name not in known:
            there = f": there are {listing(known, len(known))}"
            hint = sentence_hint(suggest(name, known)) or there
            raise CampaignError(f"{what} has no setting '{name}'{hint}")


def _read_tables(settings: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    value = settings.get(key, [])
    if not isinstance(value, list | tuple) or not all(isinstance(one, Mapping) for one in value):
        raise CampaignError(f"{key} are tables, each under [[{key}]]")
    return list(value)


def _read_word(settings: Mapping[str, Any], key: str) -> str:
    value = settings.get(key, "")
    if not isinstance(value, str):
        raise CampaignError(f"{key} cannot be {value!r:.60}: it is text in quotes")
    return value


def _read_judges(value: Any, where: str, folder: Path | None) -> tuple[campaigns.Judge, ...]:
    if isinstance(value, str) and folder is not None and Path(value).suffix.lower() in TABLES:
        rows = read_rows(folder / value, of="judge")
        listed = tuple(_read_judge(at, row) for at, row in rows)
        with locate(value):
            campaigns.refuse_twins([one.name for one in listed], "judges")
        return listed
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= 100_000:
            raise CampaignError(f"judges cannot be {value}: 1 or more, to 100,000")
        digits = len(str(value))
        return tuple(campaigns.Judge(f"judge-{number:0{digits}}") for number in range(1, value + 1))
    if not isinstance(value, list | tuple):
        raise CampaignError("judges are a number, a list of names, or a table in a file")
    judges = []
    for at, one in enumerate(value, start=1):
        held = one if isinstance(one, Mapping) else {"name": one}
        with locate(f"{where}, judge {at}"):
            _check_keys(held, ("name", "quota"), "a judge")
        judges.append(campaigns.Judge(held.get("name", ""), held.get("quota")))
    return tuple(judges)


def _read_judge(where: str, row: Mapping[str, Any]) -> campaigns.Judge:
    """Read a judge from a row; name, email and note say who it is, other columns nothing.

    >>> _read_judge("row 2", {"judge": "j1", "native": "yes"}).unread
    ('native',)
    >>> _read_judge("row 2", {"judge": "j1", "qouta": "9"})
    Traceback (most recent call last):
    evenhand.design.reading.LocatedError: row 2: a table of judges has no column 'qouta': call it \
'quota', or another name
    """
    names = [name for name in row if fold(name) == "judge"]
    names = names or [name for name in row if fold(name) in JUDGE_NAMES]
    with locate(where):
        if len(names) != 1:
            raise CampaignError(
                "a table of judges needs one column with their names, such as 'judge', and has"
                f" {listing(names or [*row])}"
            )
        if fold(names[0]) == "name" and any(fold(name) in _EMAILS for name in row):
            raise CampaignError(
                f"the names in '{names[0]}', with e-mail addresses beside them, are of people, and"
                " would stand in the log and in every export: add a column 'judge' with pseudonyms,"
                " such as j1"
            )
        quota = next((value for name, value in row.items() if fold(name) == "quota"), None)
        text = "" if quota is None else str(quota).strip()
        if text and not text.isdecimal():
            raise CampaignError(f"quota cannot be '{text}': it is a whole number, or blank")
        held = {name: "" if value is None else str(value).strip() for name, value in row.items()}
        judge, known = held.pop(names[0]), {fold(name): text for name, text in held.items()}
        email = next((known[one] for one in _EMAILS if known.get(one)), "")
        name, note = known.get("name", ""), known.get("note", "")
        if email and not re.fullmatch(ADDRESS, email):
            raise CampaignError(f"'{email:.60}' is no e-mail address: write one, or none")
        if "<" in name or ">" in name:
            raise CampaignError(
                f"the name '{name:.60}' has < or > in it: an address stands in the column 'email'"
            )
        unread = tuple(one for one in held if fold(one) not in (*_EMAILS, *_ABOUT))
        for one in unread:
            if near := get_close_matches(fold(one), _ABOUT, 1, NEAR):
                raise CampaignError(
                    f"a table of judges has no column '{one}': call it '{near[0]}', or another name"
                )
        if email or note:  # who it is ends with angle brackets, and is read back from them
            person = f"{name} <{email or NO_ADDRESS}>".strip()
            name = f"{person}, {note}" if note else person
        return campaigns.Judge(judge, int(text) if text else None, name, unread)


# Names of the column of e-mail addresses, in a table of judges
_EMAILS: Final = ("email", "mail", "emailaddress")
_ABOUT: Final = ("quota", "name", "email", "note")  # Columns beside that of the judge
NEAR: Final = 0.75  # Likeness from which on a column is taken for one of these, misspelt
ADDRESS: Final = r"[^\s<>()\[\],;:\"?&@]+@[^\s<>()\[\],;:\"?&@]+"
NO_ADDRESS: Final = "no e-mail"  # Stands in a note for the address of who has none


_TAG: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


def _read_wording(
    settings: Mapping[str, Any], where: str, folder: Path | None
) -> campaigns.Wording:
    tables = settings.get("texts", {})
    if not isinstance(tables, Mapping):
        raise CampaignError("texts are tables, such as [texts.source]")
    texts = {}
    for name, one in tables.items():
        field = {"language": one} if isinstance(one, str) else one
        with locate(f"{where}, [texts.{name}]"):
            if isinstance(one, str) and one in FORMS:
                raise CampaignError(
                    f'"{one}" is a form, and a text alone says the language: write'
                    f' {name} = {{ form = "{one}" }}'
                )
            if not isinstance(field, Mapping):
                raise CampaignError("it is a language, or a table")
            _check_keys(field, (*LANGUAGE, *FORM), "a text")
            form = Form(**{key: field[key] for key in FORM if key in field})
            told = {key: field[key] for key in LANGUAGE if key in field}
            tag = told.get("language", "")
            if tag and not (isinstance(tag, str) and _TAG.fullmatch(tag)):
                raise CampaignError(campaigns.NO_TAG.format(tag))
            texts[name] = campaigns.TextField(**told, form=form)
    language, file = _read_word(settings, "language"), _read_word(settings, "messages")
    catalogue = None
    if file:
        if folder is None:
            raise CampaignError(f"messages are in '{file}': give the campaign as a file beside it")
        if not language:
            raise CampaignError(f'messages = "{file}" needs a language, such as language = "pl"')
        direction = campaigns.TextField(language).direction
        catalogue = read_catalogue(read_text(folder / file), file, language, direction)
    return campaigns.Wording(
        **{name: settings[name] for name in WORDS if name in settings},
        texts=texts,
        language=language,
        catalogue=catalogue,
    )


class LocatedError(CampaignError):
    """A refusal that says which file, table or row it is about."""


@contextmanager
def locate(where: str) -> Iterator[None]:
    """Say where it stands what is refused, unless the refusal says so already."""
    try:
        yield
    except LocatedError:
        raise
    except CampaignError as error:
        file, _, at = where.rpartition(", item ")
        # an item that is named as it is counted is said once
        named = file and str(error).startswith(f"item '{at}'")
        raise LocatedError(f"{file if named else where}: {error}") from None


# A column that has no other meaning is a system, unless the campaign says which systems there are
# or the table names them itself, or tables of texts usually have it, such as src, id and notes.

SHOWN: Final = ("source", "reference", "context")
TEXTS: Final = (*SHOWN, "document", "group", "control")
# What a row may say besides outputs by system
KNOWN: Final = ("item", *TEXTS, "expected", "anchor", "outputs", "system", "output")
# Other names of these, as tables of judgments have them, in any case, with blanks or underscores
_NAMES: Final = {
    **{name: (name, *SYNONYMS.get(name, ())) for name in KNOWN},
    "system": ("system", *SYNONYMS["system"], *FALLBACKS["system"][0].split()),
    "document": ("document", "doc", "doc_id", "document_id"),
    "source": ("source", "src", "source_text", "src_text"),
    "reference": ("reference", "ref", "reference_text", "ref_text", "reference_translation"),
    "output": (
        *("output", "output_text", "hypothesis", "hyp", "translation", "target", "target_text"),
        *("tgt", "response", "answer", "completion", "summary"),
    ),
}
# Names of the column that says which judge a row is
JUDGE_NAMES: Final = FOLDED["judge"] | {"name"}
ALIASES: Final = {fold(one): name for name, names in _NAMES.items() for one in names}
_USUAL: Final = {
    "item": "id item_id segment_id segment seg_id seg sentence_id sent_id uid index key nr no row",
    "source": "source src prompt input question original quelle quelltext ausgangstext",
    "reference": "ref reference_text ref_text reference_translation",
    "document": "doc doc_id document_id docid",
    "system": "system_id system_name sys",
    "output": "output_text out hypothesis hyp",
    "": "domain genre topic category split lang language language_pair lp date url license"
    " note notes comment comments remark remarks annotator judge rater score rating status",
}
# What usual names of columns mean: one of KNOWN, or "" for what is not judged
USUAL: Final = {word: name for name, words in _USUAL.items() for word in words.split()}
# Headers such as output_A and system1, which are no misspelt `output` or `system`
_OF_SYSTEM: Final = re.compile(r"(?i:system|output)([ _.-].+|\d+|[A-Z])")


def name_columns(row: Mapping[str, Any], systems: tuple[str, ...]) -> dict[str, Any]:
    """Give columns the names that are known here; one that is there already, or a system, stays.

    >>> name_columns({"Segment ID": "1", "doc id": "d", "SRC": "x", "A": "y"}, ())
    {'item': '1', 'document': 'd', 'source': 'x', 'A': 'y'}
    >>> name_columns({"item": "1", "MT system": "A", "translation": "y"}, ())
    {'item': '1', 'system': 'A', 'output': 'y'}
    >>> name_columns({"item": "1", "human": "x", "translation": "y"}, ())
    {'item': '1', 'human': 'x', 'translation': 'y'}
    """
    meant = {name: ALIASES[fold(name)] for name in row if fold(name) in ALIASES}
    if not {"system", "output"} <= {*meant.values()}:  # of a wide table they are systems
        meant = {name: one for name, one in meant.items() if one not in ("system", "output")}
    named: dict[str, str] = {}
    for name, one in meant.items():
        if name != one and one not in row and name not in systems:
            if one in named.values():
                first = next(other for other in named if named[other] == one)
                raise CampaignError(
                    f"'{first}' and '{name}' could each be the {one}: call one of them '{one}', or"
                    f" leave one out: ignore = [{json.dumps(name, ensure_ascii=False)}]"
                )
            named[name] = one
    return {named.get(name, name): value for name, value in row.items()}


def check_columns(row: Mapping[str, Any], systems: tuple[str, ...]) -> None:
    """Refuse columns that are neither known nor systems, of which a campaign may say which.

    >>> check_columns({"item": "1", "domain": "news", "A": "x"}, ())
    Traceback (most recent call last):
    evenhand.errors.CampaignError: 'domain' would be a system. If it is none, exclude it, in a \
campaign file: ignore = ["domain"]; if it is one, list all systems: systems = ["domain", "A"]
    """
    named = next((one for one in ("outputs", "system", "output") if one in row), "")
    # name → the column that is meant, "" for one that is not judged, None for a system
    odd: dict[str, str | None] = {}
    meanings = {name: _guess(name) for name in row if name not in KNOWN}
    # a longer header such as Source text (EN) is taken for the source where nothing else may be it
    longer = [name for name in meanings if _names_source(name)]
    if len(longer) == 1 and "source" not in {*row, *meanings.values()}:
        meanings[longer[0]] = "source"
    for name, meant in meanings.items():
        if name in systems:
            odd |= {name: None} if named else {}
        elif meant or (not systems and (named or meant == "")):
            odd[name] = meant
    if not odd:
        return
    one = len(odd) == 1
    *others, last = (f"'{name}'" for name in odd)
    names = f"{', '.join(others)} and {last}" if others else last
    likely = ((name, column) for name, column in odd.items() if column)
    hint = ", ".join(f"'{column}'" + f" by '{name}'" * (not one) for name, column in likely)
    hint = f" Did you mean {hint}? Then rename it in the table." if hint else ""
    ignored = json.dumps([*odd], ensure_ascii=False)
    out = f"exclude {'it' if one else 'them'}, in a campaign file: ignore = {ignored}"
    no_column = f"{names} {'is not a column' if one else 'are no columns'}"
    if None in odd.values():
        other = f".{hint} If not, " if hint else "; "
        raise CampaignError(
            f"{no_column} of a table with '{named}', which says whose the outputs are{other}{out}"
        )
    if named or systems:
        raise CampaignError(f"{no_column}{f'.{hint} If not' if hint else ''}: {out}")
    every = json.dumps([name for name in row if name not in KNOWN], ensure_ascii=False)
    they = "it is" if one else "they are"
    raise CampaignError(
        f"{names} would be {'a system' if one else 'systems'}.{hint} If {they}"
        f" {'neither' if hint else 'none'}, {out}; if {they}{' one' if one else ''}, list all"
        f" systems: systems = {every}"
    )


@cache
def _guess(name: str) -> str | None:
    """Return the column that a name means, "" for one that is not judged, None for a system."""
    folded = name.strip().casefold()
    plain = re.sub(r"\W+", "_", folded).strip("_")
    if plain in USUAL:
        return USUAL[plain]
    near = get_close_matches(folded, KNOWN, n=1, cutoff=0.8)
    return near[0] if near and not _OF_SYSTEM.fullmatch(name) else None


def _names_source(name: str) -> bool:
    words = re.sub(r"\W+", "_", name.casefold()).strip("_").split("_")
    return len(words) > 1 and any(USUAL.get(word) == "source" for word in words)


# What a text of a field (source, output, ...) becomes in the campaign
Settle = Callable[[str, object], Any]
NAME_IT: Final = "name it, or delete the column"
YES: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
# Where a row stands, such as "items.csv, row 3", and what it says
Row = tuple[str, Mapping[str, Any]]


def build_items(
    rows: Iterable[Row],
    systems: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    *,
    settle: Settle = lambda _name, text: text,
) -> tuple[Item, ...]:
    # name → where it stands first, and its settings
    items: dict[str, tuple[str, dict[str, Any]]] = {}
    columns: set[str] = set()
    wide: dict[str, None] = {}  # columns that are systems, where the campaign names none
    for where, whole in rows:
        with locate(where):
            columns.update(whole)
            row = {name: value for name, value in whole.items() if name not in ignore}
            row = name_columns(row, systems)
            check_columns(row, systems)
            wide |= {one: None for one in row if not systems and one not in KNOWN}
            settings = _read_row(row, systems)
            name = settings["name"]
            if name not in items:
                items[name] = (where, settings)
            elif "system" in row:
                # what both rows say of the item must be the same
                place, before = items[name]
                for key, value in settings.items():
                    if key not in ("name", "outputs") and before.setdefault(key, value) != value:
                        raise CampaignError(
                            f"{key} of item '{name}' is another than before ({place})"
                        )
                for system, output in settings["outputs"].items():
                    if system in before["outputs"]:
                        raise CampaignError(f"item '{name}' has two outputs of '{system}'")
                    before["outputs"][system] = output
            else:
                raise CampaignError(
                    f"item '{name}' appears twice (also {items[name][0]}): give each its own name"
                )
    with_output = {system for _, settings in items.values() for system in settings["outputs"]}
    for option, names, known, kind in (
        ("ignore", ignore, columns, "has a column"),
        ("systems", systems, with_output, "has an output of system"),
    ):
        for name in names:
            if name not in known:
                hint = sentence_hint(suggest(name, sorted(known | columns.difference(KNOWN))))
                raise CampaignError(f"{option}: no item {kind} '{name}'{hint}")
    if silent := [name for name in wide if name not in with_output]:
        raise CampaignError(
            f"no item has an output of {listing(silent, len(silent))}: fill the column, or leave it"
            f" out, in a campaign file: ignore = {json.dumps(silent, ensure_ascii=False)}"
        )
    made = []
    for where, settings in items.values():
        with locate(where):
            made.append(_make_item(settings, systems, settle))
    return tuple(made)


def _make_item(settings: dict[str, Any], systems: tuple[str, ...], settle: Settle) -> Item:
    name, outputs, expected = settings["name"], settings["outputs"], settings.get("expected")
    # of the systems that are judged; a control keeps its own
    if systems and not settings.get("control") and expected is None:
        chosen = {system: text for system, text in outputs.items() if system in systems}
        if outputs and not chosen:
            raise CampaignError(
                f"item '{name}' has no output of the systems that are judged"
                f" ({', '.join(systems)}), only of {', '.join(map(str, outputs))}"
            )
        outputs = chosen
    # a text that is a number is a score, where one output is judged; of several it is a system
    if isinstance(expected, str) and len(outputs) < 2:
        with suppress(ValueError):
            number = float(expected)
            expected = number if isfinite(number) else expected
    rest = {key: value for key, value in settings.items() if key in (*TEXTS, "anchor")}
    settled = {}
    texts = [("output", system, text) for system, text in outputs.items()]
    for key, system, text in [*texts, *((key, "", rest[key]) for key in SHOWN if key in rest)]:
        try:
            settled[key, system] = settle(key, text)
        except CampaignError as fault:
            what = f"the output of {system}" if key == "output" else key
            raise CampaignError(f"item '{name}': {what}: {fault}") from None
    outputs = {system: settled["output", system] for system in outputs}
    rest |= {key: text for (key, _), text in settled.items() if key != "output"}
    if expected is not None:
        rest["expected"] = expected
    return Item(name, outputs, **rest)


def _read_row(row: Mapping[str, Any], systems: tuple[str, ...]) -> dict[str, Any]:
    name = row.get("item")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str) or not name.strip():
        there = (
            "its cell in column 'item' is empty: fill it"
            if "item" in row
            else "add a column 'item'"
        )
        raise CampaignError(f"the item has no name; {there}")
    outputs = row.get("outputs")
    if "outputs" not in row:
        outputs = {
            name: text
            for name, text in row.items()
            if name not in KNOWN and (not systems or name in systems)
        }
    if not isinstance(outputs, Mapping):
        raise CampaignError(f"outputs are texts by system, not {outputs!r:.60}")
    if "system" in row:
        system = row["system"]
        if not isinstance(system, str) or not system or "output" not in row:
            raise CampaignError("a row with a system needs its name and its output")
        if system in outputs:
            raise CampaignError(f"item '{row['item']}' has two outputs of '{system}'")
        outputs = {**outputs, system: row["output"]}
    elif row.get("output"):
        raise CampaignError("whose output is it? Add a column system")
    # an empty cell, or one of blanks alone, is no output
    outputs = {
        system: text
        for system, text in outputs.items()
        if text is not None and (not isinstance(text, str) or text.strip())
    }
    settings: dict[str, Any] = {"name": name, "outputs": outputs}
    for key in (*TEXTS, "expected", "anchor"):
        if row.get(key) not in (None, ""):
            settings[key] = row[key]
    anchor = settings.get("anchor", False)
    if not isinstance(anchor, bool):
        word = str(anchor).strip().casefold()
        if word not in YES:
            raise CampaignError(f"anchor cannot be {anchor!r}: yes or no")
        settings["anchor"] = YES[word]
    return settings


TABLES: Final = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".xlsx")
DELIMITERS: Final = "\t;,|"
_SEPARATOR: Final = re.compile(r"sep=(.)\r?\n")  # What Excel is told in the first line of a table
WORKBOOKS: Final = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")
WORKBOOK_STARTS: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
SAVE_AS: Final = "save it again as 'CSV UTF-8' (in Excel), or as CSV with the encoding UTF-8"
SAVE_BOOK: Final = "save it again as .xlsx without a password, or as 'CSV UTF-8'"
MAX_CELL_CHARACTERS: Final = 10_000_000  # Most characters of a cell


def read_text(path: Path) -> str:
    if "\0" in str(path):
        raise MissingFile(f"there is no file {str(path)!r}")
    try:
        held = path.read_bytes()
    except FileNotFoundError:
        raise MissingFile(f"there is no file '{path}'") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UnknownFormat(f"'{path}' cannot be read: {reason}") from None
    if held.startswith(WORKBOOK_STARTS) or path.suffix.lower() in WORKBOOKS:
        raise UnknownFormat(f"'{path}' is a workbook that cannot be read here: {SAVE_BOOK}")
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = held[: error.start]
        row = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        wide = held.startswith((b"\xff\xfe", b"\xfe\xff"))
        what = "UTF-16" if wide else "perhaps Windows-1252, as Excel writes it"
        raise UnknownFormat(
            f"'{path}' is no text in UTF-8 (line {row:,}, character {column:,}; {what}): {SAVE_AS}"
        ) from None


def read_rows(
    path: Path, sheet: str | None = None, *, of: Literal["item", "judge"] = "item"
) -> list[Row]:
    """Read a table; the header of a CSV file is its row 1, and lines of JSON count from 1."""
    if is_workbook(path):
        advise = 'say so in the campaign file: sheet = "{}"'.format
        known = {name for name, one in ALIASES.items() if one == "item"}
        if of == "judge":
            advise, known = "keep '{}' alone in a file of its own".format, {*JUDGE_NAMES}

        def fits(one: Sheet) -> bool:
            return not known.isdisjoint(map(fold, one.columns))

        found = read_sheet(path, sheet, fits, advise, remarks=True, row=of)
        return [
            (f"{path.name}, row {number}", {name: cell or "" for name, cell in row.items()})
            for number, row in found.by_row()
        ]
    if sheet is not None:
        raise CampaignError(f"'{path}' is no workbook, so it has no sheet '{sheet}'")
    text = read_text(path)
    jsonl = path.suffix.lower() in (".jsonl", ".ndjson")
    rows = list(_read_json(path, text) if jsonl else _read_csv(path, text))
    if not rows:
        how = "a line for each" if jsonl else "a header, and a row for each below it"
        raise UnknownFormat(f"'{path}' holds no {of}s: write {how}")
    return rows


def _read_json(path: Path, text: str) -> Iterator[Row]:
    """Read lines of JSON; a line ends where JSON lets it end, and at no other mark of Unicode."""

    def refuse_constant(name: str) -> None:
        raise LocatedError(f"{where}: {name} is not a number")

    def refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:  # JSON would keep the last
        if len(values := dict(pairs)) < len(pairs):
            names = ", ".join(name for name, _ in pairs)
            raise LocatedError(f"{where}: a name is given twice in {names}")
        return values

    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path.name}, line {number}"
        try:
            row = json.loads(line, object_pairs_hook=refuse_twice, parse_constant=refuse_constant)
        except json.JSONDecodeError as error:
            raise LocatedError(f"{where}: this is no JSON: {error.msg}") from None
        except ValueError:
            raise LocatedError(f"{where}: a number has thousands of digits") from None
        except RecursionError:
            raise LocatedError(f"{where}: lists stand in lists too deep to be read") from None
        if not isinstance(row, dict):
            raise LocatedError(f"{where}: a row is an object in braces")
        yield where, row


def _read_csv(path: Path, text: str) -> Iterator[Row]:
    separator, signs = _SEPARATOR.match(text), text.partition("\n")[0]
    delimiter = separator[1] if separator else max(DELIMITERS, key=signs.count)
    # Fields in quotes may hold the delimiter and line breaks. Tables with tabs are often written
    # without any quoting: where quotes lead to no table, they are signs like any other.
    csv.field_size_limit(MAX_CELL_CHARACTERS)
    ways: list[tuple[Any, bool]] = [
        (csv.QUOTE_MINIMAL, True),
        *[(csv.QUOTE_NONE, False)] * (delimiter == "\t"),
    ]
    for quoting, strict in ways:
        rows, first = list[tuple[int, list[str]]](), 1
        lines = io.StringIO(text, newline="")
        reader = csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=strict)
        try:
            for cells in reader:
                rows.append((first, cells))
                first = reader.line_num + 1
        except csv.Error as error:
            if not strict or delimiter != "\t":
                raise LocatedError(f"{path.name}, line {reader.line_num}: {error}") from None
            continue
        if len({len(cells) for _, cells in rows if any(cells)}) == 1:
            break
    header: list[str] = []
    for number, cells in rows:
        where = f"{path.name}, line {number}"
        if separator and number == 1:
            continue
        if not header:
            header = [cell.strip() for cell in cells]
            last = max((at for at, name in enumerate(header) if name), default=0)
            for at, name in enumerate(header[: last + 1]):
                if not name:
                    raise LocatedError(f"{where}: column {at + 1} has no name: {NAME_IT}")
                if name in header[:at]:
                    raise LocatedError(f"{where}: two columns are called '{name}': rename one")
        elif any(cells):
            if len(cells) != len(header):
                raise LocatedError(
                    f"{where}: {len(cells)} cells, and the header has {len(header)}: put"
                    f" quotes around each text that holds '{delimiter}' or a line break"
                )
            for at, (name, cell) in enumerate(zip(header, cells, strict=True), start=1):
                if cell and not name:
                    raise LocatedError(f"{path.name}, line 1: column {at} has no name: {NAME_IT}")
            # columns that are wholly empty, as Excel leaves them, go
            yield where, {name: cell for name, cell in zip(header, cells, strict=True) if name}
