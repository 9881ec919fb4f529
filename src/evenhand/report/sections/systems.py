"""Who is better by preferences and by scores: boards, pairs, outcomes, criteria."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final

import numpy as np

from evenhand.data.groups import list_judges
from evenhand.data.rating_rows import RatingRows
from evenhand.data.ratings import Ratings
from evenhand.errors import InvalidJudgments, NotIdentified
from evenhand.ranking.by_model import tabulate_chances
from evenhand.ranking.ranking import GroupedRankings, Ranking, rank_apart, write_ranks
from evenhand.render.document import (
    Column,
    Document,
    Finding,
    Table,
    join_names,
    plural,
    take_findings,
    write_value,
)
from evenhand.report.analysis import Analysis, Rated
from evenhand.report.answer import say, say_answer, say_refused
from evenhand.report.document import Figure, Section, join_documents, list_notes, make_section
from evenhand.report.figures.style import name_files, take_chart
from evenhand.report.figures.systems import draw_forest, draw_heads, draw_outcomes, draw_systems

# What a step of log-worth means: log 2 = 0.69
TWICE: Final = "0.7 further right is preferred twice as often"
MIN_JUDGES: Final = 3  # People from whom on `replace` says something
MAX_DRAWN: Final = 100  # Most systems that the forest plot shows: the best


def write_section_ranking(analysis: Analysis) -> Section:
    ranking = analysis.ranking
    document = ranking.document()
    board, *others = document.tables
    return make_section(
        "ranking",
        replace(document, parts=(replace(board, name="board"), *others)),
        basis=True,
        figures=(_draw_forest(ranking, "forest", f"{ranking.says}.", table="board"),),
        command=analysis.write_command("rank"),
    )


def _draw_forest(ranking: Ranking, name: str, says: str, *, table: str, about: str = "") -> Figure:
    rows = tabulate(ranking)[:MAX_DRAWN]
    drawn = draw_forest(rows, ranking.scale, reverse=ranking.lower_is_better)
    held = " that hold all at once" if ranking.rank_interval == "simultaneous" else ""
    shown = "" if len(ranking.systems) <= MAX_DRAWN else f", the best {MAX_DRAWN}"
    level = f"{100 * ranking.level:g} % intervals{held}"
    places = "" if ranking.rank_lower is None else "; at the right the places that each may have"
    zero = "0 is the average" if ranking.bounded.all() and ranking.score is None else ""
    means = "; ".join(filter(None, (zero, TWICE if ranking.scale == "log-worth" else "")))
    scale = f"{ranking.scale} ({means})" if means else ranking.scale
    title = f"{about}Systems by {scale}{shown}, with {level}{places}"
    alt = f"{len(ranking.systems)} systems from best to worst with intervals. {says}"
    return take_chart(drawn, name, title, alt, table=table)


def tabulate(ranking: Ranking) -> list[dict[str, Any]]:
    estimates = ranking.estimate.tolist()
    keys = ("lower", "upper", "stderr", "cluster", "better_than", "wins", "ties", "losses")
    rows: list[dict[str, Any]] = [
        {
            "system": row["system"],
            "places": write_ranks(row, "–", ""),
            "estimate": estimate,
            **{key: row[key] for key in keys if key in row},
        }
        for row, estimate in zip(ranking.rows(), estimates, strict=True)
    ]
    apart = {"kind": "human reference", "places": "reference", "cluster": None}
    rows += [{**row, **apart} for row in ranking.references]
    sign = -1 if ranking.lower_is_better else 1
    return sorted(rows, key=lambda row: -sign * row["estimate"])


def write_section_llm(analysis: Analysis) -> Section:
    """Return people's ranking with the help of LLM judges' verdicts, as `rank --llm` says it."""
    settings = analysis.settings
    names = [word for one in settings.llm_judges for word in ("--llm-judges", one)]
    given = names or [*settings.llm_words]
    given += [] if settings.unpaired is None else ["--unpaired", settings.unpaired]
    command = analysis.write_command("rank", *given)
    try:
        found = analysis.fused
    except InvalidJudgments as refusal:
        if not analysis.task:  # nothing is left of what was asked for
            raise
        return Section("llm", not_run=str(refusal), command=command)
    grouped = found if isinstance(found, GroupedRankings) else GroupedRankings({"": found}, "")
    rankings, refused = grouped.groups, grouped.refused
    documents = {name: one.document() for name, one in rankings.items()}
    files = name_files(filter(None, documents))
    joined = join_documents(documents, refused, files, "llm-")
    figures = list[Figure]()
    for name, ranking in list(rankings.items())[:MAX_PLOTS]:
        about, end = (f"{name}: ", f"-{files[name]}") if name else ("", "")
        says, table = documents[name].answer[0], f"llm-ranking{end}"
        figures.append(_draw_forest(ranking, f"forest{end}", says, table=table, about=about))
    # what tells whether LLM judges may replace people, where enough people judged
    people, verdicts = analysis.data, analysis.verdicts
    if people.has("judge") and len(list_judges(people)) >= MIN_JUDGES:
        judges = sorted(list_judges(verdicts)) if verdicts.has("judge") else ["LLM"]
        given = [*settings.llm_words]
        if settings.llm_judges:
            given = [word for one in judges for word in ("--llm-judges", one)]
        how = settings.write_command("replace", *given, "--epsilon", ".15")
        advice = say("may-replace", judges=judges, command=how)
        joined = replace(joined, findings=(*joined.findings, advice))
    return make_section("llm", joined, figures=tuple(figures), command=command)


def say_joint(name: str, ranking: Ranking) -> tuple[Finding, ...]:
    """Return the decisions with verdicts; name: of the criterion, "" where there is one."""
    return take_findings(ranking.document(about=name).answer[:1]) if name else say_answer(ranking)


MAX_CONTRARY: Final = 3  # Most pairs that are said to be decided in opposite ways


def write_section_groups(analysis: Analysis) -> Section:
    settings, by = analysis.settings, analysis.settings.group_by or ""
    tables, says = list[Table](), list[str]()
    answered = Column("answer", "answer", "prose")
    columns = (Column("group", by, "name"), Column("judgments", "judgments", "count"), answered)
    for criterion, ranked in _rank_groups(analysis, by).items():
        about, stem = (f"{criterion}: ", f"{criterion}-") if criterion else ("", "")
        groups = dict(ranked.groups)
        says.append(f"{about}{plural(len(groups), 'group')} by {by}. {_say_contrary(groups)}")
        rows: list[dict[str, Any]] = [
            {"group": name, "judgments": None, "answer": f"Not ranked: {why}"}
            for name, why in ranked.refused.items()
        ]
        for name, one in groups.items():
            answer, n = str(one.document().answer[0]), float(one.n_judgments)
            rows.append({"group": name, "judgments": n, "answer": answer})
        rows.sort(key=itemgetter("group"))
        answers_table = Table("answers", "The answer of each group", columns, tuple(rows))
        tables += [
            replace(one, name=f"{stem}{one.name}", caption=f"{about}{one.caption}")
            for one in (answers_table, *(ranked.document().tables if groups else ()))
        ]
    sets = isinstance(analysis.data, Ratings) or analysis.ranking.rank_sets is not None
    what = "Rank sets hold" if sets else "What is decided of a pair holds"
    note = (
        f"{what} in each group by itself with {100 * settings.level:g} % confidence, not in all"
        " groups at once: of many groups some may err."
    )
    notes = (Finding("groups", note),)
    document = Document(answer=tuple(says), parts=tuple(tables), findings=notes)
    command = analysis.write_command("rank", "--group-by", by)
    return make_section("groups", document, command=command)


def _rank_groups(analysis: Analysis, by: str) -> dict[str, GroupedRankings]:
    if not isinstance(analysis.data, Ratings):
        found = analysis.settings.rank(analysis.pairs, group_by=by)
        return {"": found} if isinstance(found, GroupedRankings) else {}

    def rank_under(criterion: str, part: RatingRows) -> GroupedRankings:
        groups = {name: group for (name,), group in part.split((by,)).items()}
        return rank_apart(groups, by, lambda name: analysis.rated.rank(criterion, groups[name]))

    return {name: rank_under(name, part) for name, part in analysis.rated.scored.items()}


def _say_contrary(groups: Mapping[str, Ranking]) -> str:
    """Say which pairs are decided one way in one group and the other way in another."""
    where: dict[tuple[str, str], str] = {}
    for name, ranked in groups.items():
        if ranked.decided is not None:
            for i, j in np.argwhere(ranked.decided > 0).tolist():
                where.setdefault((ranked.systems[i], ranked.systems[j]), name)
    contrary = [pair for pair in where if pair[0] < pair[1] and pair[::-1] in where]
    if not contrary:
        return "No pair of systems is decided one way in one group and the other way in another."
    told = "; ".join(
        f"{one} is better in {where[one, other]}, {other} in {where[other, one]}"
        for one, other in contrary[:MAX_CONTRARY]
    )
    verb = "pair of systems is" if len(contrary) == 1 else "pairs of systems are"
    more = len(contrary) - MAX_CONTRARY
    rest = f"; and {more:,} more" if more > 0 else ""
    return (
        f"{len(contrary):,} {verb} decided one way in one group and the other way in another:"
        f" {told}{rest}."
    )


# Each system against each: what was counted, beside what the ranking expects.

MAX_SYSTEMS_IN_MAP: Final = 60  # Most systems that are drawn whole
MAX_BEST_IN_MAP: Final = 40  # Systems that are drawn of more
MAX_SYSTEMS_ON_PHONE: Final = 7  # Most systems whose map fits on a small screen
NOTE: Final = "A share counts a tie as half a win. A pair is decided by all comparisons."


def write_section_heads(analysis: Analysis) -> Section:
    ranking = analysis.ranking
    counts = count_pairs(analysis)
    drawn = len(ranking.systems) if len(ranking.systems) <= MAX_SYSTEMS_IN_MAP else MAX_BEST_IN_MAP
    # A row for each cell of the map: pairs that met, each from both sides
    systems = ranking.systems[:drawn]
    chances = tabulate_chances(ranking.predictor, systems)
    decided = None if ranking.rank_sets is None else ranking.rank_sets.decided
    pairs = [
        {
            **_count(counts[i, j]),
            "first": systems[i],
            "second": systems[j],
            "row": i + 1,
            "against": j + 1,
            "expected": float(chances[i, j, 0] + chances[i, j, 1] / 2),
            "decided": None if decided is None else bool(decided[i, j] != 0),
        }
        for i in range(drawn)
        for j in range(drawn)
        if i != j and counts[i, j].sum() > 0
    ]
    if not pairs:
        raise NotIdentified("no two systems were compared")
    says = ""
    if decided is not None:
        size, known = len(decided) * (len(decided) - 1) // 2, int((decided > 0).sum())
        says = f"Decided pairs: {known:,} of {size:,} ({write_value(known / size, 'share')})."
    return Section(
        "heads",
        says=(says,) if says else (),
        figures=(_draw(ranking, pairs, drawn),),
        notes=(NOTE,),
        command=analysis.write_command("report", "--sections", "heads", "--json"),
    )


def count_pairs(analysis: Analysis) -> np.ndarray:
    """Return (K, K, 3) wins, ties and losses of the row's system, in the order of the board."""
    tally, systems = analysis.tally, analysis.ranking.systems
    place = {system: at for at, system in enumerate(systems)}
    board = np.array([place.get(system, -1) for system in tally.systems])
    left, right = board[tally.left], board[tally.right]
    both = (left >= 0) & (right >= 0)
    counts = np.zeros((len(systems), len(systems), 3))
    np.add.at(counts, (left[both], right[both]), tally.counts[both])
    np.add.at(counts, (right[both], left[both]), tally.counts[both][:, ::-1])
    return counts


