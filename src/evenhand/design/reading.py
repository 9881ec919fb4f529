"""A campaign from one TOML file, which may name a table of items beside it; or from such a table.

A misspelt name is refused with the nearest there is; whatever is wrong names the file and the row.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from evenhand.design import campaign as campaigns
from evenhand.design.items import JUDGE_NAMES, TABLES, build_items, locate, read_rows, read_text
from evenhand.design.tasks import TASK_KINDS, Task
from evenhand.errors import (
    CampaignError,
    UnknownFormat,
    listing,
    sentence_hint,
    suggest,
)
from evenhand.formats.roles import fold

WORDS: Final = ("instructions", "consent", "thanks", "completion_code")
# What a campaign file may say
KEYS: Final = (
    *("name", "title", "seed", "platform", *WORDS, "texts", "design", "judges", "systems", "tasks"),
    *("ignore", "training", "items", "sheet"),
)
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
        raise UnknownFormat(f"'{path}' is no TOML: {error}") from None
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
        items = build_items(rows, *chosen)
        tasks = []
        for at, table in enumerate(_read_tables(settings, "tasks"), start=1):
            with locate(f"{where}, task {at}"):
                tasks.append(_read_task(table))
        if not tasks and any(len(one.systems) > 1 for one in items):
            tasks = [TASK_KINDS["pair"](name="preference", question="Which is better?")]
        elif not tasks:
            tasks = [TASK_KINDS["rating"](name="quality", question="How good is it?")]
        taught = _read_tables(settings, "training")
        judges = _read_judges(settings.get("judges", DEFAULT_JUDGES), where, folder)
        with locate(f"{where}, [design]"):
            design = settings.get("design", {})
            if not isinstance(design, Mapping):
                raise CampaignError("it is a table of settings")
            _check_keys(design, [one.name for one in fields(campaigns.Design)], "a design")
            design = campaigns.Design(**design)
        return campaigns.Campaign(
            name=settings.get("name", ""),
            title=_read_word(settings, "title"),
            seed=campaigns.read_seed(settings.get("seed")),
            platform=settings.get("platform", campaigns.USUAL),
            items=items,
            tasks=tuple(tasks),
            judges=judges,
            design=design,
            wording=_read_wording(settings, where),
            training=tuple(
                _read_training(one, f"{where}, training {at}")
                for at, one in enumerate(taught, start=1)
            ),
        )


def _check_keys(settings: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for name in settings:
        if name not in known:
            hint = (
                sentence_hint(suggest(name, known)) or f": there are {listing(known, len(known))}"
            )
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


def _read_task(table: Mapping[str, Any]) -> Task:
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in TASK_KINDS:
        hint = sentence_hint(suggest(str(kind), TASK_KINDS))
        raise CampaignError(f"kind cannot be {kind!r}: choose {' | '.join(TASK_KINDS)}{hint}")
    settings = {"name": "", **{name: value for name, value in table.items() if name != "kind"}}
    known = [one.name for one in fields(TASK_KINDS[kind])]
    _check_keys(settings, known, f"a task of kind '{kind}'")
    return TASK_KINDS[kind](**settings)


def _read_judges(value: Any, where: str, folder: Path | None) -> tuple[campaigns.Judge, ...]:
    """Read judges: how many, or their names, or names with quotas, also from a table of them."""
    if isinstance(value, str) and folder is not None and Path(value).suffix.lower() in TABLES:
        rows = read_rows(folder / value, of="judge")
        return tuple(_read_judge(at, row) for at, row in rows)
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= 100_000:
            raise CampaignError(f"judges cannot be {value}: 1 or more, to 100,000")
        digits = len(str(value))
        return tuple(campaigns.Judge(f"judge-{number:0{digits}}") for number in range(1, value + 1))
    if not isinstance(value, list | tuple):
        raise CampaignError("judges are a number, a list of names, or a table in a file")
    judges = []
    for at, one in enumerate(value, start=1):
        if isinstance(one, Mapping):
            with locate(f"{where}, judge {at}"):
                _check_keys(one, ("name", "quota"), "a judge")
            judges.append(campaigns.Judge(one.get("name", ""), one.get("quota")))
        else:
            judges.append(campaigns.Judge(one))
    return tuple(judges)


def _read_judge(where: str, row: Mapping[str, Any]) -> campaigns.Judge:
    """Read a judge from a row; columns but the name and a quota say nothing of the campaign."""
    names = [name for name in row if fold(name) == "judge"]
    names = names or [name for name in row if fold(name) in JUDGE_NAMES]
    with locate(where):
        if len(names) != 1:
            raise CampaignError(
                "a table of judges needs one column with their names, such as 'judge', and has"
                f" {listing(names or [*row])}"
            )
        quota = next((value for name, value in row.items() if fold(name) == "quota"), None)
        text = "" if quota is None else str(quota).strip()
        if text and not text.isdecimal():
            raise CampaignError(f"quota cannot be '{text}': it is a whole number, or blank")
        return campaigns.Judge(str(row[names[0]]).strip(), int(text) if text else None)


def _read_wording(settings: Mapping[str, Any], where: str) -> campaigns.Wording:
    tables = settings.get("texts", {})
    if not isinstance(tables, Mapping):
        raise CampaignError("texts are tables, such as [texts.source]")
    texts = {}
    for name, one in tables.items():
        field = {"language": one} if isinstance(one, str) else one
        with locate(f"{where}, [texts.{name}]"):
            if not isinstance(field, Mapping):
                raise CampaignError("it is a language, or a table")
            _check_keys(field, ("language", "direction"), "a text")
        texts[name] = campaigns.TextField(**field)
    return campaigns.Wording(
        **{name: settings[name] for name in WORDS if name in settings}, texts=texts
    )


def _read_training(settings: Mapping[str, Any], where: str) -> campaigns.Training:
    of_item = {k: v for k, v in settings.items() if k not in ("task", "answer", "feedback")}
    (item,) = build_items([(where, of_item)])
    with locate(where):
        task = _read_word(settings, "task")
    return campaigns.Training(task, item, settings.get("answer", {}), settings.get("feedback", ""))
