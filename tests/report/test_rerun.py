"""Commands of a report say what was set, once, and to verbs that know it."""

from __future__ import annotations

import shlex

from evenhand.models.bradley_terry import BradleyTerry
from evenhand.report.analysis import Settings

MODEL = BradleyTerry(ties="discard", order_effect=True, prior=0.5, reference="A B")


def test_what_is_usual_is_not_said():
    assert Settings(("v.csv",)).write_command("rank") == "evenhand rank v.csv"


def test_a_verb_is_told_the_settings_that_it_has():
    settings = Settings(("v.csv",), 0.9, 7, MODEL, full=True)
    model = ["--ties", "discard", "--order-effect", "--reference", "A B", "--prior", "0.5"]
    known = {
        "rank": [*model, "--level", "0.9", "--seed", "7"],
        "fit": model,
        "bias": ["--level", "0.9"],
        "next": ["--seed", "7"],
        "inspect": [],
    }
    for verb, options in known.items():
        assert shlex.split(settings.write_command(verb)) == ["evenhand", verb, "v.csv", *options]


def test_what_stands_there_already_is_not_said_twice():
    settings = Settings(("v.csv",), 0.9)
    assert settings.write_command("rank", "--level", "0.5") == "evenhand rank v.csv --level 0.5"


def test_a_name_with_blanks_or_quotes_comes_back_whole():
    words = ("it's mine.csv", "--where", "judge <> 'J 3'")
    assert shlex.split(Settings(words).write_command("report"))[2:] == list(words)