def _count(cell: np.ndarray) -> dict[str, Any]:
    wins, ties, losses = (float(count) for count in cell)
    n = wins + ties + losses
    share = (wins + ties / 2) / n if n else None
    return {"wins": wins, "ties": ties, "losses": losses, "n": n, "share": share}


def _draw(ranking: Ranking, pairs: list[dict[str, Any]], drawn: int) -> Figure:
    whole = len(ranking.systems)
    cut = "" if drawn == whole else f", the best {drawn} of {whole} systems"
    marked = "" if ranking.rank_sets is None else " A dot marks a decided pair."
    seen = (
        f"A square for each of {drawn} systems against each. Blue: the row's system was preferred"
        f" more often; brown: the column's; empty: they never met.{marked}"
    )
    chart = draw_heads(ranking.systems[:drawn], pairs, wide=drawn > MAX_SYSTEMS_ON_PHONE)
    title = f"How often the row's system was preferred to the column's{cut}"
    return take_chart(chart, "heads", title, seen, table="", wide=drawn > MAX_SYSTEMS_ON_PHONE)


# Wins, ties and losses: what was counted, before any model.

NOTE_OUTCOMES: Final = (
    "These shares depend on whom a system met: one that met strong systems wins less often. The"
    " ranking allows for that."
)
WEIGHED: Final = "Judgments have weights: counts are sums of weights."


