"""LaTeX: tables for papers, and signs that hide text or move it written as what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from unicodedata import category

# Categories of signs that a terminal obeys or cannot write
HIDDEN: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
# Signs that turn the direction of the text behind them
BREAKS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def escape_control(text: str) -> str:
    r"""Write signs that would move the cursor or hide text as what they are.

    >>> escape_control("two\nlines"), escape_control("\x1b[31mred"), escape_control("naïve 系统")
    ('two\\nlines', '\\x1b[31mred', 'naïve 系统')
    """
    if text.isprintable():
        return text
    return "".join(
        repr(sign)[1:-1] if category(sign) in HIDDEN or sign in BREAKS else sign for sign in text
    )


# Tables for papers: booktabs, numbers in mathematics, the signature as a comment.

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
    return "".join(ESCAPES.get(sign, sign) for sign in escape_control(text))


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


def comment(texts: Sequence[str]) -> str:
    r"""Write text above a table, or in the place of one, as comments.

    >>> comment(["a", "b"])
    '% a\n% b\n'
    """
    return "".join(f"% {escape_control(line)}\n" for one in texts for line in one.splitlines())


def _row(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"
