"""The options of `evenhand watch`: what is decided, and how one goes on looking."""

from __future__ import annotations

from typing import Final

import click

from evenhand.cli.options import SEED, Section, stack
from evenhand.cli.parameters import OneOf

TIES: Final = ("davidson", "discard")
HALF_WIN: Final = (
    "ties as half a win give no probability of a vote, without which nothing stays decided: choose"
    " davidson (ties are an outcome) or discard"
)
PACE: Final = 2.0  # Seconds between two looks, if not said otherwise


class _Board(Section):
    heading = "What is decided"


board_options = stack(
    click.option(
        "--order",
        cls=_Board,
        metavar="COLUMN|rows",
        help="What tells the order in which votes were given. Default: the column that tells when"
        " answers came in, else when questions were put, else the rows.",
    ),
    click.option(
        "--ties",
        cls=_Board,
        type=OneOf(TIES, {"half-win": HALF_WIN}),
        help="What a tie says. Default: davidson.",
    ),
    click.option(
        "--level",
        cls=_Board,
        type=float,
        metavar="PROPORTION",
        help="Share of boards on which nothing false is ever decided. Default: .95.",
    ),
    click.option(
        "--judge-votes",
        cls=_Board,
        type=int,
        metavar="NUMBER",
        help="Also a column for any judges: the first so many votes of each make one vote of that"
        " judge on each pair.",
    ),
    click.option(
        "--systems",
        cls=_Board,
        metavar="NAME,NAME",
        help="Systems that take part, where that is known beforehand. Default: those of the first"
        " 60 votes, or of as many as the square of the systems; direct votes and judges count from"
        " then on.",
    ),
    click.option(
        "--state",
        cls=_Board,
        metavar="FILE",
        help="Go on with the board in this file, if it is there, and keep it there.",
    ),
    click.option(
        "--seed",
        cls=_Board,
        type=int,
        metavar="NUMBER",
        help=f"Of the pair that stands for a ranking. Default: that of --state, else {SEED}.",
    ),
)


class _Live(Section):
    heading = "While votes come in"


live_options = stack(
    click.option(
        "--live",
        cls=_Live,
        is_flag=True,
        help="Redraw the board until interrupted; in a pipe, and with --json, a line per change.",
    ),
    click.option(
        "--every",
        cls=_Live,
        type=click.FloatRange(min=0.1),
        metavar="SECONDS",
        help=f"Seconds between two looks of --live. Default: {PACE:g}.",
    ),
    click.option(
        "--insecure",
        cls=_Live,
        is_flag=True,
        help="Send the organiser's secret over http to another machine, where others can read it.",
    ),
)
