"""Agreement of people and LLM judges, pair by pair."""

import json
from itertools import combinations, product

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.metrics import cohen_kappa_score

import evenhand
from evenhand.cli.main import main


def ballots(seed=1, items=40):
    """Four people and two LLM judges on the same pair of outputs, orders at random."""
    rng = np.random.default_rng(seed)
    rows = []
    for item, judge in product(range(items), ("ann", "bob", "cem", "dee", "gpt", "claude")):
        seen = 0.8 * np.sin(item) + rng.normal(0, 0.5)
        winner = "tie" if abs(seen) < 0.3 else "x" if seen > 0 else "y"
        left, right = ("x", "y") if rng.random() < 0.5 else ("y", "x")
        word = "tie" if winner == "tie" else "left" if winner == left else "right"
        rows.append({"judge": judge, "item": item, "left": left, "right": right, "winner": word})
    return rows


def test_verdicts_may_be_in_a_file_of_their_own(tmp_path):
    rows, files = ballots(), {}
    for name, of_llm in (("people", False), ("verdicts", True)):
        own = [one for one in rows if (one["judge"] in ("gpt", "claude")) == of_llm]
        pl.DataFrame(own).write_csv(files.setdefault(name, str(tmp_path / f"{name}.csv")))
    told = [
        json.loads(CliRunner().invoke(main, ["agreement", files["people"], *more, "--json"]).output)
        for more in (
            ["--llm", files["verdicts"]],
            [files["verdicts"], "--llm-judges", "claude,gpt"],
        )
    ]
    assert told[0]["llm"] == told[1]["llm"] != []
    found = evenhand.measure_agreement(files["people"], llm=files["verdicts"])
    assert found.to_dict()["llm"] == told[0]["llm"]
    with pytest.raises(evenhand.UnknownOption, match="give one"):
        evenhand.measure_agreement(files["people"], llm=files["verdicts"], llm_judges="gpt")


def find(table, first, second):
    return next(one for one in table.llm if (one.first, one.second) == (first, second))


def test_the_headline_stays_that_of_people():
    rows = ballots()
    people = [row for row in rows if row["judge"] not in ("gpt", "claude")]
    alone = evenhand.measure_agreement(people)
    table = evenhand.measure_agreement(rows, llm_judges=["gpt", "claude"])
    assert table.whole.coefficients == alone.whole.coefficients
    assert table.says == alone.says
    assert (alone.llm, len(table.llm)) == ((), 4)
    strict, own = alone.whole["kappa-strict"], find(table, "people", "people")
    ends = (strict.value, strict.lower, strict.upper)
    assert (own.kappa, own.lower, own.upper) == pytest.approx(ends)
    assert [(one.code, one.rows) for one in table.excluded] == [("llm-judges", 80)]


def test_kinds_are_counted_pair_by_pair():
    """By brute force: all pairs of judges of one item, chance from ties as in the κ of WMT."""
    rows = ballots()
    table = evenhand.measure_agreement(rows, llm_judges=["gpt", "claude"])
    said = {}
    for row in rows:
        sides = {"left": row["left"], "right": row["right"], "tie": "tie"}
        said[row["judge"], row["item"]] = sides[row["winner"]]
    people = ("ann", "bob", "cem", "dee")
    kinds = {
        ("people", "people"): (people, people, [*combinations(people, 2)]),
        ("gpt", "people"): (("gpt",), people, [("gpt", one) for one in people]),
        ("claude", "people"): (("claude",), people, [("claude", one) for one in people]),
        ("LLM judges", "LLM judges"): (("gpt", "claude"),) * 2 + ([("gpt", "claude")],),
    }
    for names, (one, other, pairs) in kinds.items():
        same = np.mean([said[a, i] == said[b, i] for a, b in pairs for i in range(40)])
        ties = [
            np.mean([said[j, i] == "tie" for j in some for i in range(40)]) for some in (one, other)
        ]
        chance = ties[0] * ties[1] + (1 - ties[0]) * (1 - ties[1]) / 2
        found = find(table, *names)
        assert (found.units, found.pairs) == (40, 40 * len(pairs))
        assert found.same == pytest.approx(same)
        assert found.kappa == pytest.approx((same - chance) / (1 - chance))
        assert found.lower < found.kappa < found.upper


