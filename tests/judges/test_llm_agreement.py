"""Agreement of people and LLM judges, pair by pair."""

import json
from itertools import product

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

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
        found = find(tables[0], first, second)
        assert found.kappa == pytest.approx(1 - apart / chance)
        assert found.lower < found.kappa < found.upper
        assert (found.units, found.pairs) == (30, 30 * len(ones) * len(others))
        if kind == "preferences":
            assert found.same == pytest.approx(1 - apart)


@pytest.mark.parametrize("tasks", [1, 2])
def test_llm_judges_who_share_nothing_with_people_are_named(tasks):
    rows = [row | {"task": row["item"] % tasks} for row in ballots()]
    other = [{**row, "item": -row["item"] - 1} if row["judge"] == "gpt" else row for row in rows]
    for own, expected in ((rows, []), (other, ["gpt"])):
        people = [row for row in own if row["judge"] not in ("gpt", "claude")]
        verdicts = [row for row in own if row["judge"] in ("gpt", "claude")]
        for found in (
            evenhand.measure_agreement(people, llm=verdicts),
            evenhand.measure_agreement(own, llm_judges=["gpt", "claude"]),
        ):
            for table in [found] if tasks == 1 else found.groups.values():
                apart = [one for one in table.notes if one.code == "llm-other-outputs"]
                assert [one.values["llm"] for one in apart] == expected
                assert {one.severity for one in apart} <= {"warning"}


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
