"""Signs that hide text or move it, written as what they are."""

from __future__ import annotations

from typing import Final
from unicodedata import category

# Categories of signs that a terminal obeys or cannot write
HIDDEN: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
# Signs that turn the direction of the text behind them
BREAKS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def visible(text: str) -> str:
    r"""Write signs that would move the cursor or hide text as what they are.

    >>> visible("two\nlines"), visible("\x1b[31mred"), visible("naïve 系统")
    ('two\\nlines', '\\x1b[31mred', 'naïve 系统')
    """
    if text.isprintable():
        return text
    return "".join(
        repr(sign)[1:-1] if category(sign) in HIDDEN or sign in BREAKS else sign for sign in text
    )
