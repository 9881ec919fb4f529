"""A check of a design as text, JSON, CSV and LaTeX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import evenhand
from evenhand.cli.terminal import label, plural, wrap
from evenhand.cli.words import say_outputs, sign
from evenhand.design.assignment import Assignment
from evenhand.design.feasibility import SEED_IS_NAMED, find_doubts
from evenhand.design.guarantees import DesignCheck
from evenhand.design.promises import Guarantee
from evenhand.report.tables.latex import escape, tabular

MARKS = {True: "kept", False: "BROKEN", None: "counted"}
OPEN = "not yet"  # The mark of a promise of which it cannot be said yet whether it is kept


@dataclass(frozen=True, eq=False)
class CheckResult:
    """What `evenhand plan check` found."""

    assignment: Assignment  # the tickets
    check: DesignCheck  # what was counted on them
    collected: str = ""  # where answers were read from; "" where the design was counted
    seed_is_named: bool = False  # whether the campaign file names the seed

    def text(self, columns: int) -> str:
        """Return it for people."""
        campaign = self.assignment.campaign
        lines = [
            label("read", self._say_campaign(), columns),
            label("", f"systems: {say_outputs(campaign.outputs)}", columns),
            label("", self._say_tasks(), columns),
            *([label("", self._say_rehearsal(), columns)] if campaign.seed is None else []),
            *([label("", self._say_answers(), columns)] if self.collected else []),
            "",
            *(line for one in self.check.guarantees for line in _draw(one, columns)),
            "",
            *(label("warns", one, columns) for one in self.doubts),
            label("says", self.says, columns),
            sign(self.signature, columns),
        ]
        return "\n".join(lines) + "\n"

    @property
    def says(self) -> str:
        """What it comes to, in a sentence."""
        broken, kept, later = self.check.broken, self.check.kept, self.check.later
        if broken:
            return f"{plural(len(broken), 'promise is', 'promises are')} not kept"
        if not self.check.tickets:
            return "nothing is answered yet: nothing can be said of what was promised"
        told = f"{plural(len(kept), 'promise is', 'promises are')} kept"
        if not self.collected:
            return f"{told}: the campaign can be launched"
        if not later:
            return f"{told} by what was collected"
        return f"{told} so far; of {len(later):,} it can be said when all is answered"

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is allowed and yet odd."""
        doubts = find_doubts(self.assignment.campaign)
        return (*doubts, SEED_IS_NAMED) if self.seed_is_named else doubts

    @property
    def signature(self) -> str:
        """What makes it come out the same again."""
        campaign = self.assignment.campaign
        return (
            f"evenhand {evenhand.__version__} | campaign {campaign.digest[:12]} | design"
            f" {self.check.digest[:12]} | seed={self._say_seed()}"
        )

    def _say_seed(self) -> str:
        """Return the seed, unless it is secret; signatures are shown to others."""
        campaign = self.assignment.campaign
        return "secret" if campaign.has_secret_seed else str(campaign.drawing_seed)

    def _say_campaign(self) -> str:
        campaign = self.assignment.campaign
        beside = (
            plural(len(campaign.items), "item"),
            plural(len(campaign.systems), "system"),
            plural(len(campaign.judges), "judge"),
            f"{plural(len(self.assignment), 'ticket')}",
        )
        return f"campaign {campaign.name}: {', '.join(beside)}"

    def _say_answers(self) -> str:
        return f"{plural(self.check.tickets, 'answer')} in {self.collected}"

    def _say_rehearsal(self) -> str:
        seed = self.assignment.campaign.drawing_seed
        return f"rehearsal: dealt with seed {seed}; the launch draws a secret seed of its own"

    def _say_tasks(self) -> str:
        tasks = self.assignment.campaign.tasks
        return "passes: " + ", then ".join(f"{one.name} ({one.kind})" for one in tasks)

    def contract(self) -> dict[str, Any]:
        """Return the JSON."""
        campaign = self.assignment.campaign
        found = {
            "campaign": campaign.name,
            "campaign_digest": campaign.digest,
            "seed": None if campaign.has_secret_seed else campaign.drawing_seed,
            "rehearsal": campaign.seed is None,
            "items": len(campaign.items),
            "systems": list(campaign.systems),
            "outputs": dict(campaign.outputs),
            "tasks": [one.name for one in campaign.tasks],
        }
        if self.collected:
            found["collected"] = self.collected
        found["warns"] = list(self.doubts)
        return {**found, **self.check.to_dict(), "says": [self.says], "signature": self.signature}

    def records(self) -> list[dict[str, Any]]:
        """Return a row for each guarantee."""
        return [dict(vars(one)) for one in self.check.guarantees]

    def latex(self) -> str:
        """Return the guarantees as a table for a paper."""
        rows = [
            (escape(one.name), escape(one.promised or "---"), escape(one.found))
            for one in self.check.guarantees
        ]
        return tabular("lp{6cm}p{6cm}", ("", "promised", "found"), [rows], [self.signature])

    def remarks(self) -> list[str]:
        """Return what must stand beside the rows."""
        return [*self.doubts, self.says, self.signature]


def _draw(one: Guarantee, columns: int) -> list[str]:
    """Return the lines of a guarantee: promised, and below it what was found."""
    mark = OPEN if one.holds is None and one.promised else MARKS[one.holds]
    head = f" {mark:8}{one.name}"
    told = [one.promised, f"found: {one.found}"] if one.promised else [one.found]
    return [head, *(f"{'':9}{line}" for text in told for line in wrap(text, columns - 9))]
