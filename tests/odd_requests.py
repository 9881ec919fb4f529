"""Requests that no page of ours sends: a campaign with every kind of question, and what is sent."""

import json
from typing import Any

from hypothesis import strategies as st

EVERY_KIND: dict[str, Any] = {
    "name": "kinds",
    "judges": ["j0", "j1", "j2", "j3"],
    "tasks": [
        {"kind": "pair", "name": "better", "comment": True},
        {"kind": "rank", "name": "order", "n": 3},
        {"kind": "rating", "name": "fluency", "low": 1, "high": 5},
        {"kind": "spans", "name": "errors", "categories": ["style"], "comment": True},
    ],
    "items": [
        {"item": str(n), "source": "šťáva", "outputs": {"A": "a b", "B": "b", "C": "c 🙂"}}
        for n in range(4)
    ],
}
WORDS = ("outcome", "ranks", "score", "spans", "comment", "start", "end", "severity", "category")
VALUES = st.one_of(
    *(st.none(), st.booleans(), st.integers(-3, 6), st.integers(), st.floats(), st.text()),
    st.sampled_from(["left", "right", "tie", "both_bad", "minor", "major", "style", "output"]),
)
NAMES = st.one_of(st.sampled_from(WORDS), st.text())
TREES = st.recursive(
    VALUES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5)
)
ANSWERS = st.one_of(TREES, st.dictionaries(st.sampled_from(WORDS), TREES, max_size=4))


def write(told: object) -> bytes:
    """JSON as Python writes it, with NaN and halves of surrogates where there are some."""
    return json.dumps(told).encode()


def nest(depth: int) -> bytes:
    """JSON within JSON."""
    return b'{"ticket":"x","key":"k","answer":' + b"[" * depth + b"]" * depth + b"}"


FORMS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("ticket", "key", "at", "judge", "seat", "note", "person"), VALUES),
        **dict.fromkeys(("seconds", "more"), VALUES),
        "answer": ANSWERS,
        "what": st.one_of(st.sampled_from(["invite", "join", "pause", "resume", "forget"]), VALUES),
    },
)
"""What every route together takes, with values of any kind."""
BODIES = st.one_of(
    FORMS.map(write),
    TREES.map(write),
    st.binary(max_size=400),
    st.sampled_from(
        [
            b"",
            b"{}",
            b"\xff\xfe{",
            b'{"key":"\xc3\x28"}',
            b'"\\ud800"',
            b"NaN",
            b'{"seconds":1e999}',
        ]
    ),
    st.sampled_from([10, 2_000, 100_000]).map(nest),
    st.just(b"[" + b"0," * 150_000 + b"0]"),  # more than is taken
)
TYPES = st.one_of(
    st.just(b"application/json"),
    st.sampled_from([b"text/plain", b"application/json; charset=utf-16", b"", b"\xff/\x80"]),
)
FEW_BYTES = st.binary(max_size=30).map(lambda one: one.translate(None, b"\r\n\0"))
HEADERS = st.dictionaries(
    st.sampled_from(
        (
            *("accept", "origin", "sec-fetch-site", "content-length", "x-forwarded-for", "host"),
            *("x-forwarded-proto", "transfer-encoding", "range", "if-modified-since", "cookie"),
        )
    ),
    st.one_of(
        FEW_BYTES,
        st.sampled_from([b"", b"text/html", b"same-origin", b"cross-site", b"null", b"7", b"-1"]),
        st.sampled_from(
            [b"9" * 30, b"a, b", b"[", b"bytes=0-,5-", b"http://[broken", b"bytes=9-1"]
        ),
    ),
    max_size=4,
)
QUERIES = st.one_of(
    st.just({}),
    st.dictionaries(
        st.sampled_from(["PROLIFIC_PID", "workerId", "worker", "assignmentId", "x"]),
        st.one_of(
            st.text(max_size=300).map(lambda one: one.encode("utf-8", "surrogatepass")),
            st.sampled_from([b"5f" * 12, b"\xff", b"", b"ASSIGNMENT_ID_NOT_AVAILABLE"]),
        ),
        max_size=3,
    ),
)
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "ODD")
