"""A campaign: what is asked of whom about what, in which words; frozen before it begins."""

from __future__ import annotations

import json
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from math import inf
from types import MappingProxyType
from typing import Any, Final

from evenhand.data.coding import SEED
from evenhand.data.joining import SEPARATOR
from evenhand.design.catalogues import LANGUAGES, Catalogue
from evenhand.design.forms import MEDIA, PLAIN, STORED, Form, MediaFile, Settings
from evenhand.design.tasks import (
    LONGEST_NAME,
    NO_TEXT,
    SPAN_COLUMNS,
    Answer,
    PairTask,
    Rows,
    ScaledTask,
    SpanTask,
    Task,
    Ticket,
    check_followed,
    is_number,
    is_text,
    say_bad_name,
    show,
)
from evenhand.errors import CampaignError, listing, require_option, sentence_hint, suggest
from evenhand.numerics.sampling import MIN_SECRET_SEED

# Settings that are whole numbers, and the lowest of each
COUNTS: Final = {"judges_per_item": 1, "controls": 0, "repeats": 0, "lag": 0, "again": 0}
MAX_SETTING: Final = 1_000_000_000  # Highest of all settings that are whole numbers
EQUAL_OUTPUTS: Final = ("merge", "ask")


@dataclass(frozen=True, kw_only=True)
class Design:
    judges_per_item: int = 1  # different judges for each output, pair or set that is judged (k)
    per_item: int | None = None  # judged outputs, pairs or sets of each item; None for all
    once_per_source: bool = False  # whether no judge sees a source again with other outputs
    balanced_blocks: bool = False  # whether sets must hold every pair of systems equally often
    controls: int = 0  # control items for each judge in each pass
    repeats: int = 0  # hidden repeats for each judge in each pass
    lag: int = 10  # fewest tickets between a repeat and what it repeats
    again: int = 0  # tickets that each judge is asked again at the end of each pass
    # most tickets of a judge, over all passes and without training; None for any number
    quota: int | None = None
    policy: str = ""  # rule that chooses pairs while judgments come in; "" for none
    random_share: float = 0.3  # share of pairs at random under a policy (proportion)
    # pairs that a policy chooses in all; None for as many as quotas and items allow
    judgments: int | None = None
    top: int | None = None  # systems that are wanted, for the policy "top-k"; else None
    # whether outputs of an item with the same text are judged as one: merge, or ask. None of a
    # campaign that was launched before there was the choice: then as "ask".
    equal_outputs: str | None = "merge"
    documents: bool = False  # whether a judge sees the segments of a document together, in order

    def __post_init__(self) -> None:
        for name, least in COUNTS.items():
            _check_count(name, getattr(self, name), least)
        for name in ("per_item", "quota", "judgments", "top"):
            if getattr(self, name) is not None:
                _check_count(name, getattr(self, name), 1)
        for name in ("once_per_source", "balanced_blocks", "documents"):
            if not isinstance(getattr(self, name), bool):
                raise CampaignError(f"{name} cannot be {getattr(self, name)!r}: true or false")
        if self.equal_outputs not in (None, *EQUAL_OUTPUTS):
            raise CampaignError(
                f"equal_outputs cannot be {self.equal_outputs!r}: it is {' | '.join(EQUAL_OUTPUTS)}"
            )
        if not isinstance(self.policy, str):
            raise CampaignError(f"policy cannot be {self.policy!r}: it is the name of a rule")
        share = self.random_share
        if not is_number(share) or not 0 <= share <= 1:
            raise CampaignError(f"random_share cannot be {share!r}: it is a proportion, such as .3")
        if self.policy and self.documents:
            raise CampaignError(
                "documents keeps segments together, and a policy chooses each pair by itself: leave"
                " one of the two out"
            )
        # settings of a policy without one, and those that a policy takes the place of
        if self.policy and self.per_item is not None:
            raise CampaignError(
                "per_item says how many pairs of each item are judged, which a policy chooses: say"
                " judgments = 1000 for how many in all, or leave policy out"
            )
        for name in ("judgments", "top"):
            if not self.policy and getattr(self, name) is not None:
                raise CampaignError(
                    f'{name} is for a policy, which is not asked for: add policy = "order", or'
                    f" leave {name} out"
                )

    def to_dict(self) -> dict[str, Any]:
        settings = {name: value for name, value in vars(self).items() if value is not None}
        if not self.documents:  # other campaigns keep their digests
            del settings["documents"]
        return settings


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _check_count(name: str, value: Any, least: int) -> None:
    if not _is_whole(value) or value < least:
        raise CampaignError(f"{name} cannot be {value!r}: it is a whole number, {least} or more")
    if value > MAX_SETTING:
        raise CampaignError(f"{name} is a whole number up to {MAX_SETTING:,}")


