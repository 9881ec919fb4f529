"""What was found, in plain English."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.agreement.agreement_table import AgreementPart
from evenhand.agreement.coefficient import Coefficient
from evenhand.agreement.words import name_kappa

SAID = 8
"""Most parts of which a sentence each is said; of more only the whole is."""


def say_parts(
    parts: Sequence[AgreementPart], *, answers: str = "score", again: bool = False
) -> tuple[str, ...]:
    """Return one sentence for each part.

    Args:
        parts: all judgments last.
        answers: what two judges give the same of: "score" or "answer".
        again: whether κ of preferences counts second answers, which the rest leaves out.

    """
    shown = parts if len(parts) <= SAID else parts[-1:]
    return tuple(_say(part, answers, again=again) for part in shown)


def _say(part: AgreementPart, answers: str, *, again: bool) -> str:
    known = {one.name: one for one in part.coefficients}
    start = f"{part.name}: " if part.by else ""
    own = known.get("intra-n-agreement-0")
    if not part.units and own is not None and own.value is not None:
        return f"{start}judges give the same {answers} again in {_percent(own)}"
    if not part.units:
        return f"{start}nothing was judged by two judges"
    said = [*_say_near(known, answers), *_say_chance(known, again=again)]
    return start + ("; ".join(said) or f"{part.units:,} units were judged by two judges or more")


def _say_near(known: dict[str, Coefficient], answers: str) -> list[str]:
    near = [one for name, one in known.items() if name.startswith("n-agreement-")]
    values = [one for one in near if one.value is not None and "pair" not in one.name]
    if not values:
        return []
    first = f"two judges give the same {answers} in {_percent(values[0])}"
    if len(values) < 3 or answers != "score":
        return [first]
    points = float(values[1].name.removeprefix("n-agreement-"))  # 1e-10 has a sign too
    plural = "s" * (points != 1)
    return [f"{first} and differ by at most {points:g} point{plural} in {_percent(values[1])}"]


def _say_chance(known: dict[str, Coefficient], *, again: bool) -> list[str]:
    said = []
    strict = "kappa-strict" in known
    for name in ("kappa-strict",) if strict else ("fleiss", "alpha-ordinal"):
        one = known.get(name)
        if one is None:
            continue
        title = one.title if name == "alpha-ordinal" else one.title.partition(", ")[0]
        title += ", second answers too," if strict and again and one.value is not None else ""
        if one.value is None:
            said.append(f"{title} does not exist")
            continue
        ends = "" if one.lower is None else f" ({_plain(one.lower)} to {_plain(one.upper)})"
        word = "" if name == "alpha-ordinal" else f", {name_kappa(one.value)}"
        said.append(f"{title} {_plain(one.value)}{ends}{word}")
    return said


def _plain(value: float | None) -> str:
    """Write a coefficient with three digits; a zero has no sign.

    >>> _plain(-0.0001), _plain(-0.0512)
    ('0.000', '-0.051')
    """
    assert value is not None
    return f"{round(value, 3) + 0.0:.3f}"


def _percent(one: Coefficient) -> str:
    assert one.value is not None
    return f"{100 * one.value:.1f} %"
