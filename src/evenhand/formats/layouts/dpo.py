"""Preference data for training: of two answers to a prompt, the chosen and the rejected one.

    {"prompt": "…", "chosen": "…", "rejected": "…", "chosen_model": "x", "rejected_model": "y"}

Without the last two the answers have no names, and there is nothing to rank. Who stood left is not
recorded: left is the model that comes first by name. There are no ties. The item is `item`,
`prompt_id` or the prompt. The answers themselves are not kept, other columns are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from evenhand.errors import UnknownColumn
from evenhand.formats.handles import Named, make_comparisons
from evenhand.formats.leftovers import keep_flat, list_flat, list_unread, say_unread
from evenhand.formats.roles import UNKNOWN_POSITIONS, Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import Record, Row, lay_out, read_records, require_columns
from evenhand.judgments.comparisons import Comparisons

NAME: Final = "dpo"
TITLE: Final = "chosen and rejected answers"
NEEDS: Final = ("prompt", "chosen", "rejected")
ROLES: Final = ()

MODELS: Final = ("chosen_model", "rejected_model")
_READ: Final = (*NEEDS, *MODELS, "prompt_id")


def recognise(header: Header) -> bool:
    """Say whether a prompt, a chosen and a rejected answer are there."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Comparisons:
    """Compare the models of each row."""
    require_columns(table, NEEDS, TITLE)
    if not set(MODELS) <= set(table.columns):
        raise UnknownColumn(
            f"{table.name} does not say whose answers were chosen and rejected: add the columns"
            f" {' and '.join(MODELS)}"
        )
    flat = list_flat(table, _READ)
    rows = [_read(record, flat) for record in read_records(table)]
    data = make_comparisons(lay_out(table, rows), wishes, Named(NAME, TITLE))
    notes = say_unread([*list_unread(table, (*_READ, *flat)), "chosen", "rejected"])
    return replace(data, source=data.source.noting(*notes))


def _read(record: Record, flat: Sequence[str]) -> Row:
    """Compare two models; what stands beside, such as judge, item, weight and task, is kept."""
    chosen, rejected = (record.need(name) for name in MODELS)
    left, right = sorted((chosen, rejected))
    row = {
        "left": left,
        "right": right,
        "outcome": "left" if left == chosen else "right",
        UNKNOWN_POSITIONS: True,
    }
    if not record.text("item"):
        row["item"] = record.text("prompt_id") or record.need("prompt")
        flat = [name for name in flat if name != "item"]
    return keep_flat(record, flat, row)
