"""The judgments of one task, and what sections ask of them, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from evenhand.errors import (
    NotConverged,
    NotIdentified,
    UnknownFormat,
    UnknownOption,
    require_level,
    require_seed,
)
from evenhand.judges.cards import Screening
from evenhand.judges.expected_agreement import ExpectedAgreement, expect_agreement
from evenhand.judges.preferences import PreferenceAgreement, compare_votes
from evenhand.judges.screening import screen_judges
from evenhand.judgments.coding import SEED
from evenhand.judgments.comparisons import Comparisons
from evenhand.judgments.controls import take_pairs
from evenhand.judgments.counted_once import CountedOnce
from evenhand.judgments.exclusions import Exclusion
from evenhand.judgments.holding import hold_rows
from evenhand.judgments.rankings import Rankings
from evenhand.judgments.ratings import Ratings
from evenhand.judgments.tally import Tally
from evenhand.judgments.votes import Votes
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.ranking.position_bias import PositionBias, find_position_bias
from evenhand.ranking.rank import rank
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.cycles import Cycles, find_cycles
from evenhand.report.rated import Rated, exclude_from
from evenhand.report.rerun import LEVEL, write_command
from evenhand.report.reversal import Reversals

Data = Comparisons | Rankings | Ratings


@dataclass(frozen=True)
class Settings:
    """How a report is made."""

    # what stands behind the verb to read the same judgments, such as ("votes.csv", "--task",
    # "fr-en")
    words: tuple[str, ...] = ("FILE",)
    level: float = LEVEL  # of intervals, rank sets and tests (proportion)
    seed: int = SEED  # of everything random
    # settings of the log-linear model; None for what `rank` takes by itself
    model: BradleyTerry | None = None
    full: bool = False  # whether checks are made that take long
    tasks: int = 1  # of the report; of many each gets less of what takes long

    def __post_init__(self) -> None:
        """Refuse a level or a seed that is none."""
        require_level(self.level)
        require_seed(self.seed)

    def write_command(self, verb: str, *more: str) -> str:
        """Return the command that computes something again.

        >>> Settings(("my votes.csv",)).write_command("rank", "--ties", "discard")
        "evenhand rank 'my votes.csv' --ties discard"
        """
        return write_command(self, verb, more)


@dataclass(frozen=True, eq=False)
class Study:
    """The judgments of one task, and what several sections need."""

    data: Data  # as they were read, controls and all
    settings: Settings = Settings()  # how the report is made
    task: str = ""  # name of the task; "" where there is one

    @cached_property
    def excluded(self) -> tuple[Exclusion, ...]:
        """What was excluded from the ranking of systems."""
        return exclude_from(self.data)

    @cached_property
    def pairs(self) -> Comparisons:
        """Comparisons, rankings expanded and controls left out."""
        if isinstance(self.data, Ratings):
            raise UnknownFormat(f"{self.data.source.name} holds ratings, which compare nothing")
        pairs = take_pairs(self.data)
        held = pairs if pairs.frame is self.data.frame else hold_rows(pairs)
        return CountedOnce.of(held)

    @cached_property
    def comparisons(self) -> Comparisons:
        """Comparisons, rankings expanded; controls and repeats are among them."""
        pairs, data = self.pairs, self.data
        if isinstance(data, Ratings) or (pairs.rankings or pairs).frame is data.frame:
            return pairs  # no controls were left out
        return data.comparisons() if isinstance(data, Rankings) else data

    @cached_property
    def votes(self) -> Votes:
        """Comparisons row by row, rankings expanded; controls and repeats are among them."""
        return self.comparisons.votes()

    @cached_property
    def shared(self) -> PreferenceAgreement:
        """How far judges agree where they compared the same two outputs."""
        return compare_votes(self.votes)

    @property
    def ranking(self) -> Ranking:
        """The ranking that the report is about."""
        if isinstance(self._ranking, Ranking):
            return self._ranking
        raise self._ranking.with_traceback(None)

    @cached_property
    def _ranking(self) -> Ranking | NotIdentified | NotConverged:
        """The same or why there is none, which many sections ask and takes as long to find."""
        asked = self.settings
        try:
            found = rank(self.pairs, model=asked.model, level=asked.level, seed=asked.seed)
        except (NotIdentified, NotConverged) as refusal:
            return refusal
        return found if isinstance(found, Ranking) else next(iter(found.groups.values()))

    @cached_property
    def tally(self) -> Tally:
        """Outcomes of each pair, by which system stood first."""
        return self.pairs.tally()

    @cached_property
    def screening(self) -> Screening:
        """Which judges are to be doubted, with a card for each."""
        return screen_judges(self.votes)

    @property
    def position_bias(self) -> PositionBias:
        """The advantage of being shown first."""
        if isinstance(self._position, PositionBias):
            return self._position
        raise self._position.with_traceback(None)

    @cached_property
    def _position(self) -> PositionBias | NotIdentified | NotConverged | UnknownOption:
        """The same or why there is none, which takes as long to find."""
        try:
            return find_position_bias(self.pairs, level=self.settings.level)
        except (NotIdentified, NotConverged, UnknownOption) as refusal:
            return refusal

    @cached_property
    def cycles(self) -> Cycles:
        """How well worths alone describe preferences, as `evenhand doubt` asks it."""
        settings = self.settings
        order = True if settings.model is not None and settings.model.order_effect else None
        return find_cycles(self.pairs, order_effect=order, level=settings.level, seed=settings.seed)

    @cached_property
    def rated(self) -> Rated:
        """The ratings, and what sections on them share."""
        if not isinstance(self.data, Ratings):
            raise UnknownFormat("comparisons and rankings hold no scores: see the ranking")
        return Rated(self.data, self.settings)

    @cached_property
    def expected(self) -> ExpectedAgreement | None:
        """Agreement of judges beside that of judges who follow the worths; None where unknown."""
        model = self.settings.model or BradleyTerry()
        try:
            fit = BradleyTerry(order_effect=model.order_effect, prior=model.prior).fit(self.tally)
        except (NotIdentified, NotConverged, UnknownOption):
            return None
        settings = self.settings
        return expect_agreement(self.votes, fit.predict, level=settings.level, seed=settings.seed)

    @cached_property
    def reversals(self) -> Reversals:
        """What each kind of doubt would reverse in the ranking."""
        return Reversals(self)

    def write_command(self, verb: str, *more: str) -> str:
        """Return the command that computes something of this task again."""
        task: Sequence[str] = ("--task", self.task) if self.task else ()
        return self.settings.write_command(verb, *task, *more)
