"""How settings and counts are said in the terminal, the same under every verb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from evenhand.cli.refusals import WIDTH
from evenhand.cli.terminal import effective, label, plural, share, width
from evenhand.errors import listing

if TYPE_CHECKING:
    from evenhand.models.bradley_terry import BradleyTerry
    from evenhand.ranking.ranking import Ranking

TIES: Final = {
    "davidson": "Davidson ties",
    "rao-kupper": "Rao-Kupper ties",
    "glenn-david": "Glenn-David ties",
    "half-win": "ties are half a win for each",
    "discard": "ties discarded",
    "none": "γ = 0, tie cells kept",
}


def say_model(model: BradleyTerry) -> str:
    """Say the settings of a model.

    >>> from evenhand import BradleyTerry
    >>> say_model(BradleyTerry(order_effect=True, prior=1))
    'Bradley-Terry, Davidson ties, order effect, prior 1'
    """
    parts = ["Bradley-Terry", TIES[model.ties]]
    if model.order_effect:
        parts.append("order effect")
    parts += [f"worths by {covariate}" for covariate in model.judge_covariates]
    parts += [f"ties by {covariate}" for covariate in model.tie_covariates]
    if model.system_covariates:
        parts.append(f"worths are a sum over {listing(list(model.system_covariates))}")
    parts += [f"{control} held equal" for control in model.controls]
    if model.prior:
        parts.append(f"prior {model.prior:g}")
    return ", ".join(parts)


def say_outputs(outputs: Mapping[str, int]) -> str:
    """Say which systems are judged, and how many outputs there are of each.

    >>> say_outputs({"old": 12, "new": 9})
    'old (12), new (9)'
    """
    return ", ".join(f"{name} ({n:,})" for name, n in outputs.items())


def say_ranked_by(ranking: Ranking) -> str:
    """Say the model that a ranking is by."""
    from evenhand.models.base import Fit
    from evenhand.models.registry import MODELS

    if isinstance(ranking.fit, Fit):
        return say_model(ranking.fit.model)
    known = MODELS.get(ranking.model)
    return ranking.model if known is None else known.title


def say_counts(ranking: Ranking) -> str:
    """Say how much a ranking rests on."""
    one = ranking.answers.removesuffix("s")
    parts = [say_answers(ranking.n_judgments, ranking.n_comparisons, one)]
    if ranking.n_judges is not None:
        uneven = effective(ranking.n_judges, ranking.effective_judges)
        parts.append(f"{plural(ranking.n_judges, 'judge')}{uneven}")
    if ranking.n_items is not None:
        parts.append(plural(ranking.n_items, "item"))
    ties = float(ranking.ties.sum() / 2)
    return ", ".join([*parts, *say_systems(len(ranking.systems), ties, ranking.n_comparisons)])


def say_answers(judgments: float, comparisons: float, one: str = "ranking") -> str:
    """Say how many answers there are; a ranking, or one on a merged output, holds several."""
    if judgments == comparisons:
        return plural(judgments, "judgment")
    return f"{plural(judgments, one)} → {plural(comparisons, 'comparison')}"


def say_systems(systems: int, ties: float, comparisons: float) -> list[str]:
    """Say how many systems there are, and how many comparisons are ties."""
    return [plural(systems, "system"), f"{share(ties, comparisons)} ties"]


def block(name: str, lines: Sequence[str], columns: int) -> list[str]:
    """Return lines of which only the first carries the label; none begins with that word again."""
    return [
        label(name if i == 0 else "", line.removeprefix(f"{name} "), columns)
        for i, line in enumerate(lines)
    ]


def sign(signature: str, columns: int) -> str:
    """Return the signature, broken only between its parts, and within one that is too long."""
    room = columns - WIDTH
    parts = [
        part.replace(" ", "\u00a0").replace(",\u00a0", ", " if width(part) > room else ",\u00a0")
        for part in signature.split(" | ")
    ]
    return label("sign", "\u00a0| ".join(parts), columns).replace("\u00a0", " ")
