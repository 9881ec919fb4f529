"""`rank --owner`: the best of several variants, without the luck of the choice."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

import evenhand
from evenhand.cli.main import main
from evenhand.ranking.best_variant import (
    Estimated,
    carve_best,
    correct_best,
    find_best_variants,
    find_largest,
    find_truncation,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "winners.json").read_text())


@pytest.mark.parametrize("case", GOLDEN["entries"][:-1], ids=lambda case: case["id"])
def test_hybrid_intervals_are_the_published(case):
    x, vcov = (np.array(case["input"][name]) for name in ("estimate", "covariance"))
    low, high = find_truncation(x, vcov, int(x.argmax()))
    expected = [np.inf if one is None else one for one in case["expected"]["truncation"]]
    assert [low, high] == pytest.approx(expected, abs=1e-7)
    hybrid = correct_best(x, vcov, alpha=case["input"]["alpha"], largest=case["input"]["c_beta"])
    assert hybrid == pytest.approx(case["expected"]["hybrid"], abs=1e-7)


def test_the_carved_interval_is_the_golden_one():
    case = GOLDEN["entries"][-1]
    given = case["input"]
    found = carve_best(
        np.array(given["stage1"]), np.eye(6), given["stage2_of_winner"], given["variance2"]
    )
    assert found == pytest.approx(case["expected"]["carved"], abs=2e-6)


def test_carving_without_a_choice_is_the_weighted_mean():
    # one estimate is chosen from nothing: an interval of the mean
    lower, middle, upper = carve_best(np.array([1.0]), np.array([[2.0]]), 3.0, 1.0)
    assert middle == pytest.approx(7 / 3, abs=1e-6)
    half = 1.959964 * np.sqrt(2 / 3)
    assert [lower, upper] == pytest.approx([7 / 3 - half, 7 / 3 + half], abs=1e-4)
    # a hopeless rival changes nothing; a close one lowers the estimate
    far = carve_best(np.array([1.0, -30.0]), np.eye(2), 1.0, 1.0)
    assert far[1] == pytest.approx(1.0, abs=1e-6)
    assert carve_best(np.array([1.0, 0.99]), np.eye(2), 1.0, 1.0)[1] < 0.95


@pytest.mark.parametrize(("second", "tied"), [(0.99, True), (-1.0, False)])
def test_two_variants_that_are_nearly_alike_are_said(second, tied):
    """The wide interval is Šidák's, of two independent variants."""
    x = np.array([1.0, second, 0.0])
    systems, owners = ("a", "b", "z"), {"a": "X", "b": "X"}
    # of a, b and z alone; z is known without error, and errors of a and b are independent
    errors = np.sqrt([[0, 2, 1], [2, 0, 1], [1, 1, 0]])
    (found,) = find_best_variants(Estimated(systems, x, errors, np.inf), owners, level=0.95, seed=1)
    assert (found.wide is not None) == tied == (found.says is not None)
    if tied:
        reach = stats.norm.ppf((1 + np.sqrt(0.95)) / 2)
        assert found.wide == pytest.approx((1 - reach, 1 + reach), abs=1e-9)
        assert found.upper < found.raw
        assert "X: a, b came out so alike" in str(found.says)
        assert found.to_dict()["wide"] == list(found.wide)
    else:
        assert "wide" not in found.to_dict()


def test_few_later_votes_leave_the_hybrid_interval():
    x = np.array([1.0, 0.999, 0.998])
    assert carve_best(x, np.eye(3), -3.0, 1000.0) is None
    assert carve_best(x, np.eye(3), 1.0, 1.0) is not None


def test_the_largest_error_of_independent_and_of_correlated_estimates():
    case = next(one for one in GOLDEN["entries"] if one["id"] == "package_example_K5")
    vcov = np.array(case["input"]["covariance"])
    assert find_largest(vcov, 0.995, 1) == pytest.approx(case["input"]["c_beta"], abs=1e-9)
    case = next(one for one in GOLDEN["entries"] if one["id"] == "correlated_K5")
    vcov = np.array(case["input"]["covariance"])
    assert find_largest(vcov, 0.995, 1) == pytest.approx(case["input"]["c_beta"], abs=0.03)


