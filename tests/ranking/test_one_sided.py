"""A ranking says that lot did not decide the sides, unless something else allows for them."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli.main import main
from evenhand.data.tally import Tally
from evenhand.ranking.sides import LIMIT
from evenhand.ranking.texts import INSEPARABLE

CODES = np.array([[0, 1], [1, 2], [0, 2], [1, 0], [2, 1], [2, 0]], dtype=np.int32)


def votes(turned: float) -> Tally:
    """Three systems, 120 votes for each pair, of which a share stands the other way round."""
    n = np.repeat([120 * (1 - turned), 120 * turned], 3)
    return Tally(("a", "b", "c"), *CODES.T, n / 2, n / 6, n / 3, n_judgments=360.0)


def test_sides_that_go_by_name_are_noted_and_limit_every_sentence():
    ranking = evenhand.rank(votes(turned=0.0))
    assert ranking.one_sided
    assert ranking.notes[0].startswith("Sides were not randomised: a stood first in 240 of 240")
    assert LIMIT in ranking.says
    assert all(LIMIT in ranking.says_of(name) for name in "abc")
    assert ranking.notes[0].severity == "warning"
    assert "Sides were not randomised" in str(ranking)


def test_a_small_share_beyond_lot_is_noted_and_limits_no_sentence():
    few = votes(turned=0.45)  # 66 of 120: lot explains it, of 100 times as many it does not
    many = replace(
        few, wins=100 * few.wins, ties=100 * few.ties, losses=100 * few.losses, n_judgments=36_000.0
    )
    ranking = evenhand.rank(many)
    assert (ranking.notes[0].code, ranking.notes[0].severity) == ("one-sided", "note")
    assert not ranking.one_sided
    assert LIMIT not in ranking.says
    assert evenhand.rank(few).notes[:1] != ranking.notes[:1]


COMMAND_LINE = CliRunner()
WORTHS = {"a": 0.8, "b": 0.3, "c": -0.2, "d": -0.6}


def simulate(pairs, n=540, seed=4):
    """Votes on given (first, second) pairs in turn, by 12 judges; 15 % ties."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        first, second = pairs[i % len(pairs)]
        wins = 1 / (1 + np.exp(WORTHS[second] - WORTHS[first]))
        outcome = "tie" if rng.random() < 0.15 else "left" if rng.random() < wins else "right"
        rows.append((first, second, outcome, f"j{i % 12}"))
    return pl.DataFrame(rows, schema=["left", "right", "outcome", "judge"], orient="row")


EVERY = [(one, two) for one in "abcd" for two in "abcd" if one < two]
ONE_ORDER = {
    "in the order of the names": EVERY,
    "round and round": [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("a", "c"), ("b", "d")],
    "two systems": [("a", "b")],
}
BOTH_ORDERS = {
    "a always first, others in both orders": [
        *(("a", other) for other in "bcd"),
        *((one, two) for one in "bcd" for two in "bcd" if one != two),
    ],
    "two parts in both orders, joined in one": [
        *(("a", "b"), ("b", "a"), ("c", "d"), ("d", "c"), ("a", "c"), ("b", "d"))
    ],
}


def ask(folder, pairs, *words):
    """Return what a command says of simulated votes in JSON, or its refusal."""
    file = folder / "votes.csv"
    simulate(pairs).write_csv(file)
    result = COMMAND_LINE.invoke(main, [words[0], str(file), *words[1:], "--json"])
    if result.exit_code != 0:
        return result.output
    return json.loads(result.stdout)


def list_notes(found):
    return [one["text"] for one in found["findings"]]


def is_inseparable(text):
    return INSEPARABLE.casefold() in text.casefold()


@pytest.mark.parametrize("pairs", ONE_ORDER.values(), ids=[*ONE_ORDER])
def test_rank_models_bias_and_compare_agree_that_one_order_has_no_order_effect(tmp_path, pairs):
    ranked = ask(tmp_path, pairs, "rank")
    assert any(map(is_inseparable, list_notes(ranked)))
    found = ask(tmp_path, pairs, "compare", "--nested")
    assert INSEPARABLE in found["refused"]["+ order"]
    assert not any("order matters" in one["answer"] for one in found["tests"])
    assert "+ order" not in [row["name"] for row in found["models"]]
    assert INSEPARABLE in ask(tmp_path, pairs, "bias")
    compared = ask(tmp_path, pairs, "compare", "--model", "uniform", "--model", "bradley-terry")
    assert any(map(is_inseparable, list_notes(compared)))


@pytest.mark.parametrize("pairs", BOTH_ORDERS.values(), ids=[*BOTH_ORDERS])
def test_where_some_pairs_were_shown_in_both_orders_all_four_say_whose_sides_were_not(
    tmp_path, pairs
):
    shared = len({p for p in pairs if p[::-1] in pairs}) / len(pairs)
    compared = ("compare", "--model", "uniform", "--model", "bradley-terry")
    for words in (("rank",), ("compare", "--nested"), compared):
        notes = list_notes(ask(tmp_path, pairs, *words))
        assert any(note.startswith("Sides were not randomised: ") for note in notes)
        assert not any(map(is_inseparable, notes))
    said = list_notes(ask(tmp_path, pairs, "bias"))
    (note,) = [one for one in said if "randomised" in one]
    assert f"{100 * shared:.0f} % of the comparisons are of pairs shown in both orders" in note
