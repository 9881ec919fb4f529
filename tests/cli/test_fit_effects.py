"""`evenhand fit` with covariates of judges, items and systems."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2
from statsmodels.genmod.families import Poisson
from statsmodels.genmod.generalized_linear_model import GLM

from golden_numbers import golden

JUDGES = "judge,native,years\nJ1,yes,3\nJ2,yes,1\nJ3,no,2\nJ4,yes,2\n"


def write(name, text):
    Path(name).write_text(text, encoding="utf-8")
    return name


@pytest.fixture
def judges(folder):
    return write("judges.csv", JUDGES)


# by judge, as in Dras (2015), Table 1


def test_table_1_by_judge_tests_the_interaction_and_says_what_stands_out(evenhand, table1):
    """gnm 1.1.2 and prefmod 0.8-36 (golden 02, eq2_judge_covariate)."""
    text = evenhand("fit", table1, "--judge-covariate", "judge").out
    assert re.search(r"^ worths by judge +LR +173\.4128 +9 +< 0\.001", text, re.MULTILINE)
    assert "Worths differ by judge (p < 0.001)." in text
    assert "J3 likes A less than J1 does, against D (−1.868, z −6.5), p < 0.001" in text
    assert "J3 likes B less than J1 does, against D (−1.281, z −4.1), p < 0.001" in text
    assert "No other difference is significant at .05: the largest |z| is 1.0 (C:J3)." in text
    assert "every group is one judge: no test by judge" in text


def test_ties_by_judge_have_the_likelihood_ratio_of_r(evenhand, table1):
    words = ["--judge-covariate", "judge", "--tie-covariate", "judge"]
    text = evenhand("fit", table1, *words).out
    assert re.search(r"^ ties by judge +LR +5\.9464 +3 +0\.114", text, re.MULTILINE)
    assert re.search(r"g1:J3 +tie:J3 +1.2030", text)
    assert "ties by judge" in re.sub(r"\s+", " ", text[text.index("sign") :])


# system covariates (golden 06)


@pytest.mark.parametrize(("name", "columns"), [("both", ()), ("x1_only", ("x1",))])
def test_system_covariates_explain_worths(evenhand, table1, name, columns):
    entry = golden("06_object_covariates", "objcov")
    values = entry.input["object_covariates"]
    rows = zip("ABCD", values["x1"], values["x2"], strict=True)
    write("systems.csv", "system,x1,x2\n" + "".join(f"{s},{x},{y}\n" for s, x, y in rows))
    words = [word for column in columns for word in ("--system-covariate", column)]
    found = evenhand("fit", table1, "--systems", "systems.csv", *words, "--json").json
    expected = entry.expected[name]
    assert found["deviance"] == pytest.approx(expected["deviance"], abs=1e-5)
    assert found["df"] == expected["df"]
    for one in found["coefficients"]:
        assert one["estimate"] == pytest.approx(expected["coef"][one["name"]]["est"], abs=1e-6)
        assert one["stderr"] == pytest.approx(expected["coef"][one["name"]]["se"], abs=1e-6)


def test_springalls_gels_with_squares_and_a_product(evenhand, folder):
    """BradleyTerry2 1.1.2: BTm(cbind(win.adj, loss.adj), ..., ~ flav + gel + ...)."""
    entry = golden("springall_BTm", "springall_BTm")
    systems = entry.input["systems"]
    cells = ["left,right,outcome,weight"]
    for i, j, *counts in entry.input["cells"]:
        for outcome, n in zip(("left", "tie", "right"), counts, strict=True):
            cells.append(f"{systems[i]},{systems[j]},{outcome},{n}")
    write("springall.csv", "\n".join(cells) + "\n")
    rows = ["system,flav,gel,flav^2,gel^2,flav:gel"]
    for system, flav, gel in zip(systems, *entry.input["object_covariates"].values(), strict=True):
        rows.append(f"{system},{flav},{gel},{flav**2},{gel**2},{flav * gel}")
    write("systems.csv", "\n".join(rows) + "\n")
    words = ["--systems", "systems.csv", "--ties", "half-win", "--json"]
    found = evenhand("fit", "springall.csv", *words).json["coefficients"]
    for one, row in zip(found, entry.expected["beta"].values(), strict=True):
        assert 2 * one["estimate"] == pytest.approx(row["est"], abs=1e-6)
        assert 2 * one["stderr"] == pytest.approx(row["se"], abs=1e-6)


# schools: the answers are read from EVENHAND_DATA


def test_schools_by_two_covariates_from_a_table_of_judges(evenhand, folder, data_folder):
    """prefmod 0.8-36 (golden cemspc_llbt_ties_ENG_SEX); judges are in a table of their own."""
    source = data_folder / "classics" / "canonical" / "cemspc.csv"
    votes, judges, sides = ["judge,left,right,outcome"], {}, {"a": "left", "b": "right"}
    for line in source.read_text(encoding="utf-8").splitlines()[1:]:
        judge, _, a, b, outcome, english, sex = line.split(",")
        votes.append(f"{judge},{a},{b},{sides.get(outcome, outcome)}")
        judges[judge] = f"{judge},{english},{sex}"
    write("votes.csv", "\n".join(votes) + "\n")
    write("judges.csv", "\n".join(["judge,ENG,SEX", *judges.values()]) + "\n")
    words = ["--judges", "judges.csv", "--judge-covariate", "ENG", "--judge-covariate", "SEX"]
    found = evenhand("fit", "votes.csv", *words, "--reference", "Stockholm", "--json").json
    row = golden("cemspc_llbt_ties_ENG_SEX", "cemspc_llbt_ties_ENG_SEX").expected["lambda"]
    by_label = {one["label"]: one for one in found["coefficients"]}
    assert by_label["Milano:SEX=2"]["estimate"] == pytest.approx(row["MI:SEX2"]["est"], abs=1e-6)
    assert [one["covariate"] for one in found["tests"]] == ["ENG", "SEX", "ENG + SEX"]
    assert [one["lr"]["df"] for one in found["tests"]] == [5, 5, 10]
    assert found["tests"][2]["lr"]["statistic"] == pytest.approx(56.636, abs=5e-4)
    assert all(len(one["wald"]) == 1 and one["wald"][0]["p"] < 1 for one in found["tests"])
    without = evenhand("fit", "votes.csv", "--json").json
    assert 2 * (found["loglik"] - without["loglik"]) == pytest.approx(56.636, abs=5e-4)


def test_several_covariates_are_tested_together_as_statsmodels_does(evenhand, folder):
    """Poisson counts with μ for each pair and judge group: the difference of two deviances."""
    rng = np.random.default_rng(30)
    pairs, groups = [("A", "B"), ("A", "C"), ("B", "C")], [(a, b) for a in "xy" for b in "uvw"]
    rows, counts, worths, ties = ["left,right,outcome,weight,site,age"], [], [], []
    cells = [(pair, group) for pair in pairs for group in groups]
    for (left, right), (site, age) in cells:
        for outcome, sign in (("left", 1), ("tie", 0), ("right", -1)):
            count = int(rng.integers(3, 30))
            rows.append(f"{left},{right},{outcome},{count},{site},{age}")
            counts.append(count)
            apart = np.array([sign * ((one == left) - (one == right)) for one in "AB"])
            levels = [1, site == "y", age == "v", age == "w"]
            worths.append(np.concatenate([apart * level for level in levels]))
            ties.append(sign == 0)
    write("votes.csv", "\n".join(rows) + "\n")
    words = ["--judge-covariate", "site", "--judge-covariate", "age"]
    found = evenhand("fit", "votes.csv", "--weight", "weight", *words, "--json").json
    nuisance = np.kron(np.eye(len(cells)), np.ones((3, 1)))
    common = np.column_stack([nuisance, np.array(ties, dtype=float)])
    design = np.array(worths, dtype=float)
    deviance = {
        k: GLM(counts, np.column_stack([common, design[:, own]]), family=Poisson()).fit(tol=1e-12)
        for k, own in {
            "all": [*range(8)],
            "age": [0, 1, 4, 5, 6, 7],
            "site": [0, 1, 2, 3],
            "none": [0, 1],
        }.items()
    }
    expected = {
        "site": (deviance["age"].deviance - deviance["all"].deviance, 2),
        "age": (deviance["site"].deviance - deviance["all"].deviance, 4),
        "site + age": (deviance["none"].deviance - deviance["all"].deviance, 6),
    }
    assert [one["covariate"] for one in found["tests"]] == [*expected]
    for one in found["tests"]:
        statistic, df = expected[one["covariate"]]
        assert one["lr"]["statistic"] == pytest.approx(statistic, abs=1e-6)
        assert (one["lr"]["df"], one["lr"]["p"]) == (df, pytest.approx(chi2.sf(statistic, df)))
