"""Tables for papers: booktabs, numbers in mathematics, the signature as a comment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.report.signs import visible

ESCAPES: Final = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
NONE: Final = "--"


def escape(text: str) -> str:
    r"""Write text so that LaTeX prints it as it stands, control characters written out.

    >>> escape("uk_dan & 50%")
    'uk\\_dan \\& 50\\%'
    """
    return "".join(ESCAPES.get(sign, sign) for sign in visible(text))


def number(value: float | None, digits: int) -> str:
    """Write a number in mathematics, so that its sign is a minus.

    >>> number(-0.5, 2), number(None, 2)
    ('$-0.50$', '--')
    """
    return NONE if value is None else f"${value:z.{digits}f}$"


def tabular(
    columns: str,
    header: Sequence[str],
    blocks: Sequence[Sequence[Sequence[str]]],
    comments: Sequence[str] = (),
    below: Sequence[str] = (),
) -> str:
    """Return a table."""
    bodies = ["\n".join(_row(row) for row in block) for block in blocks]
    lines = [
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"\toprule",
        _row(header),
        r"\midrule",
        "\n\\midrule\n".join(bodies),
        r"\bottomrule",
        *(rf"\multicolumn{{{len(columns)}}}{{@{{}}l@{{}}}}{{{escape(line)}}} \\" for line in below),
        r"\end{tabular}",
    ]
    return comment(comments) + "\n".join(lines) + "\n"


def comment(said: Sequence[str]) -> str:
    r"""Write text above a table, or in the place of one, as comments.

    >>> comment(["a", "b"])
    '% a\n% b\n'
    """
    return "".join(f"% {visible(line)}\n" for one in said for line in one.splitlines())


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"
