"""What is asked of a ranking; what cannot be asked is refused before anything is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from evenhand.data.groups import Levels
from evenhand.data.results import exactly, write_signature
from evenhand.data.tables import AppliedMix
from evenhand.data.tally import Tally, take_names
from evenhand.errors import UnknownOption, require_level, require_option, require_seed
from evenhand.models.base import FittedModel
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.controls import is_controlled
from evenhand.models.log_linear import Fit
from evenhand.models.registry import MODELS, find_model, name_settings
from evenhand.ranking.clustering import Evidence
from evenhand.ranking.intervals import Intervals

INTERVALS: Final = ("rank-sets", "sandwich", "model", "bootstrap")
POSTERIOR: Final = "posterior"  # Of models that are fitted by draws
REPLICATES: Final = 999  # Resamples, or replicates drawn for rank sets
MAX_LEVEL: Final = 0.999  # Highest level of rank sets: that of the largest of so many replicates
# Column of people's judgments with the probability that each pair of outputs was sampled
SAMPLED: Final = "sampling_probability"
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
    mix: AppliedMix | None = None  # the stated mix that weights make, or None
    start: Any = None  # an earlier fit or ranking to start from, or None

    @property
    def name(self) -> str:
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
        if self.interval == "rank-sets" and self.level > MAX_LEVEL:
            raise UnknownOption(
                f"level {self.level:g} exceeds what {REPLICATES} replicates can show: rank sets go"
                f" to {MAX_LEVEL:g}; ask for less, or choose interval 'sandwich'"
            )
        model = self.model
        if not isinstance(model, BradleyTerry):
            return
        if self.interval == "bootstrap" and model.controls:
            raise UnknownOption(
                "with controls a resample is a fit to every row: use interval 'sandwich', or"
                " 'model' for independent judgments"
            )
        if model.judge_covariates:
            raise UnknownOption(
                "a ranking is one for all judges: leave out judge covariates, or rank each group"
                f" apart (--group-by {model.judge_covariates[0]})"
            )


def refuse_of_ratings(*given: object) -> None:
    """Refuse settings that apply to ratings alone, where they are given."""
    if any(one is not None for one in given):
        raise UnknownOption(
            "criteria, references and the direction of scores are of ratings: leave them out"
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
        return UnknownOption(
            f"model is the class {name} and not settings of it: write {name}(), with parentheses"
        )
    return UnknownOption(f"model cannot be {model!r}: give {wanted}")


# The signature: one line that says what made a number, so that it can be made again.


def sign(
    fit: Fit | FittedModel,
    evidence: Evidence,
    levels: Levels,
    intervals: Intervals | None,
    settings: Settings,
) -> str:
    """Return the signature of a ranking; digests are of counts, never of the file."""
    tally, seed = evidence.whole, f"seed={settings.seed}"
    parts = [name_model(fit)] if isinstance(fit, Fit) else [settings.name, *fit.signature_parts]
    seeded = settings.log_linear or settings.interval == "bootstrap"
    seeds = [seed] if seeded and seed not in parts else []
    if settings.mix is not None:
        parts.append(settings.mix.name)
    elif tally.squares is not None:
        parts.append("importance weights")
    how = intervals.method if intervals is not None else "no intervals"
    parts += [f"{how}, level {exactly(settings.level)}", *seeds]
    parts += sign_data(fit, tally) if isinstance(fit, Fit) else []
    if settings.cluster is not None:
        parts.append(f"cluster {settings.cluster}")
    if evidence.tallies:
        digest = sha256()
        for name in sorted(evidence.tallies):
            counted = evidence.alone(name).digest_by((name,))
            digest.update(f"{name}\x1f{counted}\x1e".encode())
        parts.append(f"clusters sha256 {digest.hexdigest()[:12]}")
    judges = levels.count("judge")
    return write_signature(parts, tally.n_judgments, tally.digest, judges=judges)


def name_model(fit: Fit) -> str:
    """Return the settings of a model that change its numbers."""
    model = fit.model
    parts = [model.ties, *(["order effect"] if model.order_effect else [])]
    parts += [f"covariate {name}" for name in model.system_covariates]
    parts += [f"control {name}" for name in model.controls]
    parts += [f"prior {exactly(float(model.prior))} per system"] if model.prior else []
    return " + ".join(parts)


def sign_data(fit: Fit, tally: Tally) -> list[str]:
    """Return digests of what is joined or controlled for, which the counts do not show."""
    covariates = sign_covariates(tally, fit.model.covariates, fit.model.system_covariates)
    if not is_controlled(fit):
        return covariates
    from evenhand.data.streams import digest_rows

    return [*covariates, f"controls sha256 {digest_rows(fit.rows)[:12]}"]


def sign_covariates(
    tally: Tally, names: Iterable[str], of_systems: Mapping[str, Mapping[str, float | str]]
) -> list[str]:
    covariates = sorted(set(names))
    if not covariates and not of_systems:
        return []
    digest = sha256(tally.digest_by(covariates).encode())
    for name, values in sorted(of_systems.items()):
        levels = [f"{system}\x1f{values[system]}" for system in tally.systems]
        digest.update("\x1e".join([name, *levels]).encode())
    return [f"covariates sha256 {digest.hexdigest()[:12]}"]
