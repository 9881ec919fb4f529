"""The options of `evenhand plan`, under the names of its TOML file."""

from __future__ import annotations

from functools import partial

import click

from evenhand.cli.kept import keep
from evenhand.cli.options import Section, keep_conditions, stack
from evenhand.cli.parameters import LabelOutcome, OneOf, RoleColumn


class _Systems(Section):
    heading = "Systems, judges and items as they may be (or from a pilot)"


class _Design(Section):
    heading = "Who judges what (what is left out is looked for)"


class _Wish(Section):
    heading = "What is wanted"


class _Figures(Section):
    heading = "Where the result goes"


# Options that the verb does not name among its parameters: there are many, most left out
_option = partial(click.option, callback=keep, expose_value=False)

truth_options = stack(
    _option("--systems", cls=_Systems, type=int, metavar="NUMBER", help="How many."),
    _option(
        "--gap",
        cls=_Systems,
        type=float,
        metavar="LOG-WORTH",
        help="How much better each is than the next: 0.4 is preferred in 60 % of judgments.",
    ),
    _option(
        "--ties", cls=_Systems, type=float, metavar="SHARE", help="Share of ties between equals."
    ),
    _option(
        "--judge-sd",
        cls=_Systems,
        type=float,
        metavar="LOG-WORTH",
        help="How far judges' tastes differ: sd of judge x system.",
    ),
    _option(
        "--item-sd",
        cls=_Systems,
        type=float,
        metavar="LOG-WORTH",
        help="How far systems do better on some items: sd of item x system.",
    ),
    _option(
        "--pilot",
        cls=_Systems,
        metavar="FILE",
        help="Comparisons or rankings from which worths, ties and tastes are taken.",
    ),
    _option("--task", cls=_Systems, metavar="NAME", help="Only this task of the pilot."),
    _option(
        "--column",
        "columns",
        cls=_Systems,
        multiple=True,
        type=RoleColumn(),
        metavar="ROLE=NAME",
        help="Which column of the pilot plays a role. Repeatable.",
    ),
    _option(
        "--where",
        cls=_Systems,
        multiple=True,
        callback=keep_conditions,
        metavar="SQL",
        help="Only rows of the pilot that meet it. Repeatable.",
    ),
    _option("--from", "layout", cls=_Systems, metavar="FORMAT", help="The pilot's format."),
    _option(
        "--outcome",
        "outcomes",
        cls=_Systems,
        multiple=True,
        type=LabelOutcome(),
        metavar="LABEL=left|tie|right",
        help="What a label of the pilot means, such as 1=left. Repeatable.",
    ),
    _option(
        "--merged",
        cls=_Systems,
        metavar="SIGN",
        help="The sign between systems that share an output of the pilot, as + in A+B.",
    ),
)

design_options = stack(
    _option("--judges", cls=_Design, type=int, metavar="NUMBER", help="So many judges."),
    _option("--items", cls=_Design, type=int, metavar="NUMBER", help="So many items."),
    _option("--judgments", cls=_Design, type=int, metavar="NUMBER", help="So many in all."),
    _option("--each", cls=_Design, type=int, metavar="NUMBER", help="So many of each judge."),
    _option(
        "--overlap",
        cls=_Design,
        type=int,
        metavar="NUMBER",
        help="Different judges for each output pair. Default: 1.",
    ),
    _option(
        "--repeats",
        cls=_Design,
        type=int,
        metavar="NUMBER",
        help="How often each of them sees it. Default: 1.",
    ),
    _option(
        "--loads",
        cls=_Design,
        type=OneOf(("equal", "zipf")),
        help="Judgments per judge: alike, or few judges give most. Default: equal.",
    ),
)

wish_options = stack(
    _option(
        "--resolve",
        cls=_Wish,
        metavar="all|top|0.3|A>B,...",
        help="Pairs to decide: all that differ, those of the best system, those so far apart or"
        " more, or by name. Default: all.",
    ),
    _option(
        "--power", cls=_Wish, type=float, metavar="PROPORTION", help="How surely. Default: 0.8."
    ),
    _option(
        "--level", cls=_Wish, type=float, metavar="PROPORTION", help="Of rank sets. Default: 0.95."
    ),
    _option("--cost-judgment", cls=_Wish, type=float, metavar="PRICE", help="Of one. Default: 1."),
    _option("--cost-judge", cls=_Wish, type=float, metavar="PRICE", help="Of one. Default: 0."),
    _option("--seed", cls=_Wish, type=int, metavar="NUMBER", help="Of everything random."),
    _option(
        "--campaigns",
        cls=_Wish,
        type=int,
        default=200,
        show_default=True,
        metavar="NUMBER",
        help="How many are simulated; 0 for the closed form alone.",
    ),
)

figure_options = stack(
    _option("--figures", cls=_Figures, metavar="FOLDER", help="Draw the curves of power."),
    _option(
        "--figure-format",
        "forms",
        cls=_Figures,
        multiple=True,
        type=OneOf(("svg", "png", "pdf", "json")),
        help="Of figures. Default: svg and png. Repeatable.",
    ),
)
