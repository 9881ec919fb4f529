"""LaTeX: tables for papers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import chain, count, pairwise
from typing import Any, Final

from evenhand.render.document import LEFT, Document, Table, escape_control, write_value

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


def escape(text: str) -> str:
    r"""Write text so that LaTeX prints it as it stands, control characters written out.

    >>> escape("uk_dan & 50%")
    'uk\\_dan \\& 50\\%'
    """
    return "".join(ESCAPES.get(sign, sign) for sign in escape_control(text))


def comment(texts: Sequence[str]) -> str:
    r"""Write text above a table, or in the place of one, as comments.

    >>> comment(["a", "b"])
    '% a\n% b\n'
    """
    return "".join(f"% {escape_control(line)}\n" for one in texts for line in one.splitlines())


# Documents: a table with caption and label for each of theirs, what is said of them as comments.

GREEK: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda", "μ": "mu",
    "ν": "nu", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "χ": "chi",
    "→": "to", "≤": "le", "≥": "ge", "×": "times", "±": "pm", "≈": "approx",
}  # fmt: skip
# Signs that LaTeX knows only by another name
SIGNS: Final = {
    **{sign: rf"$\{name}$" for sign, name in GREEK.items()},
    "−": "$-$",
    "²": "$^2$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "†": r"$^\dagger$",
    "∞": r"$\infty$",
}
# What is written of letters that are more than one with an accent
LETTERS: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"}
)
MINUS: Final = re.compile(r"(?<![\w-])-(?=[\d.])")
FOREIGN: Final = re.compile(r"[^\W\d_\u0000-\u024f]")  # letters that pdfLaTeX has no font for
NO_LABEL: Final = re.compile(r"[^A-Za-z0-9]+")  # what a label does not hold


def render_latex(document: Document, group: str = "", stem: str | None = None) -> str:
    """Lay the tables of a document out for a paper; findings and signature stand as comments.

    stem: what their labels begin with; that of the group if None.
    """
    above = (document.signature, *document.answer, document.basis, *document.shown)
    tables = (one for one in document.list_parts("latex") if isinstance(one, Table))
    first = label_groups([group])[group] if stem is None else stem
    labelled = ((one, "-".join(filter(None, (first, one.name)))) for one in tables)
    written = (write_table(one, [*one.means.values()], group, label) for one, label in labelled)
    return comment([*filter(None, above)]) + "\n".join(written)


def label_groups(groups: Iterable[str], verb: str = "") -> dict[str, str]:
    """Return what the labels of each group's tables begin with, no two alike.

    verb: what made them, and stands first: tables of several verbs may be of one paper.

    >>> label_groups(["en-de", "en_de", "系统"])
    {'en-de': 'en-de', 'en_de': 'en-de-2', '系统': 'group'}
    >>> [*label_groups(["Flüssigkeit", "Qualité"]).values()]
    ['Fluessigkeit', 'Qualite']
    >>> label_groups(["en-de"], "rank")
    {'en-de': 'rank-en-de'}
    """
    labels: dict[str, str] = {}
    for group in groups:
        plain = unicodedata.normalize("NFC", group).translate(LETTERS)
        plain = re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", plain))
        stem = NO_LABEL.sub("-", plain).strip("-") or ("group" if group else "")
        stem = "-".join(filter(None, (verb, stem)))
        names = chain([stem], (f"{stem}-{n}" for n in count(2)))
        labels[group] = next(name for name in names if name not in labels.values())
    return labels


def write_table(
    table: Table, comments: Sequence[str] = (), group: str = "", label: str = ""
) -> str:
    """Write a table of a group, if there is one, with a caption and a label (else its name)."""
    shown = [one for one in table.list_columns("latex") if one.kind not in ("bar", "names")]
    header = [typeset(one.title) for one in shown]
    cells = [[write_cell(one.fetch(row), one.kind) for one in shown] for row in table.rows]
    head, *rows = (f"{' & '.join(row)} \\\\" for row in (header, *cells))
    ends = [0, *(place for place in table.lines if 0 < place < len(rows)), len(rows)]
    blocks = ["\n".join(rows[first:last]) for first, last in pairwise(ends)]
    sides = "".join("l" if one.left else "r" for one in shown)
    caption = ": ".join(filter(None, (group, table.caption)))
    lines = [
        r"\begin{table}",
        r"\centering",
        *([rf"\caption{{{typeset(caption)}}}"] if caption else []),
        rf"\label{{tab:{label or table.name}}}",
        r"% \usepackage{booktabs}",
        rf"\begin{{tabular}}{{@{{}}{sides}@{{}}}}",
        r"\toprule",
        head,
        r"\midrule",
        "\n\\midrule\n".join(blocks),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    foreign = sorted({*FOREIGN.findall("".join(lines))})
    font = [f"compile with XeLaTeX or LuaLaTeX, with a font that has {' '.join(foreign)}"]
    return comment([*comments, *table.legend, *font * bool(foreign)]) + "\n".join(lines) + "\n"


def write_cell(value: Any, kind: str) -> str:
    r"""Write a cell: text as it stands, a number in mathematics.

    >>> [write_cell(-1234.5, kind) for kind in ("two", "count", "share")]
    ['$-1{,}234.50$', '$-1{,}234.5$', '$-123450\\,\\%$']
    >>> write_cell(0.0001, "p"), write_cell(None, "two"), write_cell((-0.5, 1), "interval")
    ('$< 0.001$', '--', '$[-0.50, 1.00]$')
    """
    if value is None:
        return "--"
    written = write_value(value, kind)
    if kind == "range":
        return typeset(written.replace("-", "--"))
    if kind in LEFT or isinstance(value, str):
        return typeset(written if kind in ("name", "names") else MINUS.sub("−", written))
    written = written.replace(",", "{,}").replace(" %", r"\,\%").replace("∞", r"\infty")
    return f"$[{written.replace(' to ', ', ')}]$" if kind.startswith("interval") else f"${written}$"


def typeset(text: str) -> str:
    r"""Write text so that LaTeX prints it as it stands, Greek letters and signs in mathematics.

    >>> typeset("κ of A_1 – 50 %")
    '$\\kappa$ of A\\_1 -- 50 \\%'
    """
    return "".join(SIGNS.get(sign) or escape(sign) for sign in text)
