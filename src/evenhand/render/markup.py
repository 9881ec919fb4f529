"""Documents as Markdown and as HTML, for issues, wikis, notebooks and pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape as escape_html
from typing import Final

from evenhand.render.document import Document, Table, Text, escape_control

# Signs that mean something somewhere in a cell of Markdown
MARKUP: Final = re.compile(r"([\\`*_{}\[\]<>#~|$&!])")
END: Final = re.compile("--(!?)>")  # What ends a comment
LEFT, RIGHT = ":--", "--:"
MAX_ROWS: Final = 100  # Most rows of a table in a notebook; `to_dict` has them all


def escape(text: str) -> str:
    r"""Write text so that Markdown shows it as it stands.

    >>> escape("a|b_c")
    'a\\|b\\_c'
    """
    return MARKUP.sub(r"\\\1", escape_control(text))


def render_markdown(document: Document) -> str:
    blocks = [*(f"**{escape(one)}**" for one in document.answer[:1])]
    blocks += [escape(one) for one in (*document.answer[1:], document.basis) if one]
    parts = document.list_parts("markdown")
    several = sum(isinstance(one, Table) for one in parts) > 1
    for part in parts:
        if isinstance(part, Text):
            blocks += [f"*{escape(part.title)}*"] if part.title else []
            blocks.append("\n".join(f"- {escape(line.strip())}" for line in part.lines))
        else:
            blocks += [f"*{escape(part.caption)}*"] if part.caption and several else []
            blocks.append(write_table(part).rstrip("\n"))
            blocks += [escape(one) for one in (*part.means.values(), *part.legend)]
    blocks += ["\n".join(f"- {escape(one)}" for one in document.shown)]
    blocks += [f"`{document.signature}`" if document.signature else ""]
    return "\n\n".join(filter(None, blocks)) + "\n"


def write_table(table: Table, comments: Sequence[str] = (), *_part: str) -> str:
    """Write a table with pipes, numbers to the right; comments stand above it, unseen."""
    shown = [one for one in table.list_columns("markdown") if one.kind != "bar"]
    rows = [
        [escape(one.title) for one in shown],
        [(LEFT if one.left else RIGHT) for one in shown],
        *([escape(one.write(row)) for one in shown] for row in table.rows),
    ]
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    hidden = [END.sub(r"-- \1>", escape_control(line)) for line in comments]
    above = [*(f"<!-- {line} -->" for line in hidden), *([""] if comments else [])]
    return "\n".join([*above, *lines, ""])


def render_html(document: Document) -> str:
    blocks = [f"<p><strong>{escape_html(one)}</strong></p>" for one in document.answer[:1]]
    more = filter(None, (*document.answer[1:], document.basis))
    blocks += [f"<p>{escape_html(one)}</p>" for one in more]
    parts = document.list_parts("html")
    several = sum(isinstance(one, Table) for one in parts) > 1
    for part in parts:
        if isinstance(part, Text):
            lines = "<br>".join(escape_html(line) for line in part.lines)
            blocks.append(f"<p><strong>{escape_html(part.title)}</strong><br>{lines}</p>")
        else:
            blocks.append(draw_table(part, caption=several))
    below = [*document.shown, *filter(None, [document.signature])]
    blocks += [f"<p>{'<br>'.join(map(escape_html, below))}</p>"] if below else []
    return "".join(blocks)


def draw_table(table: Table, *, caption: bool = False) -> str:
    shown = [one for one in table.list_columns("html") if one.kind != "bar"]
    head = "".join(f"<th>{escape_html(one.title)}</th>" for one in shown)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape_html(one.write(row))}</td>" for one in shown) + "</tr>"
        for row in table.rows[:MAX_ROWS]
    )
    more = len(table.rows) - MAX_ROWS
    below = [f"... and {more:,} more"] if more > 0 else []
    below += [*table.means.values(), *table.legend]
    above = f"<caption>{escape_html(table.caption)}</caption>" if caption and table.caption else ""
    ends = f"<p>{'<br>'.join(map(escape_html, below))}</p>" if below else ""
    return f"<table>{above}<tr>{head}</tr>{body}</table>{ends}"
