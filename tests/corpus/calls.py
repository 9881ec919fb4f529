"""Calls of public names: what Python has beside the command line, and the objects behind verbs.

Each function is a case of the section `python`: it works in the folder of input files and returns
what JSON can hold. Keys are chosen here, so that an attribute which gets another name changes a
line of this file and no answer.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

import evenhand
from corpus.service import served_campaign, served_crowd
from evenhand.report.plot import find_chart

__all__ = ["served_campaign", "served_crowd"]


def plain(value: Any) -> Any:
    """Return a result, or a part of one, as JSON can hold it."""
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(held) for key, held in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(held) for held in value]
    single = value is None or isinstance(value, bool | int | str)
    single = single or (isinstance(value, float) and math.isfinite(value))
    return value if single else str(value)


def attributes(value: Any, *names: str) -> dict[str, Any]:
    """Return some attributes."""
    return {name: plain(getattr(value, name)) for name in names}


def refuse(call: Callable[[], Any]) -> dict[str, str]:
    """Return the error that a call raises."""
    try:
        call()
    except (evenhand.EvenhandError, ValueError, TypeError) as error:
        kinds = ", ".join(one.__name__ for one in type(error).__mro__[:3])
        return {"error": kinds, "message": str(error)}
    return {"error": "", "message": ""}


def public_names() -> Any:
    return {name: type(getattr(evenhand, name)).__name__ for name in sorted(evenhand.__all__)}


def sort_outputs() -> Any:
    """Sort seven outputs by the alphabet, two and three at a time, with ties."""
    names, told = tuple("dgbface"), {}
    for shown in (2, 3):
        sort, asked = evenhand.Sorting(names, shown=shown), []
        while not sort.done:
            question = sort.questions[0]
            order = sorted({one.lower() for one in question})
            asked.append(question)
            sort = sort.answer(question, [1 + order.index(one) for one in question])
        counts = attributes(sort.counts, "asked", "most", "pairs", "bound", "bound_ties", "against")
        told[str(shown)] = {"asked": plain(asked), "order": plain(sort.order), "counts": counts}
    begun = evenhand.Sorting(("x", "y", "z"), votes=3)
    for judge, places in (("j1", (1, 2)), ("j2", (2, 1))):
        begun = begun.answer(("x", "y"), places, judge=judge)
    told["votes"] = {"missing": begun.missing(("x", "y")), "questions": plain(begun.questions)}
    told["known"] = attributes(begun.partial, "known", "better", "tied")
    told["wrong"] = refuse(lambda: begun.answer(("x", "q"), (1, 2)))
    told["undone"] = refuse(lambda: begun.order)
    return told


def simulated_sorts() -> Any:
    """Sort with judges who err: what is asked, and what comes out."""
    told = []
    for seed, shown in ((1, 2), (2, 3), (3, 4)):
        draw = np.random.default_rng(seed)
        sort = evenhand.Sorting(tuple(f"s{n:02d}" for n in range(9)), shown=shown)
        while not sort.done:
            question = sort.questions[-1]
            seen = [int(one[1:]) + draw.normal(0, 0.6) for one in question]
            order = sorted(range(len(seen)), key=seen.__getitem__)
            sort = sort.answer(question, [1 + order.index(at) for at in range(len(seen))])
        told.append({"order": plain(sort.order), "asked": sort.counts.asked})
    return told


def border_checks() -> Any:
    votes, board = evenhand.read("arena.csv"), evenhand.rank(evenhand.read("arena.csv"))
    return {
        "of a ranking": plain(evenhand.check_borders(board, after=[1, 2, 4])),
        "of judgments": plain(evenhand.check_borders(votes, after=3, level=0.9)),
        "refused": refuse(lambda: evenhand.check_borders(board, after=9)),
    }


def judgment_handles() -> Any:
    """Ask handles of comparisons, rankings and ratings what they hold."""
    votes, ranked = evenhand.read("votes.csv"), evenhand.read("rankings_tasks.csv")
    ratings = evenhand.read("ratings_tasks.csv")
    fewer = votes.without(judges=["j00", "j01"])
    cut = votes.where("judge_group = 'crowd'")
    joined = votes.join(_table("judges.csv"))
    return {
        "votes": _describe(votes),
        "without": _describe(fewer),
        "where": _describe(cut),
        "joined": plain(joined.tally(["native"]).factor("native").labels),
        "one task": _describe(evenhand.read("tasks.csv").select_task("de")),
        "tasks": [evenhand.read("tasks.csv").tasks(), ratings.tasks()],
        "rankings": [ranked.count(), ranked.count_blank(), ranked.count_used()],
        "blank ranks": plain(ranked.count_blank_ranks()),
        "from rankings": _describe(ranked.comparisons()),
        "split": _describe(evenhand.read("merged.csv").split_merged("+")),
        "merged": _describe(evenhand.read("merged.csv", system_separator="+")),
        "ratings": plain([ratings.columns, len(ratings.rows().score), ratings.has("item")]),
        "ratings without": len(ratings.without(judges=["j0"]).rows().score),
        "printed": [str(votes), str(ranked), str(ratings)],
    }


def _table(name: str) -> Any:
    import polars

    return polars.read_csv(name)


def _describe(data: Any) -> Any:
    tally = data.tally(["judge"] if data.has("judge") else [])
    known = attributes(tally, "systems", "n_judgments", "n_comparisons", "digest")
    counts = attributes(tally.pool(), "left", "right", "wins", "ties", "losses")
    folded = attributes(tally.pool().fold(), "left", "right", "wins", "ties", "losses")
    notes = list(data.source.notes)
    return {**known, "counts": counts, "folded": folded, "notes": notes, "columns": data.columns}


def other_frames() -> Any:
    """Read frames of other libraries: all give the same judgments."""
    import duckdb
    import polars

    votes = polars.read_csv("votes.csv")
    frames = {
        "polars": votes,
        "lazy": votes.lazy(),
        "arrow": votes.to_arrow(),
        "pandas": votes.to_pandas(),
        "duckdb": duckdb.connect().from_arrow(votes.to_arrow()),
    }
    found = {
        name: evenhand.read(frame).tally(["judge", "item"]).digest for name, frame in frames.items()
    }
    cut = evenhand.read(votes.lazy()).cut("length_left", [60, 100]).tally(["length_left_bin"])
    return {
        "digests": found,
        "cut": plain(cut.factor("length_left_bin").labels),
        "ranked": plain(evenhand.rank(evenhand.read(votes))),
        "columns": refuse(lambda: evenhand.read(votes, columns={"judge": "who"})),
    }


def added_tallies() -> Any:
    days = [
        evenhand.read(f"days/{day}.csv").tally(["judge", "item"]) for day in ("monday", "tuesday")
    ]
    both = evenhand.add_tallies(days)
    whole = evenhand.read(["days/monday.csv", "days/tuesday.csv"])
    before = evenhand.rank(days[0])
    model = evenhand.BradleyTerry()
    return {
        "digests": [both.digest, whole.tally(["judge", "item"]).digest],
        "judge": both.digest_by(["judge"]),
        "split": {name: one.n_judgments for name, one in both.split("judge").items()},
        "warm": plain(evenhand.rank(both, start=before)),
        "cold": plain(evenhand.rank(whole)),
        "warm fit": plain(model.fit(both, start=model.fit(days[0])).log_worth),
        "other systems": plain(
            evenhand.add_tallies([days[0].pool(), evenhand.read("two.csv").tally()]).systems
        ),
    }


def fitted_models() -> Any:
    """Fit each model of preferences; keep what it says of pairs, and its signature's numbers."""
    few, ranked = evenhand.read("few.csv"), evenhand.read("rankings_full.csv")
    models: dict[str, tuple[Any, Any]] = {
        "bradley-terry": (evenhand.BradleyTerry(), few),
        "rao-kupper": (evenhand.BradleyTerry(ties="rao-kupper", order_effect=True), few),
        "prior": (evenhand.BradleyTerry(prior=1.0, ties="discard"), few),
        "covariate": (evenhand.BradleyTerry(judge_covariates=("judge_group",), prior=1.0), few),
        "random judges": (evenhand.RandomJudges(), evenhand.read("votes.csv")),
        "random judges, laplace": (
            evenhand.RandomJudges(method="laplace"),
            evenhand.read("votes.csv"),
        ),
        "judge slopes": (evenhand.JudgeSlopes(), evenhand.read("table1.csv")),
        "plackett-luce": (evenhand.PlackettLuce(), ranked),
        "pattern": (evenhand.PatternModel(), ranked),
        "irt": (evenhand.IRTGaussian(chains=2, sweeps=80, burn_in=20), few),
        "irt categorical": (evenhand.IRTCategorical(chains=2, sweeps=80, burn_in=20), few),
        "uniform": (evenhand.Uniform(), few),
        "adjusted uniform": (evenhand.AdjustedUniform(strength=2.0), few),
        "pairs": (evenhand.IndependentPairs(strength=0.5), few),
        "students": (evenhand.IndependentStudents(reconstruction="asymmetric"), few),
        "arithmetic": (evenhand.IndependentStudents(reconstruction="arithmetic"), few),
    }
    told = {}
    for name, (model, data) in models.items():
        try:
            fit = model.fit(data)
        except evenhand.EvenhandError as error:
            told[name] = {"refused": str(error)}
            continue
        pairs = [(fit.systems[0], fit.systems[1]), (fit.systems[-1], fit.systems[0])]
        known = {
            key: plain(getattr(fit, key))
            for key in ("systems", "log_worth", "loglik", "deviance", "notes", "tau", "sigma")
            if hasattr(fit, key)
        }
        told[name] = {**known, "predicted": plain(fit.predict(pairs)), "printed": str(fit)}
    fit = evenhand.BradleyTerry().fit(few)
    told["tests"] = {
        "contrasts": plain(fit.contrasts([("ash", "birch")])),
        "aic": fit.aic,
        "bic": fit.bic,
        "worths": plain(fit.worths),
        "summary": str(fit),
    }
    return told


