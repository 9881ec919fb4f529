"""Where nobody is called careless or reversed: why, what would lift it, and who is suspect.

The mixture abstains with fewer than eight judges, where it is open who is right, or where honest
and careless judges cannot be told apart. Evidence on single judges stands all the same: it is
shown as evidence, and is no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import listing
from evenhand.judges.mixture import FEWEST, NOT_RIGHT, TOO_FEW
from evenhand.judgments.exclusions import write_excluded
from evenhand.judgments.notebook import InNotebooks
from evenhand.numerics.cluster_means import number_groups

# What is said of a judge: the evidence on one card, and all cards of a campaign.
#
# A card is made for every judge; a flag is a card whose judge is among the largest set with a
# controlled share of honest judges (false discovery rate).

# What a judge can be, as a whole: answers follow the others', nothing, or the contrary
CLASSES: Final = ("honest", "careless", "reversed")

# What can be wrong with how an honest judge answers; tested apart from the classes
HABITS: Final = ("position-biased", "drifting", "coarse", "extreme")

OF_CLASSES: Final = 0.8  # Share of the level for careless and reversed judges
# Share of the level for habits: of all flags at most about the sum falls on honest judges
OF_HABITS: Final = 0.2


@dataclass(frozen=True)
class Evidence:
    """One line of a card."""

    name: str  # what was looked at, such as "others' votes", "controls", "repeats", "seconds"
    says: str  # a sentence with the numbers
    # the number that it turns on, in the unit that the sentence names; None where only words
    # serve
    value: float | None = None
    lower: float | None = None  # lower end of its interval, or None
    upper: float | None = None  # upper end
    # what it adds to the log-odds of not being honest, in nats; None where it adds nothing by
    # itself
    log_odds: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return dict(vars(self))


@dataclass(frozen=True)
class Card:
    """What is known of one judge."""

    judge: str  # the name
    n: int  # judgments: comparisons, rankings, or scores, of which an output may have several
    posterior: Mapping[str, float]  # class → probability, over CLASSES
    flags: tuple[str, ...] = ()  # classes and habits that the judge is flagged for; empty for most
    evidence: tuple[Evidence, ...] = ()  # what was seen
    # whether a careless judge with this many judgments would have been found, more likely than
    # not; true of who is flagged as careless or reversed
    testable: bool = True
    # what leaving the judge out changes in the ranking; None where nobody asked
    effect: str | None = None

    @property
    def p_honest(self) -> float:
        """Probability that the judge is honest, given the evidence (local fdr)."""
        return self.posterior["honest"]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "judge": self.judge,
            "n": self.n,
            "flags": list(self.flags),
            "posterior": dict(self.posterior),
            "testable": self.testable,
            "effect": self.effect,
            "evidence": [one.to_dict() for one in self.evidence],
        }


def say_flagged(cards: Sequence[Card], level: float) -> str:
    """Say how many judges are flagged, who and for what: the sentence of every output.

    level: the false discovery rate (proportion). >>> say_flagged([Card("ann", 40, {"honest":
        0.9})], 0.05) 'none of 1 judges is flagged'
    """
    flagged = [f"{card.judge} ({', '.join(card.flags)})" for card in cards if card.flags]
    if not flagged:
        return f"none of {len(cards):,} judges is flagged"
    verb = "is" if len(flagged) == 1 else "are"
    return (
        f"{len(flagged):,} of {len(cards):,} judges {verb} flagged: {listing(flagged)}; of all"
        f" flags at most about {100 * level:g} % fall on honest judges, if the model holds: most"
        " judges honest, and independent of each other"
    )


def say_enough(cards: Sequence[Card]) -> str:
    """Say how many judges gave enough judgments for a careless one to be found out.

    >>> say_enough([Card("ann", 40, {}), Card("ben", 3, {}, testable=False)])
    '1 of 2 judges judged enough to be found out'
    """
    enough = sum(card.testable for card in cards)
    return f"{enough:,} of {len(cards):,} judges judged enough to be found out"


@dataclass(frozen=True, repr=False)
class Screening(InNotebooks):
    """What was found about the judges of one campaign.

    Attributes:
        cards: one for every judge, the most doubtful first.
        level: share of honest judges among the flagged that is allowed (false discovery rate).
        kind: "comparisons", "rankings" or "ratings".
        n_judgments: answers.
        abstains: why nobody is flagged as careless or reversed, where this cannot be decided.
        detectable: the least careless judge that this design could find, in a sentence.
        says: what was found, sentence by sentence.
        notes: what must stand beside it.
        signature: one line that reproduces it.
        parameters: of the mixture, by name: share of honest judges, mean slope, spread.

    """

    TABLE: ClassVar = "cards"

    cards: tuple[Card, ...]
    level: float
    kind: str
    n_judgments: int
    abstains: str | None
    detectable: str
    says: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str
    parameters: Mapping[str, float] = field(default_factory=dict)

    @property
    def flagged(self) -> tuple[Card, ...]:
        """Cards of the flagged judges."""
        return tuple(card for card in self.cards if card.flags)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return {
            "kind": self.kind,
            "judgments": self.n_judgments,
            "judges": len(self.cards),
            "level": self.level,
            "flagged": [card.judge for card in self.flagged],
            "abstains": self.abstains,
            "detectable": self.detectable,
            "parameters": dict(self.parameters),
            "cards": [card.to_dict() for card in self.cards],
            "says": list(self.says),
            "notes": list(self.notes),
            "signature": self.signature,
            "excluded": write_excluded(self.excluded),
        }

    def __repr__(self) -> str:
        return "\n".join(
            [*self.says, self.abstains or self.detectable, *self.notes, self.signature]
        )


# Where flags may be wrong together: flagged judges who are many, or of one mind.
#
# The mixture takes honest judges to be most, and bad ones to be independent of each other. A third
# of the judges or more being flagged, or the flagged agreeing with each other where they saw the
# same outputs, speaks against that: a group of another taste looks reversed or careless, too.

Array = NDArray[np.float64]
Integers = NDArray[np.integer]

MANY: Final = 1 / 3  # Share of flagged judges from which the majority itself is in doubt
SURE: Final = 2.0  # Standard deviations beyond chance from which judges are of one mind
FEWEST_PAIRS: Final = 10


def note_many(cards: Sequence[Card]) -> tuple[str, ...]:
    """Note that a third of the judges or more are flagged as careless or reversed, if they are."""
    flagged = sum(bool(set(card.flags) & set(CLASSES)) for card in cards)
    if flagged < MANY * len(cards):
        return ()
    return (
        f"{flagged:,} of {len(cards):,} judges are flagged as careless or reversed: with so many"
        " it may be the others who are of another taste, or who saw easier outputs",
    )


def note_camps(unit: Integers, judge: Integers, mind: Array) -> tuple[str, ...]:
    """Note that flagged judges agree with each other more than by chance, if they do.

    unit: (n,) what was judged.
    judge: (n,) the flagged judge.
    mind: (n,) the answer, of mean 0 and variance 1 for who answers whatever the outputs are: 1 or
        -1 for who is preferred, or a standardised score. >>> unit, judge = np.repeat(np.arange(20),
        2), np.tile([0, 1], 20) >>> note_camps(unit, judge, np.repeat([1.0, -1.0], 20))[0][:44] 'the
        flagged judges agree with each other (20' >>> note_camps(unit, judge, np.tile([1.0, -1.0],
        20)) ()
    """
    together, pairs = _sum_products(unit, judge, mind)
    if pairs < FEWEST_PAIRS or together < SURE * np.sqrt(pairs):
        return ()
    return (
        f"the flagged judges agree with each other ({pairs:,} pairs of answers to the same outputs,"
        f" correlation {together / pairs:.2f}): a group of another taste, or one misunderstanding,"
        " rather than carelessness",
    )


def _sum_products(unit: Integers, judge: Integers, mind: Array) -> tuple[float, int]:
    """Return the sum of products of two judges' answers to the same, and their number."""
    if not len(unit):
        return 0.0, 0
    cell = number_groups(unit.astype(np.int64), judge.astype(np.int64))
    n = np.bincount(cell)
    mean, place = np.bincount(cell, mind) / n, np.zeros(len(n), np.int64)
    place[cell] = number_groups(unit.astype(np.int64))
    many = np.bincount(place)
    total, square = np.bincount(place, mean), np.bincount(place, mean**2)
    return float((total**2 - square).sum() / 2), int((many * (many - 1)).sum() // 2)


Reason = Literal["judges", "right", "apart"]
SUSPECT: Final = 0.5  # Probability of being honest below which a judge is named
NAMED: Final = 5  # Most judges who are named


def find_reason(abstains: str) -> Reason:
    """Return of which kind a reason is."""
    if TOO_FEW in abstains:
        return "judges"
    return "right" if NOT_RIGHT in abstains else "apart"


def say_shortly(abstains: str) -> str:
    """Return the reason in a few words.

    >>> say_shortly("judges do not follow each other: ..., so that it is open who is right")
    'it is open who is right'
    """
    reason = find_reason(abstains)
    if reason == "right":
        return NOT_RIGHT
    return abstains if reason == "judges" else abstains.partition(":")[0]


def advise(abstains: str, cards: Sequence[Card]) -> str:
    """Say what would lift the reason, and at whose evidence to look."""
    names = [card.judge for card in list_suspects(cards)]
    look = f"look at the evidence of {listing(names, NAMED)}" if names else ""
    reason = find_reason(abstains)
    if reason == "judges":
        more = FEWEST - len(cards)
        first = f"Ask {more} more judge{'s' * (more != 1)}"
    elif reason == "right":
        first = "Ask controls, whose answers are known"
    else:
        first = "Let judges share more outputs, or judge more each"
    return f"{first}; meanwhile {look}." if look else f"{first}."


def list_suspects(cards: Sequence[Card]) -> list[Card]:
    """Return who looks more likely careless or reversed than honest, and is not flagged."""
    return [card for card in cards if not card.flags and card.p_honest < SUSPECT]


def say_evidence(cards: Sequence[Card], abstains: str | None) -> tuple[str, ...]:
    """Say whom the evidence is against, where nothing is decided; nothing where it is."""
    suspects = list_suspects(cards) if abstains is not None else []
    if not suspects:
        return ()
    told = [f"{card.judge} ({_tell(card)})" for card in suspects[:NAMED]]
    verb = "looks" if len(suspects) == 1 else "look"
    rest = len(suspects) - NAMED
    names = f"{', '.join(told)} and {rest:,} more" if rest > 0 else _join(told)
    return (
        f"evidence, and no verdict: {names} {verb} more likely careless or reversed than honest,"
        " and it cannot be decided",
    )


def _join(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _tell(card: Card) -> str:
    """Return the probability, and how the judge answered controls."""
    p = "<0.001" if card.p_honest < 0.0005 else f"{card.p_honest:.3f}"
    says = [one.says.partition(";")[0] for one in card.evidence if one.name == "controls"]
    return "; ".join([f"P(honest) {p}", *says])
