"""Votes at random, and what is said of them by an engine that counts and by who reads rows."""

import numpy as np
import polars as pl

from engine_answers import count_all, plain
from evenhand import measure_agreement, read
from evenhand.data.query_log import watch_fetches
from evenhand.errors import EvenhandError

NAMES = ("a", "a b", "b|", "c", "d")
"""Pairs of them stand in the order of both names, not of "a | c" and "a b | c"."""
AGAIN = ("judge", "item", "left", "right")


def votes(n=400, *, seed=0, items=20, ties=True, tasks=1, criteria=1):
    """Votes at random, of which some are second answers, repeats and controls."""
    rng = np.random.Generator(np.random.PCG64(seed))
    left = rng.integers(0, 5, n)
    said = ["left", "right", *(["tie", "Tie (bothbad)"] if ties else [])]
    columns = {
        "judge": [f"j{one}" for one in rng.integers(0, 6, n)],
        "item": [f"i{one}" for one in rng.integers(0, items, n)],
        "left": [NAMES[one] for one in left],
        "right": [NAMES[one] for one in (left + rng.integers(1, 5, n)) % 5],
        "outcome": rng.choice(said, n).tolist(),
        "shown_at": (np.arange(n) * 7919 % n).tolist(),
        "kind": rng.choice(["target", "target", "target", "repeat", "control", ""], n).tolist(),
        "seconds": rng.normal(3, 2, n).tolist(),
    }
    more = {"task": ("t", tasks), "criterion": ("c", criteria)}
    for name, (letter, size) in more.items():
        if size > 1:
            columns[name] = [f"{letter}{one}" for one in rng.integers(0, size, n)]
    return pl.DataFrame(columns)


def rankings(*, positions):
    """Four judges rank four of five outputs of every item, in places of their own."""
    rng = np.random.Generator(np.random.PCG64(7))
    rows = []
    for item in range(15):
        for judge in range(4):
            for place, system in enumerate(rng.permutation(["x+y", *"ABC"])):
                known = f"r{item}_{judge}", f"j{judge}", f"i{item}", str(system)
                rows.append((*known, int(rng.integers(1, 4)), place))
    names = ("ranking", "judge", "item", "system", "rank", "position")
    table = pl.DataFrame(rows, schema=names, orient="row")
    return table if positions else table.drop("position")


def answer(table, found=None, **settings):
    """What is said of a table, or why nothing is."""
    try:
        return plain(measure_agreement(read(table, **(found or {})), **settings).to_dict())
    except EvenhandError as refusal:
        return str(refusal)


def counted(table, found=None, **settings):
    """The same where an engine counts, the rows that it hands out, and why it hands them out."""
    with count_all(), watch_fetches() as fetches:
        said = answer(table, found, **settings)
    return said, sum(one.rows for one in fetches), {one.why for one in fetches if one.why}


def marked(kind):
    """Votes of which those of one kind alone say that neither is better."""
    own = pl.when(pl.col("kind") == kind).then(pl.lit("tie")).otherwise("outcome")
    return votes(ties=False).with_columns(outcome=own)


def asked_again(table):
    """Every vote once, and a repeat of it that says something else."""
    first = table.unique(AGAIN[:2], keep="first", maintain_order=True)
    repeat = first.with_columns(outcome=pl.lit("left"), kind=pl.lit("repeat"))
    return pl.concat([first.with_columns(kind=pl.lit("target")), repeat])


def ranked_in_one_task():
    """Two tasks, of which one has answers of several rows."""
    rows = pl.Series([f"r{at // 3 if at < 450 else at}" for at in range(900)])
    task = pl.Series(["t0" if at < 450 else "t1" for at in range(900)])
    return votes(900).with_columns(ranking=rows, task=task)