def _check_text(name: str, value: object, what: str = "text") -> None:
    if not isinstance(value, str) or not is_text(value):
        raise CampaignError(f"{name} cannot be {value!r}: it is {what}")


def _check_amounts(amounts: Mapping[str, Any]) -> None:
    for name, value in amounts.items():
        if not is_number(value) or value < 0:
            raise CampaignError(f"{name} cannot be {value!r}: it is a number, 0 or more")


SIGNS: Final = "+|&=~"  # Between the systems of an output that several gave, as WMT wrote it
NAMED: Final = ("system", "left", "right")  # Columns of our tables that name systems
CONTROLS: Final = ("", "good", "bad", "expected")
Expected = str | float | int | Mapping[str, str | float | int]


@dataclass(frozen=True)
class Item:
    name: str  # its own in the campaign
    outputs: Mapping[str, str] = field(hash=False)  # system → text
    source: str = ""  # what the outputs are for; "" where there is none
    reference: str = ""  # an output that is known to be right
    context: str = ""  # what stands around the source
    document: str = ""  # which document it is of
    # items of one group are one source, such as a sentence that was read, transcribed and edited;
    # its own name where nothing is said
    group: str = ""
    # "" for none; good or bad, where one output is known to be so; expected, where the answer is
    # known
    control: str = ""
    # the answer of a control: a score of one output, or of several outputs the system that is
    # best or "tie"; by the names of tasks where these expect different answers
    expected: Expected = field(default="", hash=False)
    anchor: bool = False  # whether all judges judge it
    merged: bool = False  # whether outputs with the same text are judged as one

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise CampaignError('an item needs a name, such as item = "17"')
        for name in ("name", "source", "reference", "context", "document", "group"):
            self._check_text(name, getattr(self, name))
        for name in ("name", "group", "document"):
            self._check_name("item" if name == "name" else name, getattr(self, name))
        if not isinstance(self.outputs, Mapping) or not self.outputs:
            raise CampaignError(f"item '{self.name}' has no outputs to judge")
        for system, output in self.outputs.items():
            self._check_text("a system", system)
            self._check_text(f"the output of {system}", output)
            if not system:
                raise CampaignError(f"item '{self.name}': a system has no name")
            self._check_name("system", system)
        object.__setattr__(self, "outputs", MappingProxyType(dict(self.outputs)))
        object.__setattr__(self, "group", self.group or self.name)
        by_task = self.expected if isinstance(self.expected, Mapping) else {"": self.expected}
        for answer in by_task.values():
            if isinstance(answer, str):
                self._check_text("expected", answer)
            elif not is_number(answer):
                raise CampaignError(
                    f"item '{self.name}': expected cannot be {show(answer)}: it is a score, or the"
                    " name of the best system"
                )
        if self.expected != "" and self.control == "":
            object.__setattr__(self, "control", "expected")
        if not isinstance(self.control, str) or self.control not in CONTROLS:
            try:
                require_option("control", str(self.control), CONTROLS[1:])
            except ValueError as error:
                raise CampaignError(f"item '{self.name}': {error}") from None
        if self.control == "expected" and self.expected == "":
            raise CampaignError(
                f"item '{self.name}' is a control and does not say what is expected of it: add"
                " expected = 4, or the name of the best system"
            )
        if self.control and self.anchor:
            raise CampaignError(f"item '{self.name}' is a control and an anchor: choose one")
        if by_task is self.expected:
            object.__setattr__(self, "expected", MappingProxyType(dict(by_task)))

    def _check_text(self, name: str, value: object) -> None:
        if not isinstance(value, str):
            raise CampaignError(f"item '{self.name}': {name} cannot be {value!r}: it is text")
        if not is_text(value):
            raise CampaignError(f"item '{self.name}': {name} {NO_TEXT}")

    def _check_name(self, what: str, name: str) -> None:
        """Refuse a name that could not be read back from a table."""
        if fault := say_bad_name(name, LONGEST_NAME if what == "system" else inf):
            whose = "" if what == "item" else f"item '{self.name}': "
            raise CampaignError(f"{whose}{what} {show(name)} {fault}")

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Systems whose outputs are shown: of merged ones, the first that gave the text."""
        return tuple(names[0] for names in self._same) if self.merged else tuple(self.outputs)

    @cached_property
    def has_equal(self) -> bool:
        return len(self._same) < len(self.outputs)

    @cached_property
    def _same(self) -> tuple[tuple[str, ...], ...]:
        same: dict[str, list[str]] = {}
        for system, text in self.outputs.items():
            same.setdefault(text, []).append(system)
        return tuple(map(tuple, same.values()))

    def list_same(self, system: str) -> tuple[str, ...]:
        """Return the systems that a judgment of one system's output is of."""
        if not self.merged:
            return (system,)
        return next(names for names in self._same if system in names)

    def expects(self, task: str) -> str | float | int:
        """Return what a task expects of a control, "" where it expects nothing."""
        return self.expected.get(task, "") if isinstance(self.expected, Mapping) else self.expected

    def to_dict(self) -> dict[str, Any]:
        """Return it as a campaign file holds it, without what is empty."""
        names = ("source", "reference", "context", "document", "group", "control")
        settings: dict[str, Any] = {name: getattr(self, name) for name in names}
        settings["group"] = "" if self.group == self.name else self.group
        settings["expected"] = self.expected
        if isinstance(self.expected, Mapping):
            settings["expected"] = dict(self.expected)
        settings = {name: value for name, value in settings.items() if value != ""}
        anchor = {"anchor": True} if self.anchor else {}
        return {"item": self.name, **settings, **anchor, "outputs": dict(self.outputs)}


