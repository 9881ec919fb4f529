"""The deliberate exceptions of Evenhand; those of the store and the server derive from these.

    EvenhandError
    ├── InvalidJudgments   (ValueError)       a value in the data cannot be what it claims to be
    ├── UnknownColumn      (ValueError)       a column that was asked for is not there
    ├── UnknownFormat      (ValueError)       a file that no importer understands, or a damaged one
    │   └── MissingFile    (FileNotFoundError)  a file that is not there
    ├── UnknownOption      (ValueError)       a setting that does not exist or fit the others
    ├── NotIdentified      (ValueError)       the data do not determine what was asked
    ├── NotConverged       (ArithmeticError)  an iteration stopped before its criterion was met
    └── CampaignError      (RuntimeError)     a campaign cannot do what was asked

Each is also the standard exception in brackets, so that callers who know nothing of Evenhand can
catch them. A message says what is wrong, where, and what to do, in the user's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from shlex import quote
from types import MappingProxyType
from typing import Final, Self

# What to do about rows that cannot be read
SKIP: Final = "exclude such rows, counted and listed: --skip-bad-rows, in Python skip_bad_rows=True"


class EvenhandError(Exception):
    """The root of the tree: whatever Evenhand refuses on purpose."""


class InvalidJudgments(EvenhandError, ValueError):
    """A value in the data cannot be what it claims to be."""


class MissingOutcomes(InvalidJudgments):
    """Comparisons without an outcome are still among those that are counted."""


class PaddedLabels(InvalidJudgments):
    """Labels with blanks around them are still among those that are counted."""


class UnknownName(InvalidJudgments):
    """A judge or system that was named is not there."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name


