"""UKPConvArg1 (Habernal & Gurevych 2016): published labels and competences, and crowd-kit's.

Its authors ran the first version of MACE's program by EM: 50 starts, 500 iterations, threshold .95,
all 32 debates together (Step5GoldLabelEstimator.java of UKPLab/acl2016-convincing-arguments).
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import evenhand
from evenhand.models.answers import Answers, code_answers
from evenhand.models.dawid_skene import DawidSkene
from evenhand.models.labels import MajorityVote
from evenhand.models.mace import MACE

pytestmark = pytest.mark.slow


class Published(NamedTuple):
    """What the corpus says, in the order of our units and judges."""

    answers: Answers
    gold: np.ndarray  # names of labels, None where withheld
    competence: np.ndarray


@pytest.fixture(scope="module")
def corpus(data_folder: Path) -> Published:
    folder = data_folder / "ukpconvarg1"
    answers = code_answers(evenhand.read(folder / "pairwise.parquet"))
    frame = pd.read_parquet(folder / "pairwise.parquet").drop_duplicates(["task", "item"])
    named = frame["system_a"].where(frame["gold"] == "a1", frame["system_b"])
    named = named.where(frame["gold"] != "equal", "tie")[frame["gold"].notna()]
    known = {(frame.task[i], frame.item[i]): label for i, label in named.items()}
    units = [answers.describe_unit(u) for u in range(answers.units)]
    gold = np.array([known.get((one["task"], one["item"])) for one in units], dtype=object)
    table = pd.read_csv(folder / "published_worker_competence.csv").set_index("judge")
    return Published(answers, gold, table.loc[list(answers.judges), "mace_competence"].to_numpy())


def test_the_published_labels_and_competences_are_those_of_em(corpus):
    """The likelihood has many ends that are nearly as high, and starts were not recorded."""
    fit = MACE("em", restarts=3, iterations=500).fit(corpus.answers).keep(0.95)
    published = np.array([label is not None for label in corpus.gold])
    ours = np.array(fit.labels, dtype=object)
    both = published & (ours != None)  # noqa: E711 - by element
    same = (ours == corpus.gold)[both].mean()
    competence = 1 - fit.parameters["spamming"]
    rho = stats.spearmanr(competence, corpus.competence).statistic
    r = np.corrcoef(competence, corpus.competence)[0, 1]
    near = (abs(competence - corpus.competence) < 0.001).mean()
    print(  # noqa: T201 - counts of an experiment
        f"\nkept {(ours != None).sum():,}, of {both.sum():,} labels that both keep {same:.4f}"  # noqa: E711
        f" equal; competences r {r:.4f}, rho {rho:.4f}, {near:.3f} within .001"
    )
    assert published.sum() == fit.most_certain(0.95).sum() == 16_081
    assert both.sum() > 16_060
    assert same > 0.997
    assert r > 0.99
    assert rho > 0.99
    assert near > 0.8


def test_every_model_is_nearer_to_the_published_labels_than_the_majority(corpus):
    published = np.array([label is not None for label in corpus.gold])
    shares = {}
    for name, model in (
        ("majority", MajorityVote()),
        ("dawid-skene", DawidSkene()),
        ("mace", MACE(restarts=3)),
    ):
        found = np.array(model.fit(corpus.answers).labels, dtype=object)
        shares[name] = (found == corpus.gold)[published].mean()
    print(f"\nshare of the 16,081 published labels: {shares}")  # noqa: T201 - counts
    assert shares["majority"] == pytest.approx(0.8265, abs=0.0005)
    assert shares["dawid-skene"] > 0.89
    assert shares["mace"] > 0.94