def ranked_objects() -> Any:
    board = evenhand.rank(evenhand.read("arena.csv"))
    mixed = evenhand.Mix({"judge_group": {"expert": 0.8, "crowd": 0.2}}, each="judge")
    control = evenhand.rank(evenhand.read("side.csv"), interval="model")
    grouped = evenhand.rank(evenhand.read("tasks.csv"), group_by="task")
    return {
        "board": plain(board),
        "rows": plain(board.rows()),
        "row": plain(board.row("lark")),
        "text": str(board),
        "worths": plain(board.worths()),
        "elo": plain(board.elo()),
        "sentences": {name: board.says_of(name) for name in board.systems},
        "top": [plain(board.may_be_in_top(k)) for k in (1, 2, 3)],
        "mixed": plain(evenhand.rank(evenhand.read("votes.csv"), mix=mixed)),
        "model": plain(control),
        "groups": str(grouped),
        "methods": plain(evenhand.compare_methods(evenhand.read("rankings.csv"))),
        "method board": plain(evenhand.compare_methods(evenhand.read("table1.csv")).board("bojar")),
        "models": str(
            evenhand.tabulate_models(evenhand.read("votes.csv"), covariates=["judge_group"])
        ),
    }


def mixed_votes() -> Any:
    votes = evenhand.read("votes.csv")
    told = {}
    for each in ("judgment", "judge", "item"):
        mix = evenhand.Mix({"domain": {"news": 0.7, "web": 0.3}}, each=each)  # type: ignore[arg-type]
        tally = mix.weigh(votes).tally(["domain"])
        told[each] = attributes(tally.pool(), "wins", "ties", "losses", "n_judgments")
    told["refused"] = refuse(lambda: evenhand.Mix({"domain": {"news": 1.2}}).weigh(votes))
    return told


