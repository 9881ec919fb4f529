"""Tickets, answers, and the kinds of tasks: pairs, rankings, ratings and marked errors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isfinite
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal
from unicodedata import category

from evenhand.data.annotations import Span, write_spans
from evenhand.errors import (
    CampaignError,
    InvalidJudgments,
    Message,
    listing,
    sentence_hint,
    suggest,
)

Kind = Literal["target", "control", "anchor", "repeat", "training"]
# What a ticket is for; the place of each is its code in an assignment
TICKET_KINDS: Final[tuple[Kind, ...]] = ("target", "control", "anchor", "repeat", "training")
TARGET, CONTROL, ANCHOR, REPEAT, TRAINING = range(len(TICKET_KINDS))
# How a pair was chosen while judgments came in; "" of what the design fixed before
Choice = Literal["", "start-up", "random", "narrowed", "policy"]


@dataclass(frozen=True)
class Ticket:
    # its place in the assignment, from 0; the tickets of a judge follow one another in the order
    # in which they are to be answered
    number: int
    judge: str  # who is asked
    task: str  # the name of the pass
    item: str  # the name of the item
    systems: tuple[str, ...]  # whose outputs are shown, in the order shown
    # target; control, whose answer is known; anchor, which all judges share; repeat of an earlier
    # ticket of the same judge; training, which is answered before the others
    kind: Kind = "target"
    again: int | None = None  # the number of the ticket that it repeats, or None
    # of a control and of training, as our tables hold it: "good" or "bad", a score, or of several
    # outputs the one that is best, "left", "right", "tie" of two as shown, the name of a system
    # of more; "" where nothing is expected
    expected: str = ""
    # how the pair was chosen, if it was while judgments came in: "start-up" and "random",
    # whatever the answers so far; "narrowed", at random, of the pairs that were left to the
    # judge; or by the "policy"; "" of the design's own
    chosen: Choice = ""

    @property
    def settled(self) -> bool:
        """Whether it is known what is shown; under a policy it is when somebody comes to it."""
        return bool(self.systems)

    def to_dict(self) -> dict[str, Any]:
        values = {**vars(self), "systems": list(self.systems)}
        if not self.chosen:
            del values["chosen"]
        return values


MAX_COMMENT: Final = 5_000  # Most characters of a comment
MAX_NUMBER: Final = 1e300  # Largest number of a scale
# Characters that nobody sees and that turn the direction of the text around a name (Unicode's
# property Bidi_Control). Names from right to left need none of them.
DIRECTIONS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


@dataclass(frozen=True)
class Answer:
    outcome: str | None = None  # of two outputs as they were shown: left, tie, right or both_bad
    ranks: tuple[int, ...] | None = None  # in the order shown: 1 is best, equal ranks tie
    score: float | None = None  # on the scale of the task
    spans: tuple[Span, ...] | None = None  # errors that were marked, in the order of the text
    document: float | None = None  # score of the whole document, with its last segment
    comment: str = ""  # what the judge wrote besides

    def to_dict(self) -> dict[str, Any]:
        values = {**vars(self), "comment": self.comment or None}
        if self.ranks is not None:
            values["ranks"] = list(self.ranks)
        for name in ("score", "document"):
            if (score := values[name]) is not None:
                values[name] = int(score) if score == int(score) else score
        if self.spans is not None:
            values["spans"] = [one.to_dict() for one in self.spans]
        return {name: value for name, value in values.items() if value is not None}


def open_answer(answer: object, expected: tuple[str, ...], *, comment: bool) -> Mapping[str, Any]:
    if not isinstance(answer, Mapping):
        raise InvalidJudgments(f"an answer holds {listing(expected)} by name, not {show(answer)}")
    known = (*expected, "comment") if comment else expected
    for name in answer:
        if name not in known:
            hint = sentence_hint(suggest(str(name), known)) or f": it holds {listing(known)}"
            raise InvalidJudgments(f"an answer has no field {show(name)}{hint}")
    missing = [name for name in expected if answer.get(name) is None]
    if missing:
        raise InvalidJudgments(f"nothing was answered: {listing(missing)} is missing")
    return answer


def read_comment(fields: Mapping[str, Any]) -> str:
    comment = fields.get("comment")
    if comment is None:
        return ""
    if not isinstance(comment, str):
        raise InvalidJudgments(f"a comment is text, not {show(comment)}")
    if len(comment) > MAX_COMMENT:
        raise InvalidJudgments(
            f"a comment has at most {MAX_COMMENT:,} characters; this one has {len(comment):,}"
        )
    if not is_text(comment):
        raise InvalidJudgments("a comment holds a character that no text holds")
    return comment.strip()


NO_TEXT: Final = "holds a character that no text holds (NUL, or half of a surrogate pair)"


def is_text(words: str) -> bool:
    r"""Say whether a text can be stored everywhere: no NUL, no half of a surrogate pair."""
    return "\0" not in words and not any("\ud800" <= one <= "\udfff" for one in words)


LONGEST_NAME: Final = 200  # Characters; an item may be called after its text


def say_bad_name(name: str, longest: float = LONGEST_NAME) -> str:
    r"""Say why a word cannot name something in a table, and what to do; "" where it can."""
    # What is collected is read back under the same rules.
    if len(name) > longest:
        return f"has {len(name):,} characters, and a name at most {longest}: shorten it"
    if not is_text(name):
        return f"{NO_TEXT}: take it out"
    if name != name.strip():
        return "has a blank before or after it: take it out"
    if any(category(one) in ("Cc", "Zl", "Zp") for one in name):
        return "has a line break or a tab in it: take it out"
    if not DIRECTIONS.isdisjoint(name):
        unseen = "has a character in it that nobody sees and that turns the direction of the text"
        return f"{unseen}: take it out"
    return ""


def is_number(value: object) -> bool:
    """Say whether a value is a finite number that a float holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) <= MAX_NUMBER  # also of NaN and infinity


