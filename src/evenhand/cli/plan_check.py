"""`evenhand plan check`: does a campaign's design keep what it promises? And the way to it."""

from __future__ import annotations

from typing import Any, Final

import click

from evenhand.cli.kept import keep, kept
from evenhand.cli.options import Verb, examples, output_options
from evenhand.cli.output import choose_output

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
    forms = {form: kept(f"as_{form}") for form in ("json", "csv", "latex")}
    log: str | None = kept("collected")
    place = choose_output(forms, kept("output"), [campaign, *([log] if log else [])])
    from evenhand.cli.plan_check_result import CheckResult
    from evenhand.design.assignment import assign
    from evenhand.design.guarantees import verify_design
    from evenhand.design.policy import make_policy
    from evenhand.design.reading import read_campaign

    planned = read_campaign(campaign)
    make_policy(planned)
    if log:
        from evenhand.web.store.collected import check_collected

        assignment, found = check_collected(log, planned)
    else:
        assignment = assign(planned)
        found = verify_design(assignment)
    place.deliver(CheckResult(assignment, found, log or "", seed_is_named=planned.seed is not None))
    if found.broken:
        click.get_current_context().exit(1)


class PlanVerb(Verb):
    """The verb `plan`, whose word `check` is a command of its own; all else is as ever."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands behind `check` as its words."""
        if args[:1] != ["check"]:
            return super().parse_args(ctx, args)
        ctx.meta[CHECKED] = check.make_context(f"{ctx.info_name} check", args[1:], ctx.parent)
        return []

    def invoke(self, ctx: click.Context) -> Any:
        """Run what was asked for."""
        if CHECKED not in ctx.meta:
            return super().invoke(ctx)
        with ctx.meta[CHECKED] as inner:
            return check.invoke(inner)
