"""One question to an endpoint that errs: retried with patience, loosened, or refused in words."""

import json
import re
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from chat_servers import Reply, answer_left, fail, serve_chat
from evenhand.errors import UnknownOption
from evenhand.web.endpoint import BudgetSpent, Endpoint, EndpointError, Meter, Share, read_url

ASKED = [{"role": "user", "content": "Which is better?"}]
SCHEMA = {"type": "object", "properties": {}, "required": []}


@pytest.fixture
def chat():
    with serve_chat(answer_left) as server:
        yield server


@contextmanager
def open_endpoint(server, **settings):
    """An endpoint whose pauses are noted, and pass at once by its clock."""
    pauses = []
    clock = {"pause": pauses.append, "clock": lambda: sum(pauses)}
    endpoint = Endpoint(server.url, "gpt", **clock, **settings)
    try:
        yield endpoint, pauses
    finally:
        endpoint.close()


def ask(endpoint):
    share = Share(endpoint.meter)
    try:
        return endpoint.ask(ASKED, SCHEMA, share)
    finally:
        share.end()


FAULTS = {
    "429": fail(429, "slow down"),
    "500": fail(500),
    "502 of a proxy": Reply(status=502, body=b"<html>Bad gateway</html>"),
    "cut off": Reply('{"outcome": "left"}', cut=True),
    "half of its JSON": Reply(body=b'{"choices": [{"message": {"content": "{'),
    "no choices": Reply(body=b'{"choices": []}'),
    "another protocol": Reply(body=b'["left"]'),
    "no JSON": Reply(body=b"left"),
    "not UTF-8": Reply(body=b'{"choices": "\xff"}'),
    "deep": Reply(body=b"[" * 100_000),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_what_may_pass_is_tried_again_with_longer_pauses(chat, fault):
    chat.first = [fault] * 3
    with open_endpoint(chat) as (endpoint, pauses):
        assert ask(endpoint).text == '{"outcome": "left"}'
    assert len(chat.calls) == 4
    for pause, longest in zip(pauses, (1, 2, 4), strict=True):
        assert longest / 2 <= pause <= longest
    # replies with status 200 that did not arrive whole may have been paid for
    assert (endpoint.meter.tokens[0] > 100) == (fault.status == 200)


def test_an_endpoint_that_is_down_is_given_up_and_the_last_reason_is_said(chat):
    chat.answer = lambda _: fail(503, "overloaded")
    says = pytest.raises(EndpointError, match=r"no reply to 8 attempts \(503 overloaded\)")
    with open_endpoint(chat) as (endpoint, pauses), says:
        ask(endpoint)
    assert len(chat.calls) == 8
    assert len(pauses) == 7


def test_nobody_listens():
    passed = []
    clock = {"pause": passed.append, "clock": lambda: sum(passed)}
    endpoint = Endpoint("http://127.0.0.1:1", "gpt", **clock)
    with pytest.raises(EndpointError, match=r"nothing answers at 127.0.0.1:1 .*: see --url"):
        ask(endpoint)
    endpoint.close()
    assert endpoint.meter.tokens == (0, 0)
    assert not passed  # refused at once


def test_an_endpoint_that_goes_away_is_waited_for(chat):
    chat.first = [fail(503)]
    with open_endpoint(chat) as (endpoint, pauses):
        assert ask(endpoint).text
        endpoint.url = "http://127.0.0.1:1"
        with pytest.raises(EndpointError, match="all answers so far are stored; run the same"):
            ask(endpoint)
    assert len(pauses) == 8


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("7", 7, 7.7),
        ("0", 0, 0),
        ("2.5", 2.5, 2.75),
        ("in 300 s", 250, 330),
        ("600", 600, 660),
    ],
    ids=["seconds", "none", "fraction", "date", "longest"],
)
def test_it_waits_as_long_as_the_endpoint_asks(chat, text, least, most):
    if text == "in 300 s":
        text = format_datetime(datetime.now(UTC) + timedelta(seconds=300), usegmt=True)
    chat.first = [fail(429, retry_after=text)]
    with open_endpoint(chat) as (endpoint, pauses):
        ask(endpoint)
    assert least <= sum(pauses) <= most


