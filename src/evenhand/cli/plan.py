"""`evenhand plan`: how many judgments, judges and items decide which systems, at which cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import click

import evenhand
from evenhand.cli.options import (
    ROLE_COLUMN,
    LabelOutcome,
    OneOf,
    Verb,
    examples,
    figure_options,
    keep_conditions,
    output_options,
    section,
    stack,
    verb,
)
from evenhand.cli.refusals import keep, keep_excluded, kept
from evenhand.cli.result import Column, draw_table, tabulate
from evenhand.cli.running import ProgressDisplay, Reading, check_figures, take_output, write_figures
from evenhand.cli.terminal import (
    PLAIN,
    block,
    label,
    plural,
    say_notes,
    say_outputs,
    shorten,
    sign,
    tell_apart,
    width,
    wrap,
)
from evenhand.design.assignment import Assignment
from evenhand.design.feasibility import SEED_IS_NAMED, find_doubts
from evenhand.design.guarantees import DesignCheck
from evenhand.design.plan import CampaignPlan, PairPower
from evenhand.design.power import Design
from evenhand.design.promises import Guarantee
from evenhand.errors import UnknownOption, listing
from evenhand.report.latex import escape, tabular

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings

_systems_option = section("Systems, judges and items as they may be (or from a pilot)", stored=True)
_design_option = section("Who judges what (what is left out is looked for)", stored=True)
_wish_option = section("What is wanted", stored=True)
_figures_option = section("Where the result goes", stored=True)


# Options that the verb does not name among its parameters: there are many, most left out
truth_options = stack(
    _systems_option("--systems", type=int, help="How many."),
    _systems_option(
        "--gap",
        type=float,
        metavar="LOG-WORTH",
        help="How much better each is than the next: 0.4 is preferred in 60 % of judgments.",
    ),
    _systems_option("--ties", type=float, metavar="SHARE", help="Share of ties between equals."),
    _systems_option(
        "--judge-sd",
        type=float,
        metavar="LOG-WORTH",
        help="How far judges' tastes differ: sd of judge x system.",
    ),
    _systems_option(
        "--item-sd",
        type=float,
        metavar="LOG-WORTH",
        help="How far systems do better on some items: sd of item x system.",
    ),
    _systems_option(
        "--pilot",
        metavar="FILE",
        help="Comparisons or rankings from which worths, ties and tastes are taken.",
    ),
    _systems_option("--task", metavar="NAME", help="Only this task of the pilot."),
    _systems_option(
        "--column",
        "columns",
        multiple=True,
        type=ROLE_COLUMN,
        metavar="ROLE=NAME",
        help="Which column of the pilot plays a role. Repeatable.",
    ),
    _systems_option(
        "--where",
        multiple=True,
        callback=keep_conditions,
        metavar="SQL",
        help="Only rows of the pilot that meet it. Repeatable.",
    ),
    _systems_option("--from", "layout", metavar="FORMAT", help="The pilot's format."),
    _systems_option(
        "--outcome",
        "outcomes",
        multiple=True,
        type=LabelOutcome(),
        metavar="LABEL=left|tie|right",
        help="What a label of the pilot means, such as 1=left. Repeatable.",
    ),
    _systems_option(
        "--system-separator",
        metavar="SIGN",
        help="The sign between systems that share an output of the pilot, as + in A+B.",
    ),
)

design_options = stack(
    _design_option("--judges", type=int, help="So many judges."),
    _design_option("--items", type=int, help="So many items."),
    _design_option("--judgments", type=int, help="So many in all."),
    _design_option("--per-judge", "each", type=int, help="So many of each judge."),
    _design_option(
        "--overlap", type=int, help="Different judges for each output pair. Default: 1."
    ),
    _design_option("--repeats", type=int, help="How often each of them sees it. Default: 1."),
    _design_option(
        "--loads",
        type=OneOf(("equal", "zipf")),
        help="Judgments per judge: alike, or few judges give most. Default: equal.",
    ),
)

wish_options = stack(
    _wish_option(
        "--resolve",
        metavar="all|top|0.3|A>B,...",
        help="Pairs to decide: all that differ, those of the best system, those so far apart or"
        " more, or by name. Default: all.",
    ),
    _wish_option("--power", type=float, metavar="PROPORTION", help="How surely. Default: 0.8."),
    _wish_option("--level", type=float, metavar="PROPORTION", help="Of rank sets. Default: 0.95."),
    _wish_option("--cost-judgment", type=float, metavar="PRICE", help="Of one. Default: 1."),
    _wish_option("--cost-judge", type=float, metavar="PRICE", help="Of one. Default: 0."),
    _wish_option("--seed", type=int, help="Of everything random."),
    _wish_option(
        "--campaigns",
        type=int,
        default=200,
        help="How many are simulated; 0 for the closed form alone.",
    ),
)

plan_figure_options = figure_options(
    _figures_option, "Draw the curves of power.", "Of figures. Default: svg and png. Repeatable."
)

# `evenhand plan check`: does a campaign's design keep what it promises? And the way to it.

CHECKED: Final = "evenhand.plan.check"  # Where the context keeps that `check` was asked for


@click.command(
    cls=Verb,
    short_help="Does the design of a campaign keep what it promises?",
    epilog=examples(
        "evenhand plan check campaign.toml",
        "evenhand plan check items.csv --json",
        "evenhand plan check campaign.toml --collected campaign.db",
    ),
)
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--collected",
    metavar="LOG",
    callback=keep,
    expose_value=False,
    help="Count on what was collected: a campaign's database, or its log.",
)
@output_options
def check(*, campaign: str) -> None:
    """Deal out a campaign and count every promise on its tickets.

    CAMPAIGN is a campaign file (.toml) or a table of items (.csv, .jsonl).
    Nothing is launched. A design that cannot be is refused with the reason; the
    exit code is 1 if a promise is not kept. With --collected the promises are
    counted on the answers that were given, while they come in or at the end.
    """
    log: str | None = kept("collected")
    place = take_output(campaign, log)
    from evenhand.design.assignment import assign
    from evenhand.design.guarantees import verify_design
    from evenhand.design.policy import make_policy
    from evenhand.design.reading import read_campaign

    planned = read_campaign(campaign)
    make_policy(planned)
    if log:
        from evenhand.web.store.audit import check_collected

        assignment, design_check = check_collected(log, planned)
    else:
        assignment = assign(planned)
        design_check = verify_design(assignment)
    place.deliver(
        CheckResult(assignment, design_check, log or "", seed_is_named=planned.seed is not None)
    )
    if design_check.broken:
        click.get_current_context().exit(1)


class PlanVerb(Verb):
    """The verb `plan`, whose word `check` is a command of its own; all else is as ever."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] != ["check"]:
            return super().parse_args(ctx, args)
        ctx.meta[CHECKED] = check.make_context(f"{ctx.info_name} check", args[1:], ctx.parent)
        return []

    def invoke(self, ctx: click.Context) -> Any:
        if CHECKED not in ctx.meta:
            return super().invoke(ctx)
        with ctx.meta[CHECKED] as inner:
            return check.invoke(inner)