def preference_tests() -> Any:
    """Sign tests with each way of ties, and Friedman's test over judges, items and rankings."""
    pairs, votes = evenhand.read("collins.csv"), evenhand.read("votes.csv")
    ways = (
        "ignore",
        "split",
        "against",
        "trinomial",
        "ignore-normal",
        "split-normal",
        "half-against",
        "split:0.25",
        "against:0.3",
    )
    told = {way: plain(evenhand.find_preferences(pairs, ties_as=way)) for way in ways}
    told["new"] = plain(evenhand.find_preferences(votes, new="ash"))
    for blocks in ("judge", "item"):
        told[f"blocks: {blocks}"] = plain(evenhand.find_preferences(votes, blocks=blocks))
    ranked = evenhand.read("rankings_full.csv")
    told["blocks: ranking"] = plain(evenhand.find_preferences(ranked, blocks="ranking"))
    told["position"] = plain(evenhand.find_position_bias(votes))
    told["replace"] = plain(
        evenhand.replace(votes, llm_judges=votes.votes().judges[:1], epsilon=0.2)
    )
    told["gate plan"] = plain(evenhand.plan_gate(0.2, {"judges": 20}, campaigns=10))
    told["gate"] = plain(evenhand.gate(votes, new="ash", old="birch", margin=0.1))
    told["llm bias"] = plain(evenhand.find_llm_bias(votes, llm_judges=votes.votes().judges[:1]))
    llm = {"llm_judges": votes.votes().judges[:1], "unpaired": "drop"}
    told["win rates"] = plain(evenhand.rank_prediction_powered(votes, method="win-rate", **llm))
    told["bias"] = plain(evenhand.find_rating_bias("ratings.csv"))
    return told