@pytest.mark.parametrize("kind", ["preferences", "scores"])
def test_verdicts_of_both_orders_count_half_each_in_any_order_of_rows(kind):
    """By brute force: D of two judges is the mean over pairs of their answers."""
    people, llms, rng = ("ann", "bob", "cem"), ("gpt", "claude"), np.random.default_rng(7)
    said = {
        (judge, item): [int(one) for one in rng.integers(-1, 2, 2 if judge in llms else 1)]
        for judge, item in product((*people, *llms), range(30))
    }
    rows = []
    for (judge, item), answers in said.items():
        for at, answer in enumerate(answers):
            row = {"judge": judge, "item": item}
            if kind == "scores":
                rows.append({**row, "system": "s", "score": answer + 2})
                continue
            left, right = (("x", "y"), ("y", "x"))[at]
            word = "tie" if not answer else "left" if (answer > 0) == (left == "x") else "right"
            rows.append({**row, "left": left, "right": right, "winner": word})

    def differ(a, b):
        return (a - b) ** 2 if kind == "scores" else float(a != b)

    tables = [
        evenhand.measure_agreement([rows[at] for at in order], llm_judges=llms)
        for order in (range(len(rows)), rng.permutation(len(rows)))
    ]
    assert tables[0].llm == tables[1].llm
    assert [one.averaged for one in tables[0].llm] == [False, True, True, True]
    assert "share the weight of one" in str(tables[0])
    for first, second in (("gpt", "people"), ("LLM judges", "LLM judges")):
        ones, others = (("gpt",), people) if first == "gpt" else (("claude",), ("gpt",))
        apart = np.mean([
            differ(a, b)
            for one, other, item in product(ones, others, range(30))
            for a, b in product(said[one, item], said[other, item])
        ])  # fmt: skip
        pools = [
            [x for one in who for item in range(30) for x in said[one, item]]
            for who in ((ones, others) if first == "gpt" else ((*ones, *others),) * 2)
        ]
        if kind == "scores":
            chance = np.mean([(a - b) ** 2 for a, b in product(*pools)])
        else:
            ties = [np.mean(np.array(pool) == 0) for pool in pools]
            chance = 1 - ties[0] * ties[1] - (1 - ties[0]) * (1 - ties[1]) / 2
        assert find(tables[0], first, second).kappa == pytest.approx(1 - apart / chance)


def test_of_scores_kappa_is_weighted_by_squares():
    rng = np.random.default_rng(3)
    truth = rng.integers(1, 6, 60)
    scores = {j: np.clip(truth + rng.integers(-1, 2, 60), 1, 5) for j in ("ann", "bob", "gpt")}
    rows = [
        {"judge": judge, "item": item, "system": "s", "score": int(score)}
        for judge, own in scores.items()
        for item, score in enumerate(own)
    ]
    rows = [{**row, "judge_type": "llm" if row["judge"] == "gpt" else "human"} for row in rows]
    pooled = [np.concatenate([scores["ann"], scores["bob"]]), np.tile(scores["gpt"], 2)]
    expected = cohen_kappa_score(*pooled, weights="quadratic")
    table = evenhand.measure_agreement(rows)
    assert find(table, "gpt", "people").kappa == pytest.approx(expected)
    assert find(table, "gpt", "people").same is None


def test_groups_have_tables_of_their_own():
    rows = [row | {"place": "north" if row["item"] < 20 else "south"} for row in ballots()]
    groups = evenhand.measure_agreement(rows, llm_judges=["gpt", "claude"], group_by="place")
    north = evenhand.measure_agreement(
        [row for row in rows if row["place"] == "north"], llm_judges=["gpt", "claude"]
    )
    assert groups["north"].llm == north.llm
    assert groups["south"].llm != north.llm


def test_llm_judges_alone_are_refused_where_named():
    rows = [row for row in ballots() if row["judge"] in ("gpt", "claude")]
    with pytest.raises(evenhand.NotIdentified, match="no people to compare them with"):
        evenhand.measure_agreement(rows, llm_judges=["gpt", "claude"])


def test_the_command_shows_them(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from evenhand.cli.main import main

    monkeypatch.chdir(tmp_path)
    lines = [",".join(map(str, row.values())) for row in ballots()]
    (tmp_path / "votes.csv").write_text("\n".join(["judge,item,left,right,winner", *lines]))
    ran = CliRunner().invoke(main, ["agreement", "votes.csv", "--llm-judges", "gpt, claude"])
    assert "People and LLM judges, pair by pair" in ran.output
    assert "gpt – people" in ran.output
    assert "share the weight" not in ran.output
