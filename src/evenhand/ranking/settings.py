"""What is asked of a ranking; what cannot be asked is refused before anything is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from evenhand.errors import UnknownOption, require_option
from evenhand.preference.bradley_terry import BradleyTerry
from evenhand.preference.models import name_settings

if TYPE_CHECKING:
    from evenhand.judgments.mixing import Mixed

INTERVALS: Final = ("rank-sets", "sandwich", "model", "bootstrap")
POSTERIOR: Final = "posterior"
"""Of models that are fitted by draws."""
REPLICATES: Final = 999
"""Resamples, or worlds drawn for rank sets."""
MOST_SURE: Final = 0.999
"""Highest level of rank sets: that of the largest of so many worlds."""
Progress = Callable[[int, int], None]


class Asked(Protocol):
    """What was asked of a ranking, whatever the model."""

    @property
    def cluster(self) -> str | None:
        """The clustering that was asked for, or None for what the data have."""

    @property
    def level(self) -> float:
        """Nominal level of intervals (proportion)."""

    @property
    def seed(self) -> int:
        """Of everything random."""


@dataclass(frozen=True)
class Settings:
    """What was asked of `rank`.

    Attributes:
        model: the preference model.
        interval: rank-sets, sandwich, model or bootstrap.
        cluster: the clustering that was asked for, or None for what the data have.
        level: nominal level of intervals (proportion).
        seed: of everything random.
        progress: called with steps done and to do.
        mix: the stated mix that weights make, or None.
        start: an earlier fit or ranking to start from, or None.

    """

    model: BradleyTerry
    interval: str
    cluster: str | None
    level: float
    seed: int
    progress: Progress | None
    mix: Mixed | None = None
    start: Any = None

    @property
    def name(self) -> str:
        """The model's name in the registry."""
        return name_settings(self.model)

    def __post_init__(self) -> None:
        """Refuse what does not exist or does not fit.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        require_option("interval", self.interval, INTERVALS)
        if self.interval == "model":
            _refuse_cluster(self.cluster)
        if self.interval == "bootstrap" and self.model.controls:
            raise UnknownOption(
                "with controls a resample is a fit to every row: use interval 'sandwich', or"
                " 'model' for independent judgments"
            )
        _check_numbers(self)
        if self.interval == "rank-sets" and self.level > MOST_SURE:
            raise UnknownOption(
                f"level {self.level:g} is beyond what {REPLICATES} worlds can show: rank sets go to"
                f" {MOST_SURE:g}; ask for less, or choose interval 'sandwich'"
            )
        if self.model.judge_covariates:
            raise UnknownOption(
                "a ranking is one for all judges: leave out judge covariates, or rank each group"
                f" apart (--group-by {self.model.judge_covariates[0]})"
            )


@dataclass(frozen=True)
class ModelSettings:
    """What was asked of `rank` with a model that is not of the log-linear family.

    Attributes:
        name: the model's name in the registry.
        model: its settings.
        interval: sandwich, model, bootstrap or posterior; None for what the model has.
        cluster: the clustering that was asked for, or None for what the data have.
        level: nominal level of intervals (proportion).
        seed: of resamples.
        progress: called with steps done and to do.
        mix: the stated mix that weights make, or None.

    """

    name: str
    model: Any
    interval: str | None
    cluster: str | None
    level: float
    seed: int
    progress: Progress | None
    mix: Mixed | None = None

    def __post_init__(self) -> None:
        """Refuse what does not exist or does not fit.

        Raises:
            UnknownOption: names the setting and what it may be.

        """
        if self.interval is not None:
            require_option("interval", self.interval, (*INTERVALS, POSTERIOR))
        if self.interval == "model":
            _refuse_cluster(self.cluster)
        _check_numbers(self)


def _refuse_cluster(cluster: str | None) -> None:
    if cluster is not None:
        raise UnknownOption(
            "interval 'model' assumes independent judgments and knows no clusters: leave out"
            " cluster, or choose interval 'sandwich' or 'bootstrap'"
        )


def _check_numbers(settings: Asked) -> None:
    if not 0 < settings.level < 1:
        raise UnknownOption(f"level cannot be {settings.level}: it lies between 0 and 1, as .95")
    if settings.seed < 0:
        raise UnknownOption(f"seed cannot be {settings.seed}: it is a whole number from 0")