# Texts that have a language: those of items, and the page around them
FIELDS: Final = ("source", "output", "reference", "context", "page")
DIRECTIONS: Final = ("ltr", "rtl", "auto")
NO_TAG: Final = "{!r} is no tag of a language: write es, pt-BR or zh-Hant"
_SCRIPTS: Final = (
    "ar ara arc bal ckb div dv fa fas glk he heb iw kas ks lrc mzn per pnb prs ps pus sd snd syr ug"
    " uig ur urd yi yid",
    "az pa ku",
)
# Languages that are written from right to left, by their tags
RIGHT_TO_LEFT: Final = frozenset(
    [*_SCRIPTS[0].split(), *(f"{one}-arab" for one in _SCRIPTS[1].split())]
)


@dataclass(frozen=True)
class TextField:
    language: str = ""  # its tag, such as "es" or "pt-BR"; "" where it is not known
    direction: str = ""  # ltr, rtl, or auto (by the first letters); else the language's
    form: Form = PLAIN  # plain, or Markdown, code, a chat, a file

    def __post_init__(self) -> None:
        tag = self.language
        sound = isinstance(tag, str) and tag.isascii()
        if not sound or (tag and not tag.replace("-", "").isalnum()):
            raise CampaignError(NO_TAG.format(tag))
        if not self.direction:
            folded = tag.casefold()
            right = folded in RIGHT_TO_LEFT or folded.partition("-")[0] in RIGHT_TO_LEFT
            left = tag or self.form.form == "code"
            usual = ("rtl" if right else "ltr") if left else "auto"
            object.__setattr__(self, "direction", usual)
        if self.direction not in DIRECTIONS:
            raise CampaignError(f"direction cannot be {self.direction!r}: {' | '.join(DIRECTIONS)}")


WORDS: Final = ("instructions", "consent", "thanks", "completion_code")


