"""A diagnosis in sentences, and what must stand beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.errors import listing
from evenhand.judgments.rating_rows import CONTROL, RatingRows
from evenhand.screening import easy_items, mean_agreement, mean_score
from evenhand.screening.diagnosis_chance import share_outside
from evenhand.screening.diagnosis_result import BOTH, AgreementRow, Diagnosis
from evenhand.screening.diagnosis_settings import Settings
from evenhand.screening.outliers import Limits, Outliers
from evenhand.screening.profiles import knows_items
from evenhand.screening.system_scores import Rescoring

_CALLED = {
    mean_score.NAME: "mean score",
    mean_agreement.NAME: "mean agreement",
    easy_items.NAME: "easy items",
}

FEW: Final = 5
"""Scores below which a judge's means rest on single scores."""
NAMED: Final = 3
"""Most judges named in a sentence."""
_MANY: Final = 10
"""Expected numbers of judges below this are told to a tenth."""
_NEAR: Final = 0.1
"""Share of a long scale (its steps end at half of the range) that two scores may be apart."""


def say_diagnosis(found: Diagnosis, limits: Limits) -> tuple[str, ...]:
    """Return what was found.

    Args:
        found: the diagnosis.
        limits: at which a judge is outside.

    """
    return (
        *(_say_agreement(row) for row in found.agreement if not row.input),
        *(_say_outliers(one) for one in found.outliers if one.why is None),
        *_say_chance(found, limits),
        *_say_everywhere(found),
        *(_say_removal(one) for one in found.chosen if one.judges),
        *_say_ceiling(found),
    )


def note_data(rows: RatingRows, targets: RatingRows, settings: Settings) -> tuple[str, ...]:
    """Return what was left out, pooled or not known.

    Args:
        rows: all scores.
        targets: those that are looked at.
        settings: which of several scores of a judge on one output counts, and what is easy.

    """
    controls = 0 if rows.kind is None else int((rows.kind == CONTROL).sum())
    again = rows.size - controls - targets.size
    tasks = len({*targets.task.tolist()})
    notes = [*rows.notes]
    if again:
        notes.append(
            f"{_count(again, 'score')} left out: the judge scored the same output more than once,"
            f" and the {settings.version} counts"
        )
    if controls:
        notes.append(
            f"{_count(controls, 'score')} of controls: {_say_controls(rows, settings, controls)}"
        )
    if tasks > 1:
        notes.append(f"{tasks} tasks are pooled")
    if not knows_items(rows):
        notes.append("the data have no items: no judge can be set beside the others")
    return tuple(notes)


def _say_controls(rows: RatingRows, settings: Settings, controls: int) -> str:
    """Say where controls are seen: nowhere, where nobody says what they should get."""
    unknown = easy_items.count_unknown(rows, settings.easy)
    if not unknown:
        return "seen in easy items only"
    whom = "them" if unknown == controls else f"{unknown:,} of them"
    said = f"nothing is known of what {whom} should get (good, bad or a score), so that"
    return f"{said} they are not used" if whom == "them" else f"{said} only the others are used"


def note_few(found: Diagnosis) -> tuple[str, ...]:
    """Say which judges are outside on the strength of a few scores."""
    notes = []
    for one in found.outliers:
        n = {profile.judge: profile.n for profile in found.profiles[one.criterion]}
        of = mean_score.NAME, mean_agreement.NAME
        few = [judge for judge in one.judges if n.get(judge, FEW) < FEW and one.method in of]
        if few:
            notes.append(
                f"outside by {_CALLED[one.method]}{_under(one.criterion)} with fewer than {FEW}"
                f" scores, which one odd score decides: {listing(few, 5)}"
            )
    return tuple(notes)


def _under(criterion: str) -> str:
    return f" under {criterion}" if criterion else ""


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _say_agreement(row: AgreementRow) -> str:
    under = _under(row.criterion)
    if not row.n_agreement:
        return f"agreement{under}: {row.why}"
    kappa = f"; κ {row.kappa:.3f}" if row.kappa is not None else ""
    known = dict(zip(row.steps, row.n_agreement, strict=True))
    near = ""
    if n := next((step for step in row.steps if step >= _NEAR * row.steps[-1] and step), None):
        near = f", at most {n:g} point{'' if n == 1 else 's'} apart in {100 * known[n]:.0f} %"
    return (
        f"two judges of an output{under} give the same score in {100 * known[0]:.0f} %"
        f"{near}{kappa} ({_count(row.outputs, 'output')})"
    )


def _say_outliers(one: Outliers) -> str:
    where = f"by {_CALLED[one.method]}{_under(one.criterion)}"
    if not one.judges:
        return f"{where} none of {_count(len(one.values), 'judge')} is outside"
    ends = {"too high": one.high, "too low": one.low}
    if one.method != mean_score.NAME:
        sides = f" ({listing(one.judges, NAMED)})"
    else:
        sides = ": " + ", ".join(_say_side(side, judges) for side, judges in ends.items())
    n = len(one.judges)
    return f"{where} {n} of {_count(len(one.values), 'judge')} {_are(n)} outside{sides}"


def _say_side(side: str, judges: Sequence[str]) -> str:
    named = f" ({listing(judges, NAMED)})" if judges else ""
    return f"{len(judges)} {side}{named}"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"


def _say_chance(found: Diagnosis, limits: Limits) -> list[str]:
    """Say how many honest judges the limits leave outside; once where all criteria are alike."""
    said = []
    for method, sides in {mean_score.NAME: 2, mean_agreement.NAME: 1}.items():
        own = [one for one in found.outliers if one.method == method and one.centre is not None]
        alike = len({len(one.values) for one in own}) == 1
        for one in own[:1] if alike else own:
            n = len(one.values)
            outside = n * share_outside(limits, n) * sides / 2
            shown = f"{outside:.0f}" if outside >= _MANY or not outside else f"{outside:.1f}"
            under = "" if alike else _under(one.criterion)
            said.append(f"{shown} of {n:,} by {_CALLED[method]}{under}")
    if not said:
        return []
    normal = f"of honest judges whose values are normal, {limits.k:g} sd leaves outside"
    return [f"{normal}: {', '.join(said)}"]


def _say_everywhere(found: Diagnosis) -> list[str]:
    every = found.deleted.get(BOTH, {})
    if not every:
        return []
    counted = ", ".join(f"{n} by {_CALLED[method]}" for method, n in every.items())
    return [f"outside under all criteria: {counted}"]


def _say_removal(one: Rescoring) -> str:
    under = _under(one.criterion)
    lost = f"{100 * one.share_lost:.0f} % of the scores{under}"
    who = _count(len(one.judges), "judge")
    if one.kept.pearson is None or one.kept.spearman is None:
        return f"removing {who} takes {lost}: {one.kept.why}"
    return (
        f"removing {who} takes {lost}; scores of {one.kept.systems} systems correlate"
        f" {one.kept.pearson:.3f} with those by all (ranks {one.kept.spearman:.3f})"
    )


def _say_ceiling(found: Diagnosis) -> list[str]:
    """Say how far the best system is below the references."""
    if not found.references:
        return []
    said = []
    for one in found.chosen:
        top = [each for each in one.systems if each.reference]
        others = [each for each in one.systems if not each.reference]
        if top and others:
            ceiling = ", ".join(f"{each.system} {each.full:.2f}" for each in top)
            said.append(
                f"ceiling{_under(one.criterion)}: {ceiling}; the best system is"
                f" {others[0].system} with {others[0].full:.2f}"
            )
    return said
