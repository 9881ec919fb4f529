"""The suites: what is measured, one file each. `SUITES` lists them in the order of a run."""

from benchmarks.contenders import Suite
from benchmarks.suites import (
    agreement,
    completion,
    controls,
    fit,
    growth,
    intervals,
    item_response,
    labels,
    metrics,
    random_judges,
    ratings,
    startup,
    web,
)

SUITES: dict[str, Suite] = {
    module.SUITE.name: module.SUITE
    for module in (
        fit,
        intervals,
        agreement,
        labels,
        item_response,
        random_judges,
        controls,
        ratings,
        metrics,
        completion,
        growth,
        startup,
        web,
    )
}