def draw_errors(size, seed):
    """Return estimates, a covariance, and the standard errors of differences that it makes."""
    draw = np.random.default_rng(seed)
    root = draw.normal(size=(size, size))
    vcov = root @ root.T / size
    return draw.normal(size=size), vcov, np.sqrt(np.add.outer(*[np.diag(vcov)] * 2) - 2 * vcov)


def test_distances_to_the_others_have_the_covariance_of_contrasts():
    x, vcov, pairs = draw_errors(6, 3)
    order = np.argsort(-x)
    x, vcov, pairs = x[order], vcov[np.ix_(order, order)], pairs[np.ix_(order, order)]
    systems = tuple("abcdef")
    own = np.array([1, 3, 4])
    others = np.array([0, 2, 5])
    owners = dict.fromkeys("bdez", "us")
    ranked = Estimated(systems, x, pairs, np.inf)
    (found,) = find_best_variants(ranked, owners, level=0.9, seed=1)
    contrasts = np.eye(6)[own]
    contrasts[:, others] = -1 / 3
    far, of = contrasts @ x, contrasts @ vcov @ contrasts.T
    lower, middle, upper = correct_best(far, of, alpha=0.1, largest=find_largest(of, 0.99, 1))
    assert (found.owner, found.system, found.variants) == ("us", "b", ("b", "d", "e"))
    assert found.not_judged == ("z",)
    assert [found.raw, found.estimate, found.lower, found.upper] == pytest.approx(
        [far[0], middle, lower, upper], abs=1e-9
    )


def test_few_clusters_widen_the_interval_and_names_do_not_matter():
    x, _, pairs = draw_errors(5, 8)
    order = np.argsort(-x)
    given = (x[order], pairs[np.ix_(order, order)])
    owners = {"a": "us", "c": "us", "d": "us"}
    settings = {"level": 0.95, "seed": 1}
    many, few = (
        find_best_variants(Estimated(tuple("abcde"), *given, df), owners, **settings)[0]
        for df in (np.inf, 6)
    )
    assert few.upper - few.lower > many.upper - many.lower
    renamed = {"v": "us", "x": "us", "y": "us"}
    ranked = Estimated(tuple("vwxyz"), *given, 6)
    (other,) = find_best_variants(ranked, renamed, **settings)
    assert (other.estimate, other.lower, other.upper) == (few.estimate, few.lower, few.upper)


def write_votes(folder):
    draw = np.random.default_rng(2)
    systems = ["m1", "m2", "m3", "opus", "lark"]
    lines = ["judge,item,left,right,winner"]
    for at in range(900):
        left, right = draw.choice(systems, 2, replace=False)
        chance = 1 / (1 + np.exp(-0.5 * ((left == "opus") - (right == "opus"))))
        winner = "left" if draw.random() < chance else "right"
        lines.append(f"j{at % 15},i{at % 60},{left},{right},{winner}")
    path = folder / "votes.csv"
    path.write_text("\n".join(lines))
    return str(path)


def rank_owners(folder, table, *words):
    """Return what `rank` makes of votes with a table of owners."""
    owners = folder / "owners.csv"
    owners.write_text(table)
    return CliRunner().invoke(main, ["rank", write_votes(folder), "--owner", str(owners), *words])


def test_names_of_the_table_that_do_not_fit_are_said(tmp_path):
    made = rank_owners(tmp_path, "system,owner\nM1,meta\nm2,meta\nm3,meta\n", "--json")
    said = {one["code"]: one for one in json.loads(made.output)["findings"]}
    assert said["owner-not-ranked"]["severity"] == "warning"
    assert "Did you mean 'm1'?" in said["owner-not-ranked"]["text"]
    assert {"m1", "opus"} <= {*said["owner-missing"]["values"]["systems"]}


