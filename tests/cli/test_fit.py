from __future__ import annotations

import re
from pathlib import Path

import pytest


def rows(text: str) -> dict[str, list[str]]:
    """The cells of the coefficient table, by name."""
    found = re.findall(r"^ ([og]\d+(?::\S+)?|order|tau) +(\S.*)$", text, re.MULTILINE)
    return {name: re.split(r" {2,}", cells.strip()) for name, cells in found}


def test_modpref_is_printed_in_full_as_in_the_paper(evenhand, modpref):
    # Dras (2015), section 5, R output for ModPref
    text = evenhand("fit", modpref).out
    assert rows(text)["o1"][:-1] == ["+", "0.2778", "0.1060", "2.620", "0.009"]
    assert rows(text)["o2"][:-1] == ["-", "0.0000", "–", "–", "–"]
    assert rows(text)["g1"][:-1] == ["tie", "-0.6551", "0.2300", "-2.848", "0.004"]
    assert text.startswith("+ is preferred to - at odds of 1.74 to 1.")
    assert re.search(r"^ deviance +df +loglik +AIC +BIC\n +0\.0000 +0 ", text, re.MULTILINE)
    assert "Davidson ties" in text
    assert "take judgments as independent" in " ".join(text.split())


def test_collins_is_as_in_the_paper(evenhand, collins):
    # Dras (2015), section 5: tie .303 with p .0432, system p .0001
    found = {one["name"]: one for one in evenhand("fit", collins, "--json").json["coefficients"]}
    assert found["g1"]["estimate"] == pytest.approx(0.303, abs=5e-4)
    assert found["g1"]["p"] == pytest.approx(0.0432, abs=5e-5)
    assert found["o1"]["p"] == pytest.approx(0.0001, abs=5e-5)


@pytest.mark.parametrize(
    ("options", "deviance", "df"),
    [  # R 4.2.2, glm of Dras's eq. (1), without g1, and gnm 1.1.2 of eq. (2)
        ((), "30.4554", 8),
        (("--ties", "none"), "220.9466", 9),
        (("--judge-covariate", "judge"), "107.5000", 35),
    ],
)
def test_deviances_of_table_1(evenhand, table1, options, deviance, df):
    text = evenhand("fit", table1, *options).out
    assert re.search(rf"^ +{deviance} +{df} ", text, re.MULTILINE)


def test_the_deviance_alone_does_not_reject_a_model_where_cells_expect_few(evenhand):
    """Three votes in a circle: G² = 6 ln 2 on 1 df, p .0414; X² = 3, p .0833, by hand."""
    Path("circle.csv").write_text("left,right,outcome\na,b,left\nb,c,left\nc,a,left\n")
    text = evenhand("fit", "circle.csv").out
    assert " 0.041 " in text
    assert " 0.083 " in text
    assert "differ from the model" not in text
    assert "cells expect fewer than 5" in text


def test_the_home_advantage_is_twice_delta(evenhand):
    evenhand("demo", "baseball1987", "-o", "baseball.csv")
    found = evenhand("fit", "baseball.csv", "--order-effect", "--json").json
    order = next(one for one in found["coefficients"] if one["label"] == "order")
    # R 4.2.2, BradleyTerry2 1.1.2, BTm(..., ~ team + at.home)
    assert 2 * order["estimate"] == pytest.approx(0.302260655527553, abs=1e-6)
    assert 2 * order["stderr"] == pytest.approx(0.130943642532349, abs=1e-6)


def test_rank_and_fit_sign_the_same_judgments(evenhand, table1):
    digests = {
        evenhand(verb, table1, "--json").json["signature"].rpartition("sha256")[2]
        for verb in ("rank", "fit")
    }
    assert len(digests) == 1
