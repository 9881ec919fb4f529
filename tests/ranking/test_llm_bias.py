"""Biases of LLM judges: golden numbers, joint fits by brute force, own systems, refusals."""

import json
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from scipy import stats

import evenhand
from evenhand.cli.main import main
from evenhand.ranking.llm_bias import adjust_own, compare_own, permute_own
from golden_numbers import golden

LEVEL = 0.95


def golden_rows(judge="gpt"):
    given = golden("llm_judges", "judge_bias_covariates").input
    columns = ("left", "right", "left_preferred", "item", "length_difference")
    return [
        {
            "judge": judge,
            "item": f"i{item:02d}",
            "left": f"s{left}",
            "right": f"s{right}",
            "winner": "left" if won else "right",
            "length": x,
        }
        for left, right, won, item, x in zip(*(given[one] for one in columns), strict=True)
    ]


def test_position_and_length_are_those_of_statsmodels_with_errors_by_item():
    entry = golden("llm_judges", "judge_bias_covariates")
    expected, tolerance = entry.expected, entry.tolerance
    found = evenhand.find_llm_bias(golden_rows(), llm_judges="gpt", controls=["length"])["gpt"]
    at = expected["names"].index("first_position")
    errors = expected["se_CV3_one_step_item"]
    position, length = found.find("position"), found.find("length")
    assert position.estimate == pytest.approx(expected["coefficients"][at], abs=tolerance)
    assert position.stderr == pytest.approx(errors[at], abs=tolerance)
    per_unit = (length.estimate / length.sd, length.stderr / length.sd)
    assert per_unit == pytest.approx(
        (expected["coefficients"][at + 1], errors[at + 1]), abs=tolerance
    )
    assert (position.df, length.df) == (19, 19)
    assert position.p == pytest.approx(2 * stats.t.sf(position.estimate / position.stderr, 19))
    assert position.excess is None


def test_verdicts_in_a_table_of_their_own_are_those_of_one_table(tmp_path):
    verdicts = golden_rows()
    people = [{**one, "judge": f"p{at % 6}"} for at, one in enumerate(verdicts)]
    together = evenhand.find_llm_bias([*people, *verdicts], llm_judges="gpt", controls=["length"])
    split = evenhand.find_llm_bias(people, llm=verdicts, controls=["length"])
    assert split.to_dict() == together.to_dict()
    for name, rows in (("people", people), ("verdicts", verdicts)):
        pl.DataFrame(rows).write_csv(tmp_path / f"{name}.csv")
    words = f"bias {tmp_path}/people.csv --llm {tmp_path}/verdicts.csv --control length --json"
    told = json.loads(CliRunner().invoke(main, words.split()).output)
    assert told["judges"] == json.loads(json.dumps(together.to_dict()))["judges"]


def test_an_llm_that_always_prefers_one_side_is_counted_and_said_so():
    pairs = [(f"i{i}", *sides) for i in range(20) for sides in (("a", "b"), ("b", "a"))]
    rows = [
        {"judge": who, "item": item, "left": left, "right": right, "winner": won}
        for who in ("p1", "p2", "gpt")
        for at, (item, left, right) in enumerate(pairs)
        for won in ["left" if who == "gpt" else ("left", "right")[at % 3 == 0]]
    ]
    found = evenhand.find_llm_bias(rows, llm_judges="gpt")
    assert (found["gpt"].n, found.items) == (40, 20)
    (note,) = [one for one in found.notes if one.code == "llm-one-side"]
    assert (note.values["side"], note.values["n"], note.severity) == ("first", 40, "warning")
    codes = [one.code for one in found.notes]
    assert "llm-not-fitted" not in codes
    assert "llm-other-outputs" not in codes
    other = [{**one, "item": f"x{one['item']}"} if one["judge"] == "gpt" else one for one in rows]
    apart = evenhand.find_llm_bias(other, llm_judges="gpt")
    assert "llm-other-outputs" in [one.code for one in apart.notes]
    assert apart.items == 20  # of the LLM, not of people
    once = [one for one in rows if one["left"] == "a" or one["judge"] != "gpt"]
    with pytest.raises(evenhand.NotIdentified, match="gpt preferred the output shown first in all"):
        evenhand.find_llm_bias(once, llm_judges="gpt")
    other = [one for one in rows if (int(one["item"][1:]) % 2 > 0) == (one["left"] == "a")]
    two = [*once, *({**one, "judge": "claude"} for one in other if one["judge"] == "p1")]
    both_llms = evenhand.find_llm_bias(two, llm_judges=["gpt", "claude"])
    assert both_llms["claude"].find("position") is not None
    assert "llm-one-side" in [one.code for one in both_llms.notes]


