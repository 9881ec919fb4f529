"""`evenhand agreement`."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa


def scores(seed: int, *, again: int = 0) -> pl.DataFrame:
    """Three judges on 24 outputs under two criteria; some outputs scored again by the first."""
    rng = np.random.default_rng(seed)
    judge, item, criterion = (
        part.ravel() for part in np.meshgrid(range(3), range(24), range(2), indexing="ij")
    )
    quality = rng.integers(1, 6, 24)[item]
    score = np.clip(quality + rng.integers(-1, 2, len(item)), 1, 5)
    frame = pl.DataFrame(
        {
            "judge": [f"j{j}" for j in judge],
            "item": [f"i{i:02d}" for i in item],
            "system": [f"s{i % 3}" for i in item],
            "criterion": ["fluency" if c else "adequacy" for c in criterion],
            "score": score,
        }
    )
    second = frame.filter(pl.col("judge") == "j0").head(again)
    return pl.concat([frame, second])


@pytest.fixture
def rated(folder: Path) -> str:
    """Ratings of a campaign in which nobody was asked again."""
    scores(1).write_csv("scores.csv")
    return "scores.csv"


def test_criteria_are_apart_and_together(evenhand, rated):
    found = evenhand("agreement", rated, "--scale", "1-5", "--json").json
    assert [part["by"] for part in found["parts"]] == [
        {"criterion": "adequacy"},
        {"criterion": "fluency"},
        {},
    ]
    frame = scores(1).filter(pl.col("criterion") == "fluency")
    wide = frame.pivot("judge", index="item", values="score").drop("item").to_numpy()
    expected = fleiss_kappa(aggregate_raters(wide)[0])
    known = {one["name"]: one for one in found["parts"][1]["coefficients"]}
    assert known["fleiss"]["value"] == pytest.approx(expected)
    assert known["fleiss"]["lower"] < expected < known["fleiss"]["upper"]
    assert found["scale"].startswith("1 to 5")
