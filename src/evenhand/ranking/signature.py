"""The signature: one line that says what made a number, so that it can be made again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

from evenhand.judgments.levels import Levels
from evenhand.judgments.signature import exactly, write_signature
from evenhand.judgments.tally import Tally
from evenhand.models.base import Fit
from evenhand.models.controls import is_controlled
from evenhand.models.registry import FittedModel
from evenhand.ranking.clustering import Evidence
from evenhand.ranking.intervals import Intervals
from evenhand.ranking.settings import ModelSettings, Settings


def sign(
    fit: Fit | FittedModel,
    evidence: Evidence,
    levels: Levels,
    intervals: Intervals | None,
    settings: Settings | ModelSettings,
) -> str:
    """Return the signature of a ranking; digests are of counts, never of the file."""
    tally = evidence.whole
    judges = levels.count("judge")
    how = intervals.method if intervals is not None else "no intervals"
    seeded = isinstance(settings, Settings) or settings.interval == "bootstrap"
    named = _name_fitted(fit, settings)
    seed = f"seed={settings.seed}"
    parts = [
        *named,
        *_say_weights(tally, settings),
        f"{how}, level {exactly(settings.level)}",
        *([seed] if seeded and seed not in named else []),
        *(sign_data(fit, tally) if isinstance(fit, Fit) else []),
        *_sign_clusters(evidence, settings),
    ]
    return write_signature(parts, tally.n_judgments, tally.digest, judges=judges)


def _sign_clusters(evidence: Evidence, settings: Settings | ModelSettings) -> Iterable[str]:
    """Return which clusters were asked for, and the digest of who judged what."""
    if settings.cluster is not None:
        yield f"cluster {settings.cluster}"
    if evidence.tallies:
        digest = sha256()
        for name in sorted(evidence.tallies):
            counted = evidence.alone(name).digest_by((name,))
            digest.update(f"{name}\x1f{counted}\x1e".encode())
        yield f"clusters sha256 {digest.hexdigest()[:12]}"


def _say_weights(tally: Tally, settings: Settings | ModelSettings) -> Iterable[str]:
    """Return what weights are."""
    if settings.mix is not None:
        return [settings.mix.name]
    return ["importance weights"] if tally.squares is not None else []


def _name_fitted(fit: Fit | FittedModel, settings: Settings | ModelSettings) -> Sequence[str]:
    """Return a model and its settings that change numbers."""
    if isinstance(fit, Fit):
        return [name_model(fit)]
    name = settings.name if isinstance(settings, ModelSettings) else type(fit).__name__
    return [name, *fit.signature_parts]


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
    from evenhand.judgments.row_digest import digest_rows

    return [*covariates, f"controls sha256 {digest_rows(fit.rows)[:12]}"]


def sign_covariates(
    tally: Tally,
    names: Iterable[str],
    of_systems: Mapping[str, Mapping[str, float | str]],
) -> list[str]:
    """Return the digest of covariates; nothing where there are none."""
    kept = sorted(set(names))
    if not kept and not of_systems:
        return []
    digest = sha256(tally.digest_by(kept).encode())
    for name, values in sorted(of_systems.items()):
        own = [f"{system}\x1f{values[system]}" for system in tally.systems]
        digest.update("\x1e".join([name, *own]).encode())
    return [f"covariates sha256 {digest.hexdigest()[:12]}"]
