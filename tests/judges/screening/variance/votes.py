"""Comparisons of a simulated campaign, as a table."""

import narwhals as nw
import polars as pl

from evenhand.data.comparisons import Comparisons
from experiments.campaign import Campaign, generator


def table(replicate: int, judge: float = 0.5, item: float = 0.4, tie: float = 0.5) -> pl.DataFrame:
    """One vote a row."""
    made = Campaign(0.3, judge, item, systems=5, judges=20, items=40, n=3000, tie=tie)
    tally = made.simulate(generator(13, 70, replicate))
    labels = {name: tally.factor(name) for name in ("judge", "item")}
    outcome = [
        "left" if w else "tie" if t else "right"
        for w, t in zip(tally.wins, tally.ties, strict=True)
    ]
    return pl.DataFrame(
        {
            "left": [tally.systems[code] for code in tally.left],
            "right": [tally.systems[code] for code in tally.right],
            "outcome": outcome,
            **{name: [f.labels[code] for code in f.codes] for name, f in labels.items()},
        }
    )


def voted(replicate: int, judge: float = 0.5, item: float = 0.4) -> Comparisons:
    """The same, opened."""
    return Comparisons(nw.from_native(table(replicate, judge, item)))
