"""The board as it is shown: what is decided, and who leads now."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from evenhand.errors import listing
from evenhand.judgments.notebook import InNotebooks
from evenhand.judgments.signature import write_signature
from evenhand.ranking.anytime.claims import SHARE, Claim
from evenhand.ranking.anytime.confirmation import Confirmation
from evenhand.ranking.anytime.judge_signs import count_needed
from evenhand.ranking.anytime.sides import note_sides
from evenhand.ranking.anytime.standing import Standing, find_groups, list_standings, say_unjoined

if TYPE_CHECKING:
    from evenhand.ranking.anytime.standing import Array
    from evenhand.ranking.anytime.state import BoardState

PANEL: Final = "for this panel of judges and these items, votes being independent"


@dataclass(frozen=True, eq=False, repr=False)
class Board(InNotebooks):
    """What is decided and who leads now.

    Attributes:
        standings: systems, the leading one first; where nobody can lead, group by group.
        decided: what is decided, in the order in which it was.
        held: what the votes decide and the rank sets of these judges do not confirm now.
        held_since: why each of these is held back.
        by_judges: what judges decide, one vote each; None without that column.
        checked: whether rank sets had to confirm.
        n_votes: votes that count.
        n_ties: ties among them.
        n_revised: second answers, which do not count.
        log_numerator: how well the votes were predicted (nats).
        notes: what must stand beside the board.
        signature: what makes it again.
        digest: SHA-256 of the votes in their order.
        groups: names of the systems that votes join, the largest group first; one of all where
            somebody can lead.
        unjoined: which groups no vote joins, in words; "" where votes join all systems.

    """

    TABLE: ClassVar = "systems"

    standings: tuple[Standing, ...]
    decided: tuple[Claim, ...]
    held: tuple[Claim, ...]
    held_since: tuple[str, ...]
    by_judges: tuple[Claim, ...] | None
    checked: bool
    n_votes: int
    n_ties: int
    n_revised: int
    log_numerator: float
    notes: tuple[str, ...]
    signature: str
    digest: str
    groups: tuple[tuple[str, ...], ...] = ()
    unjoined: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        """Names, the leading one first."""
        return tuple(one.system for one in self.standings)

    @property
    def says(self) -> tuple[str, ...]:
        """What is decided, and who leads now."""
        k = len(self.standings)
        pairs = k * (k - 1) // 2
        lines = [f"{len(self.decided)} of {pairs} pairs are decided {PANEL}"]
        lines += self._say_held()
        if self.by_judges is not None:
            lines.append(
                f"{len(self.by_judges)} of {pairs} pairs are decided by judges, one vote each"
            )
        return (*lines, *self._say_leader())

    def _say_held(self) -> list[str]:
        """Say what is held back, by the reason."""
        pairs = [f"{one.better} over {one.worse}" for one in self.held]
        lines = []
        for why in dict.fromkeys(self.held_since):
            own = [two for two, since in zip(pairs, self.held_since, strict=True) if since == why]
            verb = "is" if len(own) == 1 else "are"
            lines.append(
                f"{len(own)} more {verb} decided by votes and held back, since {why}:"
                f" {listing(own, 3)}"
            )
        return lines

    def _say_leader(self) -> list[str]:
        """Say who leads, and whom not for certain."""
        if not self.n_votes:
            return ["nobody leads: there are no votes"]
        if self.unjoined:
            return [f"nobody leads now: {self.unjoined}"]
        ahead = [one.system for one in self.standings if one.place == 1]
        if len(ahead) > 1:
            return [f"nobody leads now: {listing(ahead, 3)} are level"]
        first, *others = self.standings
        below = {one.worse for one in self.decided if one.better == first.system}
        doubtful = [one.system for one in others if one.system not in below]
        if not doubtful:
            return [f"{first.system} is decided to be the best"]
        return [f"{first.system} leads now; not decided against {listing(doubtful, 3)}"]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON takes it."""
        by_judges = None if self.by_judges is None else [asdict(one) for one in self.by_judges]
        return {
            "signature": self.signature,
            "systems": [asdict(one) for one in self.standings],
            "groups": [list(one) for one in self.groups],
            "decided": [asdict(one) for one in self.decided],
            "held": [
                {**asdict(one), "since": why}
                for one, why in zip(self.held, self.held_since, strict=True)
            ],
            "by_judges": by_judges,
            "checked": self.checked,
            "n_votes": self.n_votes,
            "n_ties": self.n_ties,
            "n_revised": self.n_revised,
            "log_numerator": self.log_numerator,
            "digest": self.digest,
            "says": list(self.says),
            "notes": list(self.notes),
        }