def swapped(table):
    """Two verdicts on A and B of each item, as a table of both orders."""
    rows = []
    for first in range(3):
        for second in range(3):
            for _ in range(table[first][second]):
                item = f"i{len(rows):04d}"
                words = (("A", "B", "left tie right"), ("B", "A", "right tie left"))
                for (left, right, says), at in zip(words, (first, second), strict=True):
                    row = {"judge": "gpt", "item": item, "left": left, "right": right}
                    rows.append(row | {"winner": says.split()[at]})
    return rows


def test_both_orders_are_compared_as_in_the_golden_table():
    entry = golden("llm_judges", "swap_consistency")
    found = evenhand.find_llm_bias(swapped(entry.input["table"]), llm_judges="gpt")
    (one,), expected = found["gpt"].repeated, entry.expected
    assert [list(row) for row in one.table] == entry.input["table"]
    assert (one.asked, one.pairs) == ("orders", 100)
    assert (one.first_twice, one.second_twice) == (
        expected["first_twice"],
        expected["second_twice"],
    )
    for name, key in (
        ("consistent", "consistent"),
        ("kappa", "kappa"),
        ("p", "position_p_exact"),
        ("reliability", "reliability_of_the_two_order_mean"),
    ):
        assert getattr(one, name) == pytest.approx(expected[key], abs=1e-8), name
    assert one.lower < one.kappa < one.upper


def both(seed=3, items=24, people=8, slope=(0.8, 0.2)):
    """Verdicts of an LLM on all pairs of three systems, people's on some, with a length."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        length = rng.normal(size=3)
        for a, b in combinations(range(3), 2):
            for judge in ("gpt", *rng.choice(people, 3, replace=False)):
                llm = judge == "gpt"
                left, right = (a, b) if rng.random() < 0.5 else (b, a)
                x = length[left] - length[right]
                eta = 0.5 * (right - left) + slope[0 if llm else 1] * x + 0.4 * llm
                won = rng.random() < 1 / (1 + np.exp(-eta))
                rows.append(
                    {
                        "judge": judge if llm else f"p{judge}",
                        "item": f"i{item:02d}",
                        "left": f"s{left}",
                        "right": f"s{right}",
                        "winner": "left" if won else "right",
                        "length": x,
                    }
                )
    return rows


def fit_logit(rows):
    """Coefficients, scores and weights of s1 − s0, s2 − s0, δ and length, by Newton's method."""
    design = np.zeros((len(rows), 4))
    for at, row in enumerate(rows):
        for side, sign in (("left", 1), ("right", -1)):
            if row[side] != "s0":
                design[at, int(row[side][1]) - 1] += sign
        design[at, 2:] = 1, row["length"]
    won = np.array([row["winner"] == "left" for row in rows], float)
    beta = np.zeros(4)
    for _ in range(30):
        p = 1 / (1 + np.exp(-design @ beta))
        beta += np.linalg.solve(design.T * (p * (1 - p)) @ design, design.T @ (won - p))
    p = 1 / (1 + np.exp(-design @ beta))
    return beta, design * (won - p)[:, None], design * np.sqrt(p * (1 - p))[:, None]


def leave_out(rows, scores, roots, labels, among):
    """What leaving each label out changes, to first order."""
    changes = np.zeros((len(among), 4))
    own = np.array([row[labels] for row in rows])
    for at, one in enumerate(among):
        rest = roots[own != one]
        changes[at] = -np.linalg.solve(rest.T @ rest, scores[own == one].sum(axis=0))
    return changes


