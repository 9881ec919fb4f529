"""Tables of votes in the order in which they were given."""

import numpy as np
import polars as pl

from evenhand.ranking.sequential.votes import Vote

NAMES = ("ash", "birch", "cedar", "dogwood")


def draw_table(n, *, seed=0, gap=0.8, judges=12, taste=0.0):
    """Votes on four systems, the first by name the best; `second` tells when."""
    rng = np.random.default_rng(seed)
    tastes = rng.normal(0, taste, (judges, 4))
    rows = []
    for second in range(n):
        left, right = rng.choice(4, 2, replace=False).tolist()
        judge = int(rng.integers(judges))
        eta = gap * (right - left) + tastes[judge, left] - tastes[judge, right]
        parts = np.array([np.exp(eta / 2), 0.5, np.exp(-eta / 2)])
        said = ("left", "tie", "right")[rng.choice(3, p=parts / parts.sum())]
        rows.append((NAMES[left], NAMES[right], said, f"j{judge:02d}", float(second)))
    return pl.DataFrame(rows, schema=["left", "right", "outcome", "judge", "second"], orient="row")


def draw_votes(n, *, systems=4, gap=0.8, tie=0.6, judges=6, late=0, seed=0):
    """Votes, the first system the best; the last ones come late, after a third of the votes."""
    names = NAMES if systems == 4 else [f"s{at}" for at in range(systems)]
    rng, votes = np.random.default_rng(seed), []
    for number in range(n):
        known = systems if 3 * number > n else systems - late
        left, right = rng.choice(known, 2, replace=False).tolist()
        eta = gap * (right - left)
        parts = np.array([np.exp(eta / 2), tie, np.exp(-eta / 2)])
        said = ("left", "tie", "right")[rng.choice(3, p=parts / parts.sum())]
        votes.append(Vote(names[left], names[right], said, f"j{number % judges}"))
    return votes


def write_rankings(file, n):
    """Rankings whose names and judges sort against their order; who is first cycles."""
    rows = [
        {"ranking": f"r{99 - i}", "judge": f"j{9 - i % 7}", "item": str(50 - i)}
        | {"system": NAMES[(i + place) % 4], "rank": place + 1}
        for i in range(n)
        for place in range(4)
    ]
    pl.DataFrame(rows).write_csv(file)
    return file
