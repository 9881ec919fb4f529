"""What is asked of a plan, from a small TOML file, from options, or from both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from math import isfinite
from pathlib import Path
from typing import Any, Final

from evenhand.data.coding import SEED
from evenhand.design.power import MOST, Design, Loads, Prices, Truth, change_tastes
from evenhand.errors import (
    MissingFile,
    UnknownFormat,
    UnknownOption,
    listing,
    require_option,
    sentence_hint,
    suggest,
)

RESOLVE: Final = ("all", "top")


@dataclass(frozen=True)
class CampaignSpec:
    """What a campaign is to be, as far as it is known; what is None is looked for."""

    truth: Truth  # systems and tastes
    judges: int | None = None  # J, or None
    items: int | None = None  # I, or None
    judgments: int | None = None  # n in all, or None
    each: int | None = None  # judgments per judge, or None
    overlap: int = 1  # different judges for each output pair
    repeats: int = 1  # how often each of them sees it
    loads: Loads = "equal"  # equal or zipf
    pairs: tuple[tuple[int, int], ...] | None = None  # compared, by place; None for all
    prices: Prices = field(default_factory=Prices)  # of a judgment and of a judge
    # which pairs are to be decided: all that differ; top, those of the best system; those so far
    # apart or more, such as "0.3" (log-worth of one judge); or pairs by name, such as "A>B,A>C"
    # or (("A", "B"), ("A", "C")), the better first
    resolve: str | tuple[tuple[str, str], ...] = "all"
    power: float = 0.8  # with which probability each of them (proportion)
    level: float = 0.95  # of rank sets (proportion)
    seed: int = SEED  # of everything random
    source: str = "as stated"  # where truths come from, in words
    assumed: tuple[str, ...] = ()  # standard deviations that were not stated, of ratings

    def __post_init__(self) -> None:
        for name in ("power", "level"):
            if not 0 < getattr(self, name) < 1:
                raise UnknownOption(
                    f"{name} cannot be {getattr(self, name):g}: it lies between 0 and 1, as .8"
                )
        if self.level > 0.999:
            raise UnknownOption(f"level cannot be {self.level:g}: rank sets go to .999")
        if self.seed < 0:
            raise UnknownOption(f"seed cannot be {self.seed}: it is a whole number from 0")
        for name in ("judges", "items", "judgments", "each"):
            value = getattr(self, name)
            if value is not None and value < 1:
                what = "judgments per judge (each)" if name == "each" else name
                raise UnknownOption(f"{what} cannot be {value}: one or more")
        if self.each is not None and self.judgments is not None:
            raise UnknownOption("state judgments, or judgments per judge (each), not both")

    @property
    def is_sized(self) -> bool:
        return self.judgments is not None or self.each is not None

    @property
    def targets(self) -> tuple[tuple[int, int], ...]:
        """The pairs that are to be decided, by place, the better system first."""
        if not isinstance(self.resolve, str):
            return tuple(self._place(*pair) for pair in self.resolve)
        worth = self.truth.log_worth
        apart: float | None = None
        with suppress(ValueError):
            apart = float(self.resolve)
        if apart is not None and not (isfinite(apart) and apart > 0):
            raise UnknownOption(f"resolve cannot be {self.resolve}: a difference is above 0")
        if self.resolve not in RESOLVE and apart is None:
            return tuple(self._read_pair(one) for one in self.resolve.split(","))
        order = sorted(range(len(worth)), key=lambda place: -worth[place])
        firsts = order[:1] if self.resolve == "top" else order
        pairs = [(a, b) for a in firsts for b in order if worth[a] > worth[b]]
        if not pairs:
            raise UnknownOption("all systems are equal: there is nothing to decide")
        wide = [(a, b) for a, b in pairs if worth[a] - worth[b] >= (apart or 0.0) - 1e-9]
        if not wide:
            most = max(worth) - min(worth)
            raise UnknownOption(f"no two systems are {apart:g} apart: the most is {most:.3g}")
        return tuple(wide)

    def _read_pair(self, words: str) -> tuple[int, int]:
        first, sign, second = (part.strip() for part in words.partition(">"))
        if sign and {first, second} <= {*self.truth.systems}:
            return self._place(first, second)
        known = f"all | top | 0.3, a difference in {self.truth.unit} | pairs as A>B,A>C"
        odd = [one for one in self.truth.systems if "," in one or ">" in one]
        if odd:
            known += f'; \'{odd[0]}\' holds , or >: give lists, in TOML resolve = [["A", "B"]]'
        elif sign:
            self.truth.find(first), self.truth.find(second)
        which = "" if words == self.resolve else f", where '{words}' is no pair"
        raise UnknownOption(f"resolve cannot be '{self.resolve}'{which}: {known}")

    def _place(self, better: str, worse: str) -> tuple[int, int]:
        pair = self.truth.find(better), self.truth.find(worse)
        if not self.truth.log_worth[pair[0]] > self.truth.log_worth[pair[1]]:
            raise UnknownOption(
                f"{better} is not better than {worse}: nothing can decide {better} > {worse}"
            )
        return pair

    @property
    def kinds(self) -> int:
        """How many outputs of an item are judged, or pairs of them."""
        return self.truth.per_item if self.pairs is None else len(self.pairs)

    def count_most(self, judges: int, items: int) -> int:
        """Return the most judgments where a judge sees each output, or pair, `repeats` times."""
        return min(MOST, judges * items * self.kinds * self.repeats)

    def design(self, judges: int, items: int, judgments: int) -> Design:
        """Return a design of this kind, on no more items than there are output pairs."""
        kinds = (self.overlap, self.repeats, self.loads, self.pairs)
        design = Design(judges, items, judgments, *kinds)
        # items that are rated are answered by all systems
        most = design.outputs // self.truth.per_item if self.truth.rated else design.outputs
        return replace(design, items=min(items, max(most, 1)))


UNITS: Final = ("log-worth", "points")  # of comparisons, and of ratings
# Standard deviations that ratings are taken to have where nobody says: of one score by chance, on
# 100 points, and of judges' tastes and of systems on items, by that
NOISE_SD: Final = 15.0
NOISE_SHARES: Final = {"judge_sd": 0.3, "item_sd": 0.6}
NUMBERS: Final = {
    *("gap", "ties", "judge_sd", "item_sd", "noise_sd"),
    *("cost_judgment", "cost_judge", "power"),
}
WHOLE_NUMBERS: Final = {"judges", "items", "judgments", "each", "overlap", "repeats", "seed"}
# What a TOML file may say
KEYS: Final = (
    *("unit", "systems", "gap", "worths", "ties", "judge_sd", "item_sd", "noise_sd"),
    *("judges", "items", "judgments", "each", "overlap", "repeats", "loads", "compare"),
    *("cost_judgment", "cost_judge", "resolve", "power", "level", "seed"),
)


def read_spec(path: str) -> dict[str, Any]:
    import tomllib

    try:
        settings = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise MissingFile(f"there is no file '{path}'") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnknownFormat(f"'{path}' is not valid TOML: {error}") from None
    check_settings(settings)
    return settings


def check_settings(settings: Mapping[str, Any]) -> None:
    for name, value in settings.items():
        if name not in KEYS:
            hint = sentence_hint(suggest(name, KEYS)) or f": there are {listing(KEYS, len(KEYS))}"
            raise UnknownOption(f"a plan has no setting '{name}'{hint}")
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if name in NUMBERS | {"level"} and not number:
            raise UnknownOption(f"{name} cannot be {value!r}: it is a number")
        if name == "gap" and value < 0:
            raise UnknownOption(f"gap cannot be {value:g}: it is 0 or more")
        if name in WHOLE_NUMBERS and (not number or isinstance(value, float)):
            raise UnknownOption(f"{name} cannot be {value!r}: it is a whole number")
        words = isinstance(value, str)
        if name == "unit":
            require_option("unit", value, UNITS)
        if (name == "loads" and not words) or (
            name == "resolve" and not (words or number or isinstance(value, list | tuple))
        ):
            raise UnknownOption(f"{name} cannot be {value!r}: it is a word in quotes")


def make_spec(settings: Mapping[str, Any], pilot: CampaignSpec | None = None) -> CampaignSpec:
    """Return a spec from settings, what is not stated being the pilot's."""
    check_settings(settings)
    truth = _make_truth(settings) if pilot is None else _change_truth(settings, pilot.truth)
    if truth.rated and "compare" in settings:
        raise UnknownOption("scores are of one output each: leave out compare")
    assumed = tuple(name for name in truth.sds if name not in settings)
    plain = {one.name: settings[one.name] for one in fields(CampaignSpec) if one.name in settings}
    if "resolve" in plain:
        value = plain["resolve"]
        is_list = isinstance(value, list | tuple)
        plain["resolve"] = _read_pairs(value, "resolve") if is_list else str(value)
    prices = Prices(settings.get("cost_judgment", 1.0), settings.get("cost_judge", 0.0))
    pairs = None
    if "compare" in settings:
        names = _read_pairs(settings["compare"], "compare")
        pairs = tuple((truth.find(a), truth.find(b)) for a, b in names)
    start = CampaignSpec(truth, assumed=assumed if truth.rated else ()) if pilot is None else pilot
    return replace(start, **{**plain, "truth": truth, "prices": prices, "pairs": pairs})


