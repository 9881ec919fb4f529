"""Text for a terminal: labelled lines, aligned cells, short names, interval bars, counts."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, Final
from unicodedata import combining, east_asian_width

import click

from evenhand.cli.refusals import WIDTH
from evenhand.errors import listing
from evenhand.report.latex import escape_control

if TYPE_CHECKING:
    from evenhand.models.settings import LogLinearSettings
    from evenhand.ranking.ranking import Ranking

PLAIN: Final = 80  # Columns where there is no terminal to ask
MIN_COLUMNS, MAX_COLUMNS = 60, 120
MAX_WITH_TENTHS: Final = 20  # Numbers of effective levels below this are told to a tenth


def columns_of_terminal() -> int:
    """Return how many columns to fill: 80 in a pipe, else the terminal's within reason."""
    if not sys.stdout.isatty():
        return PLAIN
    return min(max(shutil.get_terminal_size((PLAIN, 24)).columns, MIN_COLUMNS), MAX_COLUMNS)


def width(text: str) -> int:
    """Return the columns that a text takes; Chinese signs take two, combining accents none.

    >>> width("abc"), width("系统"), width("é"), width("e" + chr(0x301))
    (3, 4, 1, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if combining(sign) else 2 if east_asian_width(sign) in "WF" else 1 for sign in text
    )


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """Fill a text with blanks, behind it or (right) before it."""
    blanks = " " * max(columns - width(text), 0)
    return blanks + text if right else text + blanks


def cut(text: str, columns: int) -> str:
    """Take the middle out of a text that is too long; control characters are written out.

    >>> cut("newstest2012.fr-en.system-k", 15)
    'newstes…ystem-k'
    """
    text = escape_control(text)
    if width(text) <= columns:
        return text
    head, tail = text[: len(text) // 2], text[len(text) // 2 :]
    while width(head) + 1 + width(tail) > columns and (head or tail):
        if width(head) >= width(tail):
            head = head[:-1]
        else:
            tail = tail[1:]
    return f"{head}…{tail}"


def wrap(text: str, columns: int) -> list[str]:
    """Break a text between words, by the columns that it takes; words are never broken.

    >>> wrap("系统 系统 is best", 9), wrap("", 9)
    (['系统 系统', 'is best'], [''])
    """
    lines = [""]
    for word in re.findall(r"[ ]*[^ ]+", text):
        if lines[-1] and width(lines[-1] + word) > columns:
            lines.append(word.lstrip(" "))
        else:
            lines[-1] += word
    return lines


def hang(start: str, text: str, columns: int) -> list[str]:
    """Return a text behind a start, wrapped below itself.

    >>> hang(" 1  ", "a doubtful order", 14)
    [' 1  a doubtful', '    order']
    """
    first, *rest = wrap(text, columns - width(start))
    return [start + first, *(" " * width(start) + line for line in rest)]


def label(name: str, text: str, columns: int, *, colour: str | None = None) -> str:
    lines = wrap(escape_control(text), columns - WIDTH)
    first = click.style(pad(name, WIDTH), dim=colour is None, fg=colour)
    return ("\n" + " " * WIDTH).join([first + lines[0], *lines[1:]])


def align(rows: Sequence[Sequence[str]], left: Sequence[int] = (1,)) -> list[list[str]]:
    """Pad the cells of a table to common widths; all columns but those in `left` stand right."""
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        [pad(cell, widths[i], right=i not in left) for i, cell in enumerate(row)] for row in rows
    ]


def bar(ends: tuple[float, float, float], scale: tuple[float, float], cells: int) -> str:
    low, high = scale
    span = high - low or 1.0
    start, middle, end = (
        min(max(round((value - low) / span * (cells - 1)), 0), cells - 1) for value in ends
    )
    drawn = [" "] * cells
    drawn[start : end + 1] = "─" * (end - start + 1)
    drawn[middle] = "●"
    return "".join(drawn)


def plural(number: float, one: str, many: str | None = None) -> str:
    """Write a count with its noun.

    >>> plural(1, "judge"), plural(13822, "comparison"), plural(2, "tally", "tallies")
    ('1 judge', '13,822 comparisons', '2 tallies')
    """
    noun = one if number == 1 else many or f"{one}s"
    return f"{number:,.0f} {noun}" if float(number).is_integer() else f"{number:,.1f} {noun}"


def share(part: float, whole: float) -> str:
    """Write a proportion in per cent.

    >>> share(1, 6), share(1, 1000), share(0, 10)
    ('17 %', '0.1 %', '0 %')
    """
    percent = 100 * part / whole if whole else 0.0
    return f"{percent:.1f} %" if 0 < percent < 1 else f"{percent:.0f} %"


def effective(levels: int, number: float | None) -> str:
    """Say how many effective levels there are, where they are fewer than levels.

    >>> effective(40, 4.25), effective(2500, 2000.0), effective(4, 3.98), effective(4, None)
    (' (4.2 effective)', ' (2,000 effective)', '', '')
    """
    if number is None or number >= levels - 0.05:
        return ""
    return (
        f" ({number:,.1f} effective)" if number < MAX_WITH_TENTHS else f" ({number:,.0f} effective)"
    )


def show_gap(gap: Any) -> str:
    """Say how much more a way to predict is off than the first."""
    return f"{gap.value:+.2g} ({gap.lower:+.2g} to {gap.upper:+.2g})"


def whole(number: float) -> float:
    """Return a count as an int where it is one; importance weights may add up to fractions.

    >>> whole(3.0), whole(2.5)
    (3, 2.5)
    """
    return int(number) if float(number).is_integer() else number


# How settings and counts are said in the terminal, the same under every verb.

TIES: Final = {
    "davidson": "Davidson ties",
    "rao-kupper": "Rao-Kupper ties",
    "glenn-david": "Glenn-David ties",
    "half-win": "ties are half a win for each",
    "discard": "ties discarded",
    "none": "γ = 0, tie cells kept",
}


def say_model(model: LogLinearSettings) -> str:
    """Say the settings of a model.

    >>> from evenhand import BradleyTerry
    >>> say_model(BradleyTerry(order_effect=True, prior=1))
    'Bradley-Terry, Davidson ties, order effect, prior 1'
    """
    parts = ["Bradley-Terry", TIES[model.ties]]
    if model.order_effect:
        parts.append("order effect")
    parts += [f"worths by {covariate}" for covariate in model.judge_covariates]
    parts += [f"ties by {covariate}" for covariate in model.tie_covariates]
    if model.system_covariates:
        parts.append(f"worths are a sum over {listing(list(model.system_covariates))}")
    parts += [f"{control} held equal" for control in model.controls]
    if model.prior:
        parts.append(f"prior {model.prior:g}")
    return ", ".join(parts)


def say_outputs(outputs: Mapping[str, int]) -> str:
    """Say which systems are judged, and how many outputs there are of each.

    >>> say_outputs({"old": 12, "new": 9})
    'old (12), new (9)'
    """
    return ", ".join(f"{name} ({n:,})" for name, n in outputs.items())


def say_ranked_by(ranking: Ranking) -> str:
    from evenhand.models.base import Fit
    from evenhand.models.registry import MODELS

    if isinstance(ranking.fit, Fit):
        return say_model(ranking.fit.model)
    known = MODELS.get(ranking.model)
    return ranking.model if known is None else known.title


def say_counts(ranking: Ranking) -> str:
    one = ranking.answers.removesuffix("s")
    parts = [say_answers(ranking.n_judgments, ranking.n_comparisons, one)]
    if ranking.n_judges is not None:
        uneven = effective(ranking.n_judges, ranking.effective_judges)
        parts.append(f"{plural(ranking.n_judges, 'judge')}{uneven}")
    if ranking.n_items is not None:
        parts.append(plural(ranking.n_items, "item"))
    ties = float(ranking.ties.sum() / 2)
    return ", ".join([*parts, *say_systems(len(ranking.systems), ties, ranking.n_comparisons)])


def say_tally(judgments: float, comparisons: float, systems: int, ties: float) -> str:
    counts = say_systems(systems, ties, comparisons)
    return ", ".join([say_answers(judgments, comparisons), *counts])


def say_answers(judgments: float, comparisons: float, one: str = "ranking") -> str:
    """Say how many answers there are; a ranking, or one on a merged output, holds several."""
    if judgments == comparisons:
        return plural(judgments, "judgment")
    return f"{plural(judgments, one)} → {plural(comparisons, 'comparison')}"


def say_systems(systems: int, ties: float, comparisons: float) -> list[str]:
    return [plural(systems, "system"), f"{share(ties, comparisons)} ties"]


def block(name: str, lines: Sequence[str], columns: int) -> list[str]:
    """Return lines of which only the first carries the label; none begins with that word again."""
    return [
        label(name if i == 0 else "", line.removeprefix(f"{name} "), columns)
        for i, line in enumerate(lines)
    ]


def sign(signature: str, columns: int) -> str:
    """Return the signature, broken only between its parts, and within one that is too long."""
    room = columns - WIDTH
    parts = [
        part.replace(" ", "\u00a0").replace(",\u00a0", ", " if width(part) > room else ",\u00a0")
        for part in signature.split(" | ")
    ]
    return label("sign", "\u00a0| ".join(parts), columns).replace("\u00a0", " ")


def say_notes(notes: Iterable[str], columns: int) -> list[str]:
    return [label("note", note, columns, colour="yellow") for note in notes]


def say_end(notes: Iterable[str], signature: str, columns: int) -> list[str]:
    return [*say_notes(notes, columns), sign(signature, columns)]


# Long names where there is little room: without what all share, and cut so that none are alike.

_BREAKS: Final = re.compile(r"[.\-_/ :]")


def shorten(names: Sequence[str]) -> tuple[list[str], str]:
    """Take away what all names begin and end with, up to a sign between words."""
    if len(names) < 2:
        return list(names), ""
    begin = _shared(names)
    begin = begin[: max((one.end() for one in _BREAKS.finditer(begin)), default=0)]
    rest = [name[len(begin) :] for name in names]
    finish = _shared([name[::-1] for name in rest])[::-1]
    match = _BREAKS.search(finish)
    finish = finish[match.start() :] if match else ""
    short = [name.removesuffix(finish) for name in rest] if finish else rest
    if not all(short):
        return list(names), ""
    taken = [f"'{part}'" for part in (begin, finish) if part]
    return short, f"names without {' and '.join(taken)}" if taken else ""


def tell_apart(names: Iterable[str], columns: int) -> dict[str, str]:
    """Cut names that are too long so that all of them still differ.

    The middle goes, as in `cut`. Names that this leaves alike keep the part in which they differ,
    else their end, else their beginning; where nothing helps they are numbered by name.
    """
    whole = {name: escape_control(name) for name in dict.fromkeys(names)}
    shown = {name: cut(text, columns) for name, text in whole.items()}
    for same in _alike(shown):
        texts = [whole[name] for name in same]
        others = {text for name, text in shown.items() if name not in same}
        for way in (_keep_difference, _keep_end, _keep_beginning):
            shortened = way(texts, columns)
            if len({*shortened} - others) == len(same):
                break
        else:
            shortened = _number(texts, columns, others)
        shown |= zip(same, shortened, strict=True)
    return shown


def _alike(shown: Mapping[str, str]) -> list[list[str]]:
    looks: dict[str, list[str]] = {}
    for name in sorted(shown):
        looks.setdefault(shown[name], []).append(name)
    return [same for same in looks.values() if len(same) > 1]


def _keep_difference(names: Sequence[str], columns: int) -> list[str]:
    begin = len(_shared(names))
    finish = len(_shared([name[begin:][::-1] for name in names]))
    return [_cut_around(name, begin, len(name) - finish, columns) for name in names]


def _keep_end(names: Sequence[str], columns: int) -> list[str]:
    return ["…" + _begin(name[::-1], columns - 1)[::-1] for name in names]


def _keep_beginning(names: Sequence[str], columns: int) -> list[str]:
    return [_begin(name, columns - 1) + "…" for name in names]


def _number(names: Sequence[str], columns: int, others: set[str]) -> list[str]:
    """Put numbers behind names, passing over those that would make one look like another name."""
    numbered: list[str] = []
    numbers = count(1)
    for name in names:
        taken = {*others, *numbered}
        marks = (f"…{number}" for number in numbers)
        tried = (_begin(name, columns - len(mark)) + mark for mark in marks)
        numbered.append(next(text for text in tried if text not in taken))
    return numbered


def _begin(name: str, columns: int) -> str:
    while width(name) > max(columns, 0):
        name = name[:-1]
    return name


def _cut_around(name: str, start: int, stop: int, columns: int) -> str:
    """Keep name[start:stop], and as much before and behind it as there is room for."""
    head, tail = name[:start], name[stop:]
    text = name
    while width(text) > columns and (head or tail):
        if width(head) >= width(tail):
            head = head[:-1]
        else:
            tail = tail[1:]
        before = "…" if len(head) < start else ""
        behind = "…" if len(tail) < len(name) - stop else ""
        text = head + before + name[start:stop] + behind + tail
    return cut(text, columns)


def _shared(names: Sequence[str]) -> str:
    first, last = min(names), max(names)  # what the first and the last share, all share
    same = (a == b for a, b in zip(first, last, strict=False))
    return first[: next((i for i, one in enumerate(same) if not one), len(first))]