def write_section_outcomes(analysis: Analysis) -> Section:
    rows = count_outcomes(analysis)
    if not rows:
        raise NotIdentified("there is no comparison to count")
    weighed = any(row["n"] != round(row["n"]) for row in rows)
    columns = (
        Column("system", "system"),
        Column("n", "comparisons", "count"),
        *(Column(key, key, "count") for key in ("wins", "ties", "losses")),
        Column("share", "share won", "share", "wins and half of the ties, of all comparisons"),
    )
    cut = "" if len(rows) <= MAX_DRAWN else f", the best {MAX_DRAWN} of {len(rows)} systems"
    shown = rows[:MAX_DRAWN]
    seen = f"Stacked bars for {len(shown)} systems: the share of comparisons won, tied and lost."
    n, ties = (sum(row[key] for row in rows) / 2 for key in ("n", "ties"))
    counted = f"{write_value(ties, 'count')} of {write_value(n, 'count')} comparisons"
    title = f"Won, tied and lost{cut}"
    figure = take_chart(draw_outcomes(shown), "outcomes", title, seen, table="outcomes")
    return Section(
        "outcomes",
        says=(f"Ties: {counted} ({write_value(ties / n, 'share')}).",),
        figures=(figure,),
        tables=(Table("outcomes", "Comparisons of each system", columns, tuple(rows)),),
        notes=(NOTE_OUTCOMES, *([WEIGHED] if weighed else [])),
        command=analysis.write_command("report", "--sections", "outcomes", "--json"),
    )