def make_board(state: BoardState, worth: Array, confirmed: Confirmation | None) -> Board:
    """Lay out a state.

    Args:
        state: the votes and what they decide.
        worth: (K,) log-worths now.
        confirmed: what rank sets decide now, or None where nobody has to confirm.

    """
    free = Confirmation(frozenset((one.better, one.worse) for one in state.claims))
    sets = free if confirmed is None else confirmed
    told = [(one, sets.explain(one.better, one.worse)) for one in state.claims]
    decided = tuple(one for one, why in told if why is None)
    by_judges = None if state.signs is None else tuple(state.judge_claims)
    groups = find_groups(state)
    return Board(
        standings=list_standings(state, worth, decided, groups),
        decided=decided,
        held=tuple(one for one, why in told if why is not None),
        held_since=tuple(why for _, why in told if why is not None),
        by_judges=by_judges,
        checked=confirmed is not None,
        n_votes=state.seen.counted,
        n_ties=state.seen.ties,
        n_revised=state.seen.revised,
        log_numerator=state.numerator.log_value,
        notes=(*sets.notes, *_note(state, checked=confirmed is not None)),
        signature=_sign(state, confirmed),
        digest=state.seen.digest,
        groups=groups,
        unjoined=say_unjoined(state, groups),
    )


def _note(state: BoardState, *, checked: bool) -> tuple[str, ...]:
    """Return what must stand beside a board."""
    notes = []
    if state.founders is None and state.seen.votes:
        notes.append(
            f"direct votes and judges count once {state.needed:,} votes have named the systems, or"
            " from the start where all are named there (--systems)"
        )
    late = state.systems[state.founders :] if state.founders is not None else []
    if late:
        notes.append(
            f"{listing(late, 3)} came later: direct votes and judges decide only pairs of systems"
            " that were named before; --systems names all at the start"
        )
    if state.seen.revised:
        also = "; the rank sets that must confirm hold them" if checked else ""
        notes.append(
            f"second answers to one question by one judge are not counted: {state.seen.revised:,}"
            f" of {state.seen.votes:,}{also}"
        )
    if state.sides_known:
        notes += note_sides(state.systems, state.shown)
    if state.signs is not None and state.budget.directions:
        needed, closed = count_needed(state.budget.judges), len(state.signs.closed)
        notes.append(
            f"{closed:,} judges have given {state.signs.size} votes; to decide a pair takes at"
            f" least {needed} of one mind"
        )
    return tuple(notes)


def _sign(state: BoardState, confirmed: Confirmation | None) -> str:
    """Return the line that reproduces the board."""
    own, founders = state.settings, state.founders
    alone = founders is not None and founders < 2
    shares = "e-process" if alone else f"e-process {SHARE:g} + direct votes {1 - SHARE:g}"
    judges = [] if own.judge_votes is None else [f"judges by {own.judge_votes} votes"]
    sets = [] if not confirmed or not confirmed.method else [f"confirmed by {confirmed.method}"]
    by = " named by votes" if founders is None or state.numerator.early else ""
    drawn = [] if state.seed is None else [f"rankings by seed {state.seed}"]
    ordered = [f"order {state.order}"] if state.order else []
    level = (
        f"level {own.level:g} systems={len(state.systems) if founders is None else founders}{by}"
    )
    parts = ("watch", own.ties, shares, *judges, level, *ordered, *drawn, *sets)
    return write_signature(parts, float(state.seen.votes), state.seen.digest or "0" * 12)
