"""What a ranking with controls costs: 100 systems, 2,000 judges, lengths and counts."""

from functools import partial
from pathlib import Path

import duckdb

from benchmarks import data
from benchmarks.contenders import OURS, Contender, FileCase, Suite

RECIPE = """
    SELECT format('system-{{:05d}}-instruct', a) AS model_a,
           format('system-{{:05d}}-instruct', (a + 1 + step) % 100) AS model_b,
           CASE WHEN dart < .15 THEN 'tie'
                WHEN dart - .15 < .85 / (1 + exp((length_b - length_a) / 1000.0 - lists / 20.0))
                THEN 'model_a' ELSE 'model_b' END AS winner,
           format('judge-{{:08d}}', judge) AS judge, length_a, length_b, lists, bold
    FROM (
        SELECT (random() * 100)::INT % 100 AS a, (random() * 99)::INT % 99 AS step,
               (random() * 2000)::INT % 2000 AS judge, random() AS dart,
               50 + (random() * 1450)::INT AS length_a, 50 + (random() * 1450)::INT AS length_b,
               (random() * 16)::INT - 8 AS lists, (random() * 10)::INT - 5 AS bold
        FROM range({n})
    )
"""
EVENHAND = tuple(
    Contender(f"evenhand, {many}", "ours", "controls_evenhand", (form,), "rank sets by judge", OURS)
    for many, form in (("no control", "none"), ("1 control", "one"), ("3 controls", "three"))
)
CONTENDERS = (
    Contender("floor", "floor", "floor", ("group_by",), "counts", ("duckdb",)),
    *EVENHAND,
    Contender(
        "scikit-learn, 3 controls",
        "peer",
        "controls_scikit_learn",
        ("three",),
        "worths and effects; ties half wins; design built by hand",
        ("scikit-learn", "polars"),
        ("controls_evenhand.half_win",),
    ),
)


def parquet(folder: Path, n: int) -> Path:
    """The file of `n` rows in `folder`, made if it is not there."""
    return data.make_once(folder / f"controls-n{n}.parquet", partial(write, n=n))


def write(path: Path, n: int) -> None:
    """Write the file."""
    with duckdb.connect() as connection:
        connection.execute("SELECT setseed(.5)")
        recipe = RECIPE.format(n=n)
        connection.execute(f"COPY ({recipe}) TO {data.quoted(path)} (FORMAT parquet)")


CASES = tuple(
    FileCase(f"N = {n:,}, K = 100", partial(parquet, n=n), CONTENDERS)
    for n in (10**5, 10**6, 10**7)
)
SUITE = Suite("controls", "length and style held equal", CASES, CASES[:1])
