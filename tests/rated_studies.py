"""Small tables of ratings with planted truth, as studies of a report."""

import json

import numpy as np
import polars as pl

import evenhand
from evenhand.report.analysis import Analysis, Settings
from evenhand.report.document import describe_section

WORTH = {"good": 8.0, "fair": 5.0, "poor": 2.0}


def make_rows(*, judges=9, items=20, criteria=("fluency",), worth=None, seed=7):
    """Return scores: worth + severity of the judge + difficulty of the item + noise."""
    rng = np.random.default_rng(seed)
    severity, difficulty = rng.normal(0, 1, judges), rng.normal(0, 1, items)
    return [
        {
            "judge": f"j{judge}",
            "item": f"i{item:02}",
            "system": system,
            "criterion": criterion,
            "score": round(50 + own + severity[judge] + difficulty[item] + rng.normal(0, 1), 3),
        }
        for criterion in criteria
        for judge in range(judges)
        for item in range(items)
        for system, own in (worth or WORTH).items()
    ]


def study(rows, *, drop=(), task="", **settings):
    """Return the study of a table."""
    data = evenhand.read(pl.DataFrame(rows).drop(*drop))
    return Analysis(data, Settings(**settings), task)


def table(section, name):
    """Return the table of a name."""
    (found,) = (one for one in section.tables if one.name == name)
    return found


def is_plain(section):
    """Whether a section can be written as JSON, without NaN."""
    return bool(json.dumps(describe_section(section), allow_nan=False))
