"""What every fit of a model has: coefficients, worths, contrasts of systems, its document."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import isfinite
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.data.results import Shown
from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, listing, suggest_or_list
from evenhand.models.registry import MODELS, name_settings
from evenhand.models.texts import say
from evenhand.numerics import Array
from evenhand.numerics.distributions import chi2_tail, two_sided_p
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    Text,
    describe_findings,
    plural,
    say_answers,
    take_findings,
    whole,
)

Codes = NDArray[np.intp]
LAMBDA: Final = "lambda"  # The scale of worths, twice which are log-worths
MAX_R_HAT: Final = 1.05  # Above which chains of draws have not met
MAX_COEFFICIENTS: Final = 100  # Most coefficients that a terminal shows


@dataclass(frozen=True)
class Coefficient:
    """One parameter on the λ scale."""

    name: str  # as in the papers: o1..oK, g1, order
    label: str  # in the user's words: the system, tie, order
    estimate: float  # the estimate; 0 for the reference
    stderr: float | None  # model-based standard error; None for the reference
    z: float | None  # estimate / stderr
    p: float | None  # two-sided normal p-value

    @classmethod
    def make(cls, name: str, label: str, estimate: float, stderr: float | None) -> Coefficient:
        if stderr is None:
            return cls(name, label, estimate, None, None, None)
        z = estimate / stderr
        return cls(name, label, estimate, stderr, z, two_sided_p(z))


@dataclass(frozen=True)
class Contrast:
    """The difference of two systems in log-worth (natural log-odds)."""

    systems: tuple[str, str]  # first minus second
    estimate: float  # the difference
    stderr: float  # its standard error
    z: float  # estimate / stderr
    p: float  # two-sided normal p-value

    @classmethod
    def make(cls, systems: tuple[str, str], estimate: float, stderr: float) -> Contrast:
        z = estimate / stderr
        return cls((systems[0], systems[1]), estimate, stderr, z, two_sided_p(z))


@dataclass(frozen=True)
class LRTest:
    """A likelihood-ratio test of two nested models."""

    statistic: float  # twice the difference in log-likelihood
    df: int  # difference in the number of parameters
    p: float  # χ² p-value
    note: str = "assumes independent judgments"  # what the test assumes

    @classmethod
    def of(cls, large: float, small: float, df: int) -> LRTest:
        statistic = max(2 * (large - small), 0.0)
        return cls(statistic, df, chi2_tail(statistic, df))

    @classmethod
    def at_boundary(cls, large: float, small: float) -> LRTest:
        # the statistic is half the time 0, half the time χ²₁ (Self & Liang 1987, JASA 82:605-610)
        statistic = max(2 * (large - small), 0.0)
        p = chi2_tail(statistic, 1) / 2 if statistic > 0 else 1.0
        return cls(statistic, 1, p, "½χ²₀ + ½χ²₁; judges taken as independent")


def finite(value: float) -> float | None:
    """Return a number that JSON has, None for an end that there is not."""
    return value if isfinite(value) else None


# Quasi-variances: one number a system, so that readers can compare any two (Firth & de Menezes).
#
# Var(λ_i − λ_j) ≈ q_i + q_j,   q minimises Σ_{i<j} (log(q_i + q_j) − log v_ij)²
#
# Source: Firth & de Menezes (2004), Biometrika 91:65-80; the worst error over all contrasts as
# there.

MAX_STEPS = 200
SETTLED = 1e-9
ROUNDING = 1e-14  # Rise of the sum of squares that is rounding and no rise
# Variance of a contrast, relative to the largest, that is rounding and no variance
MIN_RELATIVE_VARIANCE = 1e-12


@dataclass(frozen=True, eq=False)
class QuasiVariances:
    """One variance a system, from which readers can make the error of any difference."""

    systems: tuple[str, ...]  # names
    variances: Array  # (K,) quasi-variances on the λ scale; one may be negative
    worst_pair: float  # largest relative error of a simple contrast's standard error (proportion)
    # the two extreme relative errors over all contrasts (proportions)
    worst_contrast: tuple[float, float]

    @property
    def stderr(self) -> Array:
        if (self.variances < 0).any():
            raise NotIdentified("a quasi-variance is negative: it has no square root")
        return np.sqrt(self.variances)


def find_quasi_variances(systems: tuple[str, ...], vcov: Array) -> QuasiVariances:
    k = len(systems)
    if k < 3:
        raise NotIdentified("quasi-variances need three systems: with two, print their contrast")
    centred = vcov - vcov.mean(axis=0)
    spread = np.linalg.eigvalsh(centred - centred.mean(axis=1)[:, None])
    if spread[1] <= MIN_RELATIVE_VARIANCE * spread[-1]:  # the first is that of the constant, zero
        raise NotIdentified(
            "worths that are sums over covariates have no variances of their own: use contrasts"
        )
    i, j = np.triu_indices(k, 1)
    exact = difference_variances(vcov, i, j)
    # by damped Gauss-Newton, from the least-squares solution on variances
    table = np.zeros((k, k))

    def spread_out(by_pair: Array) -> Array:
        table[i, j] = table[j, i] = by_pair
        return np.asarray(table.sum(axis=1))

    def improves(q: Array, loss: float) -> bool:
        fitted = q[i] + q[j]
        if not (fitted > 0).all():
            return False
        return bool((np.log(fitted / exact) ** 2).sum() <= loss + ROUNDING * (1 + loss))

    sums = spread_out(exact)
    q = (sums - sums.sum() / (2 * (k - 1))) / (k - 2)
    if (q[i] + q[j] <= 0).any():
        q = np.full(k, exact.mean() / 2)
    for _ in range(MAX_STEPS):
        fitted = q[i] + q[j]
        residual = np.log(fitted / exact)
        right = -spread_out(residual / fitted)
        step = np.linalg.solve(table + np.diag(spread_out(fitted**-2)), right)
        length, loss = 1.0, float(residual @ residual)
        while length > SETTLED and not improves(q + length * step, loss):
            length /= 2
        if np.abs(step).max() <= SETTLED * np.abs(q).max() or length <= SETTLED:
            break
        q = q + length * step
    else:
        raise NotConverged("quasi-variances did not settle: use contrasts of pairs instead")
    errors = np.sqrt((q[i] + q[j]) / exact) - 1
    # smallest and largest relative error over all contrasts, by eigenvalues
    basis = np.linalg.qr(np.eye(k) - 1 / k)[0][:, : k - 1]
    whole, quasi = basis.T @ vcov @ basis, basis.T @ (q[:, None] * basis)
    root = np.linalg.inv(np.linalg.cholesky(whole))
    values = np.linalg.eigvalsh(root @ quasi @ root.T)
    low, high = (np.sqrt(np.maximum(values[[0, -1]], 0.0)) - 1).tolist()
    return QuasiVariances(systems, q, float(np.abs(errors).max()), (low, high))


def difference_variances(vcov: Array, first: Codes, second: Codes) -> Array:
    diagonal = np.diag(vcov)
    return np.asarray(diagonal[first] + diagonal[second] - 2 * vcov[first, second])


def add_reference(vcov: Array, k: int, reference: int) -> Array:
    """Return (K, K) covariance with 0 for the reference; the others' stand first in `vcov`."""
    others = vcov[: k - 1, : k - 1]
    return np.insert(np.insert(others, reference, 0.0, axis=0), reference, 0.0, axis=1)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SystemsFit(Shown, ABC):
    """A fit of systems to preferences or to ratings: its arrays cannot be written to."""

    model: Any  # the settings
    systems: tuple[str, ...]  # the K systems, sorted by name
    notes: tuple[str, ...] = ()  # what must stand beside the numbers

    scale: ClassVar[str]  # what the estimates are
    assumes: ClassVar[str]  # what their covariance takes for granted

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def code(self, system: str) -> int:
        if system not in self.systems:
            hint = suggest_or_list(system, self.systems)
            raise InvalidJudgments(f"no system '{system}' in this fit.{hint}")
        return self.systems.index(system)

    @property
    def says(self) -> tuple[str, ...]:
        """Lines for people: what was found, effects, tests, intervals."""
        return ()

    @property
    def signature_parts(self) -> tuple[str, ...]:
        """Settings that change numbers."""
        return ()

    @property
    def extras(self) -> Mapping[str, Any]:
        """What stands beside the estimates, for machines."""
        return {}

    def refuse_errors(self, what: str) -> NotIdentified:
        return NotIdentified(f"this model knows no errors, so that it has no {what}")

    def refuse_itself(self, system: str) -> InvalidJudgments:
        return InvalidJudgments(f"'{system}' cannot be contrasted with itself")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FittedModel(SystemsFit):
    """A fit of any model of preferences; each model adds what is its own."""

    loglik: float  # log-likelihood of the data (nats), without the prior
    n_judgments: float  # answers, a ranking being one
    n_comparisons: float  # pairs, as the tie rule takes them

    scale: ClassVar[str] = LAMBDA  # half a log-worth, unless the model says something else
    assumes: ClassVar[str] = "independent judgments"

    @property
    @abstractmethod
    def log_worth(self) -> Array:
        """(K,) natural log-odds."""

    @property
    @abstractmethod
    def worth_vcov(self) -> Array | None:
        """(K, K) covariance of `log_worth`, or None."""

    @property
    @abstractmethod
    def coefficients(self) -> tuple[Coefficient, ...]:
        """Every parameter."""

    @abstractmethod
    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        """Return (n, 3) chances of left, tie, right."""

    def predict_gaps(self, gaps: Array) -> Array | None:  # noqa: ARG002 - as those that know
        """Return (n, 3) chances of first, tie, second by the difference of two log-worths.

        Each stands left as often as right. None where that is not known, or more counts than it.
        """
        return None

    @property
    def lambdas(self) -> Array:
        """(K,) λ of the systems, half of the log-worth."""
        return self.log_worth / 2

    @cached_property
    def worths(self) -> dict[str, float]:
        """The worth π of each system; they sum to one."""
        shifted = np.exp(self.log_worth - self.log_worth.max())
        return dict(zip(self.systems, (shifted / shifted.sum()).tolist(), strict=True))

    def codes(self, pairs: Sequence[tuple[str, str]], *, apart: bool = False) -> Codes:
        """Return (n, 2) codes of the systems of pairs; `apart` refuses a system against itself."""
        same = [left for left, right in pairs if left == right and apart]
        if same:
            raise self.refuse_itself(same[0])
        known = {system: code for code, system in enumerate(self.systems)}
        names = [system for pair in pairs for system in pair]
        codes = [known[name] if name in known else self.code(name) for name in names]
        return np.array(codes, dtype=np.intp).reshape(-1, 2)

    def contrasts(self, pairs: Sequence[tuple[str, str]]) -> tuple[Contrast, ...]:
        first, second = self.codes(pairs, apart=True).T
        worth, variances = self.log_worth, self.contrast_variances(first, second)
        rows = zip(pairs, worth[first] - worth[second], np.sqrt(variances), strict=True)
        return tuple(Contrast.make(pair, float(gap), float(error)) for pair, gap, error in rows)

    def contrast_variances(self, first: Codes, second: Codes) -> Array:
        vcov = self.worth_vcov
        if vcov is None:
            raise self.refuse_errors("contrasts")
        return difference_variances(vcov, first, second)

    def quasi_variances(self) -> QuasiVariances:
        if self.worth_vcov is None:
            raise self.refuse_errors("quasi-variances")
        return find_quasi_variances(self.systems, self.worth_vcov / 4)

    def to_dict(self) -> dict[str, Any]:
        pairs = zip(self.systems, self.log_worth.tolist(), strict=True)
        return {
            "model": name_settings(self.model),
            "settings": list(self.signature_parts),
            "scale": self.scale,
            "log_worths": dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))),
            "coefficients": [asdict(coefficient) for coefficient in self.coefficients],
            "worth_vcov": None if self.worth_vcov is None else self.worth_vcov.tolist(),
            "extras": dict(self.extras),
            "loglik": self.loglik,
            "n_judgments": whole(float(self.n_judgments)),
            "n_comparisons": whole(float(self.n_comparisons)),
            "says": list(self.says),
            "findings": describe_findings(self.notes),
        }

    def document(self) -> Document:
        model = name_settings(self.model)
        return self.describe(MODELS[model].title if model in MODELS else model)

    def describe(self, title: str, excluded_ties: float = 0.0) -> Document:
        """Return the document but for its signature; `excluded_ties`: that no model takes."""
        worths = dict(zip(self.systems, self.log_worth.tolist(), strict=True))
        counts = [say_answers(self.n_judgments, self.n_comparisons + excluded_ties)]
        counts += [f"{plural(excluded_ties, 'tie')} excluded"] if excluded_ties else []
        counts.append(plural(len(self.systems), "system"))
        says = take_findings(self.says)
        details = [one for one in says if one.severity == "info"]
        table = tabulate_coefficients(
            self.coefficients, self.systems, of_systems={"log_worth": worths}, scale=self.scale
        )
        return Document(
            basis=f"{', '.join(counts)}. Model: {title}. Log-likelihood {self.loglik:,.4f}.",
            answer=tuple(one for one in says if one.severity != "info"),
            parts=(
                *([table] if self.coefficients else []),
                *([Text("Details", tuple(details))] if details else []),
            ),
            findings=take_findings(self.notes),
        )

    def say_largest(self) -> Finding:
        at = int(self.log_worth.argmax())
        above = float(self.log_worth[at] - self.log_worth.mean())
        return say("largest", system=self.systems[at], value=above)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ParametricFit(FittedModel):
    """A fit by maximum likelihood, or its posterior mode under a prior."""

    # parameters in the papers' names: o1..oK without the reference, then the model's own
    names: tuple[str, ...]
    labels: tuple[str, ...]  # the same in the user's words: system names, tie, order
    estimate: Array  # (p,) on the λ scale

    def list_coefficients(
        self, vcov: Array | None, reference: int | None
    ) -> tuple[Coefficient, ...]:
        """Return the parameters with errors by their covariance, the reference in its place."""
        errors = [None] * len(self.names) if vcov is None else np.sqrt(np.diag(vcov)).tolist()
        columns = (self.names, self.labels, self.estimate.tolist(), errors)
        rows = [Coefficient.make(*row) for row in zip(*columns, strict=True)]
        if reference is not None:
            name = f"o{reference + 1}", self.systems[reference]
            rows.insert(reference, Coefficient(*name, 0.0, None, None, None))
        return tuple(rows)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class WorthsFit(ParametricFit):
    """A fit whose first parameters are the λ of all systems but one, which stands at 0."""

    reference: str  # the system with λ = 0
    # (p, p) model-based covariance of `estimate`; more rows are of what is not in it
    vcov: Array

    @cached_property
    def log_worth(self) -> Array:
        worths = self.estimate[: len(self.systems) - 1]
        return 2 * np.insert(worths, self.code(self.reference), 0.0)

    @cached_property
    def worth_vcov(self) -> Array:
        return add_reference(4 * self.vcov, len(self.systems), self.code(self.reference))

    @cached_property
    def coefficients(self) -> tuple[Coefficient, ...]:
        p = len(self.names)
        return self.list_coefficients(self.vcov[:p, :p], self.code(self.reference))

    def predict(self, pairs: Sequence[tuple[str, str]]) -> Array:
        left, right = self.codes(pairs).T
        chances = self.predict_gaps(self.log_worth[left] - self.log_worth[right])
        assert chances is not None  # models that do not know them predict in another way
        return chances


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Posterior(FittedModel):
    """A fit by draws; `notes` say as well how far its chains agree."""

    order_scale: ClassVar[str]  # what they are of: "ability", or "log-worth" where `log_worth`

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "notes", (*self.notes, *self.note_chains()))

    @abstractmethod
    def note_chains(self) -> tuple[Finding, ...]:
        """Say where chains do not agree."""

    def name_unmet(self, r_hat: Array) -> str:
        """Name the systems whose chains do not agree by their (K,) R̂."""
        high = np.flatnonzero(r_hat > MAX_R_HAT).tolist()
        return listing([f"{self.systems[i]} {r_hat[i]:.2f}" for i in high])

    def note_unmet(self, code: str, r_hat: Array) -> tuple[Finding, ...]:
        names, sweeps = self.name_unmet(r_hat), self.model.sweeps
        values = {"limit": MAX_R_HAT, "sweeps": sweeps, "more": 4 * sweeps}
        return (say(code, "warning", systems=names, **values),) if names else ()

    def sign_chains(self) -> tuple[str, ...]:
        model = self.model
        length = f"{model.chains} x {model.sweeps} sweeps, burn-in {model.burn_in}"
        scale = f"noise sd {model.noise_sd:g}", f"radius {model.radius:g}"
        return (*scale, length, f"seed={model.seed}")

    @property
    @abstractmethod
    def order_draws(self) -> Array:
        """(D, K) draws of what systems are ordered by, in any place of its scale."""

    def list_means(self, means: Array, errors: Array) -> tuple[Coefficient, ...]:
        """Return (K,) posterior means with standard deviations, which are no tests."""
        rows = zip(self.systems, means.tolist(), errors.tolist(), strict=True)
        return tuple(Coefficient(f"o{i}", *row, None, None) for i, row in enumerate(rows, start=1))