def is_rated(settings: Mapping[str, Any]) -> bool:
    """Whether settings are of ratings: their unit is points, or a score has a spread."""
    unit = settings.get("unit", "points" if "noise_sd" in settings else "log-worth")
    if unit != "points" and "noise_sd" in settings:
        raise UnknownOption("noise_sd is of scores: leave it out, or say unit = points")
    return bool(unit == "points")


def _change_truth(settings: Mapping[str, Any], truth: Truth) -> Truth:
    for name in (one for one in ("systems", "worths") if one in settings):
        raise UnknownOption(
            f"the pilot says which systems there are: leave out {name}, or give the gap between"
            " successive systems (--gap, in Python gap=)"
        )
    if ("unit" in settings or "noise_sd" in settings) and is_rated(settings) != truth.rated:
        held = "ratings, in points" if truth.rated else "comparisons, in log-worth"
        raise UnknownOption(f"the pilot is of {held}: leave out unit and noise_sd")
    if "judge_sd" in settings or "item_sd" in settings:
        # stated tastes leave what all judges of the pilot answered together as it was
        sds = (settings.get(name, getattr(truth, name)) for name in ("judge_sd", "item_sd"))
        truth = change_tastes(truth, *sds)
    log_worth = truth.log_worth
    if "gap" in settings:
        log_worth = Truth.spaced(len(truth.systems), settings["gap"]).log_worth
    stated = {name: settings[name] for name in ("ties", "noise_sd") if name in settings}
    return replace(truth, log_worth=log_worth, **stated)