# Settings that are options too; worths and compare are for the file
OPTIONS: Final = (
    *("systems", "gap", "ties", "judge_sd", "item_sd", "judges", "items", "judgments", "each"),
    *("overlap", "repeats", "loads", "cost_judgment", "cost_judge", "resolve", "power", "level"),
    "seed",
)
# Options that say how a pilot is read
OF_PILOT: Final = {
    "task": "--task",
    "columns": "--column",
    "where": "--where",
    "layout": "--from",
    "outcomes": "--outcome",
    "system_separator": "--system-separator",
}


@verb(
    "evenhand plan --systems 2 --gap 0.3 --cost-judgment 0.5 --cost-judge 20",
    "evenhand plan campaign.toml --power 0.9",
    "evenhand plan --pilot votes.csv --judges 30 --resolve top",
    "evenhand plan check campaign.toml",
    cls=PlanVerb,
)
@click.argument("spec", required=False, metavar="[SPEC.toml]")
@truth_options
@design_options
@wish_options
@output_options
@plan_figure_options
def plan(*, spec: str | None) -> None:
    """Plan a campaign: who judges what, which systems it decides, what it costs.

    Systems and judges as SPEC.toml or options say, or as a pilot shows. What is
    left out of the design is looked for; then campaigns are simulated and
    ranked as `evenhand rank` does. A design that cannot work is refused.
    """
    place = take_output(spec, kept("pilot"))
    if kept("figures") is None and kept("forms"):
        raise UnknownOption("--figure-format says how to draw: say where to with --figures")
    check_figures(kept("figures"), kept("forms"))
    with ProgressDisplay("simulating") as patience:
        from evenhand.design.plan import plan_campaign

        campaign_plan = plan_campaign(
            _read_settings(spec),
            pilot=_open_pilot(),
            campaigns=kept("campaigns"),
            progress=patience.step,
        )

    wrote = write_figures({"": campaign_plan}, kept("figures"), kept("forms"), _draw)
    place.deliver(PlanResult(campaign_plan, tuple(wrote)))