def count_outcomes(analysis: Analysis) -> list[dict[str, Any]]:
    tally = analysis.tally
    size = len(tally.systems)
    sides = ((tally.wins, tally.losses), (tally.ties, tally.ties), (tally.losses, tally.wins))
    left, right = tally.left, tally.right
    counts = [np.bincount(left, a, size) + np.bincount(right, b, size) for a, b in sides]
    rows_by_system = {
        system: {"system": system, **_count(np.array([won, tied, lost]))}
        for system, won, tied, lost in zip(tally.systems, *counts, strict=True)
        if won + tied + lost > 0
    }
    if analysis.known_ranking is None:
        return sorted(rows_by_system.values(), key=lambda row: (-row["share"], row["system"]))
    names = analysis.known_ranking.systems
    return [rows_by_system[name] for name in names if name in rows_by_system]


# Which system is better: the ranking under each criterion.

MAX_PLOTS: Final = 8  # Most criteria that have a plot; all have a table
NOTE_SCORES: Final = (
    "An interval is of a system's distance to the mean of systems: severity that a judge shows"
    " to all systems alike is not in it. Intervals of systems that are decided may overlap: a"
    " difference is surer than two scores, which share judges and items."
)


def write_section_scores(analysis: Analysis) -> Section:
    rated = analysis.rated
    rankings, several = rated.rankings, len(rated.scored) > 1
    files = name_files(name or "scores" for name in rankings)
    tables, figures = list[Table](), list[Figure]()
    says, notes, bases = list[str](), list[str](), dict[str, list[str]]()
    for criterion, ranking in rankings.items():
        name, about = files[criterion or "scores"], f"{criterion}: " if several else ""
        document = ranking.document(about=criterion if several else "")
        says += document.answer
        bases.setdefault(document.basis, []).append(criterion)
        notes += [f"{about}{note}" if about else note for note in list_notes(document)]
        for one in document.tables:
            stem = name if one.name == "ranking" else f"{name}-{one.name}"
            tables.append(replace(one, name=stem, caption=f"{about}{one.caption}"))
        if len(figures) < MAX_PLOTS:
            first = document.answer[0]
            figures.append(_draw_forest(ranking, name, first, table=name, about=about))
    if len(rankings) > MAX_PLOTS:
        notes.append(f"The first {MAX_PLOTS} of {len(rankings)} criteria are drawn.")
    for basis, names in bases.items():
        says.append(f"{join_names(names)}: {basis}" if len(bases) > 1 else basis)
    answer, findings = (*says, *_say_refused(rated)), take_findings((*notes, NOTE_SCORES))
    document = Document(answer=answer, parts=tuple(tables), findings=findings)
    command = analysis.write_command("rank")
    return make_section("scores", document, figures=tuple(figures), command=command)


