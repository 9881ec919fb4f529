"""`rank(ratings, llm=scores)`: people's ratings with the help of LLM judges' scores."""

import numpy as np
import pytest
import statsmodels.api as sm

import evenhand
from evenhand.errors import InvalidJudgments, NotIdentified, UnknownOption

SYSTEMS, JUDGES, ITEMS, LABELLED = 5, 8, 90, 40


@pytest.fixture(scope="module")
def tables():
    """People's scores, 0 to 100, and an LLM's on all outputs, 1 to 5."""
    rng = np.random.default_rng(8)
    severity, difficulty = rng.normal(0, 8, JUDGES), rng.normal(0, 10, ITEMS)
    output = rng.normal(0, 9, (ITEMS, SYSTEMS)) - 3 * np.arange(SYSTEMS)
    n = 480
    judge, item = np.arange(n) % JUDGES, rng.integers(LABELLED, size=n)
    system = rng.integers(SYSTEMS, size=n)
    score = 50 + severity[judge] + difficulty[item] + output[item, system] + rng.normal(0, 8, n)
    of_item, of_system = np.divmod(np.arange(ITEMS * SYSTEMS), SYSTEMS)
    given = 3 + 0.06 * (difficulty[of_item] + output[of_item, of_system])
    given += rng.normal(0, 0.2, len(given)) + 0.5 * (of_system == 4)
    people = {"judge": judge, "item": item, "system": system, "score": score}
    verdicts = {"judge": np.zeros(len(given), int), "item": of_item, "system": of_system}
    return name(people), name(verdicts | {"score": given}, llm=True)


def name(columns, *, llm=False):
    of = {"judge": "llm{}" if llm else "j{}", "item": "i{:02d}", "system": "s{}"}
    named = {role: [of[role].format(one) for one in columns[role]] for role in of}
    return named | {"score": np.asarray(columns["score"]).tolist()}


def code(names):
    return np.unique(names, return_inverse=True)[1]


def fit_dummies(system, factors, score):
    """(K,) estimates by least squares with dummy variables, centred."""
    columns = [np.eye(SYSTEMS)[code(system)]]
    columns += [np.eye(len({*one}))[code(one)][:, 1:] for one in factors]
    found = sm.OLS(np.asarray(score), np.column_stack(columns)).fit().params[:SYSTEMS]
    return found - found.mean()


def by_name(ranking):
    return ranking.score[np.argsort(ranking.systems)]


def test_estimates_are_three_least_squares_together(tables):
    people, verdicts = tables
    ranking = evenhand.rank(people, llm=verdicts)
    score = dict(
        zip(zip(verdicts["item"], verdicts["system"], strict=True), verdicts["score"], strict=True)
    )
    beside = [score[one] for one in zip(people["item"], people["system"], strict=True)]
    scale = np.std(people["score"]) / np.std(beside)
    effects = (people["judge"], people["item"])
    own = fit_dummies(people["system"], effects, people["score"])
    other = fit_dummies(people["system"], effects, beside)
    other = other - fit_dummies(verdicts["system"], (verdicts["item"],), verdicts["score"])
    assert 0.2 < ranking.fused.weight < 1
    assert ranking.fused.gain > 1.2
    expected = own - ranking.fused.weight * scale * other
    assert by_name(ranking) - by_name(ranking).mean() == pytest.approx(expected, abs=1e-8)
    alone = by_name(ranking.fused.human)
    assert alone - alone.mean() == pytest.approx(own, abs=1e-8)
    assert (ranking.pair_stderr.sum() / ranking.fused.human.pair_stderr.sum()) ** 2 < 1 / 1.2


def test_the_scale_of_verdicts_does_not_matter(tables):
    people, verdicts = tables
    ranking = evenhand.rank(people, llm=verdicts)
    moved = {**verdicts, "score": [7 + 20 * one for one in verdicts["score"]]}
    other = evenhand.rank(people, llm=moved)
    assert other.score == pytest.approx(ranking.score, abs=1e-8)
    assert other.pair_stderr == pytest.approx(ranking.pair_stderr, abs=1e-8)


