"""Error spans in one column."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.data.annotations import SIDES, Span, read_spans, write_spans

places = st.one_of(
    st.just((None, None)),
    st.just((0, 0)),
    st.tuples(st.integers(0, 99), st.integers(1, 99)).map(lambda pair: (pair[0], sum(pair))),
)
spans = st.builds(
    lambda place, severity, category, side: Span(*place, severity, category, side),
    places,
    st.text(min_size=1),
    st.text(),
    st.sampled_from(SIDES),
)


@settings(max_examples=30)
@given(st.lists(spans, max_size=3))
def test_spans_are_read_as_they_were_written(marked) -> None:
    assert read_spans(write_spans(marked)) == tuple(marked)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        '[{"start": 0, "end": 1}]',
        '[{"start": 2, "end": 1, "severity": "x"}]',
        '[{"start": -1, "end": 1, "severity": "x"}]',
        '[{"start": null, "end": 1, "severity": "x"}]',
        '[{"start": 0, "end": 1, "severity": "x", "side": "target"}]',
        '[{"start": 0, "end": 1, "severity": "x", "colour": "red"}]',
    ],
)
def test_anything_else_is_refused(text) -> None:
    with pytest.raises(ValueError, match="span"):
        read_spans(text)
