"""`evenhand plan`: how many judgments, judges and items decide which systems, at which cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from evenhand.cli import options
from evenhand.cli.main import keep_excluded
from evenhand.cli.running import ProgressDisplay, VerbResult
from evenhand.errors import UnknownOption, listing

if TYPE_CHECKING:
    from evenhand.data.comparisons import Comparisons
    from evenhand.data.rankings import Rankings
    from evenhand.data.ratings import Ratings

SYSTEMS: Final = "Systems, judges and items as they may be (or from a pilot)"
_systems = options.under(SYSTEMS)
_design = options.under("Who judges what (what is not stated is searched for)")
_wish = options.under("What is wanted")


NOT_OF_PILOTS: Final = ("files", "weight", "weights", "explain")  # Options of reading


class Planned(options.Options):
    spec: str | None = options.argument("[SPEC.toml]", required=False)


class Systems(options.Options):
    unit: str | None = _systems(
        "--unit log-worth|points",
        "Of differences and sds: log-worth of comparisons, points of ratings. Default: log-worth.",
    )
    systems: int | None = _systems("--systems", "How many.")
    gap: float | None = _systems(
        "--gap DIFFERENCE",
        "How much better each is than the next; in log-worth, 0.4 is preferred in 60 % of"
        " judgments.",
    )
    ties: float | None = _systems("--ties SHARE", "Share of ties between equals.")
    judge_sd: float | None = _systems(
        "--judge-sd SD", "How much judges' tastes differ: sd of judge x system."
    )
    item_sd: float | None = _systems(
        "--item-sd SD", "How much systems do better on some items: sd of item x system."
    )
    noise_sd: float | None = _systems(
        "--noise-sd POINTS", "Of ratings: sd of one score by chance, the residual of a pilot."
    )
    pilot: str | None = _systems(
        "--pilot FILE",
        "Comparisons, rankings or ratings from which systems, ties and tastes are taken.",
    )
    criterion: str | None = _systems("--criterion NAME", "Only this criterion of a pilot.")


class PilotReading(options.Reading):
    """Options of reading that hold for the pilot."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.files, self.weight, self.weights, self.explain = (), None, "frequency", False
        super().__init__(values)

    @classmethod
    def list_options(cls) -> dict[str, options.Declaration]:
        every = options.Reading.list_options()
        return {name: one for name, one in every.items() if name not in NOT_OF_PILOTS}


class Design(options.Options):
    judges: int | None = _design("--judges", "So many judges.")
    items: int | None = _design("--items", "So many items.")
    judgments: int | None = _design("--judgments", "So many in all.")
    each: int | None = _design("--per-judge", "So many of each judge.")
    overlap: int | None = _design("--overlap", "Different judges for each output pair. Default: 1.")
    repeats: int | None = _design("--repeats", "How often each of them sees it. Default: 1.")
    loads: str | None = _design(
        "--loads equal|zipf", "Judgments per judge: equal, or most from few judges. Default: equal."
    )


class Wish(options.Options):
    resolve: str | None = _wish(
        "--resolve all|top|0.3|A>B,...",
        "Pairs to decide: all that differ, those of the best system, those so far apart or more, or"
        " by name. Default: all.",
    )
    power: float | None = _wish("--power PROPORTION", "Chance to decide each pair. Default: 0.8.")
    level: float | None = _wish("--level PROPORTION", "Of rank sets. Default: 0.95.")
    cost_judgment: float | None = _wish("--cost-judgment PRICE", "Of one. Default: 1.")
    cost_judge: float | None = _wish("--cost-judge PRICE", "Of one. Default: 0.")
    seed: int | None = _wish("--seed", "Random seed.")
    campaigns: int | None = _wish(
        "--campaigns",
        "How many are simulated; 0 for the closed form alone. By default 200, fewer where that"
        " takes long.",
        default=None,
    )


class Gated(options.Options):
    gate: float | None = _wish(
        "--gate MARGIN",
        "Plan a gate instead: how often a new system passes that is as good as the old, or better"
        " by --gap. The margin is that of evenhand gate.",
    )
    alpha: float | None = _wish("--alpha PROPORTION", "Of the gate. Default: .05.")


class Verdicts(options.Options):
    llm_agreement: float | None = _wish(
        "--llm-agreement PROPORTION",
        "Share of output pairs on which an LLM judge gives people's answer, to show what its"
        " verdicts would add (rank --llm).",
    )
    verdicts: int | None = _wish(
        "--verdicts", "Number of its verdicts, on output pairs that people do not judge."
    )


