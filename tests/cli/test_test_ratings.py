"""`evenhand test` of ratings: against scipy, and what is said, excluded and refused."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import evenhand as evenhand_package

KEYS = [
    *("signature", "excluded", "findings", "says", "criterion", "standardised"),
    *("lower_is_better", "new", "sides", "tests", "pairs", "friedman"),
    *("n_judgments", "repeats", "n_outputs"),
]
CLASSICAL = ("t", "signed_rank", "permutation", "rank_sum")
PAIR_KEYS = [
    *("first", "second", "items", "difference", "difference_adjusted", "p_clustered"),
    *(f"{kind}_{name}" for name in CLASSICAL for kind in ("p", "holm")),
]


def scored(seed: int = 1, items: int = 40, gap: float = 2.0, judges: int = 12) -> pl.DataFrame:
    """Whole scores of three systems: every item by three judges, who score all systems on it."""
    rng = np.random.default_rng(seed)
    severity, difficulty = rng.normal(0, 6, judges), rng.normal(0, 6, items)
    rows = [
        (f"j{j:02}", f"i{i:02}", name, round(60 + gap * at + severity[j] + difficulty[i] + noise))
        for i in range(items)
        for j in rng.choice(judges, 3, replace=False).tolist()
        for at, (name, noise) in enumerate(zip("abc", rng.normal(0, 6, 3), strict=True))
    ]
    return pl.DataFrame(rows, ["judge", "item", "system", "score"], orient="row")


@pytest.fixture
def rated(folder: Path) -> str:
    scored().write_csv("scores.csv")
    return "scores.csv"


def item_means(frame: pl.DataFrame) -> dict[str, np.ndarray]:
    """Mean scores by item of each system, by the order of items."""
    means = frame.group_by("item", "system").agg(pl.col("score").mean()).sort("item")
    return {name: part["score"].to_numpy() for (name,), part in means.group_by("system")}


def test_json_is_the_documented_contract_with_the_p_values_of_scipy(evenhand, rated):
    found = evenhand("test", rated, "--json").json
    assert list(found) == KEYS
    assert [list(one) for one in found["pairs"]] == [PAIR_KEYS] * 3
    means = item_means(scored())
    for one in found["pairs"]:
        x, y = means[one["first"]], means[one["second"]]
        assert (one["items"], one["difference"]) == (40, pytest.approx((x - y).mean()))
        d = np.round(x - y, 9)
        assert one["p_t"] == pytest.approx(stats.ttest_rel(x, y).pvalue, rel=1e-9)
        # scipy draws flips where differences are tied; 4 standard errors of 9,999
        drawn = stats.wilcoxon(
            d[d != 0], method=stats.PermutationMethod(n_resamples=9_999, rng=1)
        ).pvalue
        assert one["p_signed_rank"] == pytest.approx(drawn, abs=4 * (drawn / 9_999) ** 0.5)
        # not to the last digit: scipy tells means apart that differ by rounding
        expected = stats.mannwhitneyu(np.round(x, 9), np.round(y, 9), method="asymptotic").pvalue
        assert one["p_rank_sum"] == pytest.approx(expected, rel=1e-9)
        drawn = stats.permutation_test(
            (d,), np.sum, permutation_type="samples", n_resamples=9_999, rng=1
        ).pvalue
        assert one["p_permutation"] == pytest.approx(drawn, abs=6 * (drawn / 9_999) ** 0.5)
    friedman = found["friedman"]
    expected = stats.friedmanchisquare(*(np.round(one, 9) for one in means.values()))
    assert (friedman["test"], friedman["by"], friedman["blocks"]) == ("Friedman", "item", 40)
    assert friedman["statistic"] == pytest.approx(expected.statistic)
    assert friedman["p"] == pytest.approx(expected.pvalue)
    assert (found["n_judgments"], found["n_outputs"], found["sides"]) == (360, 120, 2)


def test_holms_p_values_are_over_all_pairs(evenhand, rated):
    pairs = evenhand("test", rated, "--json").json["pairs"]
    for name in CLASSICAL:
        p, adjusted = ([one[f"{kind}_{name}"] for one in pairs] for kind in ("p", "holm"))
        order = np.argsort(p)
        by_hand = np.maximum.accumulate(np.array(p)[order] * [3, 2, 1])
        np.testing.assert_allclose(np.array(adjusted)[order], np.minimum(by_hand, 1))


def test_a_new_system_has_its_own_pairs_one_sided(evenhand, rated):
    found = evenhand("test", rated, "--new", "b", "--json").json
    means = item_means(scored())
    assert [one["first"] for one in found["pairs"]] == ["b", "b"]
    assert (found["sides"], found["new"]) == (1, "b")
    for one in found["pairs"]:
        x, y = means["b"], means[one["second"]]
        expected = stats.ttest_rel(x, y, alternative="greater").pvalue
        assert one["p_t"] == pytest.approx(expected, rel=1e-9)
        x, y = np.round(x, 9), np.round(y, 9)
        expected = stats.mannwhitneyu(x, y, alternative="greater", method="asymptotic").pvalue
        assert one["p_rank_sum"] == pytest.approx(expected, rel=1e-9)
    assert "does b score better?" in " ".join(evenhand("test", rated, "--new", "b").out.split())
    assert "nobody scored a system 'bb'. Did you mean 'b'?" in " ".join(
        evenhand("test", rated, "--new", "bb", code=2).err.split()
    )


def test_controls_and_missing_scores_are_excluded_and_repeats_count(evenhand, folder):
    plain = scored()
    again = plain.head(3).with_columns(score=pl.lit(0, pl.Int64))
    pl.concat([plain, again]).write_csv("plain.csv")
    named = plain.with_columns(kind=pl.lit("target"))
    more = named.head(12).with_columns(score=pl.lit(0, pl.Int64))
    kinds = [("REF", 5), ("BAD", 4), ("REPEAT", 3)]
    rows = [more.head(n).with_columns(kind=pl.lit(kind)) for kind, n in kinds]
    none = named.head(2).with_columns(score=pl.lit(None, pl.Int64))
    pl.concat([named, *rows, none]).write_csv("all.csv")
    found, alone = (evenhand("test", f"{name}.csv", "--json").json for name in ("all", "plain"))
    assert found["pairs"] == alone["pairs"]
    counted = {one["code"]: one["rows"] for one in found["excluded"]}
    assert counted == {"no-score": 2, "controls": 9}
    for part in ("2 of 374", "9 of 372"):
        assert part in found["signature"]
        assert part.split()[0] in evenhand("test", "all.csv").out


def repeated() -> pl.DataFrame:
    """Scores of which some are repeats, and controls of a system of their own."""
    rng = np.random.default_rng(9)
    plain = scored(4).filter(pl.Series(rng.random(360) < 0.8)).with_columns(kind=pl.lit("target"))
    again = plain.filter(pl.Series(rng.random(len(plain)) < 0.2))
    moved = again["score"] + pl.Series(rng.integers(-9, 10, len(again)))
    again = again.with_columns(score=moved, kind=pl.lit("repeat"))
    bad = plain.head(15).with_columns(system=pl.lit("spoilt"), score=pl.lit(5), kind=pl.lit("bad"))
    return pl.concat([plain, again, bad], how="vertical_relaxed")


def expect_estimates(frame: pl.DataFrame, model: str) -> dict[str, float]:
    """Estimates of systems by dummy variables and means, without Evenhand."""
    table = frame.to_pandas()
    if model == "adjusted":
        columns = [
            pd.get_dummies(table[name]).astype(float) for name in ("system", "judge", "item")
        ]
        slopes = np.linalg.lstsq(np.column_stack(columns), table.score, rcond=None)[0]
        return dict(zip(columns[0].columns, slopes, strict=False))
    if model == "z":
        judge = table.groupby("judge").score
        table["score"] = (table.score - judge.transform("mean")) / judge.transform("std")
        table = table.groupby(["system", "item"], as_index=False).score.mean()
    return table.groupby("system").score.mean().to_dict()


@pytest.mark.parametrize("model", ["adjusted", "mean", "z"])
def test_it_tests_the_differences_that_rank_estimates(evenhand, folder, model):
    """Controls are excluded and repeats count in both, as both say."""
    frame = repeated()
    frame.write_csv("all.csv")
    expected = expect_estimates(frame.filter(pl.col("kind") != "bad"), model)
    repeats = int((frame["kind"] == "repeat").sum())
    tested, ranked = (
        evenhand(verb, "all.csv", "--model", model, "--json").json for verb in ("test", "rank")
    )
    estimates = {one["system"]: one["estimate"] for one in ranked["systems"]}
    for pair in tested["pairs"]:
        one, other = pair["first"], pair["second"]
        apart = expected[one] - expected[other]
        assert pair["difference_adjusted"] == pytest.approx(apart, abs=1e-9)
        assert estimates[one] - estimates[other] == pytest.approx(apart, abs=1e-9)
    assert tested["repeats"] == ranked["repeats"] == repeats
    for verb in ("test", "rank"):
        said = " ".join(evenhand(verb, "all.csv", "--model", model).out.split())
        assert f"({repeats} repeats)" in said
        assert "15 controls excluded" in said


def test_items_that_lack_systems_are_used_by_skillings_and_mack(evenhand, folder):
    frame = scored().filter(~((pl.col("item") < "i10") & (pl.col("system") == "a")))
    frame.write_csv("some.csv")
    found = evenhand("test", "some.csv", "--json").json
    assert found["friedman"]["test"] == "Skillings-Mack"
    assert found["friedman"]["blocks"] == 40
    assert {one["items"] for one in found["pairs"]} == {30, 40}
    text = " ".join(evenhand("test", "some.csv").out.split())
    assert "10 of 40 items lack some system: Skillings and Mack's test uses them;" in text


def test_judges_can_be_the_blocks(evenhand, rated):
    found = evenhand("test", rated, "--blocks", "judge", "--json").json["friedman"]
    means = scored().group_by("judge", "system").agg(pl.col("score").mean()).sort("judge")
    columns = [part["score"].to_numpy() for _, part in means.group_by("system")]
    expected = stats.friedmanchisquare(*(np.round(one, 9) for one in columns))
    assert (found["by"], found["blocks"]) == ("judge", 12)
    text = " ".join(evenhand("test", rated, "--blocks", "judge").out.split())
    assert "(Friedman's test over 12 judges, p " in text
    assert found["statistic"] == pytest.approx(expected.statistic)


def test_systems_that_share_no_item_are_tested_by_rank_sum_alone(evenhand, folder):
    frame = scored(gap=9.0).with_columns(item=pl.col("item") + pl.col("system"))
    frame.drop("judge").write_csv("apart.csv")
    found = evenhand("test", "apart.csv", "--json").json
    assert list(found["tests"]) == ["clustered", "rank_sum"]
    assert found["friedman"] is None
    codes = [one["code"] for one in found["findings"]]
    assert {"scores-unpaired", "no-friedman"} <= {*codes}
    assert "3 by rank sum" in found["says"]


def test_clustered_p_values_and_differences_are_those_of_rank(evenhand, rated):
    found = evenhand("test", rated, "--json").json
    ranked = evenhand("rank", rated, "--json").json["pairs"]
    expected = {(one["first"], one["second"]): one for one in ranked}
    assert len(found["pairs"]) == len(expected) == 3
    for one in found["pairs"]:
        pair = expected[one["first"], one["second"]]
        assert one["p_clustered"] == pair["p_adjusted"]
        assert one["difference_adjusted"] == pytest.approx(pair["difference"], rel=1e-12)
    assert next(iter(found["tests"])) == "clustered"
    decided = sum(one["p_clustered"] <= 0.05 for one in found["pairs"])
    assert found["tests"]["clustered"]["differ"] == decided
    assert found["says"].startswith(f"{decided} of 3 pairs differ")
    assert "with scores correlated by judge and item" in found["says"]
    assert "adjusted clustered by judge+item" in found["signature"]
    assert found["tests"]["clustered"]["assumes"] == "judges and items drawn from many like them"


def test_one_side_is_clustered_by_t_and_holm(evenhand, folder):
    scored(gap=1.0).write_csv("scores.csv")
    pairs = {
        (one["first"], one["second"]): one["p_clustered"]
        for name in "abc"
        for one in evenhand("test", "scores.csv", "--new", name, "--json").json["pairs"]
    }
    two_sided = evenhand("rank", "scores.csv", "--interval", "sandwich", "--json").json["pairs"]
    # Holm's over all three pairs; one alone is adjusted by at most 3, one of a system's two by 2
    for one in two_sided:
        better = pairs[one["first"], one["second"]]
        assert better <= one["p_adjusted"]
        assert better >= one["p_adjusted"] / 6
        assert pairs[one["second"], one["first"]] > 0.5


def test_human_references_are_in_no_pair_and_counted_unless_they_are_asked_for(evenhand, folder):
    frame = scored().with_columns(pl.col("system").replace({"c": "ref-A"}))
    pl.concat([frame, scored(2).filter(pl.col("system") == "c")]).write_csv("refs.csv")
    found = evenhand("test", "refs.csv", "--json").json
    (excluded,) = [one for one in found["excluded"] if one["code"] == "references"]
    assert (excluded["rows"], excluded["of_rows"]) == (120, 480)
    assert (excluded["system_names"], len(found["pairs"])) == (["ref-A"], 3)
    assert "excluded 120 of 480 scores, 1 of 4 systems, human references" in found["signature"]
    assert "1 of 4 systems (ref-A), human references by name" in " ".join(
        evenhand("test", "refs.csv").out.split()
    )
    every = evenhand("test", "refs.csv", "--rank-references", "--json").json
    assert (len(every["pairs"]), every["excluded"]) == (6, [])
    new = evenhand("test", "refs.csv", "--new", "ref-A", "--json").json
    assert [one["first"] for one in new["pairs"]] == ["ref-A"] * 3
    # where one system alone is left, people's texts are what is compared
    scored().with_columns(pl.col("system").replace({"c": "ref-A", "b": "ref-B"})).write_csv("r.csv")
    assert len(evenhand("test", "r.csv", "--json").json["pairs"]) == 3


def test_scores_standardised_by_judge_are_tested_as_in_wmt(evenhand, rated):
    frame = scored().with_columns(
        (pl.col("score") - pl.col("score").mean().over("judge"))
        / pl.col("score").std(ddof=1).over("judge")
    )
    means = item_means(frame)
    found = evenhand("test", rated, "--model", "z", "--json").json
    assert found["standardised"]
    assert "tests of z-scores | z clustered by judge+item" in found["signature"]
    for one in found["pairs"]:
        x, y = (np.round(means[one[side]], 9) for side in ("first", "second"))
        assert one["p_t"] == pytest.approx(stats.ttest_rel(x, y).pvalue, rel=1e-6)
        expected = stats.mannwhitneyu(x, y, method="asymptotic").pvalue
        assert one["p_rank_sum"] == pytest.approx(expected, rel=1e-9)
    ranked = evenhand("rank", rated, "--model", "z", "--json").json["pairs"]
    assert sorted(one["p_clustered"] for one in found["pairs"]) == sorted(
        one["p_adjusted"] for one in ranked
    )
    said = evenhand("test", rated, "--model", "zz", code=2).err
    assert "model cannot be 'zz'" in said


@pytest.mark.slow
def test_a_million_ratings_of_fifty_systems_take_seconds():
    rng, n = np.random.default_rng(1), 10**6
    judge, item, system = (rng.integers(0, size, n) for size in (200, 5000, 50))
    score = np.round(60 + rng.normal(0, 8, 200)[judge] + 0.2 * system + rng.normal(0, 12, n))
    frame = pl.DataFrame({"judge": judge, "item": item, "system": system, "score": score})
    data = evenhand_package.read(frame.with_columns(system=pl.format("s{}", "system")))
    began = time.process_time()
    found = evenhand_package.find_differences(data)
    spent = time.process_time() - began
    assert len(found.pairs.first) == 1225
    assert "flips by saddlepoint" in found.signature
    assert spent < 20  # seconds of CPU; 5 to 7 on one core of 2026


def test_pairs_that_no_test_has_do_not_count_for_holm(evenhand, folder):
    rows = [(f"i{i}", s, i % 5 + 3 * (s == "a")) for i in range(12) for s in "ab"]
    rows += [(f"other{i}", s, i % 4) for i in range(12) for s in "cd"]
    pl.DataFrame(rows, ["item", "system", "score"], orient="row").write_csv("apart.csv")
    found = evenhand("test", "apart.csv", "--json").json
    known = [one for one in found["pairs"] if one["p_signed_rank"] is not None]
    assert [(one["first"], one["second"]) for one in known] == [("a", "b"), ("c", "d")]
    assert found["tests"]["signed_rank"]["tested"] == len(known) == 2
    # 2/2^12, all differences being of one sign, and twice that as the other pair has its own
    assert known[0]["p_signed_rank"] == pytest.approx(2 / 2**12)
    assert known[0]["holm_signed_rank"] == pytest.approx(4 / 2**12)