def read_whole(value: object, name: str, low: int, high: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidJudgments(
            f"{name} is a whole number from {low} to {high:,}, not {show(value)}"
        )
    return value


def show(value: object) -> str:
    try:
        whole = repr(value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        return "a number of thousands of digits"
    shown = whole[:60].encode("utf-8", "backslashreplace").decode()
    return shown if len(whole) <= 60 else f"{shown}..."


BESIDE: Final = ("source", "reference", "context")  # What may be shown beside the outputs
Row = dict[str, Any]
Rows = tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class Task(ABC):
    """A pass over the outputs with one question; the kinds of tasks add what may be answered."""

    kind: ClassVar[str] = ""  # the word for it in a campaign file
    table: ClassVar[str] = ""  # which of our tables its rows are of
    name: str  # of the pass, such as "fluency"
    question: str = ""  # in one line
    instructions: str = ""  # what a judge may look up while judging
    shows: tuple[str, ...] = ("source", "context")  # beside outputs: source, reference, context
    comment: bool = False  # whether a judge may write something besides

    @property
    def width(self) -> int:
        return 1

    @abstractmethod
    def validate(self, answer: object, shown: tuple[str, ...], source: str = "") -> Answer:
        """Check an answer as it came; refuse what is off the task in the judge's words."""

    @abstractmethod
    def tabulate(self, ticket: Ticket, answer: Answer) -> Rows:
        """Return what an answer says of the outputs, a row each of the task's table."""

    def rows(self, ticket: Ticket, answer: Answer) -> Rows:
        """Return the rows of the task's table that an answer makes; of training there are none."""
        if ticket.kind == "training":
            return ()
        kinds = {"anchor": "target", "control": ticket.expected}
        kind = kinds.get(ticket.kind, ticket.kind)
        if ticket.kind == "control" and kind not in ("good", "bad"):
            kind = "control"
        names = {"task": ticket.task} if self.table != "ratings" else {}
        aside = {"kind": kind, "expected": ticket.expected, "ticket": str(ticket.number)}
        names |= {"judge": ticket.judge, "item": ticket.item}
        return tuple({**names, **values, **aside} for values in self.tabulate(ticket, answer))

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or not is_text(self.name):
            raise CampaignError('a task needs a name, such as name = "adequacy"')
        if fault := say_bad_name(self.name):
            raise CampaignError(f"task {show(self.name)} {fault}")
        for one in fields(self):
            value = getattr(self, one.name)
            if one.type == "str" and not (isinstance(value, str) and is_text(value)):
                raise self.refuse(one.name, value, "text")
            if one.type == "bool" and not isinstance(value, bool):
                raise self.refuse(one.name, value, "true or false")
        object.__setattr__(self, "shows", self.take_words("shows"))
        for text in self.shows:
            if text not in BESIDE:
                hint = sentence_hint(suggest(text, BESIDE)) or f": it may be {' | '.join(BESIDE)}"
                raise CampaignError(f"task '{self.name}' cannot show '{text}'{hint}")

    def take_words(self, name: str) -> tuple[str, ...]:
        value = getattr(self, name)
        sound = isinstance(value, list | tuple) and all(
            isinstance(one, str) and is_text(one) for one in value
        )
        if not sound:
            raise self.refuse(name, value, "a list of words")
        twice = sorted({one for one in value if list(value).count(one) > 1})
        if twice:
            raise CampaignError(f"task '{self.name}': {name} names {listing(twice)} twice")
        return tuple(value)

    def refuse(self, name: str, value: object, what: str) -> CampaignError:
        return CampaignError(f"task '{self.name}': {name} cannot be {show(value)}: it is {what}")

    def to_dict(self) -> Row:
        settings: Row = {"kind": self.kind}
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, Mapping):
                value = dict(value)
            settings[one.name] = list(value) if isinstance(value, tuple) else value
        return settings


# What our tables call an outcome, where they do not call it the same
WRITTEN = {"both_bad": "tie (bothbad)"}


@dataclass(frozen=True, kw_only=True)
class PairTask(Task):
    kind: ClassVar[str] = "pair"
    table: ClassVar[str] = "comparisons"
    ties: bool = True  # whether there is an answer "no preference"
    both_bad: bool = False  # whether there is an answer "both are bad"
    differences: bool = False  # whether the page can show where two outputs differ

    @property
    def width(self) -> int:
        return 2

    @property
    def outcomes(self) -> tuple[str, ...]:
        more = [word for word, may in (("tie", self.ties), ("both_bad", self.both_bad)) if may]
        return ("left", "right", *more)

    def validate(self, answer: object, shown: tuple[str, ...], source: str = "") -> Answer:  # noqa: ARG002 - as all tasks
        if len(shown) != self.width:
            raise InvalidJudgments(f"two outputs are compared, not {len(shown)}")
        fields = open_answer(answer, ("outcome",), comment=self.comment)
        outcome = fields["outcome"]
        if not isinstance(outcome, str) or outcome not in self.outcomes:
            raise InvalidJudgments(
                f"the answer is one of {', '.join(self.outcomes)}, not {show(outcome)}"
            )
        return Answer(outcome=outcome, comment=read_comment(fields))

    def tabulate(self, ticket: Ticket, answer: Answer) -> Rows:
        left, right = ticket.systems
        outcome = WRITTEN.get(answer.outcome or "", answer.outcome)
        return ({"left": left, "right": right, "outcome": outcome},)


MAX_RANKED_OUTPUTS: Final = 26  # Most outputs that are ranked at once


@dataclass(frozen=True, kw_only=True)
class RankTask(Task):
    kind: ClassVar[str] = "rank"
    table: ClassVar[str] = "rankings"
    n: int = 5  # how many are shown at once
    ties: bool = True  # whether outputs may share a place

    def __post_init__(self) -> None:
        super().__post_init__()
        whole = isinstance(self.n, int) and not isinstance(self.n, bool)
        if not whole or not 2 <= self.n <= MAX_RANKED_OUTPUTS:
            raise self.refuse("n", self.n, f"a number of outputs from 2 to {MAX_RANKED_OUTPUTS}")

    @property
    def width(self) -> int:
        return self.n

    def validate(self, answer: object, shown: tuple[str, ...], source: str = "") -> Answer:  # noqa: ARG002 - as all tasks
        """Check an answer; places without gaps are kept, 1, 3, 1 becomes 1, 2, 1."""
        fields = open_answer(answer, ("ranks",), comment=self.comment)
        given = fields["ranks"]
        if not isinstance(given, list | tuple) or len(given) != len(shown):
            raise InvalidJudgments(
                f"each of the {len(shown)} outputs needs a place, not {show(given)}"
            )
        places = [read_whole(one, "a place", 1, len(shown)) for one in given]
        if not self.ties and len(set(places)) < len(places):
            raise InvalidJudgments(
                Message("two outputs cannot share a place here: give each its own")
            )
        dense = {place: at for at, place in enumerate(sorted(set(places)), start=1)}
        ranks = tuple(dense[place] for place in places)
        return Answer(ranks=ranks, comment=read_comment(fields))

    def tabulate(self, ticket: Ticket, answer: Answer) -> Rows:
        places = enumerate(zip(ticket.systems, answer.ranks or (), strict=True), start=1)
        return tuple(
            {"ranking": str(ticket.number), "system": system, "rank": rank, "position": position}
            for position, (system, rank) in places
        )


WHOLE_SCORES: Final = Message("a score is a whole number from {low} to {high}, not {score}")
SCORES: Final = Message("a score is a number from {low} to {high}, not {score}")
STEPS: Final = Message("a score is a number from {low} to {high} in steps of {step}, not {score}")


@dataclass(frozen=True, kw_only=True)
class ScaledTask(Task):
    criterion: str = ""  # what is scored; the name of the task where nothing else is said
    low: float = 0  # lowest score
    high: float = 100  # highest score
    step: float = 1  # between neighbours
    low_label: str = ""  # what the lowest means
    high_label: str = ""  # what the highest means
    # asked about the whole document, with its last segment, on the same scale; "" for nothing
    document_question: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("low", "high", "step"):
            value = getattr(self, name)
            if not is_number(value):
                raise self.refuse(name, value, "a number")
        if not self.low < self.high:
            raise self.refuse("high", self.high, f"above low, which is {self.low:g}")
        if not self.step > 0 or not self._holds(self.high):
            between = f"from {self.low:g} to {self.high:g}"
            raise self.refuse("step", self.step, f"a number that leads {between} in whole steps")
        if not self.criterion:
            object.__setattr__(self, "criterion", self.name)

    def to_dict(self) -> Row:
        settings = super().to_dict()
        if not self.document_question:  # other campaigns keep their digests
            del settings["document_question"]
        return settings

    @property
    def document_criterion(self) -> str:
        return f"{self.criterion} (document)"

    @property
    def scale(self) -> str:
        steps = "" if self.step == 1 else f" in steps of {self.step:g}"
        kind = "a whole number" if self._is_whole else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}{steps}"

    @property
    def _is_whole(self) -> bool:
        return self.step == 1 and float(self.low).is_integer()

    def _holds(self, score: float) -> bool:
        if not self.low <= score <= self.high:  # also of NaN, infinity and numbers no float holds
            return False
        steps = (score - self.low) / self.step
        return isfinite(steps) and abs(steps - round(steps)) < 1e-9

    def read_score(self, score: object) -> float:
        if isinstance(score, bool) or not isinstance(score, int | float) or not self._holds(score):
            said = WHOLE_SCORES if self._is_whole else SCORES if self.step == 1 else STEPS
            scale = {name: f"{getattr(self, name):g}" for name in ("low", "high", "step")}
            raise InvalidJudgments(Message(said, {**scale, "score": show(score)}))
        return float(score)