def spread(changes):
    return (len(changes) - 1) / len(changes) * ((changes - changes.mean(axis=0)) ** 2).sum(axis=0)


def test_excess_is_the_interaction_of_a_joint_fit_with_errors_by_items_and_judges():
    rows = both()
    found = evenhand.find_llm_bias(rows, llm_judges="gpt", controls=["length"])["gpt"]
    llm = [row for row in rows if row["judge"] == "gpt"]
    people = [row for row in rows if row["judge"] != "gpt"]
    (b, *of_llm), (c, *of_people) = fit_logit(llm), fit_logit(people)
    items, judges = (sorted({row[one] for row in people}) for one in ("item", "judge"))
    d, e = leave_out(llm, *of_llm, "item", items), leave_out(people, *of_people, "item", items)
    by_judge = spread(leave_out(people, *of_people, "judge", judges)) + spread(d)
    bread = np.linalg.inv(of_people[1].T @ of_people[1])
    cells = {}
    for row, score in zip(people, of_people[0], strict=True):
        key = row["judge"], row["item"]
        cells[key] = cells.get(key, 0) + score
    moves = np.array(list(cells.values())) @ bread
    by_cell = (moves**2).sum(axis=0) + spread(d)
    by_item = spread(d - e)
    variance = np.max([by_judge, by_item, by_judge + by_item - by_cell], axis=0)
    for name, at in (("position", 2), ("length", 3)):
        one = found.find(name)
        unit = one.sd or 1.0
        assert one.estimate / unit == pytest.approx(b[at], abs=1e-8)
        assert one.people / unit == pytest.approx(c[at], abs=1e-8)
        assert one.excess / unit == pytest.approx(b[at] - c[at], abs=1e-8)
        assert one.excess_stderr / unit == pytest.approx(np.sqrt(variance[at]), abs=1e-8)
        p = 2 * stats.t.sf(abs(one.excess / one.excess_stderr), min(len(judges), len(items)) - 1)
        assert one.excess_p == pytest.approx(p, abs=1e-10)


def test_renaming_systems_changes_nothing_but_names():
    rows, names = both(), {"s0": "zeta", "s1": "alpha", "s2": "mu"}
    renamed = [{**row, **{one: names[row[one]] for one in ("left", "right")}} for row in rows]
    once, again = (
        evenhand.find_llm_bias(one, llm_judges="gpt", controls=["length"]).to_dict()["judges"][0]
        for one in (rows, renamed)
    )
    for one, other in zip(once["effects"], again["effects"], strict=True):
        for name, value in one.items():
            assert other[name] == (pytest.approx(value) if isinstance(value, float) else value)


def own_board(seed=5, prefers=1.5, scale=1.0, systems=8):
    """People and an LLM on all pairs of systems a ... h; the LLM's own are a and b."""
    rng = np.random.default_rng(seed)
    names = "abcdefghij"[:systems]
    worth = np.linspace(0.8, -0.8, systems)
    rows = []
    for item in range(60):
        for a, b in combinations(range(systems), 2):
            for judge in ("gpt", f"p{item % 6}"):
                seen = worth * scale + prefers * (np.arange(systems) < 2)
                gap = (seen if judge == "gpt" else worth)[[a, b]] @ [1, -1]
                won = rng.random() < 1 / (1 + np.exp(-gap))
                left, right = (a, b) if rng.random() < 0.5 else (b, a)
                first = won == (left == a)
                rows.append((judge, f"i{item}", names[left], names[right], "ab"[not first]))
    return pl.DataFrame(rows, ["judge", "item", "left", "right", "winner"], orient="row")


FAMILIES = {"a": "labs", "b": "labs", "gpt": "labs"} | {one: f"x{one}" for one in "cdefghij"}


