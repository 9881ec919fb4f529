"""How likely an outcome was, by the log-probabilities of a reply; none where they do not say."""

from math import log

import pytest

from chat_servers import Reply, fail, serve_chat
from evenhand.web.asking import read_probabilities
from evenhand.web.endpoint import Endpoint, Share

OUTCOMES = ["left", "right", "tie"]


QUESTION = [{"role": "user", "content": "?"}]


def token(written, share=1.0, top=(), **more):
    top = [{"token": name, "logprob": log(p)} for name, p in top]
    return {"token": written, "logprob": log(share), "top_logprobs": top, **more}


def reply_of(*tokens):
    return "".join(one["token"] for one in tokens), {"content": list(tokens)}


def read(*tokens, outcome="left"):
    text, logprobs = reply_of(*tokens)
    return read_probabilities(text, outcome, OUTCOMES, logprobs)


TOP = [("left", 0.5), ("right", 0.2), ("t", 0.1), ("neither", 0.15)]
FOUND = {"left": 0.625, "right": 0.25, "tie": 0.125, "outside": 0.2}


def test_shares_are_of_the_permitted_outcomes_and_the_rest_is_outside():
    assert read(token('{"outcome": "'), token("left", 0.5, TOP), token('"}')) == FOUND


def test_a_token_may_hold_text_around_the_outcome():
    top = [(f'"{name}', share) for name, share in TOP]
    assert read(token('{"outcome": '), token('"left', 0.5, top), token('"}')) == FOUND
    top = [('"left"}', 0.5), ('"right"}', 0.5), ("'left'", 1e-9)]
    found = read(token('{"outcome": '), token('"left"}', 0.5, top))
    assert found["left"] == found["right"] == 0.5


def test_a_sampled_token_that_is_not_among_the_alternatives_counts():
    top = [("left", 0.6), ("right", 0.3)]
    found = read(token('{"outcome":"'), token("tie", 0.1, top), token('"}'), outcome="tie")
    assert found == {"left": 0.6, "right": 0.3, "tie": 0.1, "outside": 0.0}


def test_halves_of_characters_are_told_by_their_bytes():
    half, rest = token("\\xc3", bytes=[0xC3]), token("\\xa9", bytes=[0xA9])
    tokens = [token('{"reason": "'), half, rest, token('", "outcome": "'), token("left", 0.5, TOP)]
    text = '{"reason": "é", "outcome": "left"}'
    logprobs = {"content": [*tokens, token('"}')]}
    assert read_probabilities(text, "left", OUTCOMES, logprobs) == FOUND


GOOD = [token('{"outcome": "'), token("left", 0.5, TOP), token('"}')]
TEXT = '{"outcome": "left"}'
UNREADABLE = {
    "missing": None,
    "null": {"content": None},
    "empty": {"content": []},
    "text": "yes",
    "half": {"content": GOOD[:2]},
    "other text": {"content": [GOOD[0], token("right", 0.5, TOP), GOOD[2]]},
    "no numbers": {"content": [GOOD[0], {**GOOD[1], "logprob": "high"}, GOOD[2]]},
    "above 1": {"content": [GOOD[0], {**GOOD[1], "logprob": 0.7}, GOOD[2]]},
    "together above 1": {"content": [GOOD[0], token("left", 0.9, [("right", 0.8)]), GOOD[2]]},
    "no bytes": {"content": [GOOD[0], {**GOOD[1], "bytes": [300]}, GOOD[2]]},
    "older form": {"tokens": ["left"], "token_logprobs": [-0.1]},
}


@pytest.mark.parametrize("logprobs", UNREADABLE.values(), ids=UNREADABLE)
def test_where_they_do_not_say_there_is_no_probability(logprobs):
    assert read_probabilities(TEXT, "left", OUTCOMES, logprobs) is None
    with serve_chat(lambda _: Reply(TEXT, logprobs=logprobs)) as server:
        endpoint = Endpoint(server.url, "gpt", logprobs=True)
        assert endpoint.ask(QUESTION, {}, Share(endpoint.meter)).text == TEXT
        endpoint.close()


def test_a_token_that_does_not_decide_gives_no_probability():
    texts = token('{"outcome": "'), token("to", 1.0), token('p"}')
    text, logprobs = reply_of(*texts)
    assert read_probabilities(text, "top", ["top", "toe"], logprobs) is None


def test_an_outcome_that_stands_twice_gives_none():
    twice = [token('{"a": {"outcome": "'), token("left"), token('"}, "outcome": "'), token("left")]
    assert read(*twice, token('"}')) is None


@pytest.mark.parametrize("status", [400, 403])
def test_an_endpoint_that_refuses_alternatives_is_asked_for_fewer_then_for_none(status):
    with serve_chat(lambda _: Reply(TEXT)) as server:
        server.first = [fail(status, "top_logprobs must be at most 5")]
        server.first += [fail(status, "logprobs are not supported by this model")]
        endpoint = Endpoint(server.url, "gpt", logprobs=True)
        assert endpoint.ask(QUESTION, {}, Share(endpoint.meter)).text == TEXT
        endpoint.close()
        assert [call.request.get("top_logprobs") for call in server.calls] == [20, 5, None]
        assert "logprobs" not in server.calls[-1].request
        assert all(call.request["response_format"] for call in server.calls)