class UnknownColumn(EvenhandError, ValueError):
    """A column that was asked for is not there."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name  # the column, where it was named for a role


class UnknownFormat(EvenhandError, ValueError):
    """A file that no importer understands, or that is damaged."""


class MissingFile(UnknownFormat, FileNotFoundError):
    """A file that is not there."""


class NoRows(InvalidJudgments, UnknownFormat):
    """A file holds nothing, or a header alone."""


class UnknownOption(EvenhandError, ValueError):
    """A setting that does not exist, or does not fit the others."""


PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")  # Of a message that is translated


def fill_message(source: str, values: Mapping[str, object]) -> str:
    """Put values in place of their names, and do nothing else with what stands in braces."""
    return PLACEHOLDER.sub(lambda name: str(values.get(name[1], name[0])), source)


class Message(str):
    """A sentence for a judge, in English, with what a translation is filled with.

    >>> Message("{n} of {of}", {"n": 2, "of": 7})
    '2 of 7'
    """

    __slots__ = ("source", "values")

    source: str
    values: Mapping[str, object]

    def __new__(cls, source: str, values: Mapping[str, object] = MappingProxyType({})) -> Self:
        """Fill the sentence."""
        message = super().__new__(cls, fill_message(source, values))
        message.source, message.values = source, values
        return message


class LeaveOut(str):
    """A remedy of an `ActionableError`: to leave out the systems that it names in `leave`."""

    __slots__ = ()


class ActionableError(EvenhandError):
    """A refusal that knows what may be done about it."""

    def __init__(
        self, cause: str, remedies: Sequence[str] = (), leave: Sequence[str] = (), about: str = ""
    ) -> None:
        """Join what cannot be had, if it is said, the cause and the remedies to the message."""
        self.cause: str = cause
        self.about: str = about
        fault = f"{about}: {cause}" if about else cause
        self.fault: str = fault
        self.remedies: tuple[str, ...] = tuple(remedies)
        self.leave: tuple[str, ...] = tuple(leave)
        *others, last = self.remedies or ("",)
        advice = f"{', '.join(others)}, or {last}" if others else last
        super().__init__(f"{fault}; {advice}" if advice else fault)

    def without_options(self, *names: str) -> Self:
        """Return the refusal for who has no options of the model, such as --prior, to set."""
        missing = names or ("--",)
        remedies = [one for one in self.remedies if not any(name in one for name in missing)]
        return type(self)(self.cause, remedies, self.leave, self.about)


class RefusalText(str):
    """A refusal in words, where it stands in place of a result."""

    __slots__ = ("refusal",)

    refusal: ActionableError

    def __new__(cls, refusal: ActionableError) -> Self:
        """Take the words of a refusal."""
        text = super().__new__(cls, refusal)
        text.refusal = refusal
        return text


class NotIdentified(ActionableError, ValueError):
    """The data do not determine the quantity that was asked for."""

    @classmethod
    def of_groups(cls, refused: Mapping[str, RefusalText], by: str) -> Self:
        """Join what is refused of every group: the same fault and the same remedy once each."""
        groups: dict[str, list[str]] = {}
        for name, why in refused.items():
            groups.setdefault(why.refusal.fault, []).append(name)
        refusals = [why.refusal for why in refused.values()]
        return cls(
            "; ".join(f"{by} {listing(names)}: {fault}" for fault, names in groups.items()),
            [*dict.fromkeys(remedy for one in refusals for remedy in one.remedies)],
            [*dict.fromkeys(name for one in refusals for name in one.leave)],
        )


class NotConverged(ActionableError, ArithmeticError):
    """An iteration stopped before its criterion was met."""


class CampaignError(EvenhandError, RuntimeError):
    """A campaign cannot do what was asked of it."""


class Outcome:
    """Whatever is raised within it, for a thread that goes on and tells those who wait."""

    fault: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, fault: BaseException | None, _trace: object) -> bool:
        self.fault = fault
        return True


def suggest(word: str, options: Iterable[str]) -> str:
    """Return a hint for a misspelt word, or an empty string.

    >>> suggest("winer", ["winner", "judge"])
    " Did you mean 'winner'?"
    >>> suggest("zzz", ["winner"])
    ''
    >>> suggest("Sys 2", ["Sys 1", "Sys 2 (new)"])
    " Did you mean 'Sys 2 (new)'?"
    """
    from difflib import get_close_matches

    choices = list(options)
    folded, word = {choice.casefold(): choice for choice in choices}, str(word).casefold()
    begun = [choice for choice in folded if word[2:] and choice.startswith(word)]
    near = begun if len(begun) == 1 else get_close_matches(word, folded, n=1, cutoff=0.6)
    return f" Did you mean '{folded[near[0]]}'?" if near else ""


def suggest_or_list(word: str, options: Sequence[str]) -> str:
    """Return a hint for a name that is none: the nearest one, or what there is.

    >>> suggest_or_list("winer", ["winner", "judge"]), suggest_or_list("zzz", ["winner", "judge"])
    (" Did you mean 'winner'?", ' There are winner, judge')
    """
    there = f" There {'is' if len(options) == 1 else 'are'} {listing(options)}" if options else ""
    return suggest(word, options) or there


def sentence_hint(hint: str) -> str:
    """Put a full stop before a hint; a refusal without one ends without.

    >>> sentence_hint(suggest("winer", ["winner"])), sentence_hint("")
    (". Did you mean 'winner'?", '')
    """
    return f".{hint}" if hint else ""


def quote_word(text: str) -> str:
    r"""Return a text as one word of a shell, in double quotes where these will do.

    >>> print(quote_word('''"left" <> 'oracle' '''.strip()))
    "\"left\" <> 'oracle'"
    >>> print(quote_word("price <> '$1'"))
    'price <> '"'"'$1'"'"''
    """
    if any(mark in text for mark in "$`\\!"):
        return quote(text)
    return '"' + text.replace('"', '\\"') + '"'


def write_word(text: str) -> str:
    """Return a text as one word of a shell, as it is where that will do.

    >>> print(write_word("left=a"), write_word("left=Sys A"))
    left=a "left=Sys A"
    """
    return text if quote(text) == text else quote_word(text)


def write_without(role: str, names: Sequence[str]) -> str:
    """Return the options that exclude judges or systems by name; a name may hold a comma.

    >>> print(write_without("judge", ["ann", "bob"]), write_without("system", ["a, b"]))
    --without judge=ann,judge=bob --without "system=a, b"
    """
    return write_names("--without", [f"{role}={name}" for name in names])


def write_names(option: str, names: Sequence[str]) -> str:
    """Return an option with several names, once for each where a name holds a comma.

    >>> print(write_names("--lower", ["TER", "my loss"]), write_names("--lower", ["a, b"]))
    --lower "TER,my loss" --lower "a, b"
    """
    words = [*names] if any("," in name for name in names) else [",".join(names)]
    return " ".join(f"{option} {write_word(word)}" for word in words)


def listing(names: Sequence[str], limit: int = 8) -> str:
    """Join names for a message; a long list is cut and says by how much.

    >>> listing(["A", "B", "C"], limit=2)
    'A, B and 1 more'
    """
    if len(names) <= limit:
        return ", ".join(names)
    return f"{', '.join(names[:limit])} and {len(names) - limit:,} more"


def require_level(level: float, usual: str = ".95") -> None:
    """Refuse a level that is not a number between 0 and 1."""
    if not isinstance(level, Real):
        message = f"level cannot be {level!r}"
        raise UnknownOption(f"{message}: it is a number between 0 and 1, as {usual}")
    if not 0 < level < 1:
        raise UnknownOption(f"level cannot be {level}: it lies between 0 and 1, as {usual}")


def require_seed(seed: int) -> None:
    """Refuse a seed that is no whole number from 0: with None nobody could draw the same again."""
    if not isinstance(seed, Integral) or seed < 0:
        raise UnknownOption(f"seed cannot be {seed!r}: it is a whole number from 0")


def require_option(name: str, value: str, options: Sequence[str]) -> None:
    """Refuse a setting that is not one of its options."""
    if value not in options:
        hint = sentence_hint(suggest(value, options))
        raise UnknownOption(f"{name} cannot be '{value}': choose {' | '.join(options)}{hint}")