def test_lower_scores_may_be_better(tables):
    people, verdicts = tables
    ranking = evenhand.rank(people, llm=verdicts)
    negated = [{**one, "score": [100 - x for x in one["score"]]} for one in (people, verdicts)]
    other = evenhand.rank(negated[0], llm=negated[1], lower_is_better=True)
    assert other.systems == ranking.systems
    assert 100 - other.score == pytest.approx(ranking.score, abs=1e-8)
    assert other.rank_upper.tolist() == ranking.rank_upper.tolist()


def test_equal_verdicts_leave_the_ranking_as_it_is(tables):
    people, verdicts = tables
    alike = {**verdicts, "score": [3.0] * len(verdicts["score"])}
    ranking, alone = evenhand.rank(people, llm=alike), evenhand.rank(people)
    assert ranking.fused.weight == 0
    assert ranking.score.tolist() == alone.score.tolist()
    assert ranking.lower.tolist() == alone.lower.tolist()


def test_llm_judges_of_one_file_and_criteria_of_their_own(tables):
    people, verdicts = tables
    both = {role: people[role] + verdicts[role] for role in people}
    ranking = evenhand.rank(people, llm=verdicts)
    assert evenhand.rank(both, llm_judges=["llm0"]).score == pytest.approx(ranking.score, abs=1e-8)
    twice = {role: values * 2 for role, values in both.items()}
    n = len(both["score"])
    twice["criterion"] = ["fluency"] * n + ["adequacy"] * n
    grouped = evenhand.rank(twice, llm_judges=["llm0"])
    assert {*grouped.groups} == {"fluency", "adequacy"}
    for one in grouped.groups.values():
        assert one.score == pytest.approx(ranking.score, abs=1e-8)


def test_a_judge_whose_name_is_part_of_a_named_one_is_asked_about(tables):
    both = {role: [*tables[0][role], *tables[1][role]] for role in tables[0]}
    both["judge"] = [{"llm0": "gpt-4o", "j0": "gpt-4"}.get(one, one) for one in both["judge"]]
    for names in ("gpt-4o", ["gpt-4o"]):
        notes = evenhand.rank(both, llm_judges=names).notes
        (asked,) = [one for one in notes if one.code == "named-like-llms"]
        assert asked.values["judges"] == ["gpt-4"]


def test_many_items_are_merged_alike_however_files_are_cut():
    rng = np.random.default_rng(9)
    output = rng.normal(0, 1, (260, 3))
    item, system = np.divmod(np.arange(780), 3)
    mixed = item * 37 % 260  # items that people judged stand anywhere among all names
    said = output[item, system] + rng.normal(0, 0.3, 780)
    verdicts = {"judge": item * 0, "item": mixed, "system": system, "score": said}
    some = rng.integers(360, size=500)
    given = output[item[some], system[some]] + rng.normal(0, 1, 500)
    people = {"judge": np.arange(500) % 6, "item": mixed[some], "system": system[some]}
    people = {role: [f"{role}{one:03d}" for one in codes] for role, codes in people.items()}
    llm = {role: [f"{role}{one:03d}" for one in verdicts[role]] for role in people}
    people["score"], llm["score"] = given.tolist(), said.tolist()
    llm["judge"] = ["llm"] * 780
    apart = evenhand.rank(people, llm=llm)
    together = evenhand.rank({role: people[role] + llm[role] for role in people}, llm_judges="llm")
    assert together.fused.weight == pytest.approx(apart.fused.weight, rel=1e-9)
    assert together.pair_stderr == pytest.approx(apart.pair_stderr, rel=1e-9)


def test_scores_without_a_verdict_are_refused_dropped_or_kept(tables):
    people, verdicts = tables
    rows = [at for at, item in enumerate(verdicts["item"]) if item != "i03"]
    part = {role: [values[at] for at in rows] for role, values in verdicts.items()}
    lost = people["item"].count("i03")
    with pytest.raises(InvalidJudgments, match=rf"{lost} of 480 scores have no verdict.*i03"):
        evenhand.rank(people, llm=part)
    assert evenhand.rank(people, llm=part, unpaired="keep").n_judgments == 480
    assert evenhand.rank(people, llm=part, unpaired="drop").n_judgments == 480 - lost