@dataclass(frozen=True, kw_only=True)
class RatingTask(ScaledTask):
    """A score for one output; direct assessment is this with 0 to 100, which is the usual."""

    kind: ClassVar[str] = "rating"
    table: ClassVar[str] = "ratings"

    def validate(self, answer: object, shown: tuple[str, ...], source: str = "") -> Answer:  # noqa: ARG002 - as all tasks
        if len(shown) != self.width:
            raise InvalidJudgments(f"one output is scored, not {len(shown)}")
        fields = open_answer(answer, ("score",), comment=self.comment)
        return Answer(score=self.read_score(fields["score"]), comment=read_comment(fields))

    def tabulate(self, ticket: Ticket, answer: Answer) -> Rows:
        score = answer.to_dict()["score"]
        return ({"system": ticket.systems[0], "criterion": self.criterion, "score": score},)


# Usual severities and their weights: what each takes from the score of an output
SEVERITIES: Final[Mapping[str, float]] = MappingProxyType({"minor": 1, "major": 5})
SPAN_COLUMNS: Final = ("errors", "spans")  # Columns that a score alone has not
MAX_SPANS: Final = 1_000  # Most errors of one output
FIELDS: Final = ("start", "end", "severity", "category", "side")


@dataclass(frozen=True, kw_only=True)
class SpanTask(ScaledTask):
    # Without a score the table of ratings holds minus the sum of the weights of what was marked.

    kind: ClassVar[str] = "spans"
    table: ClassVar[str] = "ratings"
    # what may be said of an error → its weight
    severities: Mapping[str, float] = field(default_factory=lambda: SEVERITIES, hash=False)
    categories: tuple[str, ...] = ()  # kinds of errors; empty where none are asked for
    score: bool = True  # whether a score is asked for besides

    def __post_init__(self) -> None:
        super().__post_init__()
        severities = self.severities
        if isinstance(severities, list | tuple):
            severities = {one: SEVERITIES.get(one, 1) for one in self.take_words("severities")}
        sound = isinstance(severities, Mapping) and all(
            isinstance(name, str) and is_text(name) and is_number(weight) and weight >= 0
            for name, weight in severities.items()
        )
        if not sound or not severities:
            what = "severities with their weights, such as { minor = 1, major = 5 }"
            raise self.refuse("severities", self.severities, what)
        object.__setattr__(self, "severities", MappingProxyType(dict(severities)))
        object.__setattr__(self, "categories", self.take_words("categories"))

    def validate(self, answer: object, shown: tuple[str, ...], source: str = "") -> Answer:
        if len(shown) != self.width:
            raise InvalidJudgments(f"errors are marked in one output, not in {len(shown)}")
        names = ("spans", "score") if self.score else ("spans",)
        fields = open_answer(answer, names, comment=self.comment)
        given = fields["spans"]
        if not isinstance(given, list | tuple) or len(given) > MAX_SPANS:
            raise InvalidJudgments(f"errors are a list of at most {MAX_SPANS:,}, not {show(given)}")
        lengths = {"output": len(shown[0])}
        if "source" in self.shows:
            lengths["source"] = len(source)
        spans = sorted(
            (self._read_span(one, lengths) for one in given),
            key=lambda one: (one.side, one.start or 0, one.end or 0, one.severity, one.category),
        )
        score = self.read_score(fields["score"]) if self.score else None
        return Answer(spans=tuple(spans), score=score, comment=read_comment(fields))

    def _read_span(self, given: object, lengths: Mapping[str, int]) -> Span:
        if not isinstance(given, Mapping) or set(given) - set(FIELDS):
            raise InvalidJudgments(f"an error has {', '.join(FIELDS)}, not {show(given)}")
        side = given.get("side", "output")
        if not isinstance(side, str) or side not in lengths:
            raise InvalidJudgments(f"an error lies in {' or '.join(lengths)}, not {show(side)}")
        start = read_whole(given.get("start"), "where an error starts", 0, lengths[side])
        end = read_whole(given.get("end"), "where an error ends", 0, lengths[side])
        if start >= end and (start, end) != (0, 0):
            raise InvalidJudgments(f"an error ends after it starts, not at {end} from {start}")
        severity = _choose(given.get("severity"), "a severity", tuple(self.severities))
        category = ""
        if self.categories:
            category = _choose(given.get("category"), "a category", self.categories)
        elif given.get("category"):
            raise InvalidJudgments("errors have no categories here")
        return Span(start, end, severity, category, side)

    def tabulate(self, ticket: Ticket, answer: Answer) -> Rows:
        spans = answer.spans or ()
        lost = -sum(self.severities[one.severity] for one in spans)
        score: Any = answer.to_dict()["score"] if self.score else lost
        values = {"criterion": self.criterion, "score": score, "errors": len(spans)}
        return ({"system": ticket.systems[0], **values, "spans": write_spans(spans)},)


def _choose(value: object, what: str, options: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in options:
        raise InvalidJudgments(f"{what} is one of {listing(options)}, not {show(value)}")
    return value


# Kinds of tasks by the word for them in a campaign file
TASK_KINDS: Final[Mapping[str, type[Task]]] = {
    one.kind: one for one in (PairTask, RankTask, RatingTask, SpanTask)
}
# What tasks do that show something else than pairs
SHOWN: Final[Mapping[str, str]] = {
    "rank": "puts several outputs in order",
    "rating": "rates outputs one by one",
    "spans": "marks errors in outputs one by one",
}


def check_followed(policy: str, tasks: Sequence[Task]) -> None:
    for one in tasks:
        if one.kind in SHOWN:
            raise CampaignError(
                f"task '{one.name}' {SHOWN[one.kind]}, and policy '{policy}' chooses pairs: make it"
                " a campaign of its own, or leave policy out"
            )
    if len(tasks) > 1:
        names = listing([one.name for one in tasks])
        raise CampaignError(
            f"policy '{policy}' follows the answers to one question, and there are {len(tasks)}"
            f" passes ({names}): make each a campaign of its own, or leave policy out"
        )
