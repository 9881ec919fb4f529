"""The coefficient table as people read it, in a terminal or a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evenhand.judgments.notebook import draw_table
from evenhand.numerics.distributions import chi2_tail
from evenhand.preference.coefficients import format_p

DOUBTFUL: Final = 0.05
"""P-value below which a model is doubted."""
THIN: Final = 0.2
"""Share of cells that expect fewer than five judgments, above which p-values are rough."""

if TYPE_CHECKING:
    from evenhand.preference.bradley_terry import BradleyTerry
    from evenhand.preference.fit import Fit


def is_rejected(fit: Fit) -> bool:
    """Say whether judgments differ from a model by more than chance, if they are independent.

    Where cells expect few, the p-value of the deviance is far too small for data of the model
    itself and Pearson's nearly right: there both must reject it.
    """
    if fit.gof_p is None or fit.gof_p >= DOUBTFUL:
        return False
    return fit.thin <= THIN or chi2_tail(fit.pearson, fit.df) < DOUBTFUL


def cautions(fit: Fit) -> tuple[str, ...]:
    """Say where model-based standard errors and tests take for independent what is not."""
    if fit.tally.squares is not None:
        return (
            "importance weights are no counts: standard errors, p, AIC and BIC depend on their"
            " unit; rank gives sandwich intervals",
        )
    if fit.of_rankings:
        return (
            "comparisons of one ranking are not independent: standard errors and p are too"
            " small; rank clusters them",
        )
    return ()


def list_settings(model: BradleyTerry) -> tuple[str, ...]:
    """Return the settings that change numbers."""
    prior = f"prior {model.prior:g} per system"
    return (
        model.ties,
        *(["order effect"] if model.order_effect else []),
        *(f"judge covariate {name}" for name in model.judge_covariates),
        *(f"tie covariate {name}" for name in model.tie_covariates),
        *(f"system covariate {name}" for name in model.system_covariates),
        *(f"control {name}" for name in model.controls),
        *([prior] if model.prior else []),
    )


def say_fit(fit: Fit) -> tuple[str, ...]:
    """Return what was found, in lines for people."""
    thin = f"; {fit.thin:.0%} of cells expect fewer than 5" if fit.thin > THIN else ""
    goodness = "" if fit.gof_p is None else f", p {format_p(fit.gof_p)}{thin}"
    return (
        f"deviance {fit.deviance:.4f} on {fit.df:,} df{goodness}",
        f"AIC {fit.aic:.4f}, BIC {fit.bic:.4f}: they take judgments for independent",
        *([] if fit.equal_worths is None else [f"all worths equal: {fit.equal_worths}"]),
        *cautions(fit),
    )


@dataclass(frozen=True, eq=False)
class Summary:
    """A fit in words and a table; `str()` for terminals, HTML for notebooks."""

    fit: Fit

    def header(self) -> tuple[str, str, str, str, str, str]:
        """Return the titles of the columns."""
        return ("name", "", "λ", "s.e.", "z", "p")

    def cells(self) -> list[tuple[str, str, str, str, str, str]]:
        """Return one row a coefficient, as text; aliased parameters stand as "—"."""
        rows = []
        for c in self.fit.coefficients:
            if c.stderr is None or c.z is None or c.p is None:
                rows.append((c.name, c.label, f"{c.estimate:.4f}", "—", "—", "—"))
            else:
                numbers = (f"{c.estimate:.4f}", f"{c.stderr:.4f}", f"{c.z:.3f}", format_p(c.p))
                rows.append((c.name, c.label, *numbers))
        rows += [("—", label, "—", "—", "—", "—") for label in self.fit.design.aliased]
        return rows

    def lines(self) -> list[str]:
        """Return what is said below the table."""
        fit = self.fit
        said = [f"deviance {fit.deviance:.4f} on {fit.df} df" + self._goodness()]
        if len(fit.systems) == 2:
            first, second = fit.systems
            odds = _odds(fit.log_worth[0] - fit.log_worth[1])
            said.append(f"odds    {first} to {second} {odds}")
        said.append(
            f"loglik  {fit.loglik:.4f}   AIC {fit.aic:.4f}   BIC {fit.bic:.4f}"
            "   (assuming independent judgments)"
        )
        return [*said, *(f"note    {note}" for note in (*fit.notes, *cautions(fit)))]

    def _goodness(self) -> str:
        fit = self.fit
        if fit.gof_p is None:
            return ""
        thin = f"; {fit.thin:.0%} of cells expect fewer than 5" if fit.thin > THIN else ""
        x2 = chi2_tail(fit.pearson, fit.df)
        return f", p {format_p(fit.gof_p)}; Pearson X² {fit.pearson:.4f}, p {format_p(x2)}{thin}"

    def __str__(self) -> str:
        rows = [self.header(), *self.cells()]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        table = [
            "  ".join(
                cell.ljust(width) if i < 2 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join([*table, "", *self.lines()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return draw_table(self.header(), self.cells(), self.lines())


def _odds(log_odds: float) -> str:
    from math import exp

    return f"{exp(log_odds):.2f} to 1" if log_odds >= 0 else f"1 to {exp(-log_odds):.2f}"