def test_names_that_differ_in_capitals_are_named(tables):
    people, verdicts = tables
    upper = verdicts | {"system": [one.upper() for one in verdicts["system"]]}
    for ask in (evenhand.rank, evenhand.measure_agreement):
        with pytest.raises(InvalidJudgments, match="differ only in capitals: s0 and S0, s1 and S1"):
            ask(people, llm=upper)


def test_other_models_and_other_kinds_are_refused(tables):
    people, verdicts = tables
    with pytest.raises(UnknownOption, match="adjusted and mean only, not ordinal"):
        evenhand.rank(people, llm=verdicts, model="ordinal")
    pairs = {"left": ["s0"], "right": ["s1"], "winner": ["left"], "item": ["i01"]}
    with pytest.raises(InvalidJudgments, match="both must be of one kind"):
        evenhand.rank(people, llm=pairs)


def test_systems_that_no_person_scored_are_named_and_counted(tables):
    people, verdicts = tables
    more = {"judge": "llm", "item": "i00", "system": "new", "score": 4.0}
    both = {name: [*values, more[name]] for name, values in verdicts.items()}
    ranking, expected = (evenhand.rank(people, llm=one) for one in (both, verdicts))
    assert ranking.score.tolist() == expected.score.tolist()
    contract = ranking.to_dict()["llm"]
    assert contract["unjudged"] == {"new": 1}
    assert contract["n_verdicts"] == ITEMS * SYSTEMS
    assert "1 verdict on new excluded" in " ".join(map(str, ranking.notes))


def test_lambda_is_fixed_and_0_is_the_ranking_by_people_bit_for_bit(tables):
    people, verdicts = tables
    alone, none = evenhand.rank(people), evenhand.rank(people, llm=verdicts, llm_weight=0)
    assert none.signature == alone.signature
    for name in ("score", "stderr", "lower", "upper", "rank_lower", "rank_upper"):
        assert getattr(none, name).tolist() == getattr(alone, name).tolist()
    one, half = (evenhand.rank(people, llm=verdicts, llm_weight=w) for w in (1, 0.5))
    assert half.fused.weight == 0.5
    assert by_name(half) == pytest.approx((by_name(one) + by_name(alone)) / 2, abs=1e-8)


def test_verdicts_help_where_every_judge_scored_every_output():
    rng = np.random.default_rng(1)
    output = rng.normal(0, 8, (60, 4)) - 3 * np.arange(4)
    item, system = np.divmod(np.arange(240), 4)
    judge = np.repeat(np.arange(6), 120)
    given = {"judge": np.zeros(240, int), "item": item, "system": system}
    verdicts = name(given | {"score": output.ravel() + rng.normal(0, 3, 240)}, llm=True)
    own = {"judge": judge, "item": np.tile(item[:120], 6), "system": np.tile(system[:120], 6)}
    taste = rng.normal(0, 3, (6, 4))[judge, own["system"]]
    score = np.tile(output[:30].ravel(), 6) + taste + rng.normal(0, 6, 720)
    people = name(own | {"score": score})
    ranking = evenhand.rank(people, llm=verdicts)
    # balanced: estimates are means, and verdicts on judged items are those of 30 items of 60
    means = [np.tile(verdicts["score"][:120], 6), np.asarray(verdicts["score"])]
    beside = np.array([means[0][own["system"] == at].mean() for at in range(4)])
    every = np.array([means[1][system == at].mean() for at in range(4)])
    alone = np.array([score[own["system"] == at].mean() for at in range(4)])
    scale = score.std() / means[0].std()
    apart = ranking.fused.weight * scale * (beside - beside.mean() - every + every.mean())
    assert ranking.fused.gain > 1.02
    assert by_name(ranking) - by_name(ranking).mean() == pytest.approx(
        alone - alone.mean() - apart, abs=1e-8
    )


def test_equal_scores_of_people_are_refused_with_verdicts_too(tables):
    people, verdicts = tables
    same = people | {"score": [3.0] * len(people["score"])}
    with pytest.raises(NotIdentified, match="all scores are equal"):
        evenhand.rank(same, llm=verdicts)