def tabulate_coefficients(
    coefficients: Sequence[Coefficient],
    systems: Sequence[str],
    *,
    of_systems: Mapping[str, Mapping[str, Any]],
    scale: str = LAMBDA,
    legend: Sequence[str] = (),
) -> Table:
    """Return the table of coefficients; `of_systems`, by keys of MORE, is not in CSV."""
    named = {f"o{place}": system for place, system in enumerate(systems, start=1)}

    def add(name: str) -> dict[str, Any]:
        return {key: known.get(named.get(name, "")) for key, known in of_systems.items()}

    rows = [{**asdict(one), **add(one.name)} for one in coefficients]
    columns = (
        Column("name", "name"),
        Column("label", "parameter", "name"),
        Column("estimate", "λ" if scale == LAMBDA else scale, "four"),
        *(one for one in ERRORS if any(row[str(one.key)] is not None for row in rows)),
        *(
            Column(key, title, "four", priority=2)
            for key, title in MORE.items()
            if key in of_systems
        ),
    )
    return Table(
        "coefficients",
        "Coefficients (log-worth = 2λ)" if scale == LAMBDA else f"Estimates ({scale})",
        columns,
        tuple(rows),
        limit=MAX_COEFFICIENTS,
        legend=tuple(legend),
        without=tuple(of_systems),
    )


# What not every model has
ERRORS: Final = (
    Column("stderr", "s.e.", "four"),
    Column("z", "z", "three", priority=3),
    Column("p", "p", "p"),
)
# What may be known of systems besides their coefficients, with its title
MORE: Final = {"quasi": "quasi s.e.", "worth": "worth", "log_worth": "log-worth"}
