"""What is asked of a ranking; what cannot be asked is refused before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from evenhand.data.tables import Mixed
from evenhand.data.tally import take_names
from evenhand.errors import UnknownOption, require_level, require_option, require_seed
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.registry import MODELS, find_model, name_settings

INTERVALS: Final = ("rank-sets", "sandwich", "model", "bootstrap")
POSTERIOR: Final = "posterior"  # Of models that are fitted by draws
REPLICATES: Final = 999  # Resamples, or replicates drawn for rank sets
MAX_LEVEL: Final = 0.999  # Highest level of rank sets: that of the largest of so many replicates
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Settings:
    model: Any  # the model's settings
    # rank-sets, sandwich, model or bootstrap; of other models than the log-linear ones also
    # posterior, or None for what the model has
    interval: str | None
    cluster: str | None  # the clustering that was asked for, or None for what the data have
    level: float  # nominal level of intervals (proportion)
    seed: int  # of everything random
    progress: Progress | None  # called with steps done and to do
    mix: Mixed | None = None  # the stated mix that weights make, or None
    start: Any = None  # an earlier fit or ranking to start from, or None

    @property
    def name(self) -> str:
        """The model's name in the registry."""
        return name_settings(self.model)

    @property
    def log_linear(self) -> bool:
        return isinstance(self.model, BradleyTerry)

    def __post_init__(self) -> None:
        if self.interval is not None:
            known = INTERVALS if self.log_linear else (*INTERVALS, POSTERIOR)
            require_option("interval", self.interval, known)
        if self.interval == "model" and self.cluster is not None:
            raise UnknownOption(
                "interval 'model' assumes independent judgments and knows no clusters: leave out"
                " cluster, or choose interval 'sandwich' or 'bootstrap'"
            )
        require_level(self.level)
        require_seed(self.seed)
        model = self.model
        if not isinstance(model, BradleyTerry):
            return
        if self.interval == "bootstrap" and model.controls:
            raise UnknownOption(
                "with controls a resample is a fit to every row: use interval 'sandwich', or"
                " 'model' for independent judgments"
            )
        if self.interval == "rank-sets" and self.level > MAX_LEVEL:
            raise UnknownOption(
                f"level {self.level:g} exceeds what {REPLICATES} replicates can show: rank sets go"
                f" to {MAX_LEVEL:g}; ask for less, or choose interval 'sandwich'"
            )
        if model.judge_covariates:
            raise UnknownOption(
                "a ranking is one for all judges: leave out judge covariates, or rank each group"
                f" apart (--group-by {model.judge_covariates[0]})"
            )


def choose_model(model: Any, controls: Sequence[str], seed: int) -> Any:
    spec = BradleyTerry() if model is None else model
    if isinstance(model, str):
        spec = find_model(model).make()
        spec = replace(spec, seed=seed) if hasattr(spec, "seed") else spec
    if isinstance(spec, type) or not hasattr(spec, "fit"):
        names = " | ".join(MODELS)
        raise _refuse_model(model, f"settings such as evenhand.BradleyTerry(), or a name: {names}")
    if not controls:
        return spec
    if not isinstance(spec, BradleyTerry):
        raise UnknownOption(f"{name_settings(spec)} knows no controls: take bradley-terry")
    return replace(spec, controls=take_names(controls))


def choose_log_linear(model: object) -> BradleyTerry:
    if model is None:
        return BradleyTerry()
    if not isinstance(model, BradleyTerry):
        raise _refuse_model(model, "settings of the log-linear model, evenhand.BradleyTerry()")
    return model


def _refuse_model(model: object, wanted: str) -> UnknownOption:
    if isinstance(model, type):
        name = model.__name__
        message = (
            f"model is the class {name} and not settings of it: write {name}(), with parentheses"
        )
        return UnknownOption(message)
    return UnknownOption(f"model cannot be {model!r}: give {wanted}")
