"""What is said of judges: code → text."""

from __future__ import annotations

from typing import Final

from evenhand.render.findings import Templates

_VARIANCE: Final = {
    "no-variance": "No source of variance was found.",
    "precision": "As judged, the difference of two {means} has a standard error of"
    " {stderr:figures}{unit}, and a reliability of {reliability:two}.",
    "precision-alone": "As judged, the difference of two {means} has a standard error of"
    " {stderr:figures}{unit}.",
    "plan": "With {design}, the difference would have a standard error of {stderr:figures}{unit},"
    " and a reliability of {reliability:two}.",
    "plan-alone": "With {design}, the difference would have a standard error of"
    " {stderr:figures}{unit}.",
    "error-sources": "Share of this error by source: {sources}.",
    "no-severity": "Judges do not differ in severity.",
    "severity": "Severity of judges has a standard deviation of {sd}.",
    "severity-cancels": "Severity of judges has a standard deviation of {sd}, which cancels: they"
    " scored the same systems in the same proportions.",
    "severity-adds": "Severity of judges has a standard deviation of {sd}. It would cancel if each"
    " judge scored all systems equally often; as judged, it adds {adds:figures} to the standard"
    " error of a difference.",
    "severity-or-taste": "Severity or taste of judges has a standard deviation of {sd}: each judge"
    " scored one system, so that it does not cancel.",
    "design-reaches": "{goal} takes {design}.",
    "design-unreachable": "{goal} cannot be reached by {judges:,} judges, however many items they"
    " judge.",
    "fewer-judges": "With fewer than {judges:#judge} no number of items is enough.",
    "fewer-judges-each": "With fewer than {judges:#judge} of {each:,.0f} comparisons each no number"
    " of items is enough.",
    "items-unknown": "No item x system was found, so the plan has at least as many items as were"
    " judged.",
    "unknown-component": "Nothing is known about {name}: its estimate is 0 and its interval has no"
    " upper bound. Standard errors and designs assume that there is none.",
    "repeated-scores": "{n:#score repeats/scores repeat} one of the same judge for the same output:"
    " their mean counts once, which leaves {left:,} of {of:#score}.",
    "likelihood-of-judges": "judge x system comes from the likelihood of RandomJudges, which treats"
    " items as independent noise; item x system comes from moments.",
    "moments-for-rankings": "judge x system comes from moments: comparisons of one ranking are"
    " correlated, so the likelihood gives an upper bound only.",
    "likelihood-alone": "Tastes are so strong that moments cannot estimate item x system, nor how"
    " tastes enter pooled log-worths: judge x system and systems come from the likelihood alone.",
    "rankings-independent": "The part of chance treats comparisons of one ranking as independent;"
    " estimates of tastes do not.",
    "kinds-excluded": "{n:#control or repeat/controls and repeats} excluded.",
    "controls": "{n:#control} excluded.",
    "repeats": "{n:#repeat} excluded.",
    "tasks-pooled": "{n:#task} are pooled.",
}

say: Final = Templates({**_VARIANCE})
