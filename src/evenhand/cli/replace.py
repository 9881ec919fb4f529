"""`evenhand replace`: may an LLM judge replace a human judge?"""

from __future__ import annotations

from evenhand.cli import options
from evenhand.cli.result import VerbResult
from evenhand.cli.running import remarks_on
from evenhand.errors import UnknownOption

_asked = options.under("What is tested")


class Asked(options.Options):
    llm: str | None = _asked(
        "--llm VERDICTS",
        "Verdicts of LLM judges in another file, in place of --llm-judges.",
        reads=True,
    )
    llm_judges: tuple[str, ...] = _asked(
        "--llm-judges NAME,NAME",
        "The judges who are LLMs. Default: those whom a column judge_type marks. Repeatable.",
    )
    epsilon: float | None = _asked(
        "--epsilon E",
        "How much less often than a judge the LLM may be closer to the other judges: .2 where these"
        " are experts, .15 where skilled, .1 for crowds.",
    )
    balanced: bool = _asked("--balanced", "All labels count the same, however frequent.")
    score: str | None = _asked(
        "--score rmse|abs|accuracy",
        "How closeness of scores is measured: rmse (the default), abs (distance to the mean of the"
        " others) or accuracy (the same score).",
    )
    by: str | None = _asked(
        "--by COLUMN", "Test each value of this column by itself, such as each domain."
    )


@options.verb(
    "evenhand replace verdicts.csv --llm-judges gpt --epsilon .1",
    "evenhand replace people.csv --llm verdicts.csv --epsilon .2",
    "evenhand replace scores.csv --llm-judges gpt,claude --epsilon .2",
    "evenhand replace scores.csv --llm-judges gpt --epsilon .1 --by domain",
    doing="testing",
)
def replace(run: options.Run, *, criterion: options.Criterion, asked: Asked) -> VerbResult:
    """Test whether an LLM judge may replace a human judge.

    FILE holds judgments of three people or more and of LLM judges on the same
    outputs, or VERDICTS holds the latter. An LLM judge may if it is nearly as
    close to the other judges as a judge is, closer than any constant answer,
    and judges agree beyond chance.
    """
    from evenhand.judges.replacement import replace as test_replacement

    names = options.split_names(asked.llm_judges)
    if asked.epsilon is None:
        raise UnknownOption(
            "say how much less often the LLM may be closer: --epsilon .2 where judges are experts,"
            " .15 where skilled, .1 for crowds"
        )
    data = run.reading.open_systems(llm=names or True, criterion=criterion.criterion)
    llm = None if asked.llm is None else run.reading.open_beside(asked.llm)
    settings = {**vars(criterion), **vars(asked), "llm": llm, "llm_judges": names}
    result = test_replacement(data, **settings)
    return VerbResult({"": result}, {}, remarks_on(data))
