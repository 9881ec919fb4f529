"""The settings of a board that may be looked at as often as one likes.

settings --start--> state --observe--> state --look--> board
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Final, Literal, get_args

from evenhand.errors import InvalidJudgments, UnknownOption, listing, require_option
from evenhand.judgments.names import take_names

if TYPE_CHECKING:
    from evenhand.ranking.anytime.state import BoardState

Ties = Literal["davidson", "discard"]
TIES: Final = get_args(Ties)
LEAST_SURE: Final = 0.5
"""A lower level would let most boards decide something false."""


@dataclass(frozen=True)
class LiveBoard:
    """Settings of a board.

    Attributes:
        ties: "davidson", ties are an outcome of their own; or "discard", they are counted and say
            nothing.
        level: share of boards on which nothing that is ever decided is false (proportion).
        judge_votes: the first so many votes of each judge make one vote of that judge on each
            pair, for the column that is safe from judges with tastes; None for no such column.

    >>> LiveBoard().start(["a", "b"]).look().decided
    ()
    """

    ties: Ties = "davidson"
    level: float = 0.95
    judge_votes: int | None = None

    def __post_init__(self) -> None:
        """Refuse settings with which nothing could be decided for good.

        Raises:
            UnknownOption: says which, and what may be.

        """
        if str(self.ties) == "half-win":
            raise UnknownOption(
                "ties as half a win give no probability of a vote, without which nothing stays"
                " decided: choose davidson (ties are an outcome) or discard"
            )
        require_option("ties", self.ties, TIES)
        if not isinstance(self.level, Real) or not LEAST_SURE <= self.level < 1:
            raise UnknownOption(
                f"level cannot be {self.level}: it is a share of boards on which nothing false is"
                f" decided, at least {LEAST_SURE:g} and below 1, as .95"
            )
        if self.judge_votes is not None and self.judge_votes < 1:
            raise UnknownOption(
                f"judge_votes cannot be {self.judge_votes}: a judge's batch holds 1 vote or more"
            )

    @property
    def alpha(self) -> float:
        """The chance that is allowed of anything false being decided, ever."""
        return 1 - self.level

    @property
    def says(self) -> str:
        """The settings in words."""
        column = "no column for judges"
        if self.judge_votes is not None:
            column = f"judges by {self.judge_votes} votes"
        return f"ties {self.ties}, level {self.level:g}, {column}"

    def start(self, systems: Sequence[str] = ()) -> BoardState:
        """Begin a board.

        Args:
            systems: those that are known to take part. Others may come later; only pairs of these
                can be decided by their direct votes, and by judges. Where none are named, the
                first 60 votes name them, or as many as the square of the systems if that is more;
                direct votes and judges count from then on.

        Raises:
            InvalidJudgments: a system without a name, or twice.

        """
        from evenhand.ranking.anytime.state import BoardState

        systems = take_names(systems)
        if "" in systems or len(set(systems)) < len(systems):
            raise InvalidJudgments(
                "systems of a board have names, each its own, and these have not:"
                f" {listing(systems)}"
            )
        return BoardState(self, systems)
