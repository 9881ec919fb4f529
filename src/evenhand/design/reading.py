"""A campaign from one TOML file, which may name a table of items beside it; or from such a table.

A misspelt name is refused with the nearest there is; whatever is wrong names the file and the row.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, TypeVar

from evenhand.design.campaign import (
    USUAL,
    Campaign,
    Design,
    Item,
    Judge,
    TextField,
    Training,
    Wording,
    read_seed,
)
from evenhand.design.items import TABLES, build_items, read_rows, read_text
from evenhand.design.tasks import TASK_KINDS, Task
from evenhand.errors import (
    CampaignError,
    EvenhandError,
    UnknownFormat,
    listing,
    sentence_hint,
    suggest,
)

Made = TypeVar("Made", Task, Design)

WORDS: Final = ("instructions", "consent", "thanks", "completion_code")
# What a campaign file may say
KEYS: Final = (
    *("name", "title", "seed", "platform", *WORDS, "texts", "design", "judges", "systems", "tasks"),
    *("ignore", "training", "items"),
)
DEFAULT_JUDGES: Final = 3  # How many judges a campaign has that does not say


def read_campaign(path: str | Path) -> Campaign:
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
        raise UnknownFormat(f"'{path}' is no TOML: {error}") from None
    except (RecursionError, ValueError):
        raise UnknownFormat(
            f"'{path}' is no TOML that can be read: lists stand in lists too deep, or a number has"
            " thousands of digits"
        ) from None
    return make_campaign({"name": path.stem, **settings}, path.name, path.parent)


def make_campaign(
    settings: Mapping[str, Any], where: str = "the campaign", folder: Path | None = None
) -> Campaign:
    """Make a campaign of what a file says, or of `Campaign.to_dict()`."""
    _check_keys(settings, KEYS, where, "a campaign")
    items = _read_items(settings, where, folder)
    tables = _read_tables(settings.get("tasks", []), f"{where}: tasks")
    tasks = [_read_task(one, f"{where}, task {at}") for at, one in enumerate(tables, start=1)]
    if not tasks and any(len(one.systems) > 1 for one in items):
        tasks = [TASK_KINDS["pair"](name="preference", question="Which is better?")]
    elif not tasks:
        tasks = [TASK_KINDS["rating"](name="quality", question="How good is it?")]
    taught = _read_tables(settings.get("training", []), f"{where}: training")
    try:
        return Campaign(
            name=settings.get("name", ""),
            title=_read_word(settings.get("title", ""), f"{where}: title"),
            seed=read_seed(settings.get("seed")),
            platform=settings.get("platform", USUAL),
            items=items,
            tasks=tuple(tasks),
            judges=_read_judges(settings.get("judges", DEFAULT_JUDGES), where),
            design=_read_design(settings.get("design", {}), f"{where}, [design]"),
            wording=_read_wording(settings, where),
            training=tuple(
                _read_training(one, f"{where}, training {at}")
                for at, one in enumerate(taught, start=1)
            ),
        )
    except CampaignError as error:
        raise _locate(where, error) from None


def _locate(where: str, error: EvenhandError) -> CampaignError:
    text, file = str(error), where.partition(",")[0]
    return CampaignError(text if text.startswith(file) else f"{where}: {text}")


def _check_keys(settings: Mapping[str, Any], known: Iterable[str], where: str, what: str) -> None:
    known = list(known)
    for name in settings:
        if name not in known:
            hint = (
                sentence_hint(suggest(name, known)) or f": there are {listing(known, len(known))}"
            )
            raise CampaignError(f"{where}: {what} has no setting '{name}'{hint}")


def _make(made: type[Made], settings: Mapping[str, Any], where: str, what: str) -> Made:
    """Make a task or a design of a table; whatever is wrong says where it stands."""
    _check_keys(settings, [one.name for one in fields(made)], where, what)
    try:
        return made(**settings)
    except CampaignError as error:
        raise _locate(where, error) from None


def _read_tables(value: Any, what: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, Mapping) for one in value):
        raise CampaignError(f"{what} are tables, each under [[{what.rpartition(' ')[2]}]]")
    return list(value)


def _read_word(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise CampaignError(f"{what} cannot be {value!r:.60}: it is text in quotes")
    return value


def _read_items(settings: Mapping[str, Any], where: str, folder: Path | None) -> tuple[Item, ...]:
    value = settings.get("items", [])
    chosen = []
    for key in ("systems", "ignore"):
        names = settings.get(key, [])
        if not isinstance(names, list | tuple) or not all(isinstance(one, str) for one in names):
            raise CampaignError(f"{where}: {key} are a list of words in quotes, not {names!r:.60}")
        chosen.append(tuple(names))
    if isinstance(value, str):
        if folder is None:
            raise CampaignError(f"{where}: items are to be given here, not in '{value}'")
        rows = iter(read_rows(folder / value))
    else:
        tables = _read_tables(value, f"{where}: items")
        rows = ((f"{where}, item {at}", one) for at, one in enumerate(tables, start=1))
    try:
        return build_items(rows, *chosen)
    except CampaignError as error:
        of_table = isinstance(value, str) and str(error).startswith(Path(value).name)
        raise error if of_table else _locate(where, error) from None


def _read_task(table: Mapping[str, Any], where: str) -> Task:
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in TASK_KINDS:
        hint = sentence_hint(suggest(str(kind), TASK_KINDS))
        raise CampaignError(
            f"{where}: kind cannot be {kind!r}: choose {' | '.join(TASK_KINDS)}{hint}"
        )
    settings = {name: value for name, value in table.items() if name != "kind"}
    return _make(TASK_KINDS[kind], {"name": "", **settings}, where, f"a task of kind '{kind}'")


def _read_judges(value: Any, where: str) -> tuple[Judge, ...]:
    """Read judges: how many, or their names, or names with quotas."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= 100_000:
            raise CampaignError(f"{where}: judges cannot be {value}: 1 or more, to 100,000")
        digits = len(str(value))
        return tuple(Judge(f"judge-{number:0{digits}}") for number in range(1, value + 1))
    if not isinstance(value, list | tuple):
        raise CampaignError(f"{where}: judges are a number, or a list of names")
    judges = []
    for at, one in enumerate(value, start=1):
        if isinstance(one, Mapping):
            _check_keys(one, ("name", "quota"), f"{where}, judge {at}", "a judge")
            judges.append(Judge(one.get("name", ""), one.get("quota")))
        else:
            judges.append(Judge(one))
    return tuple(judges)


def _read_design(settings: Any, where: str) -> Design:
    if not isinstance(settings, Mapping):
        raise CampaignError(f"{where}: it is a table of settings")
    return _make(Design, settings, where, "a design")


def _read_wording(settings: Mapping[str, Any], where: str) -> Wording:
    tables = settings.get("texts", {})
    if not isinstance(tables, Mapping):
        raise CampaignError(f"{where}: texts are tables, such as [texts.source]")
    texts = {}
    for name, one in tables.items():
        place = f"{where}, [texts.{name}]"
        field = {"language": one} if isinstance(one, str) else one
        if not isinstance(field, Mapping):
            raise CampaignError(f"{place}: it is a language, or a table")
        _check_keys(field, ("language", "direction"), place, "a text")
        texts[name] = TextField(**field)
    return Wording(**{name: settings[name] for name in WORDS if name in settings}, texts=texts)


def _read_training(settings: Mapping[str, Any], where: str) -> Training:
    of_item = {k: v for k, v in settings.items() if k not in ("task", "answer", "feedback")}
    (item,) = build_items([(where, of_item)])
    task = _read_word(settings.get("task", ""), f"{where}: task")
    return Training(task, item, settings.get("answer", {}), settings.get("feedback", ""))
