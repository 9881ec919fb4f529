"""Whether verdicts are as divided on what people judged as on the rest."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.ranking.texts import say
from evenhand.render.findings import Finding


@dataclass(frozen=True)
class Sampling:
    """How divided verdicts are, 0 (all alike) to 1 (half each), on pairs of outputs."""

    t: float  # of the difference, within pairs of systems
    judged: float  # mean over the pairs of outputs that people judged
    others: float  # over the others

    @property
    def warns(self) -> Finding:
        """The warning where they differ."""
        differ = (
            f"are {'more' if self.t > 0 else 'less'} divided on the pairs of outputs that people"
            f" judged than on the others: {self.judged:.2f} and {self.others:.2f}, from 0 (all"
            " alike) to 1 (half each)"
        )
        return say("verdicts-not-alike", "warning", t=self.t, differ=differ)
