"""How it was computed: a paragraph for a paper, its bibliography, what repeats it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evenhand.errors import NotConverged, NotIdentified
from evenhand.judgments.exclusions import Exclusion
from evenhand.judgments.ratings import Ratings
from evenhand.report.contents import PREFERENCE
from evenhand.report.document import Block, Section
from evenhand.report.methods_of_judges import say_examinations
from evenhand.report.methods_of_pairs import Sentence, say_ranking
from evenhand.report.methods_of_scores import say_scores
from evenhand.report.references import write_bibliography
from evenhand.report.study import Study

TEXT: Final = "methods.txt"
BIBLIOGRAPHY: Final = "references.bib"


def write_section(study: Study) -> Section:
    """Write the methods.

    Where there is no ranking the paragraph is about the judgments only.
    """
    sentences, signatures = _say(study)
    sentences = [*sentences, *say_excluded(study.excluded)]
    text = " ".join([*(sentence for sentence, _ in sentences), _say_maker()])
    keys = [key for _, cited in sentences for key in cited]
    papers = Block(BIBLIOGRAPHY, "Papers it cites, as BibTeX", write_bibliography(keys))
    signature = Block("signature.txt", "Signature of the ranking", "\n".join(signatures))
    with_papers = ", with the papers that it cites" if keys else ""
    return Section(
        "methods",
        PREFERENCE["methods"],
        says=(f"The paragraph may be copied into a paper{with_papers}.",),
        blocks=(
            Block(TEXT, "Methods", text),
            *([papers] if keys else []),
            *([signature] if signatures else []),
        ),
        command=study.write_command("report"),
    )


def _say(study: Study) -> tuple[list[Sentence], list[str]]:
    """Return the sentences, and what repeats the ranking."""
    if isinstance(study.data, Ratings):
        sentences = say_scores(study.rated)
        try:
            return sentences, [board.signature for board in study.rated.boards.values()]
        except NotIdentified:
            return sentences, []
    try:
        ranking = study.ranking
    except (NotIdentified, NotConverged):
        return say_examinations(study), []
    return [*say_ranking(ranking, study), *say_examinations(study)], [ranking.signature]


def say_excluded(excluded: Sequence[Exclusion]) -> list[Sentence]:
    """Say what was excluded before the analysis; nothing where nothing was."""
    clauses = "; ".join(one.clause for one in excluded)
    return [(f"Excluded from the analysis were: {clauses}.", ())] if clauses else []


def _say_maker() -> str:
    import evenhand

    return f"All computations were made with Evenhand {evenhand.__version__}."
