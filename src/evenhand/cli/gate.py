"""`evenhand gate`: may a new system replace an old one?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

import evenhand
from evenhand.cli import options, running
from evenhand.errors import EvenhandError, UnknownOption

if TYPE_CHECKING:
    from evenhand.ranking.gate import Gate

_asked = options.under("What is decided")
_plan = options.under("A plan")
_output = options.under("Output")


class Asked(options.Options):
    new: tuple[str, ...] = _asked(
        "--new SYSTEM", "The new system. Repeatable: all of several must pass."
    )
    old: str | None = _asked("--old SYSTEM", "The system that it may replace.")
    margin: float | None = _asked(
        "--margin",
        "How much worse it may be: .05 where it may win 45 % of comparisons; of ratings, in points."
        " 0 asks that it is better.",
    )
    alpha: float | None = _asked(
        "--alpha",
        "How often a system that is worse by just the margin may pass. Default: .05.",
        metavar="PROPORTION",
    )
    anytime: bool | None = _asked(
        "--anytime",
        "The decision holds however often votes are looked at: direct votes must show it too.",
        is_flag=True,
        default=None,
    )
    cost_judgment: float | None = _asked(
        "--cost-judgment", "What a judgment costs, to say what is still needed in money."
    )
    criterion: str | None = options.Criterion.criterion
    better: str | None = options.Scores.better
    cluster: str | None = options.Cluster.cluster
    seed: int = options.seed_option(_asked)


class Planned(options.Options):
    plan: str | None = _plan(
        "--plan FILE",
        "A TOML file that states new, old, margin, alpha, anytime, group_by, criterion, better and"
        " cluster before votes are known.",
        reads=True,
    )
    sha256: str | None = _plan(
        "--sha256 DIGEST", "The published SHA-256 of the plan; a file with another one is refused."
    )


class Written(options.Options):
    junit: str | None = _output("--junit FILE", "Also write the decisions as JUnit XML.")
    summary: str | None = _output(
        "--summary FILE",
        'Also add the decision to a file as Markdown, such as "$GITHUB_STEP_SUMMARY".',
    )

    def check(self, *known: str | None) -> None:
        """Refuse places that cannot be written, and files that are read or written already."""
        files = [one for one in known if one is not None]
        for flag, path in (("--junit", self.junit), ("--summary", self.summary)):
            if path is None:
                continue
            if not path:
                raise UnknownOption(f"{flag} names no file: is a variable not set? Leave it out")
            running.refuse_overwriting(files, path, flag, "a file of this gate")
            running.refuse_unwritable(Path(path))
            files.append(path)


SUITE: Final = "evenhand gate"
NUMBERS: Final = ("value", "lower", "upper", "limit", "p", "judgments", "judgments_needed")
FAULTS: Final = {"worse": "failure", "undecided": "error"}  # Elements of JUnit


@options.verb(
    "evenhand gate battles.parquet --new gpt-4 --old claude-1 --margin .05",
    "evenhand gate scores.csv --new B --old A --margin 2",
    "evenhand gate votes.csv --plan gate.toml --junit gate.xml",
    "evenhand gate votes.csv --new B --old A --margin .05 --group-by language",
    doing="deciding",
)
def gate(
    run: options.Run,
    *,
    asked: Asked,
    groups: options.Grouping,
    verdicts: options.Verdicts,
    planned: Planned,
    written: Written,
) -> running.VerbResult:
    """Decide whether a new system may replace an old one.

    It may if the judgments show that it is not worse by more than a margin. FILE
    holds comparisons, rankings or ratings. The exit code is 0 if it may, 1 if it
    is worse by more than the margin, 3 if that is not decided, and 2 on errors.
    """
    place = None if run.place.path is None else str(run.place.path)
    written.check(*run.reading.inputs, *verdicts.inputs, *planned.inputs, place)
    settings = {**vars(asked), **vars(groups)}
    better, criterion = settings.pop("better"), asked.criterion
    kinds = options.kinds_of(ratings=criterion is not None)
    try:
        data = run.reading.open_either(kinds, llm=verdicts.names, criterion=criterion)
        result = evenhand.gate(
            data,
            **{**settings, "new": asked.new or None},
            lower_is_better=None if better is None else better == "lower",
            **verdicts.open(run.reading),
            plan=planned.plan,
            plan_sha256=planned.sha256,
        )
    except EvenhandError as refusal:
        if written.junit is not None:
            running.write_file(Path(written.junit), write_refusal(str(refusal)))
        raise
    shown = running.VerbResult(
        {"": result}, {}, running.remarks_on(data), exit_code=result.exit_code
    )
    if written.junit is not None:
        running.write_file(Path(written.junit), write_junit(result))
    if written.summary is not None:
        with (
            running.refusing_to_write(Path(written.summary)) as path,
            path.open("a", encoding="utf-8") as file,
        ):
            file.write(f"{shown.markdown().rstrip()}\n\n")  # the next one begins a paragraph
    return shown


def write_junit(result: Gate) -> str:
    """Return the decisions as JUnit XML, a test case with its numbers for each comparison."""
    suite = ElementTree.Element("testsuite", name=SUITE)
    for one in result.comparisons:
        where = f"gate.{one.group}" if one.group else "gate"
        name = f"{one.new} may replace {result.old}"
        case = ElementTree.SubElement(suite, "testcase", classname=where, name=name)
        numbers = ElementTree.SubElement(case, "properties")
        shown = {name: getattr(one, name) for name in NUMBERS}
        for key, value in {**shown, "margin": result.margin, "alpha": result.alpha}.items():
            if value is not None:
                ElementTree.SubElement(numbers, "property", name=key, value=f"{value:.6g}")
        decision = "undecided" if result.unplanned else one.decision
        if decision in FAULTS:
            why = result.says[0] if result.unplanned else ""
            told = {"type": decision, "message": f"{why} {one.says}".strip()}
            ElementTree.SubElement(case, FAULTS[decision], told)
    if result.unplanned:
        ElementTree.SubElement(suite, "system-out").text = "\n".join(map(str, result.findings))
    return write_suite(suite)


def write_refusal(why: str) -> str:
    suite = ElementTree.Element("testsuite", name=SUITE)
    case = ElementTree.SubElement(suite, "testcase", classname="gate", name="refused")
    ElementTree.SubElement(case, "error", type="refused", message=why)
    return write_suite(suite)


def write_suite(suite: ElementTree.Element) -> str:
    for name, path in (("tests", "testcase"), ("failures", ".//failure"), ("errors", ".//error")):
        suite.set(name, str(len(suite.findall(path))))
    ElementTree.indent(suite)
    text = ElementTree.tostring(suite, "unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
