"""A campaign from one TOML file, which may name a table of items beside it; or from such a table.

A misspelt name is refused with the nearest there is; whatever is wrong names the file and the row.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

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
from evenhand.design.tasks import TASK_KINDS, Asked
from evenhand.errors import CampaignError, EvenhandError, UnknownFormat, end, listing, suggest

WORDS: Final = ("instructions", "consent", "thanks", "completion_code")
# What a campaign file may say
KEYS: Final = (
    *("name", "title", "seed", "platform", *WORDS, "texts", "design", "judges", "systems", "tasks"),
    *("ignore", "training", "items"),
)
JUDGES: Final = 3  # How many judges a campaign has that does not say


def read_campaign(path: str | Path) -> Campaign:
    """Read a campaign."""
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
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnknownFormat(f"'{path}' is no TOML: {error}") from None
    except (RecursionError, ValueError):
        raise UnknownFormat(
            f"'{path}' is no TOML that can be read: lists stand in lists too deep, or a number has"
            " thousands of digits"
        ) from None
    return make_campaign({"name": path.stem, **told}, path.name, path.parent)


def make_campaign(
    told: Mapping[str, Any], where: str = "the campaign", folder: Path | None = None
) -> Campaign:
    """Make a campaign of what a file says, or of `Campaign.to_dict()`."""
    _check_keys(told, KEYS, where, "a campaign")
    items = _read_items(told, where, folder)
    tasks = _read_tables(told.get("tasks", []), f"{where}: tasks")
    found = [_read_task(one, f"{where}, task {at}") for at, one in enumerate(tasks, start=1)]
    taught = _read_tables(told.get("training", []), f"{where}: training")
    try:
        return Campaign(
            name=told.get("name", ""),
            title=_read_word(told.get("title", ""), f"{where}: title"),
            seed=read_seed(told.get("seed")),
            platform=told.get("platform", USUAL),
            items=items,
            tasks=tuple(found) or (_choose_task(items),),  # type: ignore[arg-type]
            judges=_read_judges(told.get("judges", JUDGES), where),
            design=_read_design(told.get("design", {}), f"{where}, [design]"),
            wording=_read_wording(told, where),
            training=tuple(
                _read_training(one, f"{where}, training {at}")
                for at, one in enumerate(taught, start=1)
            ),
        )
    except CampaignError as error:
        raise _locate(where, error) from None


def _locate(where: str, error: EvenhandError) -> CampaignError:
    """Name the place in a refusal that does not."""
    said, file = str(error), where.partition(",")[0]
    return CampaignError(said if said.startswith(file) else f"{where}: {said}")


def _check_keys(told: Mapping[str, Any], known: Iterable[str], where: str, what: str) -> None:
    """Refuse names that are none."""
    known = list(known)
    for name in told:
        if name not in known:
            hint = end(suggest(name, known)) or f": there are {listing(known, len(known))}"
            raise CampaignError(f"{where}: {what} has no setting '{name}'{hint}")


def _read_tables(value: Any, what: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, Mapping) for one in value):
        raise CampaignError(f"{what} are tables, each under [[{what.rpartition(' ')[2]}]]")
    return list(value)


def _read_words(value: Any, what: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise CampaignError(f"{what} are a list of words in quotes, not {value!r:.60}")
    return tuple(value)


def _read_word(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise CampaignError(f"{what} cannot be {value!r:.60}: it is text in quotes")
    return value


def _read_items(told: Mapping[str, Any], where: str, folder: Path | None) -> tuple[Item, ...]:
    """Read items from the file itself or from the table that it names."""
    value = told.get("items", [])
    chosen = [_read_words(told.get(one, []), f"{where}: {one}") for one in ("systems", "ignore")]
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


def _read_task(told: Mapping[str, Any], where: str) -> Asked:
    """Read one pass."""
    kind = told.get("kind")
    if not isinstance(kind, str) or kind not in TASK_KINDS:
        hint = end(suggest(str(kind), TASK_KINDS))
        raise CampaignError(
            f"{where}: kind cannot be {kind!r}: choose {' | '.join(TASK_KINDS)}{hint}"
        )
    made = TASK_KINDS[kind]
    settings = {name: value for name, value in told.items() if name != "kind"}
    _check_keys(settings, [one.name for one in fields(made)], where, f"a task of kind '{kind}'")
    try:
        return made(**{"name": "", **settings})
    except CampaignError as error:
        raise _locate(where, error) from None


def _choose_task(items: tuple[Item, ...]) -> Asked:
    """Return what is asked where nothing is said: which is better, or how good."""
    if any(len(one.systems) > 1 for one in items):
        return TASK_KINDS["pair"](name="preference", question="Which is better?")
    return TASK_KINDS["rating"](name="quality", question="How good is it?")


def _read_judges(value: Any, where: str) -> tuple[Judge, ...]:
    """Read judges: how many, or their names, or names with quotas."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= 100_000:
            raise CampaignError(f"{where}: judges cannot be {value}: 1 or more, to 100,000")
        digits = len(str(value))
        return tuple(Judge(f"judge-{number:0{digits}}") for number in range(1, value + 1))
    if not isinstance(value, list | tuple):
        raise CampaignError(f"{where}: judges are a number, or a list of names")
    found = []
    for at, one in enumerate(value, start=1):
        if isinstance(one, Mapping):
            _check_keys(one, ("name", "quota"), f"{where}, judge {at}", "a judge")
            found.append(Judge(one.get("name", ""), one.get("quota")))
        else:
            found.append(Judge(one))
    return tuple(found)


def _read_design(told: Any, where: str) -> Design:
    if not isinstance(told, Mapping):
        raise CampaignError(f"{where}: it is a table of settings")
    _check_keys(told, [one.name for one in fields(Design)], where, "a design")
    try:
        return Design(**told)
    except CampaignError as error:
        raise _locate(where, error) from None


def _read_wording(told: Mapping[str, Any], where: str) -> Wording:
    """Read the texts of the pages."""
    texts = told.get("texts", {})
    if not isinstance(texts, Mapping):
        raise CampaignError(f"{where}: texts are tables, such as [texts.source]")
    found = {}
    for name, one in texts.items():
        settings = {"language": one} if isinstance(one, str) else one
        if not isinstance(settings, Mapping):
            raise CampaignError(f"{where}, [texts.{name}]: it is a language, or a table")
        _check_keys(settings, ("language", "direction"), f"{where}, [texts.{name}]", "a text")
        found[name] = TextField(**settings)
    return Wording(**{name: told[name] for name in WORDS if name in told}, texts=found)


def _read_training(told: Mapping[str, Any], where: str) -> Training:
    """Read one item of training."""
    own = ("task", "answer", "feedback")
    rest = {name: value for name, value in told.items() if name not in own}
    (item,) = build_items([(where, rest)])
    task = _read_word(told.get("task", ""), f"{where}: task")
    return Training(task, item, told.get("answer", {}), told.get("feedback", ""))
