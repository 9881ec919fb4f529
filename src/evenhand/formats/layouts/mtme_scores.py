"""Scores of mt-metrics-eval: one line for each output, in the order of the source.

    en-de.mqm.seg.score:   SYS  -1.0       en-de.mqm.domain.score:   news  SYS  -1.0

The name of the file says what its lines do not: the languages, the name of the scores, and whether
segments (seg), documents (doc), domains or systems (sys) were scored. Segments and documents are
numbered from 1 within their system. None is no score. No judge is named.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Final

from evenhand.formats.handles import Named, make_ratings
from evenhand.formats.leftovers import list_unread, say_unread
from evenhand.formats.roles import Header
from evenhand.formats.table import Table, Wishes
from evenhand.formats.unfolding import lay_out, read_records, require_columns
from evenhand.judgments.ratings import Ratings

NAME: Final = "mtme_scores"
TITLE: Final = "mt-metrics-eval scores"
NEEDS: Final = ("SYSTEM", "SCORE", "pair", "name", "level")
ROLES: Final = ()


def recognise(header: Header) -> bool:
    """Say whether these are scores with what the name of their file says."""
    return set(NEEDS) <= set(header.columns)


def understand(table: Table, wishes: Wishes) -> Ratings:
    """Read the scores; errors as in `make_ratings`."""
    require_columns(table, NEEDS, TITLE)
    rows = []
    seen: Counter[tuple[str, ...]] = Counter()
    for record in read_records(table):
        level, domain = record.text("level"), record.text("DOMAIN")
        key = tuple(record.need(name) for name in ("pair", "name", "level", "SYSTEM"))
        seen[key] += 1
        score = record.need("SCORE")
        rows.append(
            {
                "item": {"sys": "", "domain": domain}.get(level, str(seen[key])),
                "system": record.need("SYSTEM"),
                "criterion": record.need("name"),
                "score": None if score == "None" else score,
                "task": record.need("pair"),
                "level": level,
            }
        )
    data = make_ratings(lay_out(table, rows, ("score",)), wishes, Named(NAME, TITLE))
    notes = say_unread(list_unread(table, (*NEEDS, "DOMAIN")))
    return replace(data, source=data.source.noting(*notes))
