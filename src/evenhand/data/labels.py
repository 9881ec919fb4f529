"""What people write for an outcome, and what it means.

A label is compared exactly after folding case; whatever is not in the table is refused by name,
never guessed: a misspelt label that quietly becomes a tie changes a ranking. What programs write
for a missing value is missing, unless the caller says that it is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from evenhand.errors import InvalidJudgments, listing, quote_word

Outcome = Literal["left", "tie", "right"]

OUTCOMES: Final[tuple[Outcome, Outcome, Outcome]] = ("left", "tie", "right")

_BOTH_BAD: Final = (
    *("bothbad_vote", "tie (bothbad)", "tie (both bad)", "bothbad", "both bad", "both_bad"),
)
_SYNONYMS: Final[dict[Outcome, tuple[str, ...]]] = {
    "left": (
        *("left", "a", "model_a", "system_a", "output_a", "answer_a", "response_a"),
        *("leftvote", "first", "a>b", ">", "1"),
    ),
    "tie": (
        *("tie", "draw", "equal", "same", "neither", "both", "no preference", "tievote"),
        *("a=b", "=", "both good", "both_good", "bothgood", *_BOTH_BAD),
    ),
    "right": (
        *("right", "b", "model_b", "system_b", "output_b", "answer_b", "response_b"),
        *("rightvote", "second", "b>a", "a<b", "<", "2"),
    ),
}

# Every label that is understood without a mapping, in folded case. "1" and "2" are understood
# unless another number is declared to be a side: with 0 for the left, 1 is not.
KNOWN_LABELS: Final[Mapping[str, Outcome]] = {
    label: outcome for outcome, labels in _SYNONYMS.items() for label in labels
}
# What judges choose who give no answer, in folded case; an apostrophe may be a curly one
NO_ANSWERS: Final = frozenset(
    one.replace("'", sign)
    for sign in ("'", "’", "")
    for one in (
        *("skip", "skipped", "skip_vote", "skipvote", "no answer", "no_answer", "abstain"),
        *("abstained", "can't decide", "cannot decide", "can not decide", "can't tell"),
        *("cannot tell", "can't say", "cannot say", "cannot judge", "can't judge", "don't know"),
        *("do not know", "can't_decide", "cannot_decide", "don't_know", "dont_know"),
    )
)
# What programs and people write where there is no value, in folded case
MISSING: Final = NO_ANSWERS | frozenset(
    (
        *("", "-", "--", "–", "—", "<na>", "empty", "missing", "n/a", "na", "nan", "nat", "nil"),
        *("none", "null"),
    )
)
# Words of longer labels, such as "A better" or "no difference", by which a refusal guesses what
# they mean: one side or a tie, beside nothing but words that do not turn it, as "A rejected" would
_WORDS: Final[Mapping[Outcome, frozenset[str]]] = {
    "left": frozenset(("a", "left", "first", "1", "l", "links", "gauche", "izquierda")),
    "tie": frozenset(
        (
            *("tie", "tied", "draw", "equal", "equally", "same", "similar", "neither", "both"),
            *("difference", "preference", "unentschieden", "gleich", "égal", "empate", "igual"),
        )
    ),
    "right": frozenset(("b", "right", "second", "2", "r", "rechts", "droite", "derecha")),
}
_BESIDE: Final = frozenset(
    (
        *("is", "it", "s", "the", "one", "i", "about", "much", "far", "slightly", "clearly"),
        *("strongly", "better", "best", "good", "win", "wins", "won", "winner", "winning"),
        *("prefer", "preferred", "chosen", "choose", "choice", "selected", "system", "model"),
        *("output", "answer", "response", "translation", "text", "option", "side", "candidate"),
    )
)
_BESIDE_TIE: Final = _BESIDE | {"no", "are", "roughly", "almost"}  # "no A" is not A
_LIKENESS: Final = 0.85  # From here on a word is a misspelt one: lefft is, fight is not
# What stands for a meaning that nobody can guess: no outcome, so that it is not taken as it is
TO_CHOOSE: Final = "left|tie|right"
# Labels of a column that a refusal declares; a column with more holds something else
LISTED: Final = 12
LONGEST: Final = 60  # Characters of a label; what is longer is a text


class Complete(dict[str, Outcome]):
    """Labels of a table that are all there are: the usual words mean nothing in it."""


def is_missing(label: str | None, outcome_labels: Mapping[str, Outcome] | None = None) -> bool:
    """Say whether a label stands for a missing value, and was not declared to be an answer."""
    return label is None or (label not in (outcome_labels or ()) and label.casefold() in MISSING)


def is_both_bad(label: str | None) -> bool:
    """Say whether a label says of a tie that neither output is good."""
    return label is not None and label.casefold() in _BOTH_BAD


def read_outcome(label: str, outcome_labels: Mapping[str, Outcome] | None = None) -> Outcome | None:
    if outcome_labels is not None and (
        label in outcome_labels or isinstance(outcome_labels, Complete)
    ):
        return outcome_labels.get(label)
    if outcome_labels and _is_number(label):
        for one, meant in outcome_labels.items():
            if _is_number(one) and meant not in ("tie", KNOWN_LABELS.get(one)):
                return None
    return KNOWN_LABELS.get(label.casefold())


def _is_number(label: str) -> bool:
    return label.removeprefix("-").isdecimal()


def refuse_unknown(
    labels: Iterable[str],
    where: str,
    outcome_labels: Mapping[str, Outcome] | None = None,
    *,
    every: Iterable[str | None] = (),
) -> None:
    unknown = sorted(labels)
    shown = ", ".join(f"'{_shorten(label)}'" for label in unknown[:5])
    if len(unknown) > LISTED or max(map(len, unknown)) > LONGEST:
        raise InvalidJudgments(
            f"unknown outcome {shown}{where}: {len(unknown):,} different labels are unknown, which"
            " looks like texts or names: say which column holds the outcome (--column outcome=NAME)"
        )
    usual = "left, tie or right (or a | b | tie, model_a | model_b | tie (bothbad))"
    expected = f"one that was declared, {listing([*outcome_labels])}" if outcome_labels else usual
    if outcome_labels is not None and not isinstance(outcome_labels, Complete):
        expected += f", or {usual}"
    # What labels may mean, for the caller to confirm: a label that is nearly a usual one, or whose
    # words name one side or a tie alone, means that; for any other, and for all numbers beside an
    # unknown one, the caller must choose.
    there = {*unknown, *filter(None, every)} - {*(outcome_labels or ())}
    numbers = filter(_is_number, there if any(map(_is_number, unknown)) else ())
    meant = dict.fromkeys(sorted(numbers, key=int), TO_CHOOSE)
    meant |= {label: _guess(label) for label in unknown if not _is_number(label)}
    options = " ".join(f"--outcome {_quote(f'{one}={means}')}" for one, means in meant.items())
    choosing = ", choosing one of the three" if TO_CHOOSE in meant.values() else ""
    excluding = ""
    unread = [one for one in unknown if meant[one] == TO_CHOOSE and "," not in one]
    if unread:
        codes = f"--missing {_quote(','.join(unread))}, in Python missing={unread}"
        excluding = f"; if {listing(unread)} is no answer, exclude it ({codes})"
    raise InvalidJudgments(
        f"unknown outcome {shown}{where}: expected {expected}; declare what other labels"
        f" mean{choosing} ({options}, in Python outcomes={meant}){excluding}"
    )


def _guess(label: str) -> str:
    words = set(re.findall(r"[^\W_]+", label.casefold()))
    outcomes = set()
    for word in words:
        meant = [outcome for outcome in OUTCOMES if _correct(word, _WORDS[outcome])]
        if not meant and not _correct(word, _BESIDE_TIE):
            return TO_CHOOSE
        outcomes |= {*meant}
    if len(outcomes) != 1:
        return TO_CHOOSE
    (outcome,) = outcomes
    if ("no" in words) != bool(words & {"difference", "preference"}):  # "no tie" is no tie
        return TO_CHOOSE
    sound = outcome == "tie" or all(_correct(word, _BESIDE | _WORDS[outcome]) for word in words)
    return outcome if sound else TO_CHOOSE


def _correct(word: str, known: Iterable[str]) -> str:
    """Return the known word that a word is, misspelt or not, or an empty string."""
    from difflib import get_close_matches

    if word in known:
        return word
    long = [one for one in known if len(one) > 3 and one[0] == word[:1]]
    return next(iter(get_close_matches(word, long, n=1, cutoff=_LIKENESS)), "")


def _shorten(label: str) -> str:
    return label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"


def _quote(text: str) -> str:
    return quote_word(text) if "'" in text else f"'{text}'"


# Whether outcomes are sides at all, or the names of those who won.

Reading = Literal["sides", "winners", "both"]


def tell_reading(
    rows: Iterable[tuple[str | None, str | None, str | None]],
    outcome_labels: Mapping[str, Outcome] | None = None,
) -> Reading:
    """Tell what outcomes are: sides, names of winners, or words that could be both."""
    unknown = turned = False
    for left, right, label in rows:
        if not (left and right and label):
            continue
        meant = read_outcome(label, outcome_labels)
        named = "left" if label == left else "right" if label == right else None
        if named is None and (meant in (None, "tie") or is_missing(label, outcome_labels)):
            continue
        if named is None or (outcome_labels and label in outcome_labels):
            return "sides"
        unknown = unknown or meant is None
        turned = turned or (named is not None and meant not in (None, named))
    if unknown:
        return "winners"
    return "both" if turned else "sides"
