"""`sample_for_llm`: what people should judge beside verdicts, and how `rank` weights it."""

from collections import Counter

import numpy as np
import pytest

import evenhand
import verdict_campaigns
from evenhand import InvalidJudgments, NotIdentified, UnknownOption
from verdict_campaigns import Design

CLASSES = 200
# F is .5 on the first 200 items and 1 on the others: u is .5 and 0
DIVIDED = {
    "item": [f"{at:03d}" for at in range(2 * CLASSES) for _ in range(2)],
    "left": ["a", "b"] * 2 * CLASSES,
    "right": ["b", "a"] * 2 * CLASSES,
    "winner": ["left", "left"] * CLASSES + ["left", "right"] * CLASSES,
}


@pytest.fixture(scope="module")
def tables():
    campaign = verdict_campaigns.draw(Design(judgments=360, items=120), np.random.default_rng(2))
    return campaign.tables()


def with_probability(people, values):
    return {**people, "sampling_probability": values}


def test_by_default_all_have_the_same_probability(tables):
    people, verdicts = tables
    drawn = evenhand.sample_for_llm(people, verdicts, n=50)
    outputs = {(one.item, *sorted((one.left, one.right))) for one in drawn.pairs}
    judged = {
        (item, *sorted(pair))
        for item, *pair in zip(people["item"], people["left"], people["right"], strict=True)
    }
    assert len(outputs) == 50
    assert not outputs & judged
    assert (drawn.n_judged, drawn.n_left) == (len(judged), 120 * 15 - len(judged))
    chances = {one.sampling_probability for one in drawn.pairs}
    assert chances == {drawn.earlier}
    assert drawn.earlier == pytest.approx((len(judged) + 50) / 1800, rel=1e-5)
    assert 10 <= sum(one.left < one.right for one in drawn.pairs) <= 40
    again = evenhand.sample_for_llm(people, verdicts, n=50)
    assert again.to_dict() == drawn.to_dict()