def test_own_systems_are_compared_across_systems_as_by_student():
    data = own_board()
    found = evenhand.find_llm_bias(data, llm_judges="gpt", own=FAMILIES)
    (one,) = found["gpt"].own
    assert (one.kind, one.own, one.others, one.method) == ("family", ("a", "b"), 6, "t")
    worths = [
        evenhand.BradleyTerry(order_effect=True).fit(data.filter(who))
        for who in (pl.col("judge") == "gpt", pl.col("judge") != "gpt")
    ]
    d = dict(zip(worths[0].systems, worths[0].log_worth - worths[1].log_worth, strict=True))
    own, others = [d["a"], d["b"]], [d[name] for name in "cdefgh"]
    expected = stats.ttest_ind(own, others)
    interval = expected.confidence_interval(LEVEL)
    assert one.estimate == pytest.approx(np.mean(own) - np.mean(others), abs=1e-8)
    assert one.p == pytest.approx(expected.pvalue, abs=1e-8)
    assert (one.lower, one.upper) == pytest.approx(tuple(interval), abs=1e-7)
    assert "llm-prefers-own" in {said.code for said in found.says}


def test_systems_that_only_the_llm_judged_are_named():
    data = own_board()
    alone = (pl.col("judge") == "gpt") | ((pl.col("left") != "h") & (pl.col("right") != "h"))
    found = evenhand.find_llm_bias(data.filter(alone), llm_judges="gpt", own=FAMILIES)
    (said,) = [one for one in found.notes if one.code == "own-unshared"]
    assert said.values["systems"] == ["h"]
    assert found["gpt"].own[0].others == 5


def test_beside_the_slope_it_is_analysis_of_covariance():
    rng = np.random.default_rng(4)
    x = rng.normal(size=9)
    y = 1.6 * x + rng.normal(0, 0.3, 9)
    y[:3] += 1
    design = np.column_stack([np.ones(9), x, np.arange(9) < 3])
    beta, (rest,), *_ = np.linalg.lstsq(design, y, rcond=None)
    error = np.sqrt(rest / 6 * np.linalg.inv(design.T @ design)[2, 2])
    slope, own = adjust_own(y, x, 3, noise=0.0, level=LEVEL)
    assert (slope, own.value, own.stderr) == pytest.approx((beta[1], beta[2], error))
    assert own.p == pytest.approx(2 * stats.t.sf(abs(beta[2] / error), 6))
    within = sum(((one - one.mean()) ** 2).sum() for one in (x[:3], x[3:]))
    corrected, _ = adjust_own(y, x, 3, noise=0.2 * within, level=LEVEL)
    assert corrected == pytest.approx(slope / 0.8)


def test_a_system_of_the_judges_name_is_its_own_and_its_family_another_question():
    data = own_board().with_columns(pl.col("left", "right").replace("a", "gpt"))
    families = {"gpt": "labs"} | {name: of for name, of in FAMILIES.items() if name != "a"}
    found = evenhand.find_llm_bias(data, llm_judges="gpt", own=families)["gpt"]
    assert [(one.kind, one.own) for one in found.own] == [("self", ("gpt",)), ("family", ("b",))]
    assert [one.others for one in found.own] == [6, 6]


def test_an_llm_that_separates_systems_more_is_not_said_to_prefer_its_own():
    found = evenhand.find_llm_bias(own_board(prefers=0, scale=3.0), llm_judges="gpt", own=FAMILIES)
    (one,) = found["gpt"].own
    assert one.p < 0.05
    assert one.slope > 2
    codes = {said.code for said in found.says}
    assert {"no-own-preference", "own-by-slope"} <= codes


@pytest.mark.parametrize(("family", "code"), [("zz", "own-none"), ("labs", "own-all")])
def test_a_judge_without_own_systems_or_without_others_is_said(family, code):
    of_systems = "labs" if code == "own-all" else "x"
    families = dict.fromkeys(FAMILIES, of_systems) | {"gpt": family}
    found = evenhand.find_llm_bias(own_board(), llm_judges="gpt", own=families)
    assert found["gpt"].own == ()
    (said,) = [one for one in found.notes if one.code.startswith("own-")]
    assert (said.code, said.values["family"]) == (code, family)


def test_with_few_systems_of_others_only_these_systems_are_spoken_of():
    found = evenhand.find_llm_bias(own_board(systems=4), llm_judges="gpt", own=FAMILIES)
    (one,) = found["gpt"].own
    assert (one.others, one.p, one.stderr) == (2, None, None)
    assert one.these_p < 0.05
    assert "own-these-systems" in {said.code for said in found.says}