def test_a_slow_reply_is_not_waited_for_without_end(chat):
    came = threading.Event()
    chat.first = [Reply('{"outcome": "right"}', until=came.is_set)]
    with open_endpoint(chat, patience=1) as (endpoint, pauses):
        assert ask(endpoint).text == '{"outcome": "left"}'
    came.set()
    assert len(pauses) == 1
    assert endpoint.meter.tokens[0] > 100


@pytest.mark.parametrize("fault", [FAULTS["cut off"], FAULTS["half of its JSON"]])
def test_replies_that_break_off_do_not_exceed_the_budget(chat, fault):
    """Each may have been paid for in full: its bytes as tokens, and the limit of a reply."""
    chat.answer = lambda _: fault
    most = 4 * (len(ASKED[0]["content"]) + 1_000)
    meter = Meter(allows=lambda tokens: sum(tokens) <= most)
    opened = open_endpoint(chat, reply_limit=1_000, meter=meter)
    with opened as (endpoint, _), pytest.raises(BudgetSpent):
        ask(endpoint)
    assert len(chat.calls) == 3


def formats(server):
    return [call.request.get("response_format", {}).get("type") for call in server.calls]


def test_endpoints_that_know_no_schemas_are_asked_without_from_then_on(chat):
    chat.first = [fail(400, "response_format.type must be json_object"), fail(422, "unknown field")]
    with open_endpoint(chat) as (endpoint, pauses):
        ask(endpoint)
        ask(endpoint)
    assert formats(chat) == ["json_schema", "json_object", None, None]
    assert pauses == []


def test_a_newer_name_of_the_limit_is_taken_up(chat):
    chat.first = [fail(400, "'max_tokens' is not supported: use 'max_completion_tokens' instead.")]
    with open_endpoint(chat, reply_limit=50) as (endpoint, _):
        ask(endpoint)
    assert formats(chat) == ["json_schema"] * 2
    assert "max_tokens" not in chat.calls[1].request
    assert chat.calls[1].request["max_completion_tokens"] == 50


def test_a_question_that_is_rejected_among_others_has_no_answer_and_not_many_may_be(chat):
    long = fail(400, "This model's maximum context length is 4096 tokens.")
    with open_endpoint(chat) as (endpoint, _):
        ask(endpoint)
        chat.first = [long, long, Reply("{}"), long, long, long, long]
        whys = [ask(endpoint).why for _ in range(6)]
        assert whys == ["rejected", "rejected", "", "rejected", "rejected", "rejected"]
        with pytest.raises(EndpointError, match="maximum context length"):
            ask(endpoint)
    assert formats(chat) == ["json_schema"] * 8


PAGE = b"\n<!DOCTYPE html><html>Log in</html>"
REFUSALS = {
    "key": (
        fail(401, "no key"),
        "127.0.0.1:%d needs a key: name its environment variable, --key-env NAME",
    ),
    "model": (fail(404, "not found"), "has no model 'gpt', or nothing at this path"),
    "money": (fail(402, "pay first"), r"no credit left for this key \(402: pay first\): add some"),
    "question": (fail(400, "no such\n\nparameter"), r"\(400: no such parameter\)"),
    "FastAPI": (Reply(status=400, body=b'{"detail": "bad"}'), r"\(400: bad\)"),
    "text": (Reply(status=400, body=b"bad"), r"\(400: bad\)"),
    "nothing": (Reply(status=418, body=b""), r"\(418\)"),
    "redirect": (Reply(status=302, headers={"Location": "http://[x"}), "redirects to no address"),
    "web page": (Reply(body=PAGE), "shows a web page at this path, .*: see --url"),
}


@pytest.mark.parametrize(("reply", "says"), REFUSALS.values(), ids=REFUSALS)
def test_what_will_not_pass_is_refused_at_once(chat, reply, says):
    chat.answer = lambda _: reply
    refused = pytest.raises(EndpointError, match=says.replace("%d", str(chat.port)))
    with open_endpoint(chat) as (endpoint, pauses), refused:
        ask(endpoint)
    assert pauses == []
    assert endpoint.meter.tokens == (0, 0)


def test_variables_of_the_environment_send_the_key_nowhere(chat, monkeypatch, tmp_path):
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login me password other")
    for name, value in {
        "HTTP_PROXY": "http://127.0.0.1:1",
        "ALL_PROXY": "http://127.0.0.1:1",
        "NETRC": str(tmp_path / ".netrc"),
    }.items():
        monkeypatch.setenv(name, value)
    with open_endpoint(chat, key="sk-1") as (endpoint, _):
        ask(endpoint)
    assert chat.calls[0].headers["Authorization"] == "Bearer sk-1"


