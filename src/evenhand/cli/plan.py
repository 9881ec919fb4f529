"""`evenhand plan`: how many judgments, judges and items decide which systems, at which cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from evenhand.cli.kept import keep_excluded, kept
from evenhand.cli.options import examples, output_options
from evenhand.cli.output import choose_output
from evenhand.cli.patience import Patience
from evenhand.cli.plan_check import PlanVerb
from evenhand.cli.plan_options import (
    design_options,
    figure_options,
    truth_options,
    wish_options,
)
from evenhand.errors import UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.design.plan import CampaignPlan
    from evenhand.judgments.comparisons import Comparisons
    from evenhand.judgments.rankings import Rankings

USUAL: Final = ("svg", "png")
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
    "merged": "--merged",
}
EXAMPLES: Final = (
    "evenhand plan --systems 2 --gap 0.3 --cost-judgment 0.5 --cost-judge 20",
    "evenhand plan campaign.toml --power 0.9",
    "evenhand plan --pilot votes.csv --judges 30 --resolve top",
    "evenhand plan check campaign.toml",
)


@click.command(
    cls=PlanVerb,
    short_help="How many judgments, judges and items are enough, at which cost?",
    epilog=examples(*EXAMPLES),
)
@click.argument("spec", required=False, metavar="[SPEC.toml]")
@truth_options
@design_options
@wish_options
@output_options
@figure_options
def plan(*, spec: str | None) -> None:
    """Plan a campaign: who judges what, which systems it decides, what it costs.

    Systems and judges as SPEC.toml or options say, or as a pilot shows. What is
    left out of the design is looked for; then campaigns are simulated and
    ranked as `evenhand rank` does. A design that cannot work is refused.
    """
    place = choose_output(
        {form: kept(f"as_{form}") for form in ("json", "csv", "latex")},
        kept("output"),
        [one for one in (spec, kept("pilot")) if one is not None],
    )
    check_figures()
    with Patience("simulating") as patience:
        from evenhand.design.plan import plan_campaign

        found = plan_campaign(
            _read_settings(spec),
            pilot=_open_pilot(),
            campaigns=kept("campaigns"),
            progress=patience.step,
        )
    from evenhand.cli.plan_result import PlanResult

    place.deliver(PlanResult(found, tuple(_draw(found))))


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
    """Open the pilot, if there is one."""
    path = kept("pilot")
    if path is None:
        said = [words for name, words in OF_PILOT.items() if kept(name)]
        if said:
            are = "is" if len(said) == 1 else "are"
            raise UnknownOption(f"{listing(said)} {are} of a pilot: name it (--pilot FILE)")
        return None
    from evenhand.cli.reading import Reading, Wishes

    outcomes = dict(kept("outcomes")) or None
    wishes = Wishes(dict(kept("columns")), outcomes=outcomes, merged=kept("merged"))
    data: Any = Reading((path,), kept("layout"), wishes, kept("where"), kept("task")).open_systems()
    keep_excluded(data.excluded)
    return data  # type: ignore[no-any-return]


def check_figures() -> None:
    """Refuse figures that cannot be drawn, before anything is simulated."""
    if kept("figures") is None:
        if kept("forms"):
            raise UnknownOption("--figure-format says how to draw: say where to with --figures")
        return
    from evenhand.report.figures.drawing import check_folder

    check_folder(Path(kept("figures")), kept("forms") or USUAL)


def _draw(found: CampaignPlan) -> list[str]:
    """Draw the curves, if that was asked; say where they are."""
    folder = kept("figures")
    if folder is None:
        return []
    from evenhand.report.figures.drawing import write_figures
    from evenhand.report.figures.plan_figures import draw_plan

    written = write_figures(draw_plan(found), Path(folder), kept("forms") or USUAL)
    return [f"wrote {len(written)} figures to {folder}"]