def test_many_choices_are_permuted():
    rng = np.random.default_rng(2)
    d = rng.normal(size=22)
    d[:7] += 0.7
    exact, method = compare_own(d[:7], d[7:], level=LEVEL, seed=1)

    def gap(x, y, axis):
        return np.mean(x, axis=axis) - np.mean(y, axis=axis)

    expected = stats.permutation_test((d[:7], d[7:]), gap, n_resamples=np.inf, random_state=1)
    assert method == "permutation"
    # scipy doubles the smaller tail, here both tails are counted
    both_tails = (np.abs(expected.null_distribution) >= abs(expected.statistic) - 1e-12).mean()
    assert exact.p == pytest.approx(both_tails, abs=1e-12)
    wide = rng.normal(size=40)
    drawn = permute_own(wide, 12, seed=1)
    assert drawn == pytest.approx(stats.ttest_ind(wide[:12], wide[12:]).pvalue, abs=0.02)


def test_a_length_that_is_the_system_is_refused():
    rows = [row | {"length": int(row["left"][1]) - int(row["right"][1])} for row in both()]
    nearly = [row | {"length": row["length"] + 0.05 * (at % 2)} for at, row in enumerate(rows)]
    with pytest.raises(evenhand.NotIdentified, match=r"length is the system: .* leave it out"):
        evenhand.find_llm_bias(nearly, llm_judges="gpt", controls=["length"])


@pytest.mark.parametrize(
    ("llm", "own", "error"),
    [
        ("gtp", None, "no judge 'gtp'. Did you mean 'gpt'?"),
        ("gpt", {"gpt": "labs"}, "(--own, in Python own=) has no row for s0, s1, s2: add the"),
        ("gpt", dict.fromkeys(("s0", "s1", "s2"), "x"), "has no row for gpt: add the family"),
    ],
)
def test_names_that_are_not_there_are_refused(llm, own, error):
    with pytest.raises(evenhand.InvalidJudgments) as refusal:
        evenhand.find_llm_bias(both(), llm_judges=llm, own=own)
    assert error in str(refusal.value)


def test_own_systems_need_people():
    rows = [row for row in both() if row["judge"] == "gpt"]
    with pytest.raises(evenhand.NotIdentified, match="no people judged: leave out --own"):
        evenhand.find_llm_bias(rows, llm_judges="gpt", own={"s0": "x"})


def test_without_finite_worths_answers_in_both_orders_still_count():
    table = [[20, 0, 0], [0, 0, 0], [0, 0, 0]]
    found = evenhand.find_llm_bias(swapped(table), llm_judges="gpt")
    assert found["gpt"].repeated[0].consistent == 1
    assert found["gpt"].effects == ()
    assert [one.code for one in found.notes] == ["llm-not-fitted"]


def judge_one_truth(seed, items=300):
    """Three people and two verdicts on each of some output pairs, all noise around one truth."""
    rng = np.random.default_rng(seed)
    rows, said = [], np.zeros((items, 5))
    truth = rng.normal(size=items)
    for item in range(items):
        for at, judge in enumerate(("p0", "p1", "p2", "gpt", "gpt")):
            seen = truth[item] + rng.normal()
            won = 0 if abs(seen) < 0.3 else int(np.sign(seen))
            said[item, at] = won
            left, right = ("B", "A") if at == 4 else ("A", "B")
            word = "tie" if won == 0 else "left" if (won > 0) == (left == "A") else "right"
            rows.append(
                {"judge": judge, "item": item, "left": left, "right": right, "winner": word}
            )
    return rows, said


def test_a_correlation_with_people_is_corrected_for_noise():
    items = 300
    rows, said = judge_one_truth(7, items)
    one = evenhand.find_llm_bias(rows, llm_judges="gpt")["gpt"].ceiling
    people, llm = said[:, :3], said[:, 3:].mean(axis=1)
    between = 3 * people.mean(axis=1).var(ddof=1)
    within = people.var(axis=1, ddof=1).mean()
    r = np.corrcoef(said[:, 3], said[:, 4])[0, 1]
    correlation = np.corrcoef(people.mean(axis=1), llm)[0, 1]
    of_people, of_llm = 1 - within / between, 2 * r / (1 + r)  # ICC(k), Spearman-Brown
    assert one.pairs == items
    assert one.correlation == pytest.approx(correlation)
    assert (one.of_people, one.of_llm) == pytest.approx((of_people, of_llm))
    assert one.disattenuated == pytest.approx(correlation / np.sqrt(of_people * of_llm))
    assert one.lower < 1 < one.upper