@dataclass(frozen=True)
class Wording:
    instructions: str = ""  # what a judge may look up in every pass
    consent: str = ""  # what a judge agrees to before the first item; "" where nothing is asked
    thanks: str = ""  # what a judge reads at the end
    completion_code: str = ""  # what a judge of a crowd platform is given at the end
    # field → its language and direction
    texts: Mapping[str, TextField] = field(default_factory=dict, hash=False)
    # In which language judges' pages are: no part of the design, so that it may be changed later
    language: str = ""  # "" for English
    catalogue: Catalogue | None = field(default=None, hash=False)  # the campaign's own

    def __post_init__(self) -> None:
        for name in WORDS:
            _check_text(name, getattr(self, name))
        for name in self.texts:
            if name not in FIELDS:
                hint = sentence_hint(suggest(name, FIELDS)) or f": there are {listing(FIELDS)}"
                raise CampaignError(f"no text of the page is called '{name}'{hint}")
        if not self.text("page").form.is_plain:
            raise CampaignError("the text of the page is plain: leave its form out")
        object.__setattr__(self, "texts", MappingProxyType(dict(self.texts)))
        if self.catalogue is None and self.language not in ("", *LANGUAGES):
            raise CampaignError(
                f"language cannot be {self.language!r:.60}: choose {' | '.join(LANGUAGES)}, or give"
                ' a catalogue of your own: messages = "FILE.po"'
            )

    def text(self, name: str) -> TextField:
        """Return the language and direction of a text: source, output, reference, context, page."""
        # A reference is written as the outputs are, and a context as the source, if not said.
        kin = {"reference": "output", "context": "source"}
        return self.texts.get(name) or self.texts.get(kin.get(name, ""), TextField())

    def to_dict(self) -> dict[str, Any]:
        settings = {name: value for name in WORDS if (value := getattr(self, name))}
        texts = {}
        for name in (one for one in FIELDS if one in self.texts):
            language, direction, form = vars(self.texts[name]).values()
            texts[name] = {"language": language, "direction": direction, **form.to_dict()}
        return {**settings, "texts": texts} if texts else settings


@dataclass(frozen=True, kw_only=True)
class Pay(Settings):
    per_hour: float = 0  # for an hour of active time
    per_answer: float = 0
    currency: str = ""  # such as EUR, as it is printed

    def __post_init__(self) -> None:
        _check_amounts({"per_hour": self.per_hour, "per_answer": self.per_answer})
        _check_text("currency", self.currency, "text, such as EUR")
        if (self.per_hour or self.per_answer) and not self.currency.strip():
            raise CampaignError(
                "judges are told what they are paid, and the amount has no currency: add one, such"
                ' as currency = "EUR"'
            )

    def find_amount(self, answers: int, seconds: float | None) -> float | None:
        """Return what so many answers in so many active seconds are paid; None where unknown.

        >>> Pay(per_hour=12, per_answer=0.05, currency="EUR").find_amount(40, 1800)
        8.0
        """
        if self.per_hour and seconds is None:
            return None
        return self.per_hour * (seconds or 0) / 3600 + self.per_answer * answers


@dataclass(frozen=True, kw_only=True)
class Timing(Settings):
    seconds_per_answer: float = 0  # as a pilot took; 0 where it is not known
    break_after: float = 45  # minutes of active work until a break is suggested; 0 for never

    def __post_init__(self) -> None:
        _check_amounts(vars(self))

    def count_minutes(self, questions: int) -> int | None:
        """Return the minutes that so many questions take; None where that is not known.

        >>> Timing(seconds_per_answer=20).count_minutes(100)
        33
        """
        seconds = questions * self.seconds_per_answer
        return max(1, round(seconds / 60)) if seconds else None


@dataclass(frozen=True)
class Training:
    """An item that is judged first, after which the judge is told what was expected."""

    task: str  # the name of the pass before which it is shown
    item: Item  # what is shown; as many outputs as the task shows
    # an answer that is right, as the task takes it; empty where several are
    answer: Mapping[str, Any] = field(default_factory=dict, hash=False)
    feedback: str = ""  # what the judge is told

    def __post_init__(self) -> None:
        if not isinstance(self.feedback, str) or not is_text(self.feedback):
            raise CampaignError(f"training '{self.item.name}': feedback is text")
        if not isinstance(self.answer, Mapping):
            raise CampaignError(f"training '{self.item.name}': answer cannot be {self.answer!r}")
        if not self.answer and not self.feedback:
            raise CampaignError(
                f"training '{self.item.name}' teaches nothing: add an answer, feedback, or both"
            )
        object.__setattr__(self, "answer", MappingProxyType(dict(self.answer)))

    def to_dict(self) -> dict[str, Any]:
        settings: dict[str, Any] = {"task": self.task, **self.item.to_dict()}
        if self.answer:
            settings["answer"] = dict(self.answer)
        return {**settings, "feedback": self.feedback} if self.feedback else settings


# Crowd platforms: a name that cannot be one is refused, so that nobody is two judges by writing
# two. One that looks like a name can be made up: only a platform knows who its workers are.


