"""Where nobody is called careless or reversed: why, what would lift it, and who is suspect.

The mixture abstains with fewer than eight judges, where it is open who is right, or where honest
and careless judges cannot be told apart. Evidence on single judges stands all the same: it is
shown as evidence, and is no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from evenhand.errors import listing
from evenhand.screening.card import Card
from evenhand.screening.mixture import FEWEST, NOT_RIGHT, TOO_FEW

Reason = Literal["judges", "right", "apart"]
SUSPECT: Final = 0.5
"""Probability of being honest below which a judge is named."""
NAMED: Final = 5
"""Most judges who are named."""


def find_reason(abstains: str) -> Reason:
    """Return of which kind a reason is.

    Args:
        abstains: why nobody may be called careless or reversed, as the mixture says it.

    >>> find_reason("6 judges are too few to say what is usual: 8 are needed")
    'judges'
    """
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
    """Say what would lift the reason, and at whose evidence to look.

    Args:
        abstains: why nobody may be called careless or reversed.
        cards: of all judges.

    """
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
    """Say whom the evidence is against, where nothing is decided; nothing where it is.

    Args:
        cards: of all judges, the most doubtful first.
        abstains: why nobody is called careless or reversed, or None.

    """
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