def test_a_ceiling_below_the_correlation_is_not_shown():
    shown = set()
    for seed in range(8):  # both happen about as often, since the truth is one
        result = evenhand.find_llm_bias(judge_one_truth(seed, 80)[0], llm_judges="gpt")
        one, document = result["gpt"].ceiling, result.document()
        (table,) = [part for part in document.parts if part.name == "ceilings"]
        below = one.correlation <= one.ceiling
        (row,) = table.rows
        assert (row["ceiling"] is not None) == (row["disattenuated"] is not None) == below
        assert ("too uncertain to correct it" in " ".join(map(str, document.answer))) != below
        assert one.ceiling is not None  # in JSON
        shown.add(below)
    assert shown == {True, False}


def test_people_who_prefer_both_systems_as_often_have_the_reliability_of_any_others():
    answers = np.array([(1, 1, 1), (-1, -1, -1), (1, -1, 1), (-1, -1, -1), (1, 1, -1)] * 2)
    answers[5:, :2] *= -1  # the sum over all people is 0
    rows = [
        {"judge": judge, "item": item, "left": a, "right": b, "winner": "a" if same > 0 else "b"}
        for item, said in enumerate(answers.tolist())
        for judge, a, b, one in (
            *(("p0", "A", "B", said[0]), ("p1", "A", "B", said[1])),
            *(("gpt", "A", "B", said[2]), ("gpt", "B", "A", said[2])),
        )
        for same in [one if a == "A" else -one]
    ]
    found = evenhand.find_llm_bias(rows, llm_judges="gpt")["gpt"].ceiling
    of_people = answers[:, :2]
    within = of_people.var(axis=1, ddof=1).mean()
    expected = 1 - within / 2 / of_people.mean(axis=1).var(ddof=1)
    assert found.of_people == pytest.approx(expected, abs=1e-12)


def test_other_llm_judges_who_are_marked_are_no_people():
    rows = [row | {"judge_type": "llm" if row["judge"] == "gpt" else "human"} for row in both()]
    claude = [
        row | {"judge": "claude", "judge_type": "llm"} for row in rows if row["judge"] == "gpt"
    ]
    alone, beside = (
        evenhand.find_llm_bias(one, llm_judges="gpt") for one in (rows, [*rows, *claude])
    )
    assert beside["gpt"].effects == alone["gpt"].effects
    assert [(one.code, one.rows) for one in beside.excluded] == [("llm-judges", len(claude))]
    assert alone.excluded == ()


def test_noise_alone_is_not_corrected():
    rng = np.random.default_rng(8)
    rows = [
        {"judge": judge, "item": item, "left": a, "right": b, "winner": rng.choice(["a", "b"])}
        for item in range(60)
        for judge, a, b in (
            ("p0", "A", "B"),
            ("p1", "A", "B"),
            ("gpt", "A", "B"),
            ("gpt", "B", "A"),
        )
    ]
    one = evenhand.find_llm_bias(rows, llm_judges="gpt")["gpt"].ceiling
    assert min(one.of_people, one.of_llm) < 0.3
    assert one.disattenuated is None


def test_repeats_that_are_copies_are_called_so():
    rows = [
        {"judge": "gpt", "item": f"i{i}", "left": "A", "right": "B", "winner": "ab"[i % 3 == 0]}
        for i in range(40)
        for _ in range(2)
    ]
    found = evenhand.find_llm_bias(rows, llm_judges="gpt")
    (one,) = found["gpt"].repeated
    assert (one.asked, one.copies, one.consistent, one.p) == ("again", True, 1.0, None)
    assert "copies" in {said.code for said in found.says}