@dataclass(frozen=True)
class Platform:
    name: str  # as a campaign file has it
    title: str  # as people call it
    parameter: str  # of the link, which names the worker
    form: str  # what a name is, as a regular expression
    says: str  # the same in words
    end: str = ""  # what stands behind the parameter in the link that the platform is given

    def check(self, worker: str) -> str:
        if re.search(r"[{}<>$%\[\]]", worker):
            raise CampaignError(
                f"the link holds the placeholder {worker[:60]} instead of a worker: {self.title}"
                " puts the worker there; to try the link yourself, put a name there by hand"
            )
        if re.fullmatch(self.form, worker) is None:
            raise CampaignError(
                f"'{worker[:60]}' is no worker of {self.title}: that is {self.says}"
            )
        return worker


PLATFORMS: Final[Mapping[str, Platform]] = MappingProxyType(
    {
        one.name: one
        for one in (
            Platform(
                "prolific",
                "Prolific",
                "PROLIFIC_PID",
                "[0-9a-f]{24}",
                "24 digits 0-9 and a-f",
                "{{%PROLIFIC_PID%}}",
            ),
            Platform(
                "mturk",
                "Mechanical Turk",
                "workerId",
                "A[0-9A-Z]{9,29}",
                "an A and 9 to 29 capital letters and digits",
            ),
            Platform(
                "other",
                "your platform",
                "worker",
                r"[\w.@:+-]{1,200}",
                "1 to 200 letters, digits and . @ : + - _",
            ),
        )
    }
)
USUAL: Final = "prolific"  # The platform of a campaign that does not say


def find_platform(name: str) -> Platform:
    if not isinstance(name, str) or name not in PLATFORMS:
        hint = sentence_hint(suggest(str(name), PLATFORMS))
        raise CampaignError(f"platform cannot be {name!r}: choose {' | '.join(PLATFORMS)}{hint}")
    return PLATFORMS[name]


DRAWN_BITS: Final = 192
MAX_SEED: Final = 2**256  # No seed is as great


NAME_ONE: Final = "give a pseudonym, such as j1"


