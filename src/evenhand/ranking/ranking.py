"""What a ranking holds, and how it prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import InvalidJudgments, UnknownOption, name_near, suggest
from evenhand.judgments.notebook import draw_groups
from evenhand.preference.coefficients import Contrast
from evenhand.preference.fit import Fit
from evenhand.preference.models import Fitted, Posterior
from evenhand.ranking.contract import list_rows, write_contract
from evenhand.ranking.printing import draw_html, draw_text, table_rows
from evenhand.ranking.rank_sets import RankSets
from evenhand.ranking.sentences import say_board, say_system

if TYPE_CHECKING:
    from evenhand.judgments.mixing import Mixed
    from evenhand.ranking.controlled import Controlled

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems best first, with what is known about their places.

    Arrays are in the order of `systems`. Log-worths are natural log-odds, centred
    at zero, or on the mean of the systems that have an interval where some have none.

    Attributes:
        systems: names, best first.
        log_worth: (K,) estimates.
        stderr: (K,) standard errors, ∞ where nothing can be said of a system, or None where K is
            too large for a covariance.
        lower: (K,) lower ends of intervals, −∞ where a system has none, or None.
        upper: (K,) upper ends, ∞ where a system has none, or None.
        rank: (K,) place by estimate; equal estimates share one.
        rank_lower: (K,) best place that decided pairs leave, or None.
        rank_upper: (K,) worst place, or None.
        cluster: (K,) number of the cluster, or None.
        better_than: (K,) systems it is decided to be better than, or None.
        wins: (K,) comparisons won; likewise `ties`, `losses`.
        ties: see wins.
        losses: see wins.
        level: nominal level of intervals (proportion).
        interval: rank-sets, model, sandwich or bootstrap; of other models also posterior.
        method: how intervals were made, in a few words.
        rank_interval: "simultaneous": all ranges hold at once; "marginal": each by itself.
        n_judgments: answers, a ranking being one.
        n_comparisons: pairs.
        n_judges: judges, or None where they are not known.
        effective_judges: (Σ n)² / Σ n², or None.
        n_items: items, or None.
        signature: one line that reproduces the numbers.
        headline: what must be known first, such as "about these 3 judges only".
        notes: what else should be known.
        neighbours: contrasts of neighbouring systems where K is too large for intervals.
        fit: the fit behind it.
        model: the model's name in the registry.
        df: degrees of freedom of the intervals; infinite for the normal.
        pair_stderr: (K, K) standard errors of differences between systems, or None.
        ability: (K,) what the order and all intervals are of, centred, where that is not the
            log-worth: the abilities of item response models; else None.
        mix: the stated mix of judgments, with its effective number; or None.
        controlled: what controls do and change, or None without them.
        rank_sets: what simultaneous ranges rest on, in the order of the board; else None.
        one_sided: whether sides were so far from lot that a preference for one may carry a claim.
        answers: what was counted as `n_judgments`: "judgments", or "rankings" of several outputs.

    """

    systems: tuple[str, ...]
    log_worth: Array
    stderr: Array | None
    lower: Array | None
    upper: Array | None
    rank: Integers
    rank_lower: Integers | None
    rank_upper: Integers | None
    cluster: Integers | None
    better_than: Integers | None
    wins: Array
    ties: Array
    losses: Array
    level: float
    interval: str
    method: str
    rank_interval: str
    n_judgments: float
    n_comparisons: float
    n_judges: int | None
    effective_judges: float | None
    n_items: int | None
    signature: str
    headline: str | None
    notes: tuple[str, ...]
    neighbours: tuple[Contrast, ...]
    fit: Fit | Fitted
    controlled: Controlled | None = None
    model: str = "bradley-terry"
    df: float = np.inf
    pair_stderr: Array | None = None
    ability: Array | None = None
    mix: Mixed | None = None
    rank_sets: RankSets | None = None
    one_sided: bool = False
    answers: str = "judgments"

    @property
    def estimate(self) -> Array:
        """(K,) what systems are ordered by: abilities where there are some, else log-worths."""
        return self.log_worth if self.ability is None else self.ability

    @property
    def of_worths(self) -> bool:
        """Whether the model has worths, whose ratios are the odds of two systems."""
        fit = self.fit
        if isinstance(fit, Fit):
            return True
        return not isinstance(fit, Posterior) and fit.worth_vcov is not None

    @property
    def scale(self) -> str:
        """What `estimate` is, such as "log-worth"."""
        return "log-worth" if self.ability is None else "ability"

    @property
    def bounded(self) -> NDArray[np.bool_]:
        """(K,) whether each system has an interval."""
        if self.lower is None or self.upper is None:
            return np.zeros(len(self.systems), dtype=np.bool_)
        return np.asarray(np.isfinite(self.lower) & np.isfinite(self.upper))

    @property
    def barred_pairs(self) -> Integers | None:
        """(K,) pairs of each system that stay open whatever they show; None without rank sets."""
        return None if self.rank_sets is None else self.rank_sets.count_barred()

    def worths(self) -> Array:
        """Return (K,) worths π, which sum to one."""
        shares = np.exp(self.log_worth - self.log_worth.max())
        return np.asarray(shares / shares.sum())

    def elo(self) -> Array:
        """Return (K,) log-worths on the Elo scale: 1000 on average, 400 for odds of 10 to 1."""
        return np.asarray(1000 + self.log_worth * 400 / np.log(10))

    @property
    def says(self) -> str:
        """The result in a sentence that can be quoted."""
        return say_board(self)

    def says_of(self, system: str) -> str:
        """Say where one system stands.

        Raises:
            InvalidJudgments: no such system.

        """
        return say_system(self, self._place(system))

    def may_be_in_top(self, k: int) -> tuple[str, ...]:
        """Return the systems that may be among the best k; all others are decided not to be.

        Raises:
            UnknownOption: there is no such k, or the ranges do not hold all at once.

        """
        if self.rank_sets is None:
            raise UnknownOption(
                f"who may be in the top {k} is a claim about all systems at once: rank with"
                " interval 'rank-sets'"
            )
        return tuple(self.systems[place] for place in self.rank_sets.find_top(k))

    def _place(self, system: str) -> int:
        if system not in self.systems:
            raise InvalidJudgments(f"no system '{system}'.{name_near(system, self.systems)}")
        return self.systems.index(system)

    def row(self, system: str) -> Mapping[str, Any]:
        """Return what is known of one system, as in the JSON contract.

        Raises:
            InvalidJudgments: no such system.

        """
        return self.rows()[self._place(system)]

    def rows(self) -> list[dict[str, Any]]:
        """Return one mapping per system, best first, with plain numbers."""
        return list_rows(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of `evenhand rank --json`."""
        return write_contract(self)

    def table(self) -> list[tuple[str, ...]]:
        """Return the table as text, titles first; of very many systems the best 100."""
        return table_rows(self)

    def __str__(self) -> str:
        return draw_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return draw_html(self)


@dataclass(frozen=True, eq=False, repr=False)
class GroupedRankings:
    """One ranking per task or other group, from one pass over the data.

    Attributes:
        groups: name → ranking.
        by: the column that tells the groups apart.
        refused: name → why, for groups that cannot be ranked.

    """

    groups: Mapping[str, Ranking]
    by: str
    refused: Mapping[str, str]

    def __getitem__(self, name: str) -> Ranking:
        if name not in self.groups:
            raise InvalidJudgments(f"no {self.by} '{name}'.{suggest(name, self.groups)}")
        return self.groups[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.groups)

    def __len__(self) -> int:
        return len(self.groups)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract of a grouped ranking."""
        return {
            "groups": {name: ranking.to_dict() for name, ranking in self.groups.items()},
            "refused": dict(self.refused),
        }

    def __str__(self) -> str:
        parts = [f"{self.by} {name}\n{ranking}" for name, ranking in self.groups.items()]
        parts += [f"{self.by} {name}\nnot ranked: {why}" for name, why in self.refused.items()]
        return "\n\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        shown = {name: draw_html(ranking) for name, ranking in self.groups.items()}
        refused = {name: f"not ranked: {why}" for name, why in self.refused.items()}
        return draw_groups(self.by, shown, refused)
