"""Where items come from documents that favour systems, do rankings by ratings stay honest?

Four equal systems, 12 judges, 12 documents of 10 items, all scored by two judges each; a document
moves each system by a normal effect with sd 4, and the residual has sd 6. Counted are campaigns in
which any pair is decided: with the column of documents, and without it.
"""

import numpy as np
import polars as pl
import pytest

import evenhand

CAMPAIGNS = 150


def draw(rng, sd):
    document_effect = rng.normal(0, sd, (12, 4))
    severity, difficulty = rng.normal(0, 5, 12), rng.normal(0, 5, 120)
    rows = {name: [] for name in ("judge", "item", "system", "score", "document")}
    for item in range(120):
        for judge in rng.choice(12, 2, replace=False):
            for system in range(4):
                score = 60 + severity[judge] + difficulty[item]
                score += document_effect[item // 10, system] + rng.normal(0, 6)
                values = (f"j{judge}", f"i{item}", f"s{system}", score, f"d{item // 10}")
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(value)
    return pl.DataFrame(rows)  # a third of the time that a dict takes


@pytest.mark.slow
def test_documents_are_clusters(record_property):
    rng = np.random.default_rng(20)
    false = {"with": 0, "without": 0}
    for _ in range(CAMPAIGNS):
        rows = draw(rng, 4.0)
        for name, table in (("with", rows), ("without", rows.drop("document"))):
            false[name] += bool(evenhand.rank(table).decided.any())
    for name, n in false.items():
        record_property(name, n / CAMPAIGNS)
    assert false["with"] / CAMPAIGNS <= 0.103  # .05 and three standard errors
    assert false["without"] / CAMPAIGNS >= 0.15  # the control: what is at stake


@pytest.mark.slow
def test_few_documents_leave_items_as_clusters(record_property):
    """Four documents of five items that favour systems each by itself: items are clusters.

    The control clusters by judge alone, as rankings did when documents took the items' place.
    """
    false = {"document": 0, "judge": 0}
    for campaign in range(120):
        rng = np.random.default_rng(900 + campaign)
        favour, severity = rng.normal(0, 0.8, (20, 4)), rng.normal(0, 1, 12)
        rows = {name: [] for name in ("judge", "item", "system", "score", "document")}
        for judge, item, system in np.ndindex(12, 20, 4):
            if rng.random() < 0.4:
                score = severity[judge] + favour[item, system] + rng.normal()
                values = (f"j{judge}", f"i{item}", f"s{system}", score, f"d{item // 5}")
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(value)
        table = pl.DataFrame(rows)
        for name, cluster in (("document", None), ("judge", "judge")):
            false[name] += bool(evenhand.rank(table, cluster=cluster).decided.any())
    for name, n in false.items():
        record_property(name, n / 120)
    assert false["document"] / 120 <= 0.11  # .05 and three standard errors
    assert false["judge"] / 120 >= 0.25
