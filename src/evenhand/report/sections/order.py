"""Does the place of an output matter: is what is shown first preferred for being first?"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

from evenhand.errors import NotConverged, NotIdentified, UnknownOption
from evenhand.models.base import Fit
from evenhand.models.bradley_terry import BradleyTerry
from evenhand.models.coefficients import format_p
from evenhand.ranking.position_bias import PositionBias
from evenhand.ranking.ranking import Ranking
from evenhand.ranking.robustness.cycles import choose_sides
from evenhand.report.answer import join_names
from evenhand.report.caveat import PLACE, SIDES
from evenhand.report.charts import take_chart
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import (
    FAILED,
    NOT_RUN,
    PASSED,
    UNDECIDED,
    WARNING,
    Check,
    Column,
    Figure,
    Section,
    Table,
)
from evenhand.report.figures.position_effects import draw_positions
from evenhand.report.numbers import write_value
from evenhand.report.one_sided import (
    WHOLE,
    are_orders_balanced,
    find_share,
    is_near,
    say_one_sided,
)
from evenhand.report.refused import say_refused
from evenhand.report.reversal import choose_state, say_outcome
from evenhand.report.study import Study

ASKS: Final = "Does an output gain by being shown first, or second?"
# Most judges that are drawn, unless more of them stand out: the farthest from the others
DRAWN: Final = 40
MOST: Final = 100  # Most judges that are drawn at all
SLIGHT: Final = 0.03  # How far from one half a share is slight
# Share of the comparisons that judges who stand out must have given to matter to the whole
TRIFLE: Final = 0.05
NOTE: Final = (
    "Shares are of decided comparisons between two outputs that are equally good, ties aside. A"
    " judge's shrunken share and interval are drawn towards those of all judges, the more, the"
    " fewer the answers; the raw share is of the counts beside it, whatever was compared. Who"
    " stands out is found with an adjustment for the number of judges."
)
UNLIKE: Final = (
    "Who stands out here differs from the median judge by more than chance. “The judges” flags a"
    " judge only outside the range in which judges of this campaign differ anyway; so one can stand"
    " out here and not be flagged there."
)
AGAIN: Final = "More votes of this kind do not mend it"
DESIGN: Final = "show each pair in both orders, by lot, so that the place favours nobody"


def write_section(study: Study) -> Section:
    """Write whether the place of an output matters."""
    command = study.write_command("bias")
    try:
        bias = study.position_bias
    except (NotIdentified, NotConverged, UnknownOption) as refusal:
        check = _check_refused(study, refusal)
        return Section(
            "order",
            PREFERENCE["order"],
            says=("Nothing can be said of the place of an output.",),
            checks=(check,),
            command=command,
        )
    rows = list_judges(bias)
    return Section(
        "order",
        PREFERENCE["order"],
        says=(_say_common(bias), *_say_judges(bias), *_say_change(study)),
        checks=(replace(_check(study, bias), p=bias.p),),
        figures=(_draw(bias, rows),) if rows else (),
        tables=(_tabulate(rows),) if rows else (),
        notes=(NOTE, *([UNLIKE] if bias.stand_out else []), *_note_sides(study), *bias.notes),
        command=command,
    )


def _check(study: Study, bias: PositionBias) -> Check:
    """Say in a few words whether the place mattered, on the whole or to single judges."""
    sure = bias.p <= 1 - bias.level
    if place := say_one_sided(study):
        return _check_place(place)
    matters = sure and not _is_slight(bias)
    alone = sum(one.n for one in bias.stand_out) >= TRIFLE * bias.n_comparisons > 0
    says = f"{_say_found(bias)} (first wins {_say_interval(bias)})"
    if bias.stand_out:
        verb = "stands" if len(bias.stand_out) == 1 else "stand"
        says += f"; {len(bias.stand_out)} of {len(bias.judges)} judges {verb} out"
    if matters or alone:
        reversal = study.reversals.order
        taken = f"`{study.write_command('rank', '--order-effect')}` ranks with it taken out"
        design = "" if are_orders_balanced(study) else f"; {DESIGN}"
        outcome = say_outcome("With the order effect in the model", reversal)
        otherwise = f"{outcome} {taken if sure else 'Look at the judges who stand out'}{design}."
        faults = ((PLACE,) if matters else ()) + ((SIDES,) if alone else ())
        return Check("order", ASKS, choose_state(reversal), says, otherwise, faults=faults)
    return Check("order", ASKS, PASSED if sure or is_near(bias) else UNDECIDED, says)


def _check_refused(study: Study, refusal: NotIdentified | NotConverged | UnknownOption) -> Check:
    """Say why the place cannot be judged, or that one system stood on one side alone."""
    try:
        place = say_one_sided(study)
    except (NotIdentified, NotConverged):
        place = ""
    if place:
        return _check_place(place)
    state = UNDECIDED if isinstance(refusal, NotIdentified) else NOT_RUN
    return Check("order", ASKS, state, say_refused(refusal))


def _check_place(place: str) -> Check:
    """Return the check where a system or each pair stood on one side.

    It fails where something is decided, since no judgment can separate that from the place.
    """
    state = FAILED if place.endswith(WHOLE) else WARNING
    return Check("order", ASKS, state, place, f"{AGAIN}; {DESIGN}.")


def _say_found(bias: PositionBias) -> str:
    """Say in two or three words which side gains, if one does."""
    side = "first" if bias.share > 0.5 else "second"
    if bias.p <= 1 - bias.level:
        return f"the {side}, {'slightly' if abs(bias.share - 0.5) < SLIGHT else 'clearly'}"
    return "no sign on the whole" if is_near(bias) else "too little is known on the whole"


def _is_slight(bias: PositionBias) -> bool:
    """Whether the advantage is small, and no large one agrees with the judgments."""
    return abs(bias.share - 0.5) < SLIGHT and is_near(bias)


def _say_interval(bias: PositionBias) -> str:
    low, high = (100 * find_share(end) for end in (bias.lower, bias.upper))
    return f"{100 * bias.share:.1f} % between equals, {low:.1f} to {high:.1f} %"


def _say_common(bias: PositionBias) -> str:
    """Say how large the advantage is over all judges, in words that need no statistics."""
    low, high = (100 * find_share(end) for end in (bias.lower, bias.upper))
    wins = f"of two equally good outputs the first wins {100 * bias.share:.1f} %"
    interval = f"{low:.1f} to {high:.1f} %"
    if bias.p > 1 - bias.level:
        if is_near(bias):
            return (
                "Over all judges there is no sign that an output gains by its place:"
                f" {wins} ({interval})."
            )
        return (
            "Over all judges too little is known to say whether an output gains by its place:"
            f" {wins}, and anything from {interval} agrees with the judgments."
        )
    side = "first" if bias.share > 0.5 else "second"
    size = "slightly " if abs(bias.share - 0.5) < SLIGHT else ""
    return (
        f"Over all judges the output shown {side} is {size}favoured: {wins} ({interval}; p"
        f" {format_p(bias.p)}) and not 50 %."
    )


def _say_judges(bias: PositionBias) -> tuple[str, ...]:
    """Say whether judges differ in it, and who stands out."""
    if bias.heterogeneity_p is None:
        return ()
    if bias.spread is None:
        return ("Judges nearly always took one side each, so that they are not compared.",)
    p = f"p {format_p(bias.heterogeneity_p)}"
    if bias.stand_out:
        names = [f"{one.judge} ({write_value(one.share, 'share')})" for one in bias.stand_out]
        verb = "stands" if len(names) == 1 else "stand"
        return (f"{join_names(names)} {verb} out from the other judges.",)
    if bias.heterogeneity_p <= 1 - bias.level:
        return (f"Judges differ in it ({p}), yet no single judge stands out.",)
    return (f"There is no sign that judges differ in it ({p}).",)


def _note_sides(study: Study) -> tuple[str, ...]:
    """Say which systems stood on one side more often than lot explains."""
    if study.pairs.rankings is not None:  # who stood first of two is not drawn pair by pair
        return ()
    _, notes = choose_sides(study.tally, asked=False)
    return notes[:-1]  # the last says what it means for circles


def _say_change(study: Study) -> tuple[str, ...]:
    """Say what modelling the order does to the board."""
    base = study.ranking.fit
    if not isinstance(base, Fit) or base.model.order_effect:
        return ()
    try:
        other = BradleyTerry(ties=base.model.ties, order_effect=True).fit(study.tally)
    except (NotIdentified, NotConverged):
        return ()
    return (say_moves(study.ranking, other),)


def say_moves(ranking: Ranking, other: Fit) -> str:
    """Say what another fit does to the order of estimates."""
    known = dict(zip(ranking.systems, ranking.log_worth.tolist(), strict=True))
    moved = dict(zip(other.systems, other.log_worth.tolist(), strict=True))
    shift = [moved[name] - known[name] for name in ranking.systems]
    middle = sum(shift) / len(shift)
    largest = max(abs(one - middle) for one in shift)
    size = f"no estimate moves by more than {largest:.2f} in log-worth"
    turned = [
        (first, second)
        for first, second in pairwise(ranking.systems)
        if moved[second] > moved[first] and known[first] > known[second]
    ]
    if not turned:
        stays = "With that advantage taken out the order of the systems stays"
        return f"{stays}; {size}." if largest >= 0.005 else f"{stays}, and so do the estimates."
    named = f"{turned[0][1]} passes {turned[0][0]}"
    if len(turned) > 1:
        named = f"{len(turned)} pairs of neighbours change places by their estimates"
    return f"With that advantage taken out {named}{_say_open(ranking, turned)}; {size}."


def _say_open(ranking: Ranking, turned: list[tuple[str, str]]) -> str:
    """Say how many of some neighbours are decided pairs."""
    if ranking.rank_sets is None:
        return ""
    place = {name: at for at, name in enumerate(ranking.systems)}
    decided = sum(bool(ranking.rank_sets.decided[place[one], place[two]]) for one, two in turned)
    if len(turned) == 1:
        return ", a decided pair" if decided else ", a pair that is open anyway"
    return f", {decided} of them decided" if decided else ", all of them open anyway"


def list_judges(bias: PositionBias) -> list[dict[str, Any]]:
    """Return a row for each judge, highest share first."""
    outstanding = {one.judge for one in bias.stand_out}
    found = []
    for one in bias.judges:
        low, high = one.share_interval
        found.append(
            {
                "judge": one.judge,
                "n": one.n,
                "first": one.first,
                "second": one.second,
                "raw": one.first / (one.first + one.second) if one.first + one.second else None,
                "share": one.share,
                "lower": low,
                "upper": high,
                "p": one.p_common,
                "adjusted": one.p_common_adjusted,
                "kind": "stands out" if one.judge in outstanding else "like the others",
            }
        )
    return found


def _draw(bias: PositionBias, rows: list[dict[str, Any]]) -> Figure:
    """Draw the judges farthest from the others, highest share on top."""
    most = min(max(DRAWN, len(bias.stand_out)), MOST)
    shown = sorted(rows[:most], key=lambda row: (-row["share"], row["judge"]))
    cut = "" if len(rows) <= most else f", the {most} of {len(rows)} farthest from the others"
    verb = "stands" if len(bias.stand_out) == 1 else "stand"
    seen = (
        f"A row for each of {len(shown)} judges with the share for the first output and its"
        f" interval, both shrunken. {len(bias.stand_out)} of them {verb} out. {_say_common(bias)}"
    )
    title = f"How often judges prefer the output shown first{cut}"
    drawn = draw_positions(shown, bias.share)
    return take_chart(drawn, "positions", title, seen, table="positions")


def _tabulate(rows: list[dict[str, Any]]) -> Table:
    columns = (
        Column("judge", "judge"),
        Column("n", "comparisons", "count"),
        Column("first", "first preferred", "count"),
        Column("second", "second preferred", "count"),
        Column("raw", "raw share for the first", "share", "first of both counts, as they are"),
        Column("share", "shrunken share", "share", "between equals, drawn towards all judges"),
        Column("lower", "shrunken from", "share"),
        Column("upper", "shrunken to", "share"),
        Column("p", "p", "chance", "how likely so far from the median judge by chance"),
        Column("adjusted", "adjusted", "chance", "the same, allowing for the number of judges"),
    )
    return Table("positions", "Judges, farthest from the others first", columns, tuple(rows))
