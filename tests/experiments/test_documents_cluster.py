"""Where items come from documents that favour systems, do rankings by ratings stay honest?

Four equal systems, 12 judges, 12 documents of 10 items, all scored by two judges each; a document
moves each system by a normal effect with sd 4, and the residual has sd 6. Counted are campaigns in
which any pair is decided: with the column of documents, and without it.
"""

import numpy as np
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
    return rows


@pytest.mark.slow
def test_documents_are_clusters(record_property):
    rng = np.random.default_rng(20)
    false = {"with": 0, "without": 0}
    for _ in range(CAMPAIGNS):
        rows = draw(rng, 4.0)
        bare = {name: values for name, values in rows.items() if name != "document"}
        for name, table in (("with", rows), ("without", bare)):
            false[name] += bool(evenhand.rank(table).decided.any())
    for name, n in false.items():
        record_property(name, n / CAMPAIGNS)
    assert false["with"] / CAMPAIGNS <= 0.103  # .05 and three standard errors
    assert false["without"] / CAMPAIGNS >= 0.15  # the control: what is at stake