def metrics_against_people() -> Any:
    """A second criterion as a metric, and worths of comparisons with scores of systems."""
    votes = evenhand.read("votes.csv")
    systems = votes.votes().systems
    scores = {"system": [*systems], "metric_a": [float(len(name)) for name in systems]}
    return {
        "criteria": plain(evenhand.meta_evaluate("hamon.csv", criterion="fluency")),
        "worths": plain(evenhand.meta_evaluate(votes, scores)),
    }


def cycles_and_fragility() -> Any:
    circle, arena = evenhand.read("circle.csv"), evenhand.read("arena.csv")
    return {
        "cycles": plain(evenhand.find_cycles(circle)),
        "by judge": plain(evenhand.find_cycles(arena, cluster="judge", order_effect=True)),
        "fragility": plain(evenhand.find_fragility(arena, pairs=[("opus", "finch")], after=[2])),
        "choices": plain(evenhand.vary_choices(arena, decide=False)),
        "screened": plain(evenhand.vary_choices(arena, screening=evenhand.screen_judges(arena))),
    }


def label_fits() -> Any:
    """Labels of crowd workers by MACE in its variants and by Dawid and Skene."""
    crowd, points = evenhand.read("crowd.csv"), evenhand.read("points.csv")
    fluency = points.where("criterion = 'fluency'")
    models = {
        "mace": evenhand.MACE(),
        "mace, em": evenhand.MACE(method="em", restarts=3),
        "mace, few": evenhand.MACE(restarts=2, iterations=10, know=0.7, strategy=5.0, seed=7),
        "dawid-skene": evenhand.DawidSkene(),
        "dawid-skene, plain": evenhand.DawidSkene(prior=0.5, smoothing=0.1, diagonal=2.0),
    }
    told: dict[str, Any] = {}
    for name, model in models.items():
        fit = model.fit(crowd)
        sure = fit.keep(0.8)
        known = attributes(fit, "posterior", "measure", "loglik", "objective", "steps", "converged")
        told[name] = {
            **known,
            "labels": plain(fit.to_dict()),
            "parameters": plain(fit.parameters),
            "certain": plain(fit.most_certain(0.5)),
            "doubtful": plain(fit.least_certain(5)),
            "kept": plain(sure.to_dict().get("labels", sure)),
        }
        told[f"{name}: points"] = plain(model.fit(fluency))
    told["compared"] = plain(models["mace"].fit(crowd).compare(models["dawid-skene"].fit(crowd)))
    return told


def grouped_diagnoses() -> Any:
    points = evenhand.read("points.csv")
    found = evenhand.diagnose_groups(points, by="input", factors=["input"])
    single = evenhand.diagnose_judges(points, k=1.5, match="all", across="any")
    return {
        "groups": {name: plain(one) for name, one in found.groups.items()},
        "refused": plain(found.refused),
        "printed": str(found),
        "single": plain(single),
        "records": plain(single.records()),
        "screened": plain(evenhand.screen_judges(points, scale="1-5")),
    }


