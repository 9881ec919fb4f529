"""Tables of judges and items beside judgments, for covariates and for groups."""

import re
import shlex
from math import log
from pathlib import Path
from random import Random

import pytest

JUDGES = "judge,native,years\nJ1,yes,3\nJ2,yes,1\nJ3,no,2\nJ4,yes,2\n"


def write(name, text):
    Path(name).write_text(text, encoding="utf-8")
    return name


@pytest.fixture
def judges(folder):
    return write("judges.csv", JUDGES)


def test_judges_are_joined_from_a_table_and_cluster_within_their_groups(evenhand, table1, judges):
    words = ["--judges", judges, "--judge-covariate", "native"]
    found = evenhand("fit", table1, *words, "--json").json
    (test,) = found["tests"]
    assert test["lr"]["df"] == 3
    assert [one["group"] for one in found["orders"]] == ["no", "yes"]
    assert test["notes"] == ["for these 4 judges only"]


def test_items_are_joined_and_tested_like_judges(evenhand, folder):
    draw, outcomes = Random(1), ("left", "tie", "right")
    rows = ["judge,item,left,right,outcome"]
    rows += [
        f"j{j},i{i},{a},{b},{draw.choice(outcomes)}"
        for j in range(8)
        for i in range(10)
        for a, b in ("AB", "BC", "CA")
    ]
    write("votes.csv", "\n".join(rows) + "\n")
    origin = "".join(f"i{i},{'news' if i % 2 else 'web'}\n" for i in range(10))
    write("items.csv", f"item,origin\n{origin}")
    words = ["--items", "items.csv", "--item-covariate", "origin"]
    found = evenhand("fit", "votes.csv", *words, "--json").json
    (test,) = found["tests"]
    assert test["covariate"] == "origin"
    assert [wald["cluster"] for wald in test["wald"]] == ["judge", "item"]
    assert {wald["clusters"] for wald in test["wald"]} == {8, 10}
    text = evenhand("fit", "votes.csv", *words).out
    assert "believe the larger p" in text
    assert re.search(r"^ worths by origin +F by item +", text, re.MULTILINE)


def test_rankings_cluster_where_judges_are_the_covariate(evenhand, folder):
    draw = Random(5)
    lines = ["judge,ranking,system,rank"]
    lines += [
        f"j{r % 2},r{r},{system},{rank}"
        for r in range(40)
        for system, rank in zip("ABC", draw.sample((1, 2, 3), 3), strict=True)
    ]
    write("ranks.csv", "\n".join(lines) + "\n")
    found = evenhand("fit", "ranks.csv", "--judge-covariate", "judge", "--json").json
    (wald,) = found["tests"][0]["wald"]
    assert (wald["cluster"], wald["clusters"]) == ("ranking", 40)


def test_ties_by_judges_of_whom_one_never_tied_have_a_likelihood_ratio(evenhand, folder):
    """One pair: worths drop out, so that it is that of two proportions, 0 of 12 and 6 of 18."""
    rows = ["judge,left,right,outcome"]
    for judge, counts in (("J1", (7, 0, 5)), ("J2", (6, 6, 6))):
        for outcome, n in zip(("left", "tie", "right"), counts, strict=True):
            rows += [f"{judge},A,B,{outcome}"] * n
    write("votes.csv", "\n".join(rows) + "\n")
    (test,) = evenhand("fit", "votes.csv", "--tie-covariate", "judge", "--json").json["tests"]
    own = 6 * log(6 / 18) + 12 * log(12 / 18)
    common = 6 * log(6 / 30) + 24 * log(24 / 30)
    assert test["lr"]["statistic"] == pytest.approx(2 * (own - common), abs=1e-6)
    assert test["lr"]["df"] == 1
    text = evenhand("fit", "votes.csv", "--tie-covariate", "judge").out
    assert "J1 never tied: no clustered test" in text
    assert "one value only" not in text


@pytest.mark.parametrize("option", ["--judge-covariate", "--tie-covariate"])
def test_another_table_of_judges_is_another_signature(evenhand, table1, judges, option):
    words = ["--judges", judges, option, "native", "--json"]
    first = evenhand("fit", table1, *words).json["signature"].split(" | ")
    write(judges, "\n".join([*JUDGES.split()[:1], *reversed(JUDGES.split()[1:])]) + "\n")
    assert evenhand("fit", table1, *words).json["signature"].split(" | ") == first
    write(judges, JUDGES.replace("J2,yes", "J2,no"))
    other = evenhand("fit", table1, *words).json["signature"].split(" | ")
    differing = [a for a, b in zip(first, other, strict=True) if a != b]
    assert [one[:18] for one in differing] == ["covariates sha256 "]
    assert "covariates" not in evenhand("fit", table1, "--json").json["signature"]


def test_a_judge_who_is_lacking_may_be_left_out_as_the_refusal_says(evenhand, table1):
    write("judges.csv", JUDGES.replace("J4,yes,2\n", ""))
    words = ["--judges", "judges.csv", "--judge-covariate", "native"]
    said = " ".join(evenhand("fit", table1, *words, code=2).err.split())
    where = shlex.split(re.search("(--without .*), in Python", said).group(1))
    assert where == ["--without", "judge=J4"]
    assert evenhand("fit", table1, *words, *where, "--json").json["n_judgments"] == 720


def test_the_comparison_of_models_is_signed_by_its_covariates(evenhand, table1, judges):
    words = ["--judges", judges, "--judge-covariate", "native", "--json"]
    first = evenhand("compare", "--nested", table1, *words).json["signature"]
    write(judges, JUDGES.replace("J2,yes", "J2,no"))
    other = evenhand("compare", "--nested", table1, *words).json["signature"]
    assert "covariates sha256" in first
    assert first != other


@pytest.mark.parametrize("name", ["Judge", "Annotator", "judge_id"])
def test_a_table_of_judges_has_the_names_that_judgments_may_have(evenhand, table1, name):
    write("judges.csv", JUDGES.replace("judge", name))
    words = ["--judges", "judges.csv", "--judge-covariate", "native", "--json"]
    assert [one["group"] for one in evenhand("fit", table1, *words).json["orders"]] == ["no", "yes"]


def test_two_columns_of_judges_are_refused(evenhand, table1):
    write("judges.csv", "user,rater,native\nJ1,J1,yes\n")
    said = evenhand("fit", table1, "--judges", "judges.csv", code=2).err
    assert "user, rater of judges.csv could each be the judge" in said


def test_a_table_of_which_nothing_is_used_is_said(evenhand, table1, judges):
    covariate, group = "--judge-covariate", "--group-by"
    verbs = {"fit": covariate, "compare --nested": covariate, "rank": group, "test": group}
    for verb, option in verbs.items():
        note = f"columns native, years of judges.csv are not used: name one with {option}"
        assert note in evenhand(*verb.split(), table1, "--judges", judges, "--json").out
        used = evenhand(*verb.split(), table1, "--judges", judges, option, "native", "--json").out
        assert "not used" not in used


def test_numbers_that_are_taken_as_groups_are_said(evenhand, table1):
    write("judges.csv", "judge,age,native,half\nJ1,31,yes,1\nJ2,42,yes,1\nJ3,53,no,2\nJ4,64,no,2\n")
    words = ["--judges", "judges.csv", "--judge-covariate"]
    note = "age has 4 values for 4 judges, taken as groups"
    assert note in evenhand("fit", table1, *words, "age", "--json").out
    for plain in ("native", "half", "judge"):
        assert "taken as groups" not in evenhand("fit", table1, *words, plain, "--json").out