def _read_settings(spec: str | None) -> dict[str, Any]:
    """Return what the file says, and what options say instead."""
    from evenhand.design.spec import read_spec

    stated: dict[str, Any] = {name: kept(name) for name in OPTIONS if kept(name) is not None}
    if spec is None and kept("pilot") is None and "gap" not in stated:
        raise UnknownOption(
            "say what is planned: evenhand plan SPEC.toml, --pilot FILE, or --systems 5 --gap 0.3"
        )
    if spec is not None and not spec.endswith(".toml"):
        raise UnknownOption(
            f"'{spec}' is no TOML file of settings; judgments of a pilot are given by"
            f" --pilot {spec}"
        )
    return {**(read_spec(spec) if spec is not None else {}), **stated}


def _open_pilot() -> Comparisons | Rankings | None:
    path = kept("pilot")
    if path is None:
        options = [words for name, words in OF_PILOT.items() if kept(name)]
        if options:
            are = "is" if len(options) == 1 else "are"
            raise UnknownOption(f"{listing(options)} {are} of a pilot: name it (--pilot FILE)")
        return None
    data: Any = Reading(
        (path,),
        kept("layout"),
        dict(kept("columns")),
        outcomes=dict(kept("outcomes")) or None,
        system_separator=kept("system_separator"),
        where=kept("where"),
        task=kept("task"),
    ).open_systems()
    keep_excluded(data.excluded)
    return data  # type: ignore[no-any-return]


def _draw(campaign_plan: CampaignPlan) -> dict[str, Any]:
    from evenhand.report.figures.predictions import draw_plan

    return draw_plan(campaign_plan)


MAX_PAIRS: Final = 12  # Most pairs of the table: the hardest
MIN_NAME: Final = 4  # Fewest columns of a name that is cut
MAX_DESIGNS: Final = 8  # Most designs of the table


@dataclass(frozen=True, eq=False)
class PlanResult:
    plan: CampaignPlan  # the plan
    wrote: tuple[str, ...]  # what was drawn

    def text(self, columns: int) -> str:
        plan, truth = self.plan, self.plan.spec.truth
        counted = plan.simulated
        tastes = (
            f"ties {100 * truth.ties:.0f} %, sd of judges' tastes {truth.judge_sd:.2g}, of items"
            f" {truth.item_sd:.2g} (log-worth)"
        )
        how = "closed form" if counted is None else f"{counted.campaigns} campaigns simulated"
        lines = [
            label("", f"{len(truth.systems)} systems {plan.spec.source}; {tastes}", columns),
            *block("read", [one.text for one in plan.excluded], columns),
            label("model", f"{how}; rank sets at level {plan.spec.level:g}", columns),
            "",
            *_draw_pairs(plan, columns),
            "",
            *block("says", plan.says, columns),
            "",
            *_draw_frontier(plan, columns),
            *say_notes(plan.notes, columns),
            *(label("wrote", one.removeprefix("wrote "), columns) for one in self.wrote),
            sign(plan.signature, columns),
        ]
        return "\n".join(lines) + "\n"

    def contract(self) -> dict[str, Any]:
        payload = self.plan.to_dict()
        return {**payload, "notes": [*payload["notes"], *self.wrote]}

    def records(self) -> list[dict[str, Any]]:
        return [dict(vars(one)) for one in self.plan.pairs]

    def latex(self) -> str:
        plan = self.plan
        comments = [plan.signature, *plan.says, *plan.notes]
        others = len(plan.pairs) - len(plan.asked)
        if others:
            comments.append(f"left out: {plural(others, 'pair')} that nobody asked to decide")
        return tabulate(_choose_columns(plan), [plan.asked], comments)

    def remarks(self) -> list[str]:
        return [*self.plan.says, *self.plan.notes, *self.wrote]


