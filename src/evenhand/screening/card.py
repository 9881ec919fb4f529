"""What is said of a judge: the evidence on one card, and all cards of a campaign.

A card is made for every judge; a flag is a card whose judge is among the largest set with a
controlled share of honest judges (false discovery rate).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from evenhand.judgments.notebook import InNotebooks

CLASSES: Final = ("honest", "careless", "reversed")
"""What a judge can be, as a whole: answers follow the others', nothing, or the contrary."""

HABITS: Final = ("position-biased", "drifting", "coarse", "extreme")
"""What can be wrong with how an honest judge answers; tested apart from the classes."""

OF_CLASSES: Final = 0.8
"""Share of the level for careless and reversed judges."""
OF_HABITS: Final = 0.2
"""Share of the level for habits: of all flags at most about the sum falls on honest judges."""


@dataclass(frozen=True)
class Evidence:
    """One line of a card.

    Attributes:
        name: what was looked at, such as "others' votes", "controls", "repeats", "seconds".
        says: a sentence with the numbers.
        value: the number that it turns on, in the unit that the sentence names; None where only
            words serve.
        lower: lower end of its interval, or None.
        upper: upper end.
        log_odds: what it adds to the log-odds of not being honest, in nats; None where it adds
            nothing by itself.

    """

    name: str
    says: str
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    log_odds: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON holds it."""
        return dict(vars(self))


@dataclass(frozen=True)
class Card:
    """What is known of one judge.

    Attributes:
        judge: the name.
        n: judgments: comparisons, rankings, or scores, of which an output may have several.
        posterior: class → probability, over CLASSES.
        flags: classes and habits that the judge is flagged for; empty for most.
        evidence: what was seen.
        testable: whether a careless judge with this many judgments would have been found, more
            likely than not; true of who is flagged as careless or reversed.
        effect: what leaving the judge out changes in the ranking; None where nobody asked.

    """

    judge: str
    n: int
    posterior: Mapping[str, float]
    flags: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    testable: bool = True
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
        }

    def __repr__(self) -> str:
        return "\n".join(
            [*self.says, self.abstains or self.detectable, *self.notes, self.signature]
        )
