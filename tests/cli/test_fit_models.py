"""`evenhand fit --model NAME`: one shape for all models, and options only where they apply."""

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pytest

from evenhand.cli.fit import MODELS as OFFERED
from evenhand.data.comparisons import Comparisons
from evenhand.data.rankings import Rankings
from evenhand.errors import NotIdentified
from evenhand.models import registry
from evenhand.models.base import Coefficient, FittedModel
from evenhand.models.registry import MODELS, RATING_MODELS, Model


@dataclass(frozen=True, kw_only=True)
class CoinFit(FittedModel):
    """A fit with the members that every model has."""

    worth_vcov: np.ndarray | None = None
    loglik: float = -1.5
    notes: tuple[str, ...] = ("a coin has no taste",)
    says: tuple[str, ...] = ("heads 0.5",)

    @property
    def log_worth(self):
        return np.array([0.5, 0.0, -1.0, 0.25])

    @property
    def coefficients(self):
        return (Coefficient.make("o1", "A", 0.25, 0.1), Coefficient.make("o2", "B", 0.0, None))

    @property
    def signature_parts(self):
        return (f"prior {self.model.prior:g}",)

    def predict(self, pairs):
        return np.full((len(pairs), 3), 1 / 3)


def _toss(model, systems, n_judgments, n_comparisons):
    counts = {"n_judgments": n_judgments, "n_comparisons": n_comparisons}
    return CoinFit(model=model, systems=systems, **counts)


@dataclass(frozen=True)
class Coin:
    """A model with one setting, which remembers what it was given."""

    prior: float = 0.0

    def fit(self, data):
        assert isinstance(data, Comparisons)
        tally = data.tally()
        if "two" in data.tasks():
            raise NotIdentified("the coin stood on its edge")
        return _toss(self, tally.systems, tally.n_judgments, tally.n_comparisons)


@dataclass(frozen=True)
class Dice(Coin):
    def fit(self, data):
        assert isinstance(data, Rankings)
        return _toss(self, tuple("ABCD"), data.count_used(), 9.0)


@pytest.fixture(autouse=True)
def fakes(monkeypatch):
    """Two models in places of real ones, whose names the command line knows."""
    monkeypatch.setattr(registry.Model, "load", _load)


REAL = Model.load
FAKES = {"judge-slopes": Coin, "pattern": Dice}


def _load(self):
    return FAKES.get(self.name) or REAL(self)


def test_the_command_line_offers_the_models_of_the_registry():
    assert (*MODELS, *RATING_MODELS) == OFFERED


@pytest.mark.parametrize("name", list(MODELS))
def test_every_model_of_the_registry_is_frozen_settings_with_a_fit(name):
    made = REAL(MODELS[name])
    assert made.__dataclass_params__.frozen
    assert callable(made.fit)
    assert all(one.default is not None or one.name for one in fields(made))
    assert made() == made()  # every setting has a default


def test_a_fit_of_any_model_prints_counts_coefficients_and_what_it_says(evenhand, table1):
    text = evenhand("fit", table1, "--model", "judge-slopes", "--prior", "2").out
    assert "960 judgments, 4 systems" in text
    assert " o1    A          0.2500  0.1000  2.500  0.012" in text
    assert text.startswith("heads 0.5\n")
    assert "note   a coin has no taste" in text
    assert "judge-slopes | prior 2 | n=960 | sha256 5ea44496ef15" in text


def test_json_csv_and_latex_hold_the_same(evenhand, table1):
    words = ["fit", table1, "--model", "judge-slopes"]
    found = evenhand(*words, "--json").json
    assert found["model"] == "judge-slopes"
    assert found["settings"] == ["prior 0"]
    assert found["says"] == ["heads 0.5"]
    assert found["findings"][-1]["text"] == "a coin has no taste"
    assert [one["name"] for one in found["coefficients"]] == ["o1", "o2"]
    csv = evenhand(*words, "--csv")
    assert csv.out.splitlines()[1].startswith("o1,A,0.25,0.1,2.5,")
    assert "a coin has no taste" in csv.err
    assert r"o1 & A & $0.2500$" in evenhand(*words, "--latex").out


def test_tasks_are_fitted_one_by_one_and_refusals_named(evenhand, tasks):
    found = evenhand("fit", tasks, "--model", "judge-slopes", "--json").json
    assert list(found["groups"]) == ["one"]
    assert found["refused"] == {"two": "the coin stood on its edge"}
    assert "the coin stood on its edge" in evenhand("fit", tasks, "--model", "judge-slopes").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--order-effect"], "--order-effect does not apply to judge-slopes: it has --prior"),
        (["--ties", "davidson"], "--ties does not apply to judge-slopes"),
        (["--judge-covariate", "judge"], "--judge-covariate does not apply to judge-slopes"),
        (["--systems", "x.csv"], "--systems does not apply to judge-slopes"),
        (["--group-by", "judge"], "--group-by does not apply to judge-slopes"),
    ],
)
def test_options_that_a_model_does_not_have_are_refused(evenhand, table1, words, said):
    assert said in evenhand("fit", table1, "--model", "judge-slopes", *words, code=2).err


def test_models_of_rankings_take_rankings(evenhand, rankings, table1):
    found = evenhand("fit", rankings, "--model", "pattern", "--json").json
    assert (found["n_judgments"], found["n_comparisons"]) == (3, 9)
    said = evenhand("fit", table1, "--model", "pattern", code=2).err
    assert "table1.csv holds no rankings, and pattern is a model of rankings" in said


def test_judges_are_not_joined_to_whole_rankings(evenhand, rankings):
    Path("judges.csv").write_text("judge,native\nj1,yes\nj2,no\n", encoding="utf-8")
    words = ["--model", "pattern", "--judges", "judges.csv"]
    said = evenhand("fit", rankings, *words, code=2).err
    assert "--judges cannot be joined for --model pattern" in said


def test_a_misspelt_model_is_refused_with_the_nearest(evenhand, table1):
    said = evenhand("fit", table1, "--model", "plackett-luc", code=2).err
    assert "Did you mean 'plackett-luce'?" in said


@pytest.fixture
def blanks(folder: Path) -> str:
    """A blank ranking, a blank rank, and a ranking of one output."""
    rows = ["1,A,1", "1,B,2", "1,C,", "2,B,1", "2,A,2", "3,A,", "3,B,", "4,B,1", "4,C,2"]
    rows += ["5,C,1", "5,A,2", "6,A,1"]
    Path("blank.csv").write_text("\n".join(["ranking,system,rank", *rows]) + "\n", encoding="utf-8")
    return "blank.csv"


LEFT_OUT = [
    "1 of 6 rankings are blank and excluded",
    "1 of 10 ranks of the others are blank and not compared",
    "1 ranking of one output only: nothing to compare",
]


def test_what_was_left_out_of_rankings_is_said_once_whatever_the_model(evenhand, blanks):
    plain, found = (
        [one["text"] for one in evenhand("fit", blanks, *words, "--json").json["findings"]]
        for words in ((), ("--model", "plackett-luce"))
    )
    text = evenhand("fit", blanks, "--model", "plackett-luce").out
    for note in LEFT_OUT:
        assert plain.count(note) == found.count(note) == text.count(note) == 1