def _write_ends(one: PairPower) -> str:
    return f"{one.lower:.2f} to {one.upper:.2f}"


PAIRS: Final = (
    Column("pair", "pair"),
    Column.number("gap", "gap", ".2f"),
    Column.percent("preferred", "chance", typeset=".2f"),
    Column.number("expected", "expected", ".2f"),
    Column.number("power", "power", ".2f"),
    Column.number("interval", _write_ends, only="text"),
    Column.number("lower", "lower", ".2f", only="latex"),
    Column.number("upper", "upper", ".2f", only="latex"),
    Column.number("false", "false", only="text"),
)
OF_CAMPAIGNS: Final = ("power", "interval", "lower", "upper", "false")  # Only after simulation


def _choose_columns(plan: CampaignPlan, left_out: Sequence[str] = ()) -> list[Column]:
    without = {*left_out, *(() if plan.simulated is not None else OF_CAMPAIGNS)}
    return [one for one in PAIRS if one.title not in without]


def _draw_pairs(plan: CampaignPlan, columns: int) -> list[str]:
    """Return a line for each pair, the hardest first, and what names are without."""
    shown, table = plan.asked[:MAX_PAIRS], _choose_columns(plan, _leave_out(plan, columns))
    taken = width(click.unstyle(draw_table(table[1:], shown)[0]))
    short, without = _name_pairs(plan, shown, columns - taken - 2)
    named = [replace(one, pair=name) for one, name in zip(shown, short, strict=True)]
    drawn = draw_table(table, named)
    more = len(plan.asked) - len(shown)
    rest = [f" ... and {plural(more, 'pair')} more, easier"] if more else []
    below = [f" {line}" for line in wrap(without, columns - 1)] if without else []
    return [*drawn, *rest, *below]


def _leave_out(plan: CampaignPlan, columns: int) -> tuple[str, ...]:
    """Return what a narrow terminal does without; a false decision is shown at any width."""
    if columns >= PLAIN or plan.simulated is None:
        return ()
    return ("expected",) if any(one.false for one in plan.asked) else ("expected", "false")


def _name_pairs(plan: CampaignPlan, shown: Sequence[PairPower], room: int) -> tuple[list[str], str]:
    """Return names of pairs in so many columns, and what was taken from all of them."""
    systems = plan.spec.truth.systems
    long = max(width(one.pair) for one in shown) > room
    short, name_note = shorten(systems) if long else (systems, "")
    for room_of_one in range(max(MIN_NAME, *map(width, short)), MIN_NAME - 1, -1):
        labels = tell_apart(short, room_of_one)
        name = {one: labels[other] for one, other in zip(systems, short, strict=True)}
        pairs = [f"{name[pair.better]} > {name[pair.worse]}" for pair in shown]
        if max(map(width, pairs)) <= room:
            break
    return pairs, name_note


def _draw_frontier(plan: CampaignPlan, columns: int) -> list[str]:
    """Return a line for each number of judges that does, unless campaigns say otherwise."""
    if plan.is_contradicted:
        left_out = "not shown: it rests on the closed form, which expects too much here"
        return [label("table", left_out, columns)]
    if not plan.frontier:
        return [f" no number of judges that was tried does on {plan.design.items:,} items"]
    prices = plan.spec.prices
    heads = (
        Column.number("judges", "judges", ","),
        Column.number("judgments", "judgments", ","),
        Column.number("per judge", lambda one: one.judgments / one.judges, ",.0f"),
        *[Column.number("cost", prices.cost, ",.10g")] * prices.stated,
    )
    legend = label("table", "fewest judgments that are expected to do, by judges", columns)
    return [*draw_table(heads, _choose_points(plan)), "", legend]