def grouped_ratings() -> Any:
    """Agreement of parts, and components of ratings with what a plan makes of them."""
    points = evenhand.read("points.csv")
    table = evenhand.measure_agreement(points, by=("criterion", "input"), scale="1-5")
    grouped = evenhand.measure_agreement(
        evenhand.read("study.csv"), coefficients="all", cluster="judge", level=0.9
    )
    return {
        "table": plain(table),
        "part": plain(table.part("fluency", "text")),
        "records": plain(grouped.records()),
    }


def variance_components() -> Any:
    ratings, votes = evenhand.read("ratings.csv"), evenhand.read("votes.csv")
    told = {}
    for name, found in {
        "ratings": evenhand.estimate_components(ratings),
        "fixed": evenhand.estimate_components(ratings, systems="fixed", level=0.9),
        "votes": evenhand.estimate_components(votes),
        "likelihood": evenhand.estimate_components(votes, method="likelihood"),
    }.items():
        plans = [plain(found.plan(judges, 50)) for judges in (5, 20)]
        told[name] = {**plain(found.to_dict()), "plans": plans, "judge": plain(found.find("judge"))}
    return told


def rating_models() -> Any:
    """Fit each model of ratings under one criterion, and rank by it."""
    points = evenhand.read("points.csv").where("criterion = 'fluency'")
    models = {
        "adjusted": evenhand.Adjusted(),
        "mean": evenhand.Means(),
        "z": evenhand.ZScores(),
        "mixed": evenhand.Mixed(),
        "ordinal": evenhand.Ordinal(),
    }
    told: dict[str, Any] = {}
    for name, model in models.items():
        try:
            told[name] = {
                "fit": plain(model.fit(points)),
                "ranking": plain(evenhand.rank(points, model=model)),
            }
        except evenhand.EvenhandError as error:
            told[name] = {"refused": str(error)}
    told["methods"] = plain(evenhand.compare_methods(points))
    return told


def score_tests() -> Any:
    """Tests of scores: of all pairs, of one system, and within judges."""
    points = evenhand.read("points.csv")
    return {
        "all": plain(evenhand.find_differences(points)),
        "one": plain(evenhand.find_differences(points, criterion="fluency", new="ash", seed=3)),
        "judge": plain(evenhand.find_differences(points, criterion="fluency", blocks="judge")),
    }


def completed_ratings() -> Any:
    ratings, full = evenhand.read("ratings.csv"), evenhand.read("full.csv")
    found = evenhand.NuclearNorm().fit(ratings)
    study = evenhand.study_decisions(full, draws=2)
    known = attributes(found, "predicted", "half_width", "tau", "rank", "notes")
    return {
        **known,
        "whole": plain(found),
        "one": plain(found.predict("j1", "i03", "ash")),
        "judges": plain(evenhand.NuclearNorm(missing="by value", level=0.8).fit(ratings)),
        "decisions": plain(study),
        "records": plain(study.records()),
    }


def judge_processes() -> Any:
    """Learn judges as functions of outputs, and ask for unseen outputs."""
    small = evenhand.read("small.csv")
    known = ("domain", "each output")
    features = evenhand.OutputFeatures(numbers=("words",), labels=known, output_text="output")
    table = features.read(features.read_rows(small))
    found = evenhand.MultiTaskGP(draws=5).fit(small, features)
    new = {"words": 7, "domain": "web", "output": "the old river", "item": "i99", "system": "ash"}
    one = found.predict(features.tabulate([new]), judges="j1")
    alone = evenhand.MultiTaskGP(sharing="none", judge_noise=False).fit(small)
    return {
        "features": plain(getattr(table, "names", str(table))),
        "records": plain(found.records()),
        "similarity": plain(found.similarity()),
        "whole": plain(found),
        "one": [plain(one.mean), plain(one.interval(0.9)), plain(one.variance), plain(one.notes)],
        "alone": plain(alone),
        "predicted": plain(found.predict(small, "j0").mean),
    }


def held_out_processes() -> Any:
    features = evenhand.OutputFeatures(numbers=("words",), labels=("domain",))
    how = evenhand.HeldOut(folds=2, splits=1)
    found = evenhand.compare_processes(evenhand.read("small.csv"), features, how)
    return {"table": plain(found.tabulate()), "notes": plain(found.notes)}


