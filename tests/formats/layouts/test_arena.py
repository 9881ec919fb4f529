"""Arena battles."""

import json

from evenhand.data.comparisons import Comparisons
from evenhand.formats.reading import read
from read_tables import cells_of


def _battle(winner: str, n: int) -> str:
    return json.dumps(
        {
            "question_id": f"q{n}",
            "model_a": "x",
            "model_b": "y",
            "winner": winner,
            "judge": f"arena_user_{n}",
            "conversation_a": [{"role": "user", "content": 'a "quoted"\nline'}],
            "turn": n,
            "anony": True,
            "tstamp": 1.5,
        }
    )


def test_battles_count_both_kinds_of_tie_as_ties(save) -> None:
    winners = ["model_a", "model_b", "tie", "tie (bothbad)"]
    path = save("t.jsonl", "\n".join(_battle(w, n) for n, w in enumerate(winners)))
    data = read(path)
    assert isinstance(data, Comparisons)
    assert data.source.format == "arena"
    assert data.source.columns["item"] == "question_id"
    tally = data.tally(("judge",))
    assert cells_of(tally.pool()) == {("x", "y"): (1, 2, 1)}
    assert tally.factor("judge").labels == tuple(f"arena_user_{n}" for n in range(4))