def _choose_points(plan: CampaignPlan) -> Sequence[Design]:
    """Return the designs of the table: those around the planned number of judges."""
    panels = [one.judges for one in plan.frontier]
    nearest = min(range(len(panels)), key=lambda at: abs(panels[at] - plan.design.judges))
    start = max(min(nearest - MAX_DESIGNS // 2, len(panels) - MAX_DESIGNS), 0)
    return plan.frontier[start : start + MAX_DESIGNS]


MARKS = {True: "kept", False: "BROKEN", None: "counted"}
OPEN = "not yet"  # The mark of a promise of which it cannot be said yet whether it is kept


@dataclass(frozen=True, eq=False)
class CheckResult:
    assignment: Assignment  # the tickets
    check: DesignCheck  # what was counted on them
    collected: str = ""  # where answers were read from; "" where the design was counted
    seed_is_named: bool = False  # whether the campaign file names the seed

    def text(self, columns: int) -> str:
        campaign = self.assignment.campaign
        counts = (
            plural(len(campaign.items), "item"),
            plural(len(campaign.systems), "system"),
            plural(len(campaign.judges), "judge"),
            plural(len(self.assignment), "ticket"),
        )
        passes = ", then ".join(f"{one.name} ({one.kind})" for one in campaign.tasks)
        read = [
            f"campaign {campaign.name}: {', '.join(counts)}",
            f"systems: {say_outputs(campaign.outputs)}",
            f"passes: {passes}",
        ]
        if campaign.seed is None:
            seed = campaign.drawing_seed
            how = "the launch draws a secret seed of its own"
            read.append(f"rehearsal: dealt with seed {seed}; {how}")
        if self.collected:
            read.append(f"{plural(self.check.tickets, 'answer')} in {self.collected}")
        lines = [
            *block("read", read, columns),
            "",
            *(line for one in self.check.guarantees for line in _draw_promise(one, columns)),
            "",
            *(label("warns", one, columns) for one in self.doubts),
            label("says", self.says, columns),
            sign(self.signature, columns),
        ]
        return "\n".join(lines) + "\n"

    @property
    def says(self) -> str:
        broken, fulfilled, later = self.check.broken, self.check.kept, self.check.later
        if broken:
            return f"{plural(len(broken), 'promise is', 'promises are')} not kept"
        if not self.check.tickets:
            return "nothing is answered yet: nothing can be said of what was promised"
        text = f"{plural(len(fulfilled), 'promise is', 'promises are')} kept"
        if not self.collected:
            return f"{text}: the campaign can be launched"
        if not later:
            return f"{text} by what was collected"
        return f"{text} so far; of {len(later):,} it can be said when all is answered"

    @property
    def doubts(self) -> tuple[str, ...]:
        doubts = find_doubts(self.assignment.campaign)
        return (*doubts, SEED_IS_NAMED) if self.seed_is_named else doubts

    @property
    def signature(self) -> str:
        campaign = self.assignment.campaign
        # Signatures are shown to others
        seed = "secret" if campaign.has_secret_seed else campaign.drawing_seed
        return (
            f"evenhand {evenhand.__version__} | campaign {campaign.digest[:12]} | design"
            f" {self.check.digest[:12]} | seed={seed}"
        )

    def contract(self) -> dict[str, Any]:
        campaign = self.assignment.campaign
        payload = {
            "campaign": campaign.name,
            "campaign_digest": campaign.digest,
            "seed": None if campaign.has_secret_seed else campaign.drawing_seed,
            "rehearsal": campaign.seed is None,
            "items": len(campaign.items),
            "systems": list(campaign.systems),
            "outputs": dict(campaign.outputs),
            "tasks": [one.name for one in campaign.tasks],
        }
        if self.collected:
            payload["collected"] = self.collected
        payload["warns"] = list(self.doubts)
        return {**payload, **self.check.to_dict(), "says": [self.says], "signature": self.signature}

    def records(self) -> list[dict[str, Any]]:
        return [dict(vars(one)) for one in self.check.guarantees]

    def latex(self) -> str:
        rows = [
            (escape(one.name), escape(one.promised or "---"), escape(one.found))
            for one in self.check.guarantees
        ]
        return tabular("lp{6cm}p{6cm}", ("", "promised", "found"), [rows], [self.signature])

    def remarks(self) -> list[str]:
        return [*self.doubts, self.says, self.signature]


def _draw_promise(one: Guarantee, columns: int) -> list[str]:
    mark = OPEN if one.holds is None and one.promised else MARKS[one.holds]
    head = f" {mark:8}{one.name}"
    texts = [one.promised, f"found: {one.found}"] if one.promised else [one.found]
    return [head, *(f"{'':9}{line}" for text in texts for line in wrap(text, columns - 9))]
