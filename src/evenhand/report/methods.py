"""How it was computed: a methods paragraph that says only what was done, with its papers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Final

import numpy as np

from evenhand.data.exclusions import REFERENCES
from evenhand.data.rankings import Rankings
from evenhand.data.ratings import Ratings
from evenhand.data.votes import TIE
from evenhand.errors import InvalidJudgments, NotConverged, NotIdentified, UnknownOption
from evenhand.judges.cards import Screening
from evenhand.metrics.comparison import DRAWS, name_statistic
from evenhand.metrics.result import MetaEvaluation
from evenhand.metrics.statistics import MAX_EXACT
from evenhand.models.log_linear import Fit
from evenhand.models.rating_fit import RatingFit
from evenhand.models.registry import MODELS
from evenhand.ranking.intervals import MIN_CLUSTERS
from evenhand.ranking.ranking import Ranking, say_ranked_by
from evenhand.render.document import join_names, plural, write_value
from evenhand.report.analysis import Analysis, Rated, list_left_out
from evenhand.report.document import Block, Section
from evenhand.report.sections.judges import NAMELESS
from evenhand.report.sections.judges import find_fault as find_fault_of_judges
from evenhand.report.sections.judges import find_fault_panel as find_fault

ENTRY_KEY: Final = re.compile(r"^@\w+\{(.*),$", re.MULTILINE)
FIELD: Final = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
MIN_ET_AL: Final = 3  # Authors from which on the first is named alone


@cache
def read_references() -> Mapping[str, str]:
    text = (files("evenhand.report") / "page" / "references.bib").read_text(encoding="utf-8")
    return {ENTRY_KEY.findall(entry)[0]: entry for entry in text.strip().split("\n\n")}


def name_reference(key: str) -> str:
    """Return how a text cites a paper.

    >>> name_reference("davidson-1970"), name_reference("jiang-2011")
    ('Davidson, 1970', 'Jiang et al., 2011')
    """
    fields = dict(FIELD.findall(read_references()[key]))
    names = [author.split(",")[0] for author in fields["author"].split(" and ")]
    authors = " & ".join(names) if len(names) < MIN_ET_AL else f"{names[0]} et al."
    return f"{authors}, {fields['year']}"


def cite(*keys: str) -> str:
    """Cite papers within a sentence.

    >>> cite("bradley-terry-1952", "davidson-1970")
    '(Bradley & Terry, 1952; Davidson, 1970)'
    """
    return f"({'; '.join(map(name_reference, keys))})"


def write_bibliography(keys: Iterable[str]) -> str:
    return "\n\n".join(read_references()[key] for key in dict.fromkeys(keys))


# How systems were ranked by preferences, in sentences for a paper; only what was done is said.

# Treatment of ties → how it is said, and the paper it is from
TIES: Final = {
    "davidson": ("with Davidson's ties", "davidson-1970"),
    "rao-kupper": ("with Rao and Kupper's ties", "rao-kupper-1967"),
    "glenn-david": ("with Glenn and David's ties", ""),
    "half-win": ("with ties as half a win for each", ""),
    "discard": ("without ties, which are excluded", ""),
    "none": ("with tie cells kept and a tie parameter of zero", ""),
}


def say_inference(ranking: Ranking) -> list[str]:
    sentences = _say_spread(ranking)
    if (sets := ranking.rank_sets) is not None:
        how, keys = "Holm's method", ["mogstad-2024", "romano-wolf-2005"]
        if sets.replicates:
            kinds, law = {way.kind for way in ranking.ways}, "Student's t with that covariance"
            if "CV3" in kinds:
                law = "a wild cluster bootstrap"
                law += "" if isinstance(ranking.fit, RatingFit) else " of scores"
                few = "clusters are too many or too small to be removed"
                law += f", and of Student's t where {few}" if "CR1" in kinds else ""
                keys.append("webb-2023")
            how = f"max-|t| with step-down over {sets.replicates} draws of {law}"
        tested = "The pair of systems was tested"
        if len(ranking.systems) > 2:
            tested = "All pairs of systems were tested at once"
        sentences.append(
            f"{tested} by {how}; the rank set of a system holds the places that the decided pairs"
            " leave to it, and all sets hold the true ranks together with"
            f" {100 * ranking.level:g} % confidence {cite(*keys)}."
        )
        upper = np.triu_indices(len(sets.decided), 1)
        barred, size = int(sets.barred[upper].sum()), len(upper[0])
        if barred:
            clusters = " or ".join(f"{way}s" for way in sets.clusterings)
            verb = "was" if barred == 1 else "were"
            why = (
                f"the difference rests on fewer than {MIN_CLUSTERS:g} effective {clusters} or on"
                " one alone"
            )
            if sets.apart.any():
                why = f"systems were rated on different items, or {why}"
            said = f"Of {size:,} pairs {barred:,} {verb} left open whatever the answers, since"
            sentences.append(f"{said} {why}.")
    limit = ranking.headline
    return [*sentences, f"The statements are {limit}."] if limit else sentences


def _say_model(ranking: Ranking, analysis: Analysis) -> str:
    unit = "rankings" if isinstance(analysis.data, Rankings) else "comparisons"
    n = write_value(ranking.n_judgments, "count")
    if not isinstance(ranking.fit, Fit):
        title = MODELS[ranking.model].title if ranking.model in MODELS else ranking.model
        return (
            f"Systems were ranked by {title} (the model {ranking.model}), fitted to {n} {unit} of"
            f" {len(ranking.systems)} systems. Intervals at {100 * ranking.level:g} % hold one at a"
            f" time ({ranking.method}); a pair is decided where the interval of its difference"
            " leaves out zero."
        )
    # the model as it was fitted, which is not always as it was asked for
    model = ranking.fit.model
    name, keys = "log-linear Bradley-Terry model", ["bradley-terry-1952"]
    if model.ties == "glenn-david":
        name, keys = "paired-comparison model on the probit scale", []
    ties, source = TIES[model.ties]
    if ranking.ties is None or not ranking.ties.any():
        ties, source = "without ties (none were seen)", ""
    extra = ["an effect of the order of presentation"] if model.order_effect else []
    extra += [f"worths by {one}" for one in model.judge_covariates]
    extra += [f"tie parameters by {one}" for one in model.tie_covariates]
    extra += ["worths as sums of covariates of systems"] if model.system_covariates else []
    extra += [f"{one.said} held constant" for one in getattr(ranking.fit, "controls", ())]
    named = ", ".join([f"{name} {ties}", *extra])
    expanded = ", each as the comparisons of all its pairs," if unit == "rankings" else ""
    papers = cite(*keys, *filter(None, [source]), "dras-2015")
    n_systems = len(ranking.systems)
    return f"We fitted the {named} to {n} {unit}{expanded} of {n_systems} systems {papers}."


def _say_spread(ranking: Ranking) -> list[str]:
    kinds = {way.kind for way in ranking.ways}
    if not kinds:
        assumed = f"Standard errors assume {getattr(ranking.fit, 'assumes', '')}."
        return [assumed] if isinstance(ranking.fit, RatingFit) else []
    keys = ["mackinnon-2023" if "CV3" in kinds else "liang-zeger-1986"]
    kind = "jackknife (CV3)" if "CV3" in kinds else "sandwich"
    by = " and ".join(f"by {way.name}" for way in ranking.ways)
    if len(ranking.ways) == 2:
        keys.append("cameron-2011")
    merged = "".join(
        f" The {way.levels:,} {way.name}s were merged at random into {way.clusters} clusters of"
        " about equal load."
        for way in ranking.ways
        if way.clusters < way.levels
    )
    return [f"Standard errors are from the cluster {kind}, clustered {by} {cite(*keys)}.{merged}"]


# How judges and the model were examined, in sentences for a paper; only what was done is said.


def say_examinations(analysis: Analysis) -> list[str]:
    left = list_left_out(analysis.settings.tasks) if not analysis.settings.full else ()
    sentences: list[str] = []
    with suppress(UnknownOption):  # importance weights count no votes
        with suppress(NotIdentified, NotConverged):
            if not find_fault(analysis)[0]:
                how = "Judges were screened by how well the others' preferences predict theirs"
                sentences.append(say_screening(analysis.screening, how))
        sentences += _say_agreement(analysis, items="items" not in left)
    bias = analysis.known_bias
    if bias is not None:
        text = "The advantage of the output shown first is the order effect of a Bradley-Terry"
        others = "; judges were compared with the median judge, adjusted for their number"
        sentences.append(f"{text} model{others if bias.heterogeneity_p is not None else ''}.")
    if "circles" not in left:
        with suppress(NotIdentified, NotConverged, UnknownOption):
            if (cycles := analysis.cycles).p is not None:
                ways = " and ".join(cycles.clusterings)
                drawn = f"the residuals of each {ways} under random signs"
                drawn = drawn if ways else "votes drawn one by one"
                sentences.append(
                    "Whether one worth for each system describes all pairs was tested beside"
                    f" replicates in which it does, with {drawn}, and single pairs by max-T"
                    f" {cite('jiang-2011', 'westfall-young-1993')}."
                )
    return sentences


def say_screening(screening: Screening, how: str) -> str:
    if screening.abstains is not None:
        text = f"{how}; nobody was called careless or reversed, since {screening.abstains}"
        return f"{text}. Habits were tested apart."
    return (
        f"{how}; of all flags an expected {100 * screening.level:g} % at most fall on honest judges"
        f" if most judges are honest and independent of each other {cite('efron-2008')}."
    )


def _say_agreement(analysis: Analysis, *, items: bool) -> list[str]:
    votes = analysis.votes
    nothing = NAMELESS in (votes.judges, votes.items) or (votes.outcome == TIE).all()
    if nothing or not analysis.shared.comparable:
        return []
    said = (
        "Agreement is κ over pairs of votes of different judges on the same two outputs,"
        " chance being that of random answers with as many ties; beside it stand Fleiss' κ,"
        " Krippendorff's α and Gwet's AC1"
        f" {cite('fleiss-1971', 'krippendorff-2013', 'gwet-2008')}, with intervals from drawing"
        " items anew."
    )
    sought = (
        "Items on which judges agree or disagree beyond chance were sought beside shuffled"
        f" answers, allowing for all items by max-T {cite('westfall-young-1993')}."
    )
    return [said, sought] if items else [said]


# How systems were ranked by ratings, in sentences for a paper; only what was done is said.

# Model of ratings → how it is said, and the papers it is from
OF_RATINGS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "adjusted": (
        "mean scores adjusted by least squares, with fixed effects of {removed} removed",
        ("frisch-waugh-1933", "lovell-1963"),
    ),
    "mean": ("their mean scores", ()),
    "z": (
        "scores standardised by judge (mean 0, standard deviation 1), averaged within each output"
        " and then over outputs",
        ("bojar-2016",),
    ),
    "mixed": (
        "a linear mixed model with random effects of {random}, by restricted maximum likelihood",
        ("patterson-thompson-1971",),
    ),
    "ordinal": (
        "a cumulative logit model of scores whose cutpoints differ between judges",
        ("mccullagh-1980", "tutz-hennevogl-1996"),
    ),
}


def say_scores(rated: Rated) -> list[str]:
    sentences = [*_say_rating_models(rated)] if rated.ranked else []
    sentences += _share({name: say_inference(one) for name, one in rated.ranked.items()})
    with suppress(NotIdentified, NotConverged):
        found = rated.agreement
        known = {one.name for one in found.whole.coefficients if one.value is not None}
        if any(name.startswith("alpha-") for name in known):
            on = f", on the scale {found.scale}" if rated.settings.scale else ""
            paper = cite("krippendorff-2013")
            sentences.append(f"Agreement of judges is Krippendorff's α{on} {paper}.")
    # nothing is said of judges where they are not known or one is alone
    if find_fault_of_judges(rated.rows.judges)[0]:
        return sentences
    with suppress(NotIdentified, NotConverged):
        how = "Judges were screened by how their scores follow those of others"
        paper = cite("hamon-2007")
        sentences.append(say_screening(rated.screening, how))
        sentences.append(f"Figures that set each judge beside the others follow {paper}.")
    return sentences


def _share(said: Mapping[str, Sequence[str]]) -> list[str]:
    shared: dict[str, list[str]] = {}
    for name, sentences in said.items():
        for sentence in sentences:
            shared.setdefault(sentence, []).append(name)
    return [
        text if len(names) == len(said) else f"For {join_names(names)}: {text}"
        for text, names in shared.items()
    ]


def _say_rating_models(rated: Rated) -> list[str]:
    """Say which model ranked how many ratings; effects that were removed may differ."""
    rankings = rated.ranked
    n = write_value(sum(one.n_judgments for one in rankings.values()), "count")
    under = f", under each of {len(rankings)} criteria by itself" if len(rankings) > 1 else ""
    systems = {name for one in rankings.values() for name in one.systems}
    what = f"{n} ratings of {len(systems)} systems{under}"
    if lower := [name for name, one in rankings.items() if one.lower_is_better]:
        of = f" of {join_names(lower)}" if len(lower) < len(rankings) else ""
        what += f"; lower scores{of} are better"
    models: dict[str, list[str]] = {}
    for name, ranking in rankings.items():
        models.setdefault(_name_rating_model(ranking), []).append(name)
    sentences: list[str] = []
    for model, names in models.items():
        about = f"For {join_names(names)} systems" if len(models) > 1 else "Systems"
        of = "" if sentences else f"; {what}"
        sentences.append(f"{about} were ranked by {model}{of}.")
    excluded = [part for one in rankings.values() for part in one.excluded]
    references = (part.system_names for part in excluded if part.code == REFERENCES)
    if apart := dict.fromkeys(chain.from_iterable(references)):
        verb = "stands" if len(apart) == 1 else "stand"
        said = f"{join_names([*apart])} {verb} beside the systems without a rank, being"
        sentences.append(f"{said} taken for human by name.")
    return sentences


def _name_rating_model(ranking: Ranking) -> str:
    """Name a model of ratings as it was fitted: what is not known is not removed."""
    fit = ranking.fit
    removed = [f"{name}s" for name in getattr(fit, "effects", ())]
    random = [one.name for one in getattr(fit, "components", ())[:-1]]
    model = "mean" if ranking.model == "adjusted" and not removed else ranking.model
    named, keys = OF_RATINGS.get(model, (say_ranked_by(ranking), ()))
    named = named.format(removed=" and ".join(removed), random=", ".join(random))
    return f"{named} {cite(*keys)}" if keys else named


# How metrics were compared with people, in sentences for a paper; only what was done is said.

# Statistic of metrics → how it is said, and the paper it is from
OF_METRICS: Final[Mapping[str, tuple[str, str]]] = {
    "preference": ("the share of judgments that a metric agrees with", ""),
    "spa": ("soft pairwise accuracy (SPA)", "thompson-2024"),
    "pa": ("pairwise accuracy (PA)", ""),
    "system-pearson": ("Pearson's r of systems", ""),
    "system-spearman": ("Spearman's ρ of systems", ""),
    "system-tau-b": ("Kendall's τ-b of systems", ""),
    "acc-eq": ("pairwise accuracy of segments with ties (acc-eq)", "deutsch-2023"),
    "segment-pearson": ("Pearson's r of segments", ""),
}


def say_metrics(analysis: Analysis) -> list[str]:
    try:
        found = analysis.metrics
    except (InvalidJudgments, NotIdentified, NotConverged, UnknownOption):
        return []
    if isinstance(found, MetaEvaluation):
        return _say_metrics(found)
    return _share({name: _say_metrics(one) for name, one in found.groups.items()})


def _say_metrics(found: MetaEvaluation) -> list[str]:
    named = [OF_METRICS[name] for name in found.values if name in OF_METRICS]
    keys = [key for _, key in named if key]
    cited = f" {cite(*keys)}" if keys else ""
    verb = "was" if len(found.metrics) == 1 else "were"
    text = (
        f"{plural(len(found.metrics), 'metric')} {verb} compared with people by"
        f" {join_names([said for said, _ in named])}{cited}."
    )
    if "acc-eq" in found.values:
        text += " The tie limit of acc-eq on each item was chosen on other items."
    sentences = [text]
    if found.pairs:
        systems = len(found.systems)
        ways = f"all {2**systems - 1:,} ways" if systems <= MAX_EXACT else f"{DRAWS} random ways"
        sentences.append(
            f"Differences in {name_statistic(found.statistic)} between two metrics were tested by"
            f" permutation: the two exchange all scores of some systems, in {ways}; p was adjusted"
            f" over all pairs of metrics by max-|t| with step-down {cite('romano-wolf-2005')}."
        )
    if found.pairs and found.judge_stderr is not None:
        sentences.append(
            "A pair of metrics is decided only where the difference also exceeds what is due to"
            " judges, by a jackknife over judges."
        )
    return sentences


def write_section_methods(analysis: Analysis) -> Section:
    import evenhand

    sentences, signatures = _say(analysis)
    sentences += say_metrics(analysis) if analysis.settings.with_metrics else []
    if (by := analysis.settings.group_by) is not None:
        sentences.append(f"Each value of {by} was also ranked by itself, in the same way.")
    if clauses := "; ".join(one.clause for one in analysis.excluded):
        sentences.append(f"Excluded from the analysis were: {clauses}.")
    sentences.append(f"All computations were made with Evenhand {evenhand.__version__}.")
    text = " ".join(sentences)
    # the papers that it cites, in its order
    places = {key: text.find(name_reference(key)) for key in read_references()}
    keys = sorted((key for key, at in places.items() if at >= 0), key=places.__getitem__)
    papers = Block("references.bib", "Papers it cites, as BibTeX", write_bibliography(keys))
    signature = Block("signature.txt", "Signature of the ranking", "\n".join(signatures))
    with_papers = ", with the papers that it cites" if keys else ""
    return Section(
        "methods",
        says=(f"The paragraph may be copied into a paper{with_papers}.",),
        blocks=(
            Block("methods.txt", "Methods", text),
            *([papers] if keys else []),
            *([signature] if signatures else []),
        ),
        command=analysis.write_command("report"),
    )


def _say(analysis: Analysis) -> tuple[list[str], list[str]]:
    if isinstance(analysis.data, Ratings):
        sentences = say_scores(analysis.rated)
        try:
            return sentences, [one.signature for one in analysis.rated.rankings.values()]
        except NotIdentified:
            return sentences, []
    ranking = analysis.known_ranking
    if ranking is None:
        return say_examinations(analysis), []
    said = [_say_model(ranking, analysis)]
    if isinstance(ranking.fit, Fit) and (prior := ranking.fit.model.prior):
        met = f"{prior:g} comparison{'' if prior == 1 else 's'}"
        text = (
            f"A prior was added: every system also met an imaginary one in {met}, half of them won,"
            " which draws estimates towards each other; stated confidence does not allow for this."
        )
        # groups of systems that no comparison joins
        groups = int(ranking.fit.tally.find_groups().max()) + 1
        if groups > 1:
            text += (
                f" The systems fall into {groups} groups that were never compared: any difference"
                " between groups comes from the prior alone, and is no finding."
            )
        said.append(text)
    return [*said, *say_inference(ranking), *say_examinations(analysis)], [ranking.signature]