def learning_curves() -> Any:
    votes = evenhand.read("votes.csv")
    names = ["bradley-terry-prior", "uniform", "geometric-students"]
    curves = evenhand.trace_learning(votes, models=names, sizes=[50, 100], trials=2, least=100)
    enough = evenhand.find_enough(curves, "bradley-terry-prior", margin=0.05)
    compared = evenhand.compare_models(votes, models=names, folds=3, by="judge")
    record = {key: value for key, value in curves.to_dict().items() if key != "seconds"}
    return {
        "curves": plain(record),
        "order": plain(curves.order),
        "estimate": plain(curves.estimate("uniform", 100)),
        "difference": plain(curves.difference("uniform", "bradley-terry-prior", 100)),
        "gain": plain(curves.gain("bradley-terry-prior", 50, 100)),
        "enough": attributes(enough, "largest", "gain", "gain_lower", "gain_upper"),
        "enough, said": str(enough),
        "best": plain(compared.best_set),
        "compared": plain(compared.difference("geometric-students", "uniform")),
    }


def next_pairs_and_outputs() -> Any:
    arena, waiting = evenhand.read("arena.csv"), evenhand.read("waiting.csv")
    told: dict[str, Any] = {}
    for rule in ("order", "closest", "voi", "information", "random"):
        policy = evenhand.Policy(rule=rule, random_share=0.2)
        told[rule] = plain(evenhand.choose_pairs(arena, policy, n=6, waiting=[("opus", "lark")]))
    top = evenhand.Policy(rule="top-k", top=2)
    told["top-k"] = plain(evenhand.choose_pairs(arena, top, n=4, systems=["robin"]))
    told["nothing yet"] = plain(evenhand.choose_pairs(None, n=3, systems=["a", "b", "c"]))
    savings = evenhand.measure_savings(arena, evenhand.Policy(), replays=2)
    told["savings"] = plain(savings)
    told["saved"] = [plain(savings.save()), plain(savings.save(200)), savings.find_look()]
    features = evenhand.OutputFeatures(numbers=("words",), labels=("domain",))
    for strategy in ("random", "uncertainty", "density"):
        chosen = evenhand.choose_outputs(waiting, features, evenhand.Query(strategy=strategy), n=4)
        told[f"outputs: {strategy}"] = plain(chosen)
    votes = evenhand.read("votes.csv")
    verdicts = votes.where(f"judge = '{votes.votes().judges[0]}'")
    told["for LLM"] = plain(evenhand.sample_for_llm(None, verdicts, n=5))
    return told


def query_curves() -> Any:
    features = evenhand.OutputFeatures(numbers=("words",), labels=("domain",))
    one = evenhand.read("ratings.csv").where("judge = 'j3'")
    queries = (evenhand.Query(strategy="random"), evenhand.Query(strategy="uncertainty"))
    how = evenhand.QueryReplay(repeats=2, start=5, batch=5)
    found = evenhand.trace_queries(one, features, queries, how)
    return {
        "curves": plain(found),
        "measure": plain(found.measure("mae")),
        "shares": [plain(share) for share in found.find_shares()],
        "compared": {name: plain(held) for name, held in found.compare_all().items()},
    }


def planned_campaign() -> Any:
    settings = {"worths": {"A": 0.6, "B": 0.2, "C": 0.0}, "judges": 20, "judge_sd": 0.2}
    pilot = evenhand.read("arena.csv")
    return {
        "closed": plain(evenhand.plan_campaign(settings, campaigns=0)),
        "simulated": plain(evenhand.plan_campaign({**settings, "seed": 3}, campaigns=10)),
        "pilot": plain(evenhand.plan_campaign({"judges": 30}, pilot=pilot, campaigns=5)),
        "refused": refuse(lambda: evenhand.plan_campaign({"systems": 2, "gap": 0.3, "judges": 3})),
    }