@pytest.mark.parametrize(("n", "expected"), [(100, (0.375, 0.125)), (300, (1.0, 0.5))])
def test_divided_verdicts_are_drawn_more_often(n, expected):
    """π = n (½ u / Σu + ½ / N); beyond 1 it is 1, and the others share what is left."""
    drawn = evenhand.sample_for_llm(None, DIVIDED, n=n, policy="uncertainty", seed=3)
    counts = Counter(int(one.item) // CLASSES for one in drawn.pairs)
    for one in drawn.pairs:
        chance = expected[int(one.item) // CLASSES]
        assert one.sampling_probability == pytest.approx(chance)
    for which, p in enumerate(expected):
        assert abs(counts[which] - CLASSES * p) <= 4 * (CLASSES * p * (1 - p)) ** 0.5


def test_rank_weights_by_the_recorded_probabilities():
    """By people alone a log-worth is that of weighted wins."""
    rng = np.random.default_rng(5)
    items, n = [f"i{at:03d}" for at in range(200)], 120
    won, chance = rng.random(n) < 0.7, rng.choice([0.1, 0.4, 0.8], n)
    sides = {"left": ["a"] * n, "right": ["b"] * n}
    labels = np.array(["right", "left"])
    people = {"item": items[:n], **sides, "winner": labels[won.astype(int)].tolist()}
    every = {
        "item": items,
        "left": ["a"] * 200,
        "right": ["b"] * 200,
        "winner": labels[rng.integers(2, size=200)].tolist(),
    }
    weighted = evenhand.rank(with_probability(people, chance.tolist()), llm=every, llm_weight=0)
    worths = dict(zip(weighted.systems, weighted.log_worth, strict=True))
    w = 1 / chance
    expected = np.log(w[won].sum() / w[~won].sum())
    assert worths["a"] - worths["b"] == pytest.approx(expected, rel=1e-8)
    assert weighted.n_judgments == n
    assert weighted.fused.effective == pytest.approx(w.sum() ** 2 / (w**2).sum())
    fused = evenhand.rank(with_probability(people, chance.tolist()), llm=every, llm_weight=0.5)
    assert fused.fused.weight == 0.5
    assert "judgments-weighted" in [one.code for one in fused.notes]


def test_without_verdicts_different_probabilities_are_not_used_and_a_note_says_so(tables):
    people, _ = tables
    n = len(people["item"])

    def notes_of(values):
        ranking = evenhand.rank(with_probability(people, values))
        return [str(one) for one in ranking.notes if one.code == "sampling-unused"]

    assert notes_of([0.2] * n) == []
    (note,) = notes_of([0.2, 0.4] * (n // 2))
    assert "column sampling_probability" in note
    assert "--llm VERDICTS" in note


def answer_pairs(pairs, worths, rng):
    """People's answers to pairs of outputs, by log-worths."""
    won = [rng.random() < 1 / (1 + np.exp(worths[one.right] - worths[one.left])) for one in pairs]
    return {
        "judge": [f"j{at}" for at in rng.integers(12, size=len(pairs))],
        "item": [one.item for one in pairs],
        "left": [one.left for one in pairs],
        "right": [one.right for one in pairs],
        "winner": ["left" if one else "right" for one in won],
    }


def join(first, second):
    return {name: first[name] + second[name] for name in first}


def test_two_random_waves_are_one_random_sample(tables):
    """Keeping the column as the output says ranks as without it: all judgments weigh the same."""
    _, verdicts = tables
    worths = {f"s{at:02d}": 0.3 * at for at in range(6)}
    rng = np.random.default_rng(8)
    before = answer_pairs(evenhand.sample_for_llm(None, verdicts, n=300).pairs, worths, rng)
    drawn = evenhand.sample_for_llm(before, verdicts, n=30)
    after = answer_pairs(drawn.pairs, worths, rng)
    assert [one.code for one in drawn.notes] == ["sampled-before"]
    assert f"give their judgments {drawn.earlier:.6g} in column" in str(drawn.notes[0])
    column = [drawn.earlier] * 300 + [one.sampling_probability for one in drawn.pairs]
    whole = join(before, after)
    plain = evenhand.rank(whole, llm=verdicts)
    weighted = evenhand.rank(with_probability(whole, column), llm=verdicts)
    assert weighted.log_worth.tolist() == plain.log_worth.tolist()
    assert weighted.fused.effective is None
    # of 1,800 pairs 300 and then 30 of the others are in the sample as often as all
    assert drawn.earlier == pytest.approx(330 / 1800, rel=1e-5)


def test_two_waves_give_back_the_share_of_all_items_by_their_recorded_probabilities():
    """Of all items a wins .65: of 200 whose verdicts are divided 9 of 10, of 200 others 4 of 10."""
    wins = np.r_[np.arange(CLASSES) % 10 < 9, np.arange(CLASSES) % 10 < 4]
    assert wins.mean() == 0.65
    verdicts, weighted, plain = evenhand.read(DIVIDED), [], []
    for seed in range(40):
        first = evenhand.sample_for_llm(None, verdicts, n=60, seed=seed).pairs
        before = {name: [getattr(one, name) for one in first] for name in ("item", "left", "right")}
        before["winner"] = ["left"] * 60  # only who was judged matters to what is drawn
        drawn = evenhand.sample_for_llm(before, verdicts, n=60, policy="uncertainty", seed=seed)
        weight = np.r_[
            np.full(60, 1 / drawn.earlier), [1 / one.sampling_probability for one in drawn.pairs]
        ]
        won = wins[[int(one.item) for one in (*first, *drawn.pairs)]]
        weighted.append(won @ weight / weight.sum())
        plain.append(won.mean())
    assert abs(np.mean(weighted) - 0.65) <= 4 * np.std(weighted) / len(weighted) ** 0.5
    assert abs(np.mean(plain) - 0.65) >= 8 * np.std(plain) / len(plain) ** 0.5


def test_the_headline_counts_how_precise_weighted_judgments_are(tables):
    people, verdicts = tables
    n = len(people["item"])
    ranking = evenhand.rank(with_probability(people, [0.1] * (n - 60) + [0.9] * 60), llm=verdicts)
    fused = ranking.fused
    assert fused.effective < 0.9 * n
    (note,) = (one for one in ranking.notes if one.code == "judgments-weighted")
    assert note.values["effective"] == fused.effective
    like = float(f"{fused.gain * fused.effective:.2g}")
    assert f"are as precise as about {like:,.0f}." in fused.says_of(ranking)


def test_refusals(tables):
    people, verdicts = tables
    n = len(people["item"])
    varied = with_probability(people, [0.2, 0.4] * (n // 2))
    with pytest.raises(UnknownOption, match="0 pairs of outputs cannot be drawn"):
        evenhand.sample_for_llm(None, verdicts, n=0)
    with pytest.raises(UnknownOption, match="at most 1,800"):
        evenhand.sample_for_llm(None, verdicts, n=1801)
    with pytest.raises(UnknownOption, match="policy"):
        evenhand.sample_for_llm(None, verdicts, policy="voi")
    with pytest.raises(NotIdentified, match="leave the judgments out"):
        evenhand.sample_for_llm(varied, verdicts)
    with pytest.raises(InvalidJudgments, match="'item'"):
        evenhand.sample_for_llm(None, {k: v for k, v in verdicts.items() if k != "item"})
    other = {**verdicts, "item": [f"x{one}" for one in verdicts["item"]]}
    with pytest.raises(InvalidJudgments, match="names of systems and items must be the same"):
        evenhand.sample_for_llm(people, other)
    with pytest.raises(NotIdentified, match=r"judged all 1,800 pairs.*rank --llm"):
        evenhand.sample_for_llm({**verdicts, "judge": ["p"] * len(verdicts["item"])}, verdicts)
    clear = {name: values[2 * CLASSES :] for name, values in DIVIDED.items()}
    with pytest.raises(NotIdentified, match="--policy random"):
        evenhand.sample_for_llm(None, clear, n=1, policy="uncertainty")
    for wrong in (None, 0.0, 1.5):
        missing = with_probability(people, [wrong, *[0.2] * (n - 1)])
        with pytest.raises(InvalidJudgments, match="1 judgment without a probability"):
            evenhand.rank(missing, llm=verdicts)
    with pytest.raises(UnknownOption, match="equal weight"):
        evenhand.rank_prediction_powered(varied, llm=verdicts, method="ppi++")
    scores = {
        "judge": ["j"] * 4,
        "item": ["1", "1", "2", "2"],
        "system": ["a", "b"] * 2,
        "score": [1.0, 2.0, 3.0, 5.0],
    }
    llm = {**scores, "judge": ["llm"] * 4}
    for judgments, of in ((None, llm), (scores, llm), (people, llm), (scores, verdicts)):
        with pytest.raises(InvalidJudgments, match="holds ratings, and pairs of outputs"):
            evenhand.sample_for_llm(judgments, of)
    with pytest.raises(UnknownOption, match="sampling_probability"):
        evenhand.rank(with_probability(scores, [0.2, 0.4] * 2), llm=llm)
