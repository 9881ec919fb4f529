"""The signature: one line that says what made a number, so that it can be made again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

from evenhand.data.groups import Levels
from evenhand.data.results import exactly, write_signature
from evenhand.data.tally import Tally
from evenhand.models.base import FittedModel
from evenhand.models.controls import is_controlled
from evenhand.models.log_linear import Fit
from evenhand.ranking.clustering import Evidence
from evenhand.ranking.intervals import Intervals
from evenhand.ranking.settings import Settings


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
