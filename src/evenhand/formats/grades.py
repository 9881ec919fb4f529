"""Outcomes that say more than left, tie or right: how strongly, or the score of one side.

Which end of a scale of numbers is the left is never guessed: a name such as `preference` says that
it runs from left to right, and `a_wins` that it is the score of the left; else the caller says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import narwhals as nw

from evenhand.data.engine import Frame, count_labels
from evenhand.data.labels import MISSING, Outcome, is_missing, read_outcome
from evenhand.data.source import find_rows, fold, matches_code, name_rows
from evenhand.errors import InvalidJudgments, listing, write_word
from evenhand.formats.roles import (
    SIDES,
    find_mark,
    find_probability,
    list_words,
    say_unclear,
    word_set,
)
from evenhand.formats.texts import say
from evenhand.render.document import Finding

_NUMBER: Final = re.compile(r"\s*[+\-−–]?\s*(\d+([.,]\d*)?|[.,]\d+)\s*")
FARTHEST: Final = 10  # The largest number of a scale around 0
# Numbers of answers that a scale from 1 has: with a tie in the middle where they are odd
_POINTS: Final = (4, 5, 7)
# Words in names of columns whose numbers run from the left of the screen to the right
_ALONG: Final = list_words("prefer outcome likert scale cmos sidebyside sxs strength degree")
# Names of columns in which a large number may as well be good for the left
_OF_ONE: Final = ("winner", "win", "wins", "result", "outcome", "score")


@dataclass(frozen=True)
class Grades:
    outcomes: Mapping[str, Outcome]  # label → what it means
    note: Finding


def read_grades(
    labels: Iterable[str | None],
    column: str,
    declared: Mapping[str, Outcome] | None = None,
    *,
    systems: Callable[[], Mapping[str, Collection[Outcome]]] = dict,
) -> Grades | None:
    """Return what graded labels of a column mean; None where they are none.

    Args:
        labels: all that are there.
        column: its name, which may say which side large numbers are good for.
        declared: what the caller says that labels mean; of a scale of numbers one is enough.
        systems: gives name → sides on which the system stands; asked for where labels are unknown.

    Raises:
        InvalidJudgments: a scale of which nobody can know which end is the left.
    """
    known = declared or {}
    there = {one for one in labels if one is not None and not is_missing(one, known)}
    if not there - known.keys():
        return None
    numbers = {one: _read_number(one) for one in there if _NUMBER.fullmatch(one)}
    if len(numbers) == len(there):
        named = numbers.keys() & systems().keys()  # systems that are called by numbers
        return None if named else _read_scale(numbers, column, known)
    sides = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
    if find_mark(column) and all(one.strip().casefold() in sides for one in there - {*numbers}):
        words = {one: sides[one.strip().casefold()] for one in there - {*numbers}}
        return _read_scale({**numbers, **words}, column, known)
    return _read_words(there, column, known, systems)


def is_graded(label: str | None) -> bool:
    return label is not None and _NUMBER.fullmatch(label) is not None


def _read_number(text: str) -> float:
    plain = re.sub(r"\s", "", text).replace(",", ".")
    return float(re.sub("[−–]", "-", plain))


# Numbers: a scale has a middle, which is a tie, and one of its ends is the left.


def _read_scale(
    numbers: Mapping[str, float], column: str, declared: Mapping[str, Outcome]
) -> Grades | None:
    fractions = [one for one in numbers.values() if one not in (0.0, 0.5, 1.0)]
    if fractions and not declared and all(0 <= one <= 1 for one in numbers.values()):
        raise InvalidJudgments(say_unclear(column))
    middle = _find_middle({*numbers.values()}, column)
    if middle is None:
        return None
    low = _low_end(numbers, middle, column, declared)
    high: Outcome = "right" if low == "left" else "left"
    meant: dict[str, Outcome] = {
        label: "tie" if number == middle else low if number < middle else high
        for label, number in numbers.items()
    }
    ends = {"lowest": _show(min(numbers.values())), "highest": _show(max(numbers.values()))}
    turned = write_word(f"{max(numbers.values()):g}={low}")
    code = "graded-score" if middle == 0.5 else "graded-scale"
    code = "graded-mark" if find_mark(column) and not declared else code
    code = "graded-without-tie" if middle == 2.5 else code
    where = "below" if low == "left" else "above"
    side = "left" if low == "right" else "right"
    sides = {"where": where, "side": side, "low": low, "turned": turned}
    return Grades(meant, say(code, column=column, middle=_show(middle), **sides, **ends))


def _find_middle(values: Collection[float], column: str) -> float | None:
    """Return the number that is a tie, or None where the numbers are no such scale."""
    lowest, highest = min(values), max(values)
    if {*values} <= {0.0, 0.5, 1.0} and (len(values) > 1 or find_mark(column)):
        return 0.5
    if lowest < 0 and max(highest, -lowest) <= FARTHEST:
        return 0.0
    whole = all(value.is_integer() for value in values)
    if not whole or lowest < 1 or highest not in _POINTS:
        return None
    # 1 to 4 with a gap may be more of 1 to 5
    return (highest + 1) / 2 if highest % 2 or len({*values}) == highest else None


def _low_end(
    numbers: Mapping[str, float], middle: float, column: str, declared: Mapping[str, Outcome]
) -> Outcome:
    """Return the side that numbers below the middle are good for."""
    turn: Mapping[Outcome, Outcome] = {"left": "right", "right": "left"}
    told = {
        meant if _read_number(label) < middle else turn[meant]
        for label, meant in declared.items()
        if meant != "tie" and _NUMBER.fullmatch(label) and _read_number(label) != middle
    }
    if len(told) == 1:
        return told.pop()
    name, mark = fold(column), find_mark(column)
    if mark is not None:
        return turn[mark]
    if middle == 0.5 and 0.5 in numbers.values() and name in _OF_ONE:
        return "right"
    graded = middle != 0.5 and any(abs(number - middle) > 1 for number in numbers.values())
    if graded and any(word in name for word in _ALONG):
        return "left"
    first, last = (f"{end(numbers.values()):g}=left" for end in (min, max))
    raise InvalidJudgments(
        f"column '{column}' holds numbers from {first.partition('=')[0]} to"
        f" {last.partition('=')[0]}, and does not say which end means the left output: for the"
        f" lower one add --outcome {write_word(first)} (in Python"
        f" outcomes={dict([first.split('=')])}), for the higher one --outcome {write_word(last)}"
    )


def _show(number: float) -> str:
    return f"{number:g}".replace("-", "−")


# Words: one side with how strongly it is preferred, or a tie.

_STRENGTHS: Final = word_set(
    "slightly somewhat marginally moderately much far clearly strongly significantly "
    "substantially considerably definitely bit little lot weakly barely greatly vastly way"
)
_BETTER: Final = frozenset(
    ("better", "best", "prefer", "preferred", "prefers", "wins", "win", "won", "superior")
)
_BESIDE: Final = word_set(
    "is the i model system output answer response translation option candidate assistant text "
    "one it s"
)
_EVEN: Final = word_set(
    "same equal equally tie tied draw similar comparable even difference preference neither "
    "both neutral indifferent"
)
_BESIDE_EVEN: Final = _BESIDE | frozenset(
    ("about", "are", "roughly", "almost", "no", "good", "bad", "and", "as")
)
_SIDE_OF: Final[Mapping[str, Outcome]] = {
    word: side for side, words in SIDES.items() for word in words
}
# Letters that are sides where both are there; L beside W is a loss
_LETTERS: Final[Mapping[str, Outcome]] = {"l": "left", "r": "right"}
_SIGNS: Final = re.compile(r"(?P<one>\w*)\s*(?P<sign>>+|<+|=+|≈|~)\s*(?P<other>\w*)")
_PLUSES: Final = re.compile(r"(?P<one>\w+?)(?P<sign>\++)")


class _Grade(NamedTuple):
    outcome: Outcome
    strong: bool = False  # whether it says how strongly
    words: frozenset[str] = frozenset()  # that name a side


def _read_words(
    labels: Collection[str],
    column: str,
    declared: Mapping[str, Outcome],
    systems: Callable[[], Mapping[str, Collection[Outcome]]],
) -> Grades | None:
    grades: dict[str, _Grade] = {}  # label → what it says
    letters = _LETTERS if _LETTERS.keys() <= {one.casefold() for one in labels} else {}
    for label in sorted({*labels} - declared.keys()):
        letter = label.casefold()
        grade = (
            _Grade(letters[letter], words=frozenset({letter}))
            if letter in letters
            else _read_grade(label)
        )
        meant = read_outcome(label, declared)
        if grade is None and meant is None:
            return None
        grades[label] = grade or _Grade(meant or "tie")
    strong = any(one.strong for one in grades.values())
    if not strong and all(read_outcome(label, declared) for label in grades):
        return None
    outcomes = {label: one.outcome for label, one in grades.items()}
    words = {word for one in grades.values() for word in one.words}
    clash = [
        name
        for name, sides in systems().items()
        if name.casefold() in words and {*sides} != {{**_SIDE_OF, **_LETTERS}[name.casefold()]}
    ]
    if clash:
        options = " ".join(f"--outcome {write_word(f'{a}={b}')}" for a, b in outcomes.items())
        raise InvalidJudgments(
            f"column '{column}' says '{clash[0]}', which is the name of a system and may mean a"
            f" side as well: if sides are meant, declare them ({options}, in Python"
            f" outcomes={outcomes}); if systems, write the name of the winner alone and read it"
            " with --from crowd-kit, in Python format='crowd_kit'"
        )
    by_side = {
        side: sorted(label for label, meant in outcomes.items() if meant == side)
        for side in ("left", "tie", "right")
    }
    if strong:
        return Grades(outcomes, say("graded-words", column=column, **by_side))
    told = [f"{side} is {listing(words)}" for side, words in by_side.items() if words]
    return Grades(outcomes, say("graded-sides", column=column, meant="; ".join(told)))


def _read_grade(label: str) -> _Grade | None:
    text = label.strip().strip("[]").casefold()
    signs = _SIGNS.fullmatch(text) or _PLUSES.fullmatch(text)
    if signs:
        parts = signs.groupdict()
        one, sign, other = parts["one"], parts["sign"], parts.get("other", "")
        first, second = _SIDE_OF.get(one), _SIDE_OF.get(other)
        if (one and first is None) or (other and second is None) or (one and first == second):
            return None
        if sign[0] in "=≈~":
            return _Grade("tie")
        words = frozenset(filter(None, (one, other)))
        left = first == "left" or (first is None and second == "right") or not words
        better: Outcome = "left" if left == (sign[0] in ">+") else "right"
        return _Grade(better, strong=len(sign) > 1 or sign == "+", words=words)
    text = re.sub(r"\ba (bit|lot|little)\b", r"\1", text)
    text = re.split(r" (?:than|over) ", text)[0]
    words = frozenset(re.findall(r"[^\W_]+", text))
    sides = {_SIDE_OF[word] for word in words if word in _SIDE_OF}
    even = words & _EVEN
    rest = words - _SIDE_OF.keys()
    if even and len(sides) != 1 and rest <= _EVEN | _BESIDE_EVEN:
        # "no tie" is no tie, "no difference" is one
        sound = ("no" in words) == bool(words & {"difference", "preference"})
        return _Grade("tie") if sound else None
    if (
        len(sides) != 1
        or not words & (_BETTER | _STRENGTHS)
        or not rest <= _BETTER | _STRENGTHS | _BESIDE
    ):
        return None
    return _Grade(sides.pop(), strong=bool(words & _STRENGTHS), words=words & _SIDE_OF.keys())


# Scores that are written with more than a number, or in words of an ordered scale.

_DISAGREE: Final = {"strongly": 1, "completely": 1, "": 2}
_AGREE: Final = {"": 4, "strongly": 5, "completely": 5}
_SLIGHT: Final = ("somewhat", "slightly")
_NEITHER: Final = ("neutral", "undecided", "neither", "neither agree nor disagree", "not sure")
AGREEMENT: Final[Mapping[str, int]] = {
    **{f"{word} disagree".strip(): at for word, at in _DISAGREE.items()},
    **dict.fromkeys(_NEITHER, 3),
    **{f"{word} agree".strip(): at for word, at in _AGREE.items()},
}
# The same where nobody agrees without saying how much, as in Qualtrics
AGREEMENT_GRADED: Final[Mapping[str, int]] = {
    **{word: at for word, at in AGREEMENT.items() if at in (1, 3, 5)},
    **{f"{word} disagree": 2 for word in _SLIGHT},
    **{f"{word} agree": 4 for word in _SLIGHT},
}
# The same with seven points
AGREEMENT_SLIGHT: Final[Mapping[str, int]] = {
    **{word: {1: 1, 2: 2, 3: 4, 4: 6, 5: 7}[at] for word, at in AGREEMENT.items()},
    **{f"{word} disagree": 3 for word in _SLIGHT},
    **{f"{word} agree": 5 for word in _SLIGHT},
}
# Absolute category rating of ITU-T P.800
QUALITY: Final[Mapping[str, int]] = {"bad": 1, "poor": 2, "fair": 3, "good": 4, "excellent": 5}
# Other ordered words, from the lowest; of two words these are 0 and 1
ORDERED: Final = (
    ("false", "true"),
    ("no", "yes"),
    ("fail", "pass"),
    ("incorrect", "correct"),
    ("low", "medium", "high"),
    ("none", "low", "medium", "high"),
    ("never", "rarely", "sometimes", "often", "always"),
    *(
        scale
        for middle in ("fair", "ok", "okay", "average", "acceptable")
        for scale in (
            ("very poor", "poor", middle, "good", "very good"),
            ("very poor", "poor", middle, "good", "excellent"),
            ("very bad", "bad", middle, "good", "very good"),
            ("bad", "poor", middle, "good", "excellent"),
            ("terrible", "poor", middle, "good", "excellent"),
        )
    ),
    ("poor", "fair", "good", "very good", "excellent"),
    ("poor", "fair", "ok", "good", "excellent"),
    ("poor", "fair", "okay", "good", "excellent"),
    ("poor", "fair", "average", "good", "excellent"),
    ("not at all", "slightly", "moderately", "very", "extremely"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
)
SCALES: Final = (
    *(AGREEMENT, AGREEMENT_GRADED, AGREEMENT_SLIGHT, QUALITY),
    *({word: at + (len(words) > 2) for at, word in enumerate(words)} for words in ORDERED),
)
KNOWN_WORDS: Final = sorted({word for scale in SCALES for word in scale})
_DIGIT: Final = re.compile(r"\d")
_PLAIN: Final = r"([+-]?(?:\d+\.?\d*|\.\d+))"
# Stars, perhaps with empty ones behind them, and a number before the word or a star
_STAR: Final = "(?:stars?|[★⭐]\ufe0f?)"
_STARS: Final = re.compile(r"((?:[★⭐]\ufe0f?\s*)*)((?:☆\s*)*)")
_OF_STARS: Final = re.compile(rf"{_PLAIN}\s*{_STAR}", re.IGNORECASE)
# What stands beside a number: 85 %, 4/5 or 4 out of 5, 1 - very bad or (1) very bad
_PERCENT: Final = re.compile(rf"{_PLAIN}\s*%")
_PART_OF: Final = re.compile(rf"{_PLAIN}\s*(?:/|out of|of)\s*(\d+)(?:\s*{_STAR})?", re.IGNORECASE)
# A minus and digits as word processors and Asian keyboards write them
_WIDE: Final = str.maketrans("０１２３４５６７８９．－＋−–", "0123456789.-+--")
_SIGNED: Final = re.compile(_PLAIN, re.ASCII)
# Days as spreadsheets write what they take for one, such as 3-May for 3-5, or 03. Mai for 3.5: in
# English, German, French, Spanish, Italian and Portuguese
_MONTHS: Final = word_set(
    "jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june "
    "july august september october november december mrz mär märz mai okt dez januar februar "
    "juni juli oktober dezember janv févr mars avr juin juil août déc janvier février avril "
    "juillet septembre octobre novembre décembre ene abr ago dic enero febrero marzo abril "
    "mayo junio julio agosto septiembre octubre noviembre diciembre gen mag giu lug set ott "
    "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre fev out janeiro "
    "fevereiro março maio junho julho setembro outubro novembro dezembro"
)
_NUMBERED: Final = re.compile(r"\(?(\d+)\)?(?:\s*[-–—:.=)]\s*|\s+)\(?[^\W\d].*")
_NUMBER_BEHIND: Final = re.compile(r"[^\W\d_]\D*[\s(:=](\d+)\)?")


def read_words(
    labels: Collection[str], beside: Collection[float]
) -> tuple[dict[str, float], Finding] | None:
    """Return label → number, of labels that are scores with more than a number, and a note.

    Labels that are none of these are not among them. Of a number beside a word the number counts.

    beside: the plain numbers that stand beside them. 3 beside 4/5 is on the same scale, and so is
        85 beside 90 %; 0.9 would be on another one.
    """
    words = {label: " ".join(re.findall(r"[^\W\d_]+", label.casefold())) for label in labels}
    for scale in () if beside or any(map(_DIGIT.search, labels)) else SCALES:
        if len({*words.values()}) > 1 and {*words.values()} <= scale.keys():
            shown = dict(sorted((scale[word], word) for word in {*words.values()}))
            note = say("score-words", of="", words=[f"{word} = {n}" for n, word in shown.items()])
            return {label: float(scale[word]) for label, word in words.items()}, note
    # label → its stars and its empty ones, which are always as many together
    found = {label: _STARS.fullmatch(label.strip()) for label in labels}
    counts = {
        one: [sum(sign in "★⭐☆" for sign in signs) for signs in m.groups()]
        for one, m in found.items()
        if m is not None
    }
    alike = len({*map(sum, counts.values())}) == 1 or not any(n for _, n in counts.values())
    if len(counts) == len(labels) and any(n for n, _ in counts.values()) and alike and not beside:
        return {one: float(stars) for one, (stars, _) in counts.items()}, say("score-stars")
    percents = {label: _PERCENT.fullmatch(label.strip()) for label in labels}
    parts = {label: _PART_OF.fullmatch(label.strip()) for label in labels}
    dated = {label for label, word in words.items() if word in _MONTHS}
    numbered = {
        label: _NUMBERED.fullmatch(label.strip()) or _NUMBER_BEHIND.fullmatch(label.strip())
        for label in {*labels} - dated
    }
    signed = {label: _SIGNED.fullmatch(label.strip().translate(_WIDE)) for label in labels}
    starred = {label: _OF_STARS.fullmatch(label.strip()) for label in labels}
    of = {match[2] for match in parts.values() if match}
    whole = all(one.is_integer() and one >= 0 for one in beside) and max(beside, default=2) > 1
    most = max(beside, default=0)
    one_each = len({match[1] for match in numbered.values() if match})
    for matches, code, fits in (
        (signed, "score-signs", True),
        (percents, "score-percent", whole and most <= 100),
        (parts, "score-parts", len(of) == 1 and whole and most <= float(min(of, default="0"))),
        (starred, "score-numbered", True),
        (numbered, "score-numbered", one_each == sum(map(bool, numbered.values()))),
    ):
        numbers = {label: float(match[1]) for label, match in matches.items() if match}
        if numbers and fits:
            if matches is numbered:
                _refuse_turned(numbers, words)
            return numbers, say(code, of=min(of, default=""))
    return None


def _refuse_turned(numbers: Mapping[str, float], words: Mapping[str, str]) -> None:
    """Refuse numbers that fall where the words beside them rise, such as 1 - excellent, 5 - bad."""
    for scale in SCALES:
        known = sorted(
            (scale[words[one]], numbers[one], one) for one in numbers if words[one] in scale
        )
        for (low, first, worse), (high, second, better) in pairwise(known):
            if low < high and first > second:
                raise InvalidJudgments(
                    f"scores '{worse}' and '{better}': the numbers say the opposite of the words;"
                    " keep one of both, and where low numbers are good add --better lower"
                )


SLIPS: Final = 0.05  # Share of words in a column of scores, which is refused for them
# A number as people and programs write it; never inf, nan, 1,5 or 0x1, nor one beyond 1e307
_EXPONENT: Final = r"[eE](?:\+?(?:[012]?\d{1,2}|30[0-7])|-\d{1,3})"
PATTERN: Final = rf"^[+-]?(?:\d+\.?\d*|\.\d+)(?:{_EXPONENT})?$"


def list_numbers(values: Iterable[Any], missing: Sequence[str]) -> list[float]:
    """Return values as numbers; none of them where more than a few slips are something else."""
    plain = [value.strip() if isinstance(value, str) else value for value in values]
    if missing:
        plain = [one for one in plain if not any(matches_code(one, code) for code in missing)]
    match = re.compile(PATTERN).match
    numbers = [float(one) for one in plain if isinstance(one, str) and match(one)]
    if len(numbers) == len(plain):  # most columns of numbers
        return numbers
    there = [one for one in plain if not is_missing(None if one is None else str(one))]
    written = find_written(Counter(one for one in there if isinstance(one, str)))
    if written is not None:
        there = [str(written[0].get(one, one)) for one in there]
    numbers = [float(one) for one in there if not isinstance(one, str) or match(one)]
    return numbers if len(there) - len(numbers) <= SLIPS * len(there) else []


def find_written(counted: Mapping[Any, float]) -> tuple[dict[str, float], Finding] | None:
    """Return label → number where nearly all values that are no plain numbers are written ones."""
    there = {label: n for label, n in counted.items() if label and not is_missing(label)}
    others = {one: n for one, n in there.items() if not re.match(PATTERN, one.strip(), re.ASCII)}
    beside = [float(one) for one in there.keys() - others.keys()]
    none = [one for one in counted if one and one.strip().casefold() == "none"]
    written = read_words([*others, *none], beside) if others and none else None
    if written is None or not {*none} <= written[0].keys():  # it is no step of a scale
        written = read_words([*others], beside) if others else None
    if written is None:
        return None
    unread = sum(n for label, n in others.items() if label not in written[0])
    return written if unread <= SLIPS * sum(there.values()) else None


# A number with an exponent that few programs can read
_FAR: Final = re.compile(r"\s*[+-]?[\d.]+[eE][+-]?\d{3,}\s*$")


def say_no_number(value: str) -> str:
    if not _FAR.match(value):
        return "is not a number"
    return "is too close to 0" if "e-" in value.lower() else "is too large"


def is_no_number(column: str) -> nw.Expr:
    text = nw.col(column).str.strip_chars()
    return ~nw.col(column).is_null() & ~says_missing(text) & ~text.str.contains(PATTERN)


def says_missing(text: nw.Expr) -> nw.Expr:
    return text.str.to_lowercase().is_in(sorted(MISSING))


def read_probability(frame: Frame, name: str, columns: Sequence[str]) -> tuple[list[str], nw.Expr]:
    """Return the columns of probabilities, and that of the left side (a tie being half of both)."""
    sides = {one: side for one in columns if (side := find_probability(one))}
    likely = []
    for column, side in sides.items():
        value, rows = nw.col(column), []
        if frame.collect_schema()[column] == nw.String:
            rows = find_rows(frame, is_no_number(column))
            text = value.str.strip_chars()
            value = nw.when(text.str.contains(PATTERN)).then(text)
        number = value.cast(nw.Float64)
        rows = rows or find_rows(frame, (number < 0) | (number > 1))
        if rows:
            raise InvalidJudgments(
                f"'{rows[0][column]}' in column '{column}' of {name}{name_rows(rows)} is no"
                " probability: these go from 0 to 1; divide percentages by 100"
            )
        likely.append(number if side == "left" else 1 - number)
    return [*sides], sum(likely[1:], likely[0]) / len(likely) if likely else nw.lit(None)


# Scores of whole documents, which stand among those of segments.

# Columns by which Appraise says so
_MARKS: Final = frozenset(map(fold, ("is_doc", "is_document", "is_complete_document")))
_YES: Final = ("true", "1", "1.0", "yes")
_NO: Final = ("false", "0", "0.0", "no")
WHOLE: Final = " (document)"  # Stands behind the criterion of such scores


def keep_documents_apart(
    frame: Frame, columns: Sequence[str], roles: Mapping[str, str]
) -> tuple[Frame, dict[str, str], list[str]]:
    """Give scores of whole documents a criterion of their own."""
    mark = next((name for name in columns if fold(name) in _MARKS), None)
    if mark is None or mark in roles.values():
        return frame, dict(roles), []
    label = nw.col(mark).cast(nw.String).str.to_lowercase()
    counted = count_labels(frame.select(label), mark)
    n = sum(counted.get(word, 0) for word in _YES)
    unclear = sum(many for word, many in counted.items() if word not in (*_YES, *_NO))
    if not n:
        return frame, dict(roles), []
    if unclear:
        message = (
            f"column '{mark}' does not say of {unclear:,} scores whether they are of documents"
        )
        return frame, dict(roles), [f"{message}: scores of documents are not kept apart"]
    column = roles.get("criterion", "criterion")
    criterion = nw.col(column) if "criterion" in roles else nw.lit("score")
    whole = nw.concat_str([criterion.cast(nw.String), nw.lit(WHOLE)])
    apart = nw.when(label.is_in(_YES)).then(whole).otherwise(criterion.cast(nw.String))
    frame = frame.with_columns(apart.alias(column))
    note = (
        f"{n:,} of {sum(counted.values()):,} scores are of whole documents ({mark}): a criterion of"
        f" their own, with '{WHOLE.strip()}' behind its name"
    )
    return frame, {**roles, "criterion": column}, [note]