@dataclass(frozen=True)
class Judge:
    name: str  # the pseudonym under which judgments are kept
    quota: int | None = None  # most tickets in all but training; None for the design's
    # who it is, for the organiser alone: in no file, log or digest of the campaign
    note: str = field(default="", compare=False)
    # columns of the table of judges, where they stand in one, that say nothing
    unread: tuple[str, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or not is_text(self.name):
            raise CampaignError(f"{self.name!r:.60} is not a name of a judge: {NAME_ONE}")
        if fault := say_bad_name(self.name):
            raise CampaignError(f"judge {show(self.name)} {fault}")
        if self.quota is not None and (not _is_whole(self.quota) or self.quota < 1):
            raise CampaignError(
                f"judge '{self.name}': quota cannot be {self.quota!r}: it is a whole number, 1 or"
                " more"
            )


# Lists of a campaign, and what one of each is called
LISTS: Final = {"judges": "judge", "tasks": "task", "training": "training", "items": "item"}


def _find_changes(
    before: Mapping[str, Any], after: Mapping[str, Any], where: str = ""
) -> Iterator[str]:
    """Name settings that differ, as ``question of task 'p'``.

    >>> old = {"title": "T", "pay": {"per_hour": 9}, "judges": [{"name": "j1"}]}
    >>> new = {"title": "T", "pay": {"per_hour": 8}, "judges": [{"name": "j1"}, {"name": "j2"}]}
    >>> list(_find_changes(old, new))
    ['per_hour of [pay]', "judge 'j2' was added"]
    """
    for key in dict.fromkeys([*before, *after]):
        one, other = before.get(key), after.get(key)
        if one == other:
            continue
        if not where and key in LISTS:
            named = [_name_entries(held, LISTS[key]) for held in (one, other)]
            yield from (f"{name} was taken out" for name in named[0] if name not in named[1])
            for name, entry in named[1].items():
                if name not in named[0]:
                    yield f"{name} was added"
                else:
                    yield from _find_changes(named[0][name], entry, f" of {name}")
            if named[0].keys() == named[1].keys() and [*named[0]] != [*named[1]]:
                yield f"the order of {key}"
        elif isinstance(one or {}, Mapping) and isinstance(other or {}, Mapping):
            within = f"[{key}]" if not where else key
            yield from _find_changes(one or {}, other or {}, f" of {within}{where}")
        else:
            yield f"{key}{where}"


def _name_entries(entries: Any, what: str) -> dict[str, Mapping[str, Any]]:
    if what == "training":
        return {f"training {at}": one for at, one in enumerate(entries, start=1)}
    return {f"{what} '{one.get('name', one.get('item'))}'": one for one in entries}


@dataclass(frozen=True, kw_only=True)
class Campaign:
    name: str  # a short one, for files and addresses
    tasks: tuple[Task, ...]  # the passes, in the order in which each judge goes through them
    items: tuple[Item, ...]  # what is judged, controls and anchors among them
    judges: tuple[Judge, ...]  # who is asked
    title: str = ""  # what judges read
    design: Design = field(default_factory=Design)  # who sees what
    wording: Wording = field(default_factory=Wording)  # texts of pages, languages
    training: tuple[Training, ...] = ()  # what is shown first, with feedback
    # of everything random, from 0 to below 2²⁵⁶. None where none is named: the launch then draws
    # one from the operating system, and whatever is counted before is a rehearsal.
    seed: int | None = None
    platform: str = USUAL  # where workers of a crowd come from, if any do: prolific, mturk or other
    pay: Pay = field(default_factory=Pay)  # what judges are paid
    time: Timing = field(default_factory=Timing)  # how long it takes
    # Images and recordings beside the campaign file, by the names that texts have for them: no part
    # of the design, which knows what is in them by these names
    files: Mapping[str, MediaFile] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or not is_text(self.name):
            raise CampaignError('a campaign needs a name, such as name = "spring-2024"')
        if len(self.name) > LONGEST_NAME and (fault := say_bad_name(self.name)):
            raise CampaignError(f"campaign {show(self.name)} {fault}")
        _check_text("title", self.title)
        if self.seed is not None and not (_is_whole(self.seed) and 0 <= self.seed < MAX_SEED):
            raise CampaignError(
                f"seed cannot be {self.seed!r}: it is a whole number from 0 to below 2^256"
            )
        # equal outputs are judged as one, but where systems must meet equally often, and in
        # documents, each of which is one system's from its beginning to its end
        design, items = self.design, []
        merges = design.equal_outputs == "merge" and not design.balanced_blocks | design.documents
        for item in self.items:
            merged = merges and not item.control and item.has_equal
            items.append(item if item.merged == merged else replace(item, merged=merged))
        object.__setattr__(self, "items", tuple(items))
        for name in ("tasks", "items", "judges", "training"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
            if not getattr(self, name) and name != "training":
                raise CampaignError(f"campaign '{self.name}' has no {name}")
        refuse_twins([one.name for one in self.tasks], "tasks")
        refuse_twins([one.name for one in self.judges], "judges")
        taught: list[Item] = []  # one item may be taught before several passes
        for one in self.training:
            self.task(one.task)
            taught += [one.item] * (one.item not in taught)
        refuse_twins([one.name for one in (*self.items, *taught)], "items")
        scaled = [one for one in self.tasks if isinstance(one, ScaledTask)]
        criteria = [one.criterion for one in scaled]
        for task in scaled:
            if task.document_question and not self.segments:
                raise CampaignError(
                    f"task '{task.name}' has a document_question, and no document is kept together:"
                    " say documents = true under [design], with items that have a document"
                )
            criteria += [task.document_criterion] * bool(task.document_question)
        refuse_twins(criteria, "tasks", "criterion")
        find_platform(self.platform)
        form = self.wording.text("output").form
        for each in () if form.is_plain else self.tasks:
            if isinstance(each, SpanTask):
                what = "marks words"
            elif isinstance(each, PairTask) and each.differences:
                what = "shows differences"
            else:
                continue
            raise CampaignError(
                f"task '{each.name}' {what} of plain outputs, and [texts] says of outputs:"
                f" {', '.join(form.to_dict())}; leave one of the two out"
            )
        if self.design.policy:
            check_followed(self.design.policy, self.tasks)

    @cached_property
    def is_plain(self) -> bool:
        """Whether judges see every text as it is; to lay out others takes time."""
        return all(one.form.is_plain for one in self.wording.texts.values())

    def needs_files(self, task: Task) -> bool:
        """Say whether what a task shows has images or recordings, which a program cannot read."""
        fields = {"output": self.wording.text("output")}
        fields |= {name: self.wording.text(name) for name in task.shows}
        if any(one.form.form in MEDIA for one in fields.values()):
            return True
        return any(
            not one.form.is_plain and STORED.search(text)
            for item in self.items
            for name, one in fields.items()
            for text in (item.outputs.values() if name == "output" else [getattr(item, name)])
        )

    @property
    def drawing_seed(self) -> int:
        """The seed that is drawn with: the campaign's, or that of rehearsals where it has none."""
        return SEED if self.seed is None else self.seed

    @property
    def has_secret_seed(self) -> bool:
        """Whether the seed is as long as one that a launch draws, so that nobody guesses it."""
        return self.seed is not None and self.seed >= MIN_SECRET_SEED

    def with_seed(self) -> Campaign:
        """Return the campaign as it is launched: one that names no seed draws one."""
        # The seed comes from the operating system and has 191 random bits.
        if self.seed is not None:
            return self
        top = 1 << (DRAWN_BITS - 1)
        return replace(self, seed=top | secrets.randbits(DRAWN_BITS - 1))

    def fits(self, launched: Campaign) -> bool:
        return self._take_seed(launched).digest == launched.digest

    def find_changes(self, launched: Campaign) -> list[str]:
        """Say what is not as it was in a campaign that was launched."""
        return list(_find_changes(launched.to_dict(), self._take_seed(launched).to_dict()))

    def _take_seed(self, launched: Campaign) -> Campaign:
        # A campaign that names no seed fits one whose seed was drawn, or was that of rehearsals, as
        # it was before launches drew seeds.
        if self.seed is None and (launched.has_secret_seed or launched.seed == SEED):
            return replace(self, seed=launched.seed)
        return self

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Systems that are judged, in the order in which items name them; not those of controls."""
        return tuple(self.outputs)

    @cached_property
    def outputs(self) -> Mapping[str, int]:
        """System → of how many items it has an output, without controls."""
        named = (one.outputs for one in self.items if not one.control)
        return Counter(system for systems in named for system in systems)

    @property
    def beside(self) -> dict[str, int]:
        """Text that judges see beside outputs → of how many items there is one."""
        names = dict.fromkeys(name for one in self.tasks for name in one.shows)
        counts = {name: sum(bool(getattr(one, name)) for one in self.items) for name in names}
        return {name: n for name, n in counts.items() if n}

    @cached_property
    def has_documents(self) -> bool:
        return any(one.document for one in self.items)

    @cached_property
    def segments(self) -> Mapping[str, tuple[str, ...]]:
        """Document → its items in their order; empty where documents are not kept together."""
        segments: dict[str, tuple[str, ...]] = {}
        for one in self.items if self.design.documents else ():
            if one.document:
                segments[one.document] = (*segments.get(one.document, ()), one.name)
        return segments

    def list_segments(self, ticket: Ticket) -> tuple[str, ...]:
        """Return the items of the document that a ticket is of, in order; one alone is of none."""
        if ticket.kind == "training":
            return (ticket.item,)
        return self.segments.get(self.item(ticket.item).document, (ticket.item,))

    @cached_property
    def _tasks(self) -> Mapping[str, Task]:
        return {one.name: one for one in self.tasks}

    @cached_property
    def _items(self) -> Mapping[str, Item]:
        taught = {one.item.name: one.item for one in self.training}
        return {**{one.name: one for one in self.items}, **taught}

    def task(self, name: str) -> Task:
        if name not in self._tasks:
            hint = sentence_hint(suggest(name, self._tasks))
            hint = hint or f": there are {listing(list(self._tasks))}"
            raise CampaignError(f"campaign '{self.name}' has no task '{name}'{hint}")
        return self._tasks[name]

    def item(self, name: str) -> Item:
        """Return an item, also of training."""
        if name not in self._items:
            raise CampaignError(f"campaign '{self.name}' has no item '{name}'")
        return self._items[name]

    def shown(self, ticket: Ticket) -> tuple[str, ...]:
        outputs = self.item(ticket.item).outputs
        return tuple(outputs[system] for system in ticket.systems)

    def read_answer(self, ticket: Ticket, answer: object) -> Answer:
        """Return an answer to a ticket, as parsed from JSON; its task refuses what is none."""
        source, task = self.item(ticket.item).source, self.task(ticket.task)
        if isinstance(answer, Mapping) and self.find_document_question(ticket):
            assert isinstance(task, ScaledTask)
            rest = dict(answer)
            whole = rest.pop("document", None)  # which LLMs, who see one segment, are not asked for
            document = None if whole is None else task.read_score(whole)
            return replace(task.validate(rest, self.shown(ticket), source), document=document)
        return task.validate(answer, self.shown(ticket), source)

    def find_document_question(self, ticket: Ticket) -> str:
        """Return what is asked about the whole document; "" but of its last segment."""
        task = self.task(ticket.task)
        last = bool(self.segments) and ticket.item == self.list_segments(ticket)[-1]
        whole = last and ticket.kind != "training" and bool(self.item(ticket.item).document)
        return task.document_question if whole and isinstance(task, ScaledTask) else ""

    @cached_property
    def separator(self) -> str:
        """The sign between the systems of a merged output, in no name; "" where none is merged."""
        if not any(one.merged for one in self.items):
            return ""
        names = "".join(system for one in self.items for system in one.outputs)
        more = map(chr, range(0x2295, 0x2800))
        return next((one for one in (*SIGNS, *more) if one not in names), "")

    def tabulate(self, ticket: Ticket, answer: object) -> Rows:
        """Return the rows that an answer makes in the table of its task.

        A merged output goes by the names of all systems that gave it, such as "A+B", and a column
        has the sign between them: readers then count the one answer for each.
        """
        task, checked = self.task(ticket.task), self.read_answer(ticket, answer)
        rows = task.rows(ticket, checked)
        if checked.document is not None and ticket.kind != "control":
            assert isinstance(task, ScaledTask)
            score, (row,) = checked.to_dict()["document"], rows
            names = {"item": self.item(ticket.item).document, "criterion": task.document_criterion}
            without = {name: value for name, value in row.items() if name not in SPAN_COLUMNS}
            rows = (row, {**without, **names, "score": score})
        if not self.separator:
            return rows
        item = self.item(ticket.item)
        names = {one: self.separator.join(item.list_same(one)) for one in ticket.systems}
        named = ({**row, **{c: names[row[c]] for c in NAMED if c in row}} for row in rows)
        return tuple({**row, SEPARATOR: self.separator} for row in named)

    def find_output(self, item: str, name: str) -> str:
        """Return the text that a system, or the systems of a merged output, gave for an item."""
        outputs = self.item(item).outputs
        return outputs[name if name in outputs else name.split(self.separator, maxsplit=1)[0]]

    def feedback(self, ticket: Ticket) -> Training | None:
        """Return what a training ticket teaches; None for other tickets."""
        if ticket.kind != "training":
            return None
        named = (ticket.task, ticket.item)
        return next(one for one in self.training if (one.task, one.item.name) == named)

    def to_dict(self) -> dict[str, Any]:
        """Return it as a campaign file holds it; `make_campaign` takes it back."""
        design = self.design.to_dict()
        # the usual choice is named where it changes something: other campaigns keep their digests
        if self.design.equal_outputs == "merge" and not self.separator:
            del design["equal_outputs"]
        return {
            "name": self.name,
            "title": self.title,
            **({} if self.seed is None else {"seed": write_seed(self.seed)}),
            **({} if self.platform == USUAL else {"platform": self.platform}),
            **self.wording.to_dict(),
            **({"pay": pay} if (pay := self.pay.to_dict()) else {}),
            **({"time": time} if (time := self.time.to_dict()) else {}),
            "design": design,
            "judges": [
                {"name": one.name, **({} if one.quota is None else {"quota": one.quota})}
                for one in self.judges
            ],
            "tasks": [one.to_dict() for one in self.tasks],
            "training": [one.to_dict() for one in self.training],
            "items": [one.to_dict() for one in self.items],
        }

    @cached_property
    def canonical(self) -> bytes:
        """The canonical form: JSON in UTF-8; systems and severities stand in the order given."""
        # The order counts: tickets are dealt by it, and pages show severities in it.
        return json.dumps(
            self.to_dict(), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode()

    @cached_property
    def digest(self) -> str:
        return sha256(self.canonical).hexdigest()


def write_seed(seed: int) -> int | str:
    """Return a seed as files hold it: one of 64 bits or more as hexadecimal digits."""
    # Many programs that read JSON and TOML keep 64 bits of a number.
    return seed if seed < MIN_SECRET_SEED else f"{seed:032x}"


def read_seed(value: object) -> int | None:
    if isinstance(value, str):
        if re.fullmatch(r"[0-9a-f]{32,64}", value) is None:
            raise CampaignError(
                f"seed cannot be {value!r:.80}: it is a whole number from 0, or the 32 to 64"
                " hexadecimal digits of an exported campaign; leave it out and the launch draws one"
            )
        return int(value, 16)
    return value  # type: ignore[return-value]


def refuse_twins(names: list[str], what: str, called: str = "name") -> None:
    if len(set(names)) == len(names):
        return
    twins = [one for one, n in Counter(names).items() if n > 1]
    raise CampaignError(f"two {what} have one {called}: {listing(twins)}")