def _say_refused(rated: Rated) -> list[Finding]:
    reasons = {name: say_refused(refusal) for name, refusal in rated.refused.items()}
    return [say("no-criterion", criterion=name, why=why) for name, why in reasons.items()]


# Systems under several criteria, with figure 1 of Hamon et al. (2007).


def write_section_criteria(analysis: Analysis) -> Section:
    rated = analysis.rated
    criteria = list(rated.parts)
    if len(criteria) < 2:
        named = f"One criterion only{f', {criteria[0]}' if criteria[0] else ''}"
        return Section("criteria", says=(f"{named}. Nothing to compare.",))
    document, figures = GroupedRankings(rated.rankings, "criterion").document(), list[Figure]()
    with suppress(NotIdentified):
        diagnosis = rated.diagnosed_targets
        across, up = diagnosis.criteria[:2]
        alt = f"Systems as points: across, the mean score for {across}; upwards, for {up}."
        beside = " (the first two criteria)" if len(diagnosis.criteria) > 2 else ""
        title = f"Systems by mean score for {across} and for {up}{beside}"
        figures.append(take_chart(draw_systems(diagnosis), "systems", title, alt, wide=True))
    command = analysis.write_command("rank")
    return make_section("criteria", document, figures=tuple(figures), command=command)


MAX_CRITERIA_ANSWERED: Final = 4  # Most criteria that are answered one by one on the first screen


def find_answer_of_ratings(analysis: Analysis) -> tuple[tuple[Finding, ...], str]:
    rated = analysis.rated
    rankings, refused = rated.rankings, _say_refused(rated)
    signature = " ; ".join(ranking.signature for ranking in rankings.values())
    if len(rated.scored) == 1:
        (ranking,) = rankings.values()
        return say_answer(ranking), signature
    answers = [ranking.document(about=name).answer[0] for name, ranking in rankings.items()]
    answers = [*answers, *refused]
    more = len(answers) - MAX_CRITERIA_ANSWERED
    below = [say("criteria-below", criteria=more)] if more > 0 else []
    return take_findings((*answers[:MAX_CRITERIA_ANSWERED], *below)), signature
