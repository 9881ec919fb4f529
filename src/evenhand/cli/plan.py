"""`evenhand plan`: how many judgments, judges and items decide which systems, at which cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.options import (
    ROLE_COLUMN,
    LabelOutcome,
    OneOf,
    figure_options,
    keep_conditions,
    output_options,
    section,
    stack,
    verb,
)
from evenhand.cli.refusals import keep_excluded, kept
from evenhand.cli.result import VerbResult
from evenhand.cli.running import ProgressDisplay, Reading, check_figures, take_output, write_figures
from evenhand.errors import UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.design.plan import CampaignPlan

_systems_option = section("Systems, judges and items as they may be (or from a pilot)", stored=True)
_design_option = section("Who judges what (what is not stated is searched for)", stored=True)
_wish_option = section("What is wanted", stored=True)
_figures_option = section("Output", stored=True)


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
        help="How much judges' tastes differ: sd of judge x system.",
    ),
    _systems_option(
        "--item-sd",
        type=float,
        metavar="LOG-WORTH",
        help="How much systems do better on some items: sd of item x system.",
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
        help="Judgments per judge: equal, or most from few judges. Default: equal.",
    ),
)

wish_options = stack(
    _wish_option(
        "--resolve",
        metavar="all|top|0.3|A>B,...",
        help="Pairs to decide: all that differ, those of the best system, those so far apart or"
        " more, or by name. Default: all.",
    ),
    _wish_option(
        "--power",
        type=float,
        metavar="PROPORTION",
        help="Chance to decide each pair. Default: 0.8.",
    ),
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

plan_figure_options = figure_options(_figures_option, "Draw the curves of power.")

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
    not stated of the design is searched for; then campaigns are simulated and
    ranked as `evenhand rank` does. A design that cannot work is refused.
    """
    place = take_output(spec, kept("pilot"))
    if kept("figures") is None and kept("forms"):
        raise UnknownOption("--figures-as says how to draw: say where to with --figures")
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
    place.deliver(VerbResult({"": campaign_plan}, {}, wrote))


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