def test_the_command_shows_each_owner_of_several(tmp_path):
    table = "system,owner\nm1,meta\nm2,meta\nm3,meta\nm4,meta\nopus,anthill\n"
    (found,) = json.loads(rank_owners(tmp_path, table, "--json").output)["owners"]
    ranking = evenhand.rank(write_votes(tmp_path))
    own = [one for one in ranking.systems if one.startswith("m")]
    assert (found["owner"], found["variants"], found["not_judged"]) == ("meta", own, ["m4"])
    worth = dict(zip(ranking.systems, ranking.worth, strict=True))
    rest = np.mean([one for name, one in worth.items() if not name.startswith("m")])
    assert found["raw"] == pytest.approx(worth[own[0]] - rest)
    assert found["lower"] < found["estimate"] < found["raw"] < found["upper"]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("system,owner\nopus,a\n", "no owner has two of the systems that are ranked"),
        ("system,family\nopus,a\n", "column 'owner' not found in"),
        ("name,owner\n1,a\n", "needs a column 'system'"),
    ],
)
def test_owners_that_say_nothing_are_refused(table, says, tmp_path):
    made = rank_owners(tmp_path, table)
    assert made.exit_code == 2
    assert says in made.output


def test_votes_after_the_choice_are_carved_in(tmp_path):
    first = write_votes(tmp_path)
    votes = (tmp_path / "votes.csv").read_text().splitlines()
    (tmp_path / "later").mkdir()
    later = tmp_path / "later" / "votes.csv"
    draw = np.random.default_rng(9)
    rows = [votes[0]]
    for at in range(900):
        left, right = draw.choice(["m1", "m2", "m3", "opus", "lark"], 2, replace=False)
        winner = "left" if draw.random() < 0.5 else "right"
        rows.append(f"k{at % 15},i{at % 60},{left},{right},{winner}")
    later.write_text("\n".join(rows))
    owners = dict.fromkeys(("m1", "m2", "m3"), "meta")
    one, two = evenhand.rank(first), evenhand.rank(str(later))
    (found,) = one.with_owners(owners, later=two).owners
    (alone,) = one.with_owners(owners).owners
    # by hand: contrasts of the variants with the others, in both
    names = list(one.systems)
    others = [names.index(name) for name in ("opus", "lark")]
    own = [at for at, name in enumerate(names) if name in owners]
    contrasts = np.eye(5)[own]
    contrasts[:, others] = -0.5
    wide = (stats.t.ppf(0.975, 14) / stats.norm.ppf(0.975)) ** 2
    vcov = -wide * contrasts @ one.pair_stderr**2 @ contrasts.T / 2
    best = contrasts[0]
    order = [two.systems.index(name) for name in names]
    worth, squares = two.worth[order], two.pair_stderr[np.ix_(order, order)] ** 2
    fresh, variance = best @ worth, -wide * best @ squares @ best / 2
    expected = carve_best(contrasts @ one.worth, vcov, fresh, variance)
    assert [found.lower, found.estimate, found.upper] == pytest.approx(expected, abs=1e-9)
    assert found.fresh == pytest.approx(fresh)
    assert found.upper - found.lower < alone.upper - alone.lower
    table = tmp_path / "owners.csv"
    table.write_text("system,owner\nm1,meta\nm2,meta\nm3,meta\n")
    words = ["rank", first, "--owner", str(table), "--later", str(later)]
    (shown,) = json.loads(CliRunner().invoke(main, [*words, "--json"]).output)["owners"]
    assert shown["lower"] == pytest.approx(found.lower)
    assert "later votes" in CliRunner().invoke(main, words).output
    made = CliRunner().invoke(main, ["rank", first, "--later", str(later)])
    assert made.exit_code == 2
    assert "add --owner TABLE" in " ".join(made.output.split())
    # the same judges before and after
    words[-1] = first
    made = CliRunner().invoke(main, words)
    assert made.exit_code == 2
    assert "before the choice and after it" in " ".join(made.output.split())
    # votes without the best variant change nothing
    rest = two.systems
    without = {name for name in rest if name != found.system}
    kept = [rows[0], *(row for row in rows[1:] if {*row.split(",")[2:4]} <= without)]
    later.write_text("\n".join(kept))
    (same,) = one.with_owners(owners, later=evenhand.rank(str(later))).owners
    assert same == alone
