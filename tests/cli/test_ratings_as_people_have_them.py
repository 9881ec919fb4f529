"""Ratings with words, odd names and repeats are read right, or refused with a remedy that works."""

import csv
import json
from itertools import combinations

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand
from evenhand.cli.main import main


def save(path, header, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return str(path)


def run(*words):
    return CliRunner().invoke(main, [*map(str, words)])


def draw(judges=8, items=12, systems="abc", repeats=1, seed=1):
    """Scores from 1 to 5; the first system is best."""
    rng = np.random.default_rng(seed)
    return [
        [f"j{j}", f"i{i}", s, int(np.clip(round(3.6 - 0.5 * at + rng.normal()), 1, 5))]
        for j in range(judges)
        for i in range(items)
        for at, s in enumerate(systems)
        for _ in range(repeats)
    ]


COLUMNS = ["judge", "item", "system", "score"]


@pytest.mark.parametrize(
    "words",
    [("no", "yes"), ("False", "True"), ("FALSE", "TRUE"), ("fail", "pass")],
)
def test_two_words_are_0_and_1(words, tmp_path):
    rows = [[*row[:3], words[row[3] > 3]] for row in draw()]
    ranking = evenhand.rank(save(tmp_path / "words.csv", COLUMNS, rows))
    plain = [[*row[:3], int(row[3] == words[1])] for row in rows]
    expected = evenhand.rank(save(tmp_path / "numbers.csv", COLUMNS, plain))
    assert ranking.estimate.tolist() == expected.estimate.tolist()


@pytest.mark.parametrize(
    "words",
    [
        ("never", "rarely", "sometimes", "often", "always"),
        ("very poor", "poor", "fair", "good", "very good"),
        ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ],
)
def test_five_ordered_words_are_1_to_5(words, tmp_path):
    rows = draw()
    said = [[*row[:3], words[row[3] - 1].capitalize()] for row in rows]
    ranking = evenhand.rank(save(tmp_path / "words.csv", COLUMNS, said))
    expected = evenhand.rank(save(tmp_path / "numbers.csv", COLUMNS, rows))
    assert ranking.estimate.tolist() == expected.estimate.tolist()


def test_every_column_on_the_scale_is_a_criterion_whatever_its_name(tmp_path):
    header = ["Participant", "item", "Method", "Fluent", "I would use it", "Q7"]
    rows = [[*row, row[3], 6 - row[3]] for row in draw()]
    ranked = json.loads(run("rank", save(tmp_path / "wide.csv", header, rows), "--json").output)
    assert sorted(ranked["groups"]) == ["Fluent", "I would use it", "Q7"]
    assert [one["system"] for one in ranked["groups"]["Fluent"]["systems"]] == ["a", "b", "c"]


def test_kinds_of_direct_assessments_are_known(tmp_path):
    rows = [[*row, "SYSTEM"] for row in draw()]
    rows += [["j0", f"i{n}", "a", 1, "BAD_REF"] for n in range(12)]
    ranking = evenhand.rank(save(tmp_path / "da.csv", [*COLUMNS, "type"], rows))
    assert ranking.n_judgments == 8 * 12 * 3
    assert [(one.code, one.rows) for one in ranking.excluded] == [("controls", 12)]


def test_mixed_predicts_single_scores_where_judges_repeat(tmp_path):
    path = save(tmp_path / "repeats.csv", COLUMNS, draw(items=15, systems="ab", repeats=3))
    models = ("--model", "mixed", "--model", "adjusted")
    found = json.loads(run("compare", path, *models, "--json").output)
    by = {one["model"]: one["perplexity"] for one in found["models"]}
    assert by["mixed"] == pytest.approx(by["adjusted"], rel=0.01)


def test_robust_exactly_means_that_all_sets_were_tried(tmp_path):
    for seed in range(3):
        rows = draw(judges=5, items=8, systems="ab", seed=seed)
        path = save(tmp_path / "r.csv", COLUMNS, rows)
        ranking = evenhand.rank(path)
        leader = ranking.systems[0]
        sizes = []
        for n in range(1, 5):
            for gone in combinations(range(5), n):
                kept = [row for row in rows if int(row[0][1:]) not in gone]
                mean = {s: np.mean([row[3] for row in kept if row[2] == s]) for s in "ab"}
                other = "b" if leader == "a" else "a"
                if mean[other] > mean[leader]:
                    sizes.append(n)
        found = json.loads(run("robustness", path, "--json").output)
        flips = [one for one in found["fragility"]["flips"] if one["unit"] == "judge"]
        assert flips
        assert flips[0]["fewest"] == min(sizes, default=None)


def test_a_pilot_plans_without_human_references(tmp_path):
    rows = draw(judges=10, items=20)
    plus = [*rows, *([j, i, "refA", 5] for j, i, s, _ in rows if s == "a")]
    plans = [
        run("plan", "--pilot", save(tmp_path / f"{name}.csv", COLUMNS, one), "--campaigns", "0")
        for name, one in (("without", rows), ("with", plus))
    ]
    assert "refA" in plans[1].output
    assert "All 6 pairs" not in plans[1].output


def test_items_of_a_document_are_one_cluster(tmp_path):
    rows = [[*row, f"d{int(row[1][1:]) // 3}"] for row in draw(items=36)]
    path = save(tmp_path / "docs.csv", [*COLUMNS, "doc_id"], rows)
    ranking = evenhand.rank(path)
    assert {way.name: way.clusters for way in ranking.ways} == {"judge": 8, "item": 12}
    assert ranking.n_items == 36
    assert any("clustered by their 12 documents" in note for note in ranking.notes)
    same = evenhand.rank(save(tmp_path / "bare.csv", COLUMNS, [row[:4] for row in rows]))
    assert ranking.estimate.tolist() == same.estimate.tolist()
    by_system = [[*row[:4], f"{row[4]}#{row[2]}"] for row in rows]  # as Appraise names them
    named = evenhand.rank(save(tmp_path / "appraise.csv", [*COLUMNS, "doc_id"], by_system))
    assert named.stderr.tolist() == ranking.stderr.tolist()
    crossed = [[*row[:4], row[0]] for row in rows]  # items are in no single document
    crossed = evenhand.rank(save(tmp_path / "crossed.csv", [*COLUMNS, "doc_id"], crossed))
    assert crossed.stderr.tolist() == same.stderr.tolist()
    rows[0][-1] = ""  # then documents are not known
    path = save(tmp_path / "blank.csv", [*COLUMNS, "doc_id"], rows)
    assert {way.name: way.clusters for way in evenhand.rank(path).ways}["item"] == 36
