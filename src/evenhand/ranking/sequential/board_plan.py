"""The plan of a board: what is fixed before its first vote, and who may withdraw.

What a board decides holds at all looks and whenever it ends, so that a plan states no looks and no
end. It fixes what could else be chosen by who sees votes: the systems, the level, how votes are
ordered and counted, and which systems may be taken from the board again. Systems that are variants
of one owner stand on it one by one: all pairs are decided at one level, so that what is decided of
the best of them needs no correction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from evenhand.data.exclusions import Exclusion
from evenhand.errors import InvalidJudgments, UnknownOption, listing
from evenhand.ranking.plans import Kinds, join_plan, list_chosen, read_plan, require_digest
from evenhand.ranking.sequential.leaderboard import LiveLeaderboard, SequentialState
from evenhand.ranking.texts import say_of_boards as say
from evenhand.render.findings import Finding

OF_BOARDS: Final = ("ties", "level", "judge_votes")  # fields of `LiveLeaderboard`
KINDS: Final[Kinds] = {
    "systems": (list,),
    "level": (int, float),
    "ties": (str,),
    "order": (str,),
    "judge_votes": (int,),
    "seed": (int,),
    "may_withdraw": (list,),
    "variants": (dict,),
}


@dataclass(frozen=True)
class BoardPlan:
    """What a file states of a board before its first vote."""

    systems: tuple[str, ...]
    settings: LiveLeaderboard
    order: str | None = None
    seed: int | None = None
    may_withdraw: tuple[str, ...] = ()  # systems that may be taken from the board later
    variants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # owner → systems
    sha256: str = ""

    def start(self, state: SequentialState | None) -> SequentialState:
        """Begin a board, or go on with one that began by this plan."""
        if state is None:
            state = self.settings.start(sorted(self.systems))
            state.plan_sha256 = self.sha256
        elif state.plan_sha256 != self.sha256:
            other = (
                f"with another plan, {state.plan_sha256}" if state.plan_sha256 else "without one"
            )
            raise InvalidJudgments(
                f"the plan has SHA-256 {self.sha256}, and this board was begun {other}: begin a"
                " new board"
            )
        return state

    def withdraw(self, state: SequentialState, names: Sequence[str]) -> None:
        """Take systems from a board; their votes go on counting in what is decided of others."""
        barred = [name for name in names if name not in self.may_withdraw]
        if barred:
            allowed = listing(self.may_withdraw, len(self.may_withdraw)) or "no system"
            raise InvalidJudgments(
                f"{listing(barred)} may not be withdrawn: the plan allows {allowed} to be withdrawn"
            )
        withdrawn = {*state.withdrawn, *names}
        if len({*self.systems} - withdrawn) < 2:
            raise InvalidJudgments(
                f"without {listing(sorted(withdrawn))} fewer than two systems are on the board:"
                " withdraw fewer"
            )
        state.withdrawn = tuple(sorted(withdrawn))

    def require_whole(self, excluded: Sequence[Exclusion]) -> None:
        """Refuse votes from which systems of the plan were excluded."""
        gone = [one for each in excluded for one in each.system_names if one in self.systems]
        if gone:
            way = "keep all votes"
            if {*gone} <= {*self.may_withdraw}:
                way += f"; --withdrawn {','.join(gone)} takes {_them(gone)} off the board"
            raise InvalidJudgments(
                f"votes on {listing(gone)} were excluded, and the plan names {_them(gone)}: {way}"
            )

    def describe(
        self, state: SequentialState, excluded: Sequence[Exclusion] = ()
    ) -> tuple[Finding, ...]:
        """Say what was planned, and what differs from it."""
        voted = {state.systems[code] for pair in state.shown for code in pair}
        silent = [name for name in self.systems if name not in {*voted, *state.withdrawn}]
        notes = [say("planned", digest=self.sha256)]
        if chosen := list_chosen(excluded):
            notes.append(say("unplanned-rows", "warning", what=chosen))
        later = [name for name in state.systems if name not in self.systems]
        if later:
            notes.append(say("unplanned-systems", names=later))
        for code, names in (("withdrawn", state.withdrawn), ("no-votes-yet", silent)):
            if names:
                notes.append(say(code, names=names))
        notes += [
            say("variants", owner=owner, names=names) for owner, names in self.variants.items()
        ]
        return tuple(notes)


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


def read_board_plan(path: str | Path, published: str | None, given: Mapping[str, Any]) -> BoardPlan:
    """Read the plan of a board.

    Args:
        path: a TOML file.
        published: the SHA-256 of the plan as it was published; another is refused.
        given: settings that were given beside the plan, which must be the same.

    Raises:
        MissingFile: there is no such file.
        UnknownFormat: it is no TOML.
        UnknownOption: it states what a board does not know, or something else was given.
        InvalidJudgments: it was changed since it was published.

    """
    stated, digest = read_plan(path, "board", KINDS)
    require_digest(path, digest, published)
    asked = {
        name: value for name, value in given.items() if name in stated or not is_usual(name, value)
    }
    if asked.get("systems") is not None and isinstance(stated.get("systems"), list):
        named = sorted(asked["systems"]) == sorted(map(str, stated["systems"]))
        asked["systems"] = stated["systems"] if named else [*asked["systems"]]
    stated = join_plan(asked, stated)
    systems = _take_systems(stated.get("systems", []), path, "systems")
    if len(systems) < 2:
        raise UnknownOption(f'\'{path}\': a plan names the systems: systems = ["A", "B"]')
    variants = {
        owner: _take_systems(names, path, f"variants.{owner}", among=systems)
        for owner, names in stated.get("variants", {}).items()
    }
    owned = Counter(name for names in variants.values() for name in names)
    several = [name for name, owners in owned.items() if owners > 1]
    if several:
        raise UnknownOption(f"'{path}': {listing(several)} cannot have two owners in variants")
    return BoardPlan(
        systems,
        LiveLeaderboard(**{name: stated[name] for name in OF_BOARDS if name in stated}),
        stated.get("order"),
        stated.get("seed"),
        _take_systems(stated.get("may_withdraw", []), path, "may_withdraw", among=systems),
        variants,
        digest,
    )


def is_usual(name: str, value: object) -> bool:
    """Say whether a setting of a board is the usual one, which nobody need have given."""
    return name in OF_BOARDS and value == getattr(LiveLeaderboard(), name)


def _take_systems(
    names: object, path: str | Path, key: str, among: Sequence[str] | None = None
) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(isinstance(one, str) and one for one in names):
        raise UnknownOption(f"'{path}': {key} cannot be {names!r}: it is a list of names")
    unknown = [] if among is None else [one for one in names if one not in among]
    if unknown:
        raise UnknownOption(f"'{path}': {key} names {listing(unknown)}, which systems does not")
    if len({*names}) < len(names):
        raise UnknownOption(f"'{path}': {key} names a system twice: once will do")
    return tuple(names)
