from __future__ import annotations

import re
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from golden_numbers import entries

KEYS = [
    *("signature", "excluded", "findings", "says", "ties_as", "sides", "new", "pairs"),
    *("clusterings", "untested", "variants", "model", "friedman", "assumes", "ignores"),
    *("n_judgments", "n_comparisons"),
]
PAIR_KEYS = [
    *("first", "second", "better", "ties", "worse", "p", "holm", "fdr"),
    *("p_clustered", "holm_clustered"),
]
ONE_PAIR = [
    one
    for one in entries("03_sign_tests")
    if one.id.endswith(("ModPref", "printed_stats", "Pref_ours"))
]


def pair_file(plus: int, none: int, minus: int) -> str:
    lines = [f"new,old,{name},{n}" for name, n in (("left", plus), ("tie", none), ("right", minus))]
    text = "left,right,outcome,weight\n" + "\n".join(lines) + "\n"
    Path("pair.csv").write_text(text, encoding="utf-8")
    return "pair.csv"


def test_json_is_the_documented_contract(evenhand, table1):
    found = evenhand("test", table1, "--json").json
    assert list(found) == KEYS
    assert [list(one) for one in found["pairs"]] == [PAIR_KEYS] * 6
    assert (found["variants"], found["model"]) == ([], [])
    assert "sign test ignore" in found["signature"]
    # R 4.2.2, friedman.test, of the first preferences by judge
    assert found["friedman"]["statistic"] == pytest.approx(10.2)
    assert found["friedman"]["f"] == pytest.approx(17)
    assert found["friedman"]["mean_places"]["A"] == pytest.approx(1.25)


@pytest.mark.parametrize("entry", ONE_PAIR, ids=lambda entry: entry.id)
def test_one_pair_shows_every_sign_test_beside_the_model(evenhand, entry):
    file = pair_file(*(entry.input[name] for name in ("n_plus", "n_zero", "n_minus")))
    found = evenhand("test", file, "--new", "new", "--json").json
    own = {one["variant"]: one for one in found["variants"]}
    expected = entry.expected
    assert own["ignore"]["p"] == pytest.approx(expected["ignore_ties"]["two_sided"], abs=1e-9)
    assert own["split"]["p"] == pytest.approx(
        expected["split_even_drop_odd_tie"]["two_sided"], abs=1e-9
    )
    assert own["against"]["greater"] == pytest.approx(
        expected["ties_against_new_system"]["greater"], abs=1e-9
    )
    assert own["trinomial"]["p"] == pytest.approx(expected["trinomial"]["two_sided"], abs=1e-9)
    model = next(
        one for one in entries("01_llbt_single_pair") if one.id == entry.id.removeprefix("sign_")
    )
    coefficients = {one["name"][0]: one for one in found["model"]}
    for name, row in (("o", model.expected["o1"]), ("g", model.expected["g1"])):
        assert coefficients[name]["estimate"] == pytest.approx(row["est"], abs=1e-8)
        assert coefficients[name]["stderr"] == pytest.approx(row["se"], abs=1e-6)


def test_only_a_direction_that_was_named_has_one_sided_p_values(evenhand, modpref):
    assert "one-sided" not in evenhand("test", modpref).out
    said = evenhand("test", modpref, "--json").json["variants"]
    assert {one["greater"] for one in said} == {None}
    text = evenhand("test", modpref, "--new", "+").out
    assert re.search(r"ignore +ties ignored, exact +– +0\.010 +0\.005\n", text)
    turned = evenhand("test", modpref, "--new", "-", "--json").json["variants"][0]
    # scipy 1.17.1: binomtest(35, 96, alternative="greater")
    assert turned["greater"] == pytest.approx(stats.binom.sf(34, 96, 0.5))


def test_a_new_system_has_its_own_pairs_and_one_side(evenhand, table1):
    found = evenhand("test", table1, "--new", "B", "--json").json
    assert ([one["first"] for one in found["pairs"]], found["sides"]) == (["B"] * 3, 1)
    better, worse = (found["pairs"][0][name] for name in ("better", "worse"))
    expected = stats.binomtest(better, better + worse, alternative="greater").pvalue
    assert found["pairs"][0]["p"] == pytest.approx(expected)
    text = evenhand("test", table1, "--new", "B").out
    assert "one-sided: is B preferred?" in " ".join(text.split())
    assert "nobody compared a system 'E'" in evenhand("test", table1, "--new", "E", code=2).err


def test_p_values_that_account_for_judges_stand_beside(evenhand, folder):
    simulate_panel().write_csv("votes.csv")
    found = evenhand("test", "votes.csv", "--json").json
    assert found["clusterings"] == ["judge"]
    assert all(one["p_clustered"] <= one["holm_clustered"] for one in found["pairs"])
    assert all(one["code"] == "columns" for one in found["findings"])
    assert "with judgments correlated by judge" in found["says"]
    text = evenhand("test", "votes.csv").out
    assert "p, clustered" in text.split("\n\n")[1]
    assert "clustered: accounts for judges, ties ignored" in text
    # a tie that counts against a system has no clustered counterpart
    half = evenhand("test", "votes.csv", "--ties-as", "half-against", "--json").json
    assert half["clusterings"] == []
    against = evenhand("test", "votes.csv", "--ties-as", "against", "--json").json
    assert against["clusterings"] == []
    assert any(one["code"] == "correlated-unclustered" for one in against["findings"])


def simulate_panel() -> pl.DataFrame:
    """Twelve judges, each with a taste of their own."""
    rng = np.random.default_rng(3)
    rows = []
    for judge in range(12):
        worth = np.array([0.5, 0.1, -0.6]) + 0.6 * rng.standard_normal(3)
        for left, right in [(0, 1), (1, 2), (2, 0)] * 8:
            won = rng.random() < 1 / (1 + np.exp(worth[right] - worth[left]))
            rows.append((f"j{judge}", "abc"[left], "abc"[right], "left" if won else "right"))
    return pl.DataFrame(rows, ["judge", "left", "right", "outcome"], orient="row")


def test_a_pair_without_losses_has_sign_tests_and_says_why_there_is_no_model(evenhand, folder):
    text = " ".join(evenhand("test", pair_file(9, 3, 0)).out.split())
    assert re.search(r"ignore ties ignored, exact – 0\.004 ", text)  # 2 / 2⁹
    assert "No model beside the tests: the tie parameter has no finite estimate" in text
    assert "--prior" not in text


def test_no_ties_and_nothing_but_ties(evenhand, folder):
    assert "No ties observed" in evenhand("test", pair_file(7, 0, 3)).out
    text = evenhand("test", pair_file(0, 5, 0)).out
    assert re.search(r"ignore-normal +ties ignored, normal +– +1\.000", text)
    assert "of decided comparisons (" not in text


def test_a_million_rows_are_counted_once(evenhand, folder):
    rng = np.random.Generator(np.random.PCG64(7))
    n = 1_000_000
    left = rng.integers(0, 20, n)
    frame = {
        "left": left,
        "right": (left + rng.integers(1, 20, n)) % 20,
        "outcome": rng.choice(["left", "tie", "right"], n),
        "judge": rng.integers(0, 500, n),
    }
    pl.DataFrame(frame).write_parquet("million.parquet")
    began = time.process_time()
    found = evenhand("test", "million.parquet", "--ties-as", "trinomial", "--json").json
    assert time.process_time() - began < 10
    assert (found["n_comparisons"], found["friedman"]["blocks"]) == (n, 500)
