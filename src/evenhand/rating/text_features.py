"""Numbers that a source and an output text have without any model of language.

Tokens are runs of letters, marks and digits in folded case. Characters of scripts that put no
blanks between words (Han, kana, Thai, Lao, Khmer, Burmese) are tokens by themselves. Texts are
put into Unicode's composed form (NFC) first, so that é is one character however it was typed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ALONE: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
"""Characters that are tokens by themselves."""
ONE_TEXT: Final = (
    *("log characters", "log tokens", "type-token ratio"),
    *("punctuation share", "digit share"),
)
TWO_TEXTS: Final = ("log length ratio", "overlap")


def split_tokens(text: str) -> list[str]:
    """Return the tokens of a text.

    >>> split_tokens("The CAT's 2 mats, 猫座る")
    ['the', 'cat', 's', '2', 'mats', '猫', '座', 'る']
    """
    tokens, run = [], ""
    for character in unicodedata.normalize("NFC", text).casefold():
        alone = ALONE.match(character) is not None
        inside = unicodedata.category(character)[0] in "LMN"
        if run and (alone or not inside):
            tokens.append(run)
            run = ""
        if alone and inside:
            tokens.append(character)
        elif inside:
            run += character
    return [*tokens, run] if run else tokens


def measure_text(text: str) -> tuple[float, ...]:
    """Return the numbers of ONE_TEXT.

    Logarithms are natural and of 1 + a count. The type-token ratio is different tokens over tokens,
    1 where there are none. Shares are of the characters, 0 where there are none.

    >>> [round(one, 3) for one in measure_text("to be, or not to be")]
    [2.996, 1.946, 0.667, 0.053, 0.0]
    """
    composed, tokens = unicodedata.normalize("NFC", text), split_tokens(text)
    kinds = [unicodedata.category(character) for character in composed]
    length = max(len(composed), 1)
    return (
        log(1 + len(composed)),
        log(1 + len(tokens)),
        len(set(tokens)) / len(tokens) if tokens else 1.0,
        sum(kind[0] == "P" for kind in kinds) / length,
        sum(kind == "Nd" for kind in kinds) / length,
    )


def compare_texts(source: str, output: str) -> tuple[float, float]:
    """Return the numbers of TWO_TEXTS.

    The ratio is log (1 + characters of the output) - log (1 + those of the source). The overlap is
    the share of the output's different tokens that the source has as well, 0 without tokens: names
    and numbers that were carried over, or text left untranslated.

    >>> [round(one, 3) for one in compare_texts("Il vit Rome", "He saw Rome")]
    [0.0, 0.333]
    """
    sizes = [len(unicodedata.normalize("NFC", text)) for text in (source, output)]
    given, made = set(split_tokens(source)), set(split_tokens(output))
    ratio = log(1 + sizes[1]) - log(1 + sizes[0])
    return ratio, len(given & made) / len(made) if made else 0.0


def measure_texts(
    source: Sequence[str] | None, output: Sequence[str] | None, size: int
) -> tuple[tuple[str, ...], Array]:
    """Return the names and the (n, p) numbers of texts; each different text is read once.

    Args:
        source: n texts, or None.
        output: n texts, or None.
        size: n, where there are no texts.

    """
    names: list[str] = []
    columns: list[Array] = []
    for name, texts in (("source", source), ("output", output)):
        if texts is not None:
            names += [f"{name} {one}" for one in ONE_TEXT]
            known = {text: measure_text(text) for text in set(texts)}
            columns.append(np.array([known[text] for text in texts]).reshape(-1, len(ONE_TEXT)))
    if source is not None and output is not None:
        names += TWO_TEXTS
        pairs = list(zip(source, output, strict=True))
        both = {pair: compare_texts(*pair) for pair in set(pairs)}
        columns.append(np.array([both[pair] for pair in pairs]))
    return tuple(names), np.column_stack(columns) if columns else np.zeros((size, 0))