@options.verb(
    "evenhand plan --systems 2 --gap 0.3 --cost-judgment 0.5 --cost-judge 20",
    "evenhand plan plan.toml --power 0.9",
    "evenhand plan --pilot votes.csv --judges 30 --resolve top",
    "evenhand plan --pilot ratings.csv --gap 3",
    "evenhand plan --gate .05 --judges 50 --judge-sd .3",
)
def plan(
    *,
    planned: Planned,
    systems: Systems,
    reading: PilotReading,
    design: Design,
    wish: Wish,
    gated: Gated,
    verdicts: Verdicts,
    placing: options.Placing,
    curves: options.Figures,
) -> None:
    """Plan a campaign: who judges what, which systems it decides, what it costs.

    Systems and judges as SPEC.toml or options say, or as a pilot shows. What is
    not stated of the design is searched for; then campaigns are simulated and
    ranked as `evenhand rank` does. A design that cannot work is refused. The
    options of reading are those of the pilot.
    """
    spec = planned.spec
    place = placing.choose(spec, systems.pilot)
    curves.check()
    # settings that are options too; worths and compare are for the file
    settings = {**vars(systems), **vars(design), **vars(wish)}
    criterion = settings.pop("criterion")
    if gated.gate is not None:
        only = "is of plans that rank systems: leave it out, or leave out --gate"
        options.refuse_given([*Verdicts.list_options(), *options.Figures.list_options()], only)
        from evenhand.design.gate_plan import plan_gate

        with ProgressDisplay("simulating") as patience:
            result = plan_gate(
                gated.gate,
                _take_settings(spec, settings),
                alpha=0.05 if gated.alpha is None else gated.alpha,
                pilot=_open_pilot(systems.pilot, reading, criterion),
                progress=patience.step,
                **({} if wish.campaigns is None else {"campaigns": wish.campaigns}),
            )
        place.deliver(VerbResult({"": result}, {}, ()))
        return
    if gated.alpha is not None:
        raise UnknownOption("--alpha is of a gate: say its margin too, --gate .05")
    with ProgressDisplay("simulating") as patience:
        from evenhand.design.plan import plan_campaign

        what = {"gap", "unit", "noise_sd"} & {k for k, one in settings.items() if one is not None}
        if spec is None and settings["pilot"] is None and not what:
            raise UnknownOption(
                "say what is planned: evenhand plan SPEC.toml, --pilot FILE, --systems 5 --gap 0.3,"
                " or --unit points --systems 5 --gap 4"
            )
        if spec is not None and not spec.endswith(".toml"):
            raise UnknownOption(
                f"'{spec}' is no TOML file of settings; judgments of a pilot are given by"
                f" --pilot {spec}"
            )
        campaign_plan = plan_campaign(
            _take_settings(spec, settings),
            pilot=_open_pilot(systems.pilot, reading, criterion),
            campaigns=wish.campaigns,
            **vars(verdicts),
            progress=patience.step,
        )
    if curves.figures is not None:
        from evenhand.report.figures.predictions import draw_plan

        curves.write({"": campaign_plan}, draw_plan)
    place.deliver(VerbResult({"": campaign_plan}, {}, ()))


def _take_settings(spec: str | None, settings: dict[str, Any]) -> dict[str, Any]:
    from evenhand.design.spec import read_spec

    apart = ("pilot", "campaigns")
    stated = {k: value for k, value in settings.items() if value is not None and k not in apart}
    return {**(read_spec(spec) if spec is not None else {}), **stated}


def _open_pilot(
    path: str | None, reading: PilotReading, criterion: str | None
) -> Comparisons | Rankings | Ratings | None:
    from evenhand.data.ratings import Ratings

    if path is None:
        flags = {**reading.flags(), "criterion": "--criterion"}
        given = [flag for name, flag in flags.items() if options.is_given(name)]
        if given:
            are = "is" if len(given) == 1 else "are"
            raise UnknownOption(f"{listing(given)} {are} of a pilot: name it (--pilot FILE)")
        return None
    reading.files = (path,)
    data: Any = reading.open_systems(criterion=criterion)
    if criterion is not None and not isinstance(data, Ratings):
        raise UnknownOption("--criterion is of ratings, and the pilot holds none: leave it out")
    keep_excluded(data.excluded)
    return data  # type: ignore[no-any-return]
