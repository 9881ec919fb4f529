"""E18: how often may an LLM that is too weak replace a human judge, and one that is good?

3 classes, all as likely; a judge says the right one with chance .75, or one of his own, else one of
the others. The LLM's accuracy is where a judge is closer by ε = .1 exactly: whoever finds it good
enough is wrong, and .05 of the campaigns may be. Five arms: 80 items and 5 judges; 16 documents of
5 outputs on which the LLM's accuracy differs (sd .3); the same with 6 judges whose accuracies
differ (sd .12); 3 judges (sd .15), 60 items; 12 judges (.12), 80 items. R = 200, or half.

And LLMs that always say what most say: 2 classes, judges .85, prevalence .8 and .9, ε = .2.

Pass: at most .05 + 3.09 (.05 .95 / R)^½ pass wrongly; power at an LLM accuracy of .80 at least .5
and .6 in the first and last arm; single tests of judges as published reject at least .15 in the
third; a constant LLM passes as published in .55 or more, and here in .05 at most.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from evenhand.judges.replacement import ALPHA, decide_published, examine_llm, make_panel
from experiments.campaign import generator, part_of

R, EPSILON, CLASSES = part_of(200), 0.1, ("a", "b", "c")
MOST = ALPHA + 3.09 * (ALPHA * (1 - ALPHA) / R) ** 0.5


@dataclass(frozen=True)
class Arm:
    judges: int
    items: int  # or documents
    each: int = 1  # outputs of an item
    differ: float = 0.0  # sd of the accuracy of judges
    by_item: float = 0.0  # sd of the LLM's accuracy by item


ARMS = (
    Arm(5, 80),
    Arm(5, 16, 5, by_item=0.3),
    Arm(6, 16, 5, differ=0.12, by_item=0.3),
    Arm(3, 60, differ=0.15),
    Arm(12, 80, differ=0.12),
)


def answer(truth, accuracy, rng, classes=3):
    other = (truth + rng.integers(1, classes, size=truth.shape)) % classes
    return np.where(rng.random(truth.shape) < accuracy, truth, other)


def draw(arm, llm, rng):
    n = arm.items * arm.each
    truth = rng.integers(3, size=n)
    item = np.repeat(np.arange(arm.items), arm.each)
    skill = np.clip(rng.normal(0.75, arm.differ, arm.judges), 0.34, 0.99)
    people = np.stack([answer(truth, one, rng) for one in skill])
    own = np.clip(llm + rng.normal(0, arm.by_item, arm.items), 0, 1)[item]
    return people, answer(truth, own, rng), item


def panel_of(people, llm, item, labels=CLASSES):
    judges, n = people.shape
    judge = np.repeat(np.arange(judges + 1), n)
    unit, of = np.tile(np.arange(n), judges + 1), np.tile(item, judges + 1)
    names = (*(f"j{at:02d}" for at in range(judges)), "llm")
    value = np.concatenate([people.ravel(), llm]).astype(float)
    return make_panel(names, (judge, unit, of), value, ["llm"], labels=labels, score="accuracy")


@cache
def boundary(at):
    """The LLM's accuracy at which a judge is closer by ε, from many outputs."""
    arm, rng = ARMS[at], np.random.default_rng(at)
    many = Arm(arm.judges, 4000, 1, arm.differ, arm.by_item)

    def apart(accuracy):
        sums = []
        for _ in range(12):
            people, llm, _ = draw(many, accuracy, rng)
            for one in range(arm.judges):
                others = np.delete(people, one, axis=0)
                gap = (others == people[one]).sum(axis=0) - (others == llm).sum(axis=0)
                sums.append(np.sign(gap).mean())
        return np.mean(sums)

    low, high = 0.34, 0.95
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if apart(middle) > EPSILON else (low, middle)
    return (low + high) / 2


def run(at, llm, seed):
    passed, single = [], []
    for r in range(R):
        people, said, item = draw(ARMS[at], llm, generator(18, seed, r))
        found = examine_llm(panel_of(people, said, item), "", "llm", EPSILON, balanced=False)
        passed.append(found.p < ALPHA)
        single += [test.p < ALPHA for test in found.tests]
    return float(np.mean(passed)), float(np.mean(single))


@pytest.mark.slow
@pytest.mark.parametrize("at", range(5))
def test_a_weak_llm_rarely_passes(at, record_property):
    passed, single = run(at, boundary(at), at)
    record_property("passed", passed)
    record_property("single tests", round(float(single), 3))
    assert passed <= MOST
    if at == 2:
        assert single >= 0.15


@pytest.mark.slow
@pytest.mark.parametrize(("at", "least"), [(0, 0.5), (4, 0.6)])
def test_a_good_llm_passes(at, least, record_property):
    passed, _ = run(at, 0.80, 10 + at)
    record_property("passed", passed)
    assert passed >= least


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [0.8, 0.9])
def test_a_constant_llm_passes_as_published_alone(prevalence, record_property):
    passed, published = 0, 0
    for r in range(R):
        rng = generator(18, 20 + int(10 * prevalence), r)
        truth = (rng.random(80) > prevalence).astype(int)
        people = np.stack([answer(truth, 0.85, rng, 2) for _ in range(5)])
        panel = panel_of(people, np.zeros(80, int), np.arange(80), ("a", "b"))
        found = examine_llm(panel, "", "llm", 0.2, balanced=False)
        found = decide_published(found, [found])
        passed += found.passes
        published += found.passes_published
    record_property("passed", passed / R)
    record_property("published", published / R)
    assert published / R >= 0.55
    assert passed / R <= 0.05