def board_states() -> Any:
    """A live board that is fed vote by vote, written down and taken up again."""
    state = evenhand.LiveLeaderboard(level=0.9, judge_votes=4).start(["lark", "opus", "wren"])
    draw, looks = np.random.default_rng(4), []
    for at in range(120):
        left, right = draw.permutation(["lark", "opus", "wren"])[:2]
        better = "left" if left == "opus" else "right" if right == "opus" else "tie"
        vote = evenhand.Vote(str(left), str(right), better, judge=f"j{at % 6}")
        state.observe([vote])
        if at % 40 == 39:
            looks.append(plain(state.look()))
    again = evenhand.read_board(evenhand.write_board(state))
    arena = evenhand.read("arena.csv")
    watched = evenhand.watch(arena, evenhand.LiveLeaderboard(level=0.9), seed=3)
    return {
        "looks": looks,
        "written": json.loads(evenhand.write_board(state)),
        "same": plain(again.look()) == plain(state.look()),
        "evidence": [again.log_evidence("opus", one) for one in ("lark", "wren")],
        "added": again.add_system("robin"),
        "watched": plain(watched.board),
        "broken": refuse(lambda: evenhand.read_board('{"format":"evenhand board 3"}')),
    }


def drawn_figures() -> Any:
    """The rows and titles of one figure of each result that has some."""
    arena, points = evenhand.read("arena.csv"), evenhand.read("points.csv")
    board = evenhand.rank(arena)
    results = {
        "ranking": (board, None),
        "outcomes": (board, "outcomes"),
        "cards": (evenhand.screen_judges(arena), None),
        "diagnosis": (evenhand.diagnose_judges(points), None),
        "agreement": (evenhand.measure_agreement(points), None),
        "bias": (evenhand.find_position_bias(evenhand.read("votes.csv")), None),
    }
    told: dict[str, Any] = {}
    for name, (result, kind) in results.items():
        try:
            chart = find_chart(result, kind)
            told[name] = {"title": chart.title, "datasets": plain(chart.datasets)}
        except (evenhand.EvenhandError, TypeError) as error:
            told[name] = {"refused": str(error)}
    told["wrong"] = refuse(lambda: evenhand.plot(board, "forrest"))
    return told


def printed_results() -> Any:
    """What a result prints, and what a notebook shows."""
    arena, ratings = evenhand.read("arena.csv"), evenhand.read("ratings.csv")
    report = evenhand.make_report(arena, sections=["ranking", "outcomes"], title="Votes")
    results = {
        "rank": evenhand.rank(arena),
        "methods": evenhand.compare_methods(arena, methods=["bojar", "origwmt"]),
        "tests": evenhand.find_preferences(arena),
        "bias": evenhand.find_position_bias(arena),
        "agreement": evenhand.measure_agreement(arena),
        "judges": evenhand.screen_judges(arena),
        "ratings": evenhand.screen_judges(ratings),
        "labels": evenhand.MACE().fit(evenhand.read("crowd.csv")),
        "variance": evenhand.estimate_components(arena),
        "next": evenhand.choose_pairs(arena, n=3),
        "watch": evenhand.watch(arena).board,
        "plan": evenhand.plan_campaign({"systems": 2, "gap": 0.4, "judges": 20}, campaigns=0),
        "report": report,
    }
    return {
        "text": {name: str(one) for name, one in results.items()},
        "notebook": {
            name: one._repr_html_() for name, one in results.items() if hasattr(one, "_repr_html_")
        },
        "tables": sorted(report.tables),
        "figures": sorted(report.figures),
    }


def raised_errors() -> Any:
    read = evenhand.read
    return {
        "file": refuse(lambda: read("nowhere.csv")),
        "column": refuse(lambda: read("column.csv")),
        "format": refuse(lambda: read("unknown.csv")),
        "option": refuse(lambda: read("two.csv", format="arenna")),
        "label": refuse(lambda: evenhand.rank(read("label.csv"))),
        "identified": refuse(lambda: evenhand.rank(read("always.csv"))),
        "ratings": refuse(lambda: evenhand.rank(read("scores.csv"))),
        "level": refuse(lambda: evenhand.rank(read("two.csv"), level=95)),
        "interval": refuse(lambda: evenhand.rank(read("two.csv"), interval="none")),
        "model": refuse(lambda: evenhand.BradleyTerry(ties="davidsn")),  # type: ignore[arg-type]
        "sorting": refuse(lambda: evenhand.Sorting(("a", "a"))),
        "policy": refuse(lambda: evenhand.Policy(rule="infomation")),
        "name": refuse_name("brandley"),
    }


def refuse_name(name: str) -> str:
    """Return what is said of a public name that does not exist."""
    try:
        return str(getattr(evenhand, name))
    except AttributeError as error:
        return str(error)
