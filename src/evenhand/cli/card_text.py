"""Cards of judges for people: the flagged ones with all evidence, a line for the most doubtful."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import click

from evenhand.cli.short_names import tell_apart
from evenhand.cli.terminal import align, label, width, wrap
from evenhand.judges.cards import Card, Screening
from evenhand.report.signs import visible

LEGEND: Final = (
    "P(honest) is against careless and reversed, given all that was seen; habits, such as coarse,"
    " are tested apart. seen: whether a careless judge with as many judgments would be flagged"
)
SHOWN: Final = 8  # Judges in the table where fewer are flagged
TITLES: Final = ("P(honest)", "seen if careless", "flags")
# What a judge's number counts, by kind; comparisons otherwise
COUNTED: Final = {"ratings": "scores", "rankings": "rankings"}


def draw_cards(found: Screening, columns: int, *, every: bool) -> list[str]:
    """Return why nobody can be flagged or what could be seen, a table, and cards."""
    lines = []
    if found.abstains is not None:
        told = any(found.abstains in one for one in found.says)  # it stands above
        why = "" if told else f": {found.abstains}"
        lines.append(label("flags", f"not decided{why}", columns, colour="yellow"))
    lines += [label("power", found.detectable, columns), "", *_table(found, columns)]
    lines += ["", label("table", LEGEND, columns)]
    chosen = found.cards if every else found.flagged
    for card in chosen:
        lines += ["", *_draw_card(card, columns)]
    return lines


def _chosen(found: Screening) -> Sequence[Card]:
    """Return the flagged, and the most doubtful of the others."""
    return found.cards[: max(SHOWN, len(found.flagged))]


def _table(found: Screening, columns: int) -> list[str]:
    chosen = _chosen(found)
    titles = (COUNTED.get(found.kind, "comparisons"), *TITLES)
    cells = (_cells(card, undecided=found.abstains is not None) for card in chosen)
    rows = align([titles, *cells], left=(3,))
    room = columns - 1 - sum(width(cell) + 2 for cell in rows[0])
    apart = tell_apart([card.judge for card in chosen], max(room, 8))
    names = align([("judge",), *((apart[card.judge],) for card in chosen)], left=(0,))
    lines = [" " + "  ".join([name, *cells]) for (name,), cells in zip(names, rows, strict=True)]
    more = len(found.cards) - len(chosen)
    return [
        click.style(lines[0].rstrip(), dim=True),
        *(line.rstrip() for line in lines[1:]),
        *([f" ... and {more:,} more judges, less doubtful"] if more else []),
    ]


def _cells(card: Card, *, undecided: bool) -> tuple[str, ...]:
    seen = "yes" if card.testable else "no: undecided" if undecided else "no"
    return f"{card.n:,}", _show(card.p_honest), seen, ", ".join(card.flags) or "—"


def _show(p: float) -> str:
    """Write a probability.

    >>> _show(0.5), _show(1e-9), _show(1.0)
    ('0.500', '<0.001', '1.000')
    """
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def _draw_card(card: Card, columns: int) -> list[str]:
    """Return the card of one judge."""
    title = f" {visible(card.judge)}: {', '.join(card.flags) or 'not flagged'}"
    lines = [click.style(title, bold=True)]
    seen = [(one.name, one.says) for one in card.evidence]
    if card.effect is not None:
        seen.append(("without", card.effect))
    wide = max((width(name) for name, _ in seen), default=0)
    for name, says in seen:
        first, *rest = wrap(says, columns - wide - 5)
        lines.append(f"   {name.ljust(wide)}  {first}")
        lines += [f"   {'':{wide}}  {line}" for line in rest]
    return lines