def _make_truth(settings: Mapping[str, Any]) -> Truth:
    kinds = {name: float(settings.get(name, 0.0)) for name in ("ties", "judge_sd", "item_sd")}
    if is_rated(settings):
        noise = float(settings.get("noise_sd", NOISE_SD))
        usual = {name: share * noise for name, share in NOISE_SHARES.items()}
        kinds |= {name: float(settings.get(name, sd)) for name, sd in usual.items()}
        kinds["noise_sd"] = noise
    systems, worths, gap = (settings.get(name) for name in ("systems", "worths", "gap"))
    if (worths is None) == (gap is None):
        raise UnknownOption(
            "say how far systems are from each other: gap = 0.3 between neighbours, or worths ="
            " {A = 0.6, B = 0.0}, in log-worth (unit = points: in points of scores); or take both"
            " from a pilot"
        )
    if isinstance(worths, Mapping):
        if systems is not None:
            raise UnknownOption("worths with names name the systems: leave systems out")
        systems, worths = list(worths), list(worths.values())
    elif worths is not None:
        worths = _list(worths, "worths")
        systems = len(worths) if systems is None else systems
    for worth in worths or ():
        if isinstance(worth, bool) or not isinstance(worth, int | float):
            raise UnknownOption(f"a worth cannot be {worth!r}: it is a number, such as 0.4")
    if isinstance(systems, int) and not isinstance(systems, bool):
        names = tuple(f"S{number}" for number in range(1, systems + 1))
    else:
        names = tuple(map(str, _list(systems, "systems")))
    if worths is None:
        worths = [float(gap or 0.0) * place for place in range(len(names) - 1, -1, -1)]
    return Truth(names, tuple(map(float, worths)), **kinds)


def _read_pairs(value: Any, name: str) -> tuple[tuple[str, str], ...]:
    pairs = [_list(one, name) for one in _list(value, name)]
    if not pairs or any(len(one) != 2 or one[0] == one[1] for one in pairs):
        raise UnknownOption(f'{name} is a list of pairs of systems, as [["A", "B"], ["B", "C"]]')
    return tuple((str(one), str(other)) for one, other in pairs)


def _list(value: Any, name: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise UnknownOption(f"{name} cannot be {value!r}: it is a list")
    return value