def test_a_reply_with_halves_of_characters_can_be_stored(chat):
    chat.first = [Reply(body=json.dumps({"choices": [{"message": {"content": "a\0b"}}]}).encode())]
    with open_endpoint(chat) as (endpoint, _):
        assert ask(endpoint).text == "ab"


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (
            fail(429, "later", **{"Retry-After": "86400"}),
            "left alone for 1,440 minutes (429: later",
        ),
        (fail(429, "no money", code="insufficient_quota"), "no credit left for this key (429: no"),
    ],
)
def test_what_does_not_pass_soon_is_not_waited_for(chat, reply, words):
    chat.answer = lambda _: reply
    with open_endpoint(chat, key="k" * 20) as (endpoint, pauses):
        with pytest.raises(EndpointError, match=re.escape(words)) as refusal:
            ask(endpoint)
        assert "run the same command" in str(refusal.value)
        assert (len(chat.calls), pauses) == (1, [])


@pytest.mark.parametrize(
    "usage",
    [
        "many",
        {"prompt_tokens": "100", "completion_tokens": 10},
        {"prompt_tokens": 100, "completion_tokens": -1},
        {"prompt_tokens": 1.5, "completion_tokens": True},
        [],
    ],
)
def test_a_count_of_tokens_that_is_none_does_not_spoil_a_reply(chat, usage):
    chat.answer = lambda _: Reply("left", usage=usage)
    with open_endpoint(chat) as (endpoint, _):
        assert ask(endpoint).text == "left"
        assert (len(chat.calls), endpoint.estimates) == (1, True)
        sent, written = endpoint.meter.tokens
        assert sent >= len(ASKED[0]["content"])
        assert written in (10, len("left"))


def test_each_attempt_that_failed_is_told_with_the_wait(chat):
    told = []
    chat.first = [fail(429, "slow down", retry_after="7")]
    with open_endpoint(chat, tell=told.append) as (endpoint, _):
        ask(endpoint)
    (said,) = told
    assert re.fullmatch(
        rf"{re.escape(endpoint.host)} gave no reply \(429 slow down\): attempt 2 of 8 in [78] s",
        said,
    )


def test_where_nothing_was_answered_nothing_is_said_to_be_stored(chat):
    chat.answer = lambda _: fail(503, "overloaded")
    with open_endpoint(chat) as (endpoint, _), pytest.raises(EndpointError) as caught:
        ask(endpoint)
    assert "stored" not in str(caught.value)


@pytest.mark.parametrize("text", ["nan", "soon", "-5", "inf"])
def test_a_retry_after_that_says_nothing_is_passed_over(chat, text):
    chat.first = [fail(429, retry_after=text)]
    with open_endpoint(chat) as (endpoint, pauses):
        ask(endpoint)
    assert 0 <= sum(pauses) <= 1


def test_a_web_page_among_replies_is_a_passing_fault(chat):
    with open_endpoint(chat) as (endpoint, pauses):
        ask(endpoint)
        chat.first = [Reply(body=PAGE)]
        assert ask(endpoint).text == '{"outcome": "left"}'
    assert len(pauses) == 1


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
        ("https://a.example/v1/", "https://a.example/v1/chat/completions"),
        ("https://a.example/x/chat/completions", "https://a.example/x/chat/completions"),
        ("https://a.example/d?api-version=1", "https://a.example/d/chat/completions?api-version=1"),
    ],
)
def test_the_path_of_the_protocol_is_added_once(url, path):
    assert read_url(url, has_key=False)[0] == path


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "https://", "http://[", "https://a:b"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(UnknownOption, match="--url"):
        read_url(url, has_key=False)


def test_a_reply_in_parts_is_read_whole(chat):
    parts = [{"type": "text", "text": "le"}, {"type": "thinking"}, {"type": "text", "text": "ft"}]
    chat.answer = lambda _: Reply(message={"content": parts})
    with open_endpoint(chat) as (endpoint, _):
        assert ask(endpoint).text == "left"
        assert len(chat.calls) == 1
