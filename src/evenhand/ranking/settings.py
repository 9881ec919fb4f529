"""What is asked of a ranking; what cannot be asked is refused before anything is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from evenhand.errors import UnknownOption, require_option
from evenhand.preference.bradley_terry import BradleyTerry

INTERVALS: Final = ("sandwich", "model", "bootstrap")
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Settings:
    """What was asked of `rank`.

    Attributes:
        model: the preference model.
        interval: sandwich, model or bootstrap.
        cluster: the clustering that was asked for, or None for what the data have.
        level: nominal level of intervals (proportion).
        seed: of everything random.
        progress: called with steps done and to do.

    """

    model: BradleyTerry
    interval: str
    cluster: str | None
    level: float
    seed: int
    progress: Progress | None

    def __post_init__(self) -> None:
        """Refuse what does not exist or does not fit.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        if self.interval == "rank-sets":
            raise UnknownOption(
                "interval 'rank-sets' is not there yet: choose sandwich | model | bootstrap"
            )
        require_option("interval", self.interval, INTERVALS)
        if self.interval == "model" and self.cluster is not None:
            raise UnknownOption(
                "interval 'model' assumes independent judgments and knows no clusters: leave out"
                " cluster, or choose interval 'sandwich' or 'bootstrap'"
            )
        if self.interval == "bootstrap" and self.model.controls:
            raise UnknownOption(
                "with controls a resample is a fit to every row: use interval 'sandwich', or"
                " 'model' for independent judgments"
            )
        if not 0 < self.level < 1:
            raise UnknownOption(f"level cannot be {self.level}: it lies between 0 and 1, as .95")
        if self.seed < 0:
            raise UnknownOption(f"seed cannot be {self.seed}: it is a whole number from 0")
        if self.model.judge_covariates:
            raise UnknownOption(
                "a ranking is one for all judges: leave out judge covariates, or rank each group"
                f" apart (--group-by {self.model.judge_covariates[0]})"
            )
