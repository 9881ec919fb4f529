"""Several questions of one LLM judge are on their way at once, and nothing else changes."""

import threading
import time
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from chat_servers import Reply, answer_left, fail, serve_chat
from evenhand.web.endpoint import Meter, Share
from evenhand.web.store.audit import check_store
from evenhand.web.store.queries import open_to_read
from evenhand.web.store.store import Store

AT_ONCE = ("--parallel", "4")
PRICED = ("--price-in", "1", "--price-out", "1")


@pytest.fixture
def items(folder):
    """Eight items of three systems: 48 questions."""
    rows = [f"i{n},text {n} 0,text {n} 1,text {n} 2\n" for n in range(8)]
    Path("items.csv").write_text("item,heron,lark,wren\n" + "".join(rows))
    return "items.csv"


def words(server, items, *more):
    return ("ask", items, "--url", server.url, "--model", "gpt", "--yes", *more)


def squeeze(text):
    return " ".join(text.split())


@pytest.fixture
def chat():
    with serve_chat(answer_left) as server:
        yield server


def answer_by_prompt(request):
    """The same to the same question: an answer, or what has to be repaired, or a refusal."""
    first, *repair = request["messages"]
    draw = int(sha256(first["content"].encode()).hexdigest(), 16)
    kind, wait = draw % 5, draw % 7 / 200
    usage = {"prompt_tokens": 100 + draw % 50, "completion_tokens": 10 + draw % 9}
    if kind == 2:
        return Reply("", message={"refusal": "no"}, wait=wait, usage=usage)
    good = f'{{"outcome": "{("left", "right", "tie")[draw % 3]}"}}'
    is_bad = kind == 1 or (kind == 0 and not repair)
    return Reply(f"not {kind}" if is_bad else good, wait=wait, usage=usage)


def list_log(where):
    """What the log says of questions, but for numbers and times."""
    store = open_to_read(where)
    assert check_store(store).holds
    kept = [one for one in store.records() if one.kind in ("judgment", "skip", "attempt")]
    shown = [(one.ticket.item, one.ticket.systems, one.kind, one.reply, one.answer) for one in kept]
    return sorted(map(str, zip(shown, (one.facts for one in kept), strict=True)))


def count_at_once(calls):
    ends = [(call.at, 1) for call in calls] + [(call.at + call.sent.wait, -1) for call in calls]
    under_way, most = 0, 0
    for _, change in sorted(ends):
        under_way += change
        most = max(most, under_way)
    return most


def test_what_is_stored_does_not_depend_on_how_many_are_on_their_way(evenhand, items, chat):
    chat.answer = answer_by_prompt
    one = evenhand(*words(chat, items))
    asked, chat.calls = Counter(call.prompt for call in chat.calls), []
    four = evenhand(*words(chat, items, *AT_ONCE, "--database", "four.db"))
    assert Counter(call.prompt for call in chat.calls) == asked
    assert 2 <= count_at_once(chat.calls) <= 4
    assert list_log("items.db") == list_log("four.db")
    assert one.out == four.out.replace(" --database four.db", "")
    # each repair is of the reply to its own question
    for call in chat.calls:
        _, *repair = call.request["messages"]
        if repair:
            said = answer_by_prompt({"messages": call.request["messages"][:1]}).text
            assert repair[0]["content"] == said
    n = len(chat.calls)
    evenhand(*words(chat, items, *AT_ONCE, "--database", "four.db"))
    assert len(chat.calls) == n


def test_a_repair_that_takes_long_holds_up_no_other_question(evenhand, items, chat):
    def answer(request):
        is_repair = len(request["messages"]) > 1
        is_first = len(chat.calls) == 5
        if is_repair:
            n = len(chat.calls)
            return Reply('{"outcome": "left"}', until=lambda: len(chat.calls) > n + 10)
        return Reply("so" if is_first else '{"outcome": "left"}', wait=0.01)

    chat.answer = answer
    told = evenhand(*words(chat, items, *AT_ONCE))
    assert "48 of 48 questions answered" in told.out
    # it came once: ten others were asked while it was waited for
    (repair,) = [call for call in chat.calls if len(call.request["messages"]) > 1]
    (attempt,) = [one for one in open_to_read("items.db").records() if one.kind == "attempt"]
    assert attempt.reply == "so"
    assert attempt.at / 1000 <= repair.at


def test_one_retry_after_stops_all(evenhand, items, chat):
    def answer(request):
        if len(chat.calls) == 10:
            return fail(429, retry_after="1")
        # those that are out when it is said come back when it has been heard
        return Reply('{"outcome": "left"}', wait=0.5 if 6 < len(chat.calls) < 14 else 0.01)

    chat.answer = answer
    told = evenhand(*words(chat, items, *AT_ONCE))
    assert "48 of 48 questions answered" in told.out
    refused = chat.calls[10]
    later = [call for call in chat.calls[11:] if call.at > refused.at + 0.9]
    assert len(chat.calls[11:]) - len(later) <= 3  # which were on their way
    assert later[0].at >= refused.at + 1
    assert refused.prompt in [call.prompt for call in later[:4]]
    assert len(chat.calls) == 49


def test_an_endpoint_that_takes_one_question_at_a_time_is_not_given_up(evenhand, items, chat):
    free_at = 0.0

    def answer(request):
        nonlocal free_at
        if time.monotonic() < free_at:
            return fail(429, "one at a time", retry_after="0.02")
        free_at = time.monotonic() + 0.01
        return Reply('{"outcome": "left"}', wait=0.01)

    chat.answer = answer
    assert "48 of 48 questions answered" in evenhand(*words(chat, items, *AT_ONCE)).out
    # each is tried again alone
    assert max(Counter(call.prompt for call in chat.calls).values()) <= 5


def test_what_an_endpoint_takes_is_found_out_by_one_question(evenhand, items, chat):
    def answer(request):
        if request.get("response_format", {}).get("type") == "json_schema":
            return replace(fail(400, "response_format.type must be json_object"), wait=0.1)
        return Reply('{"outcome": "left"}', wait=0.02)

    chat.answer = answer
    evenhand(*words(chat, items, *AT_ONCE))
    formats = [call.request["response_format"]["type"] for call in chat.calls]
    assert formats == ["json_schema"] + ["json_object"] * 48


def answer_dearly(request):
    """As much as a question can take: its bytes, the limit of a reply; some twice."""
    reply = answer_by_prompt(request)
    size = sum(len(one["content"].encode()) for one in request["messages"])
    reply.usage = {"prompt_tokens": size, "completion_tokens": request["max_tokens"]}
    return reply


@pytest.mark.parametrize("most", [60_000, 75_000, 93_000])
def test_the_budget_is_not_exceeded_and_nothing_of_it_is_left_over(evenhand, items, chat, most):
    chat.answer = answer_dearly
    limits = ("--max-cost", str(most / 1e6), *PRICED) if most == 75_000 else ("--max-tokens", most)
    told = 'name = "x"\njudges = 2\nseed = 7\nitems = "items.csv"\n'
    Path("seeded.toml").write_text(f'{told}[[tasks]]\nkind = "pair"\nname = "better"\n')
    spent = []
    for more in ((), AT_ONCE):
        chat.calls = []
        where = f"with{len(more)}.db"
        told = evenhand(*words(chat, "seeded.toml", *map(str, limits), *more, "--database", where))
        assert "the budget does not allow the next question" in squeeze(told.out)
        usages = [call.sent.usage for call in chat.calls]
        took = sum(sum(one.values()) for one in usages)
        assert most / 2 < took <= most
        spent.append((took, {call.prompt for call in chat.calls}))
        assert f"{sum(one['prompt_tokens'] for one in usages):,} tokens sent" in squeeze(told.out)
    assert spent[0] == spent[1]
    assert list_log("with0.db") == list_log("with2.db")


def test_incomplete_replies_of_several_do_not_exceed_the_budget(evenhand, items, chat):
    """Each may have been paid for in full."""
    paid = 0

    def answer(request):
        nonlocal paid
        paid += sum(len(one["content"].encode()) for one in request["messages"]) + 4_096
        return Reply('{"outcome": "left"}', usage=None, cut=len(chat.calls) % 3 == 2, wait=0.02)

    chat.answer = answer
    told = evenhand(*words(chat, items, *AT_ONCE, "--max-tokens", "60000"))
    assert "the budget does not allow the next question" in squeeze(told.out)
    cut = sum(call.sent.cut for call in chat.calls)
    assert cut > 1
    sent, written = (
        int(part.split()[-1].replace(",", ""))
        for part in squeeze(told.out).split("used ")[1].split(" received")[0].split(" tokens sent,")
    )
    assert 4_096 * cut <= sent + written <= 60_000
    assert check_store(open_to_read("items.db")).holds


@pytest.mark.parametrize("parallel", ["1", "4"])
def test_a_final_error_ends_all_and_what_was_on_its_way_is_stored(evenhand, items, chat, parallel):
    def answer(request):
        if len(chat.calls) >= 13:
            return fail(401, "the key was withdrawn")
        return Reply('{"outcome": "left"}', wait=0.05)

    chat.answer = answer
    refused = evenhand(*words(chat, items, "--parallel", parallel), code=2)
    assert refused.err.count("the key was withdrawn") == 1
    assert len(chat.calls) <= 13 + int(parallel)
    store = open_to_read("items.db")
    assert sum(one.kind == "judgment" for one in store.records()) == 13
    assert check_store(store).holds
    chat.answer = answer_left
    assert "48 of 48" in evenhand(*words(chat, items, "--parallel", parallel)).out


def test_an_endpoint_that_is_down_ends_all_after_the_attempts_of_one(evenhand, items, chat):
    def answer(request):
        if len(chat.calls) >= 8:
            return fail(503, "overloaded", retry_after="0")
        return Reply('{"outcome": "left"}', wait=0.02)

    chat.answer = answer
    refused = evenhand(*words(chat, items, *AT_ONCE), code=2)
    assert "gave no reply to 8 attempts (503 overloaded)" in squeeze(refused.err)
    # one of four tried eight times, the others once
    assert 8 + 8 <= len(chat.calls) <= 8 + 8 + 3


def test_a_campaign_that_is_paused_meanwhile_hands_out_no_more(evenhand, items, chat):
    with Store.open("items.db") as beside:

        def answer(request):
            if len(chat.calls) == 9:
                beside.pause()
            return Reply('{"outcome": "left"}', wait=0.1)

        chat.answer = answer
        assert "the campaign is paused" in evenhand(*words(chat, items, *AT_ONCE), code=2).err
        assert len(chat.calls) <= 10 + 4
        judged = [one for one in beside.records() if one.kind == "judgment"]
        assert len(judged) == len(chat.calls)
        assert check_store(beside).holds
        beside.resume()
    chat.answer = answer_left
    assert "48 of 48" in evenhand(*words(chat, items, *AT_ONCE)).out


def test_a_web_page_is_refused_after_one_call(evenhand, items, chat):
    chat.answer = lambda _: Reply(body=b"<!DOCTYPE html><html>Sign in</html>", wait=0.05)
    refused = evenhand(*words(chat, items, *AT_ONCE), code=2)
    assert "see --url" in squeeze(refused.err)
    assert len(chat.calls) == 1


@pytest.mark.parametrize("parallel", ["0", "65", "x"])
def test_how_many_may_be_on_their_way_is_limited(evenhand, items, chat, parallel):
    assert "--parallel" in evenhand(*words(chat, items, "--parallel", parallel), code=2).err
    assert chat.calls == []
    assert not Path("items.db").exists()


def hold_in_thread(share, most):
    """Ask for room in another thread, and return it with what it will be told."""
    told = []
    thread = threading.Thread(target=lambda: told.append(share.hold(most, wait=True)), daemon=True)
    thread.start()
    thread.join(0.1)
    return thread, told


def test_what_is_held_for_one_question_is_not_given_to_another_before_it_is_given_back():
    meter = Meter((10, 0), lambda tokens: sum(tokens) <= 100)
    first, second = Share(meter), Share(meter)
    assert first.hold((40, 20))
    assert not second.hold((20, 11))
    thread, told = hold_in_thread(second, (20, 20))
    assert told == []
    first.add((5, 3))  # which leaves 35 and 17 held
    assert told == []
    first.end()
    thread.join(5)
    assert told == [True]
    assert meter.tokens == (15, 3)
    assert first.take() == (5, 3)
    assert first.take() == (0, 0)


def test_of_questions_that_wait_for_each_other_the_last_gives_up():
    meter = Meter((0, 0), lambda tokens: sum(tokens) <= 100)
    first, second = Share(meter), Share(meter)
    assert first.hold((50, 0))
    assert second.hold((50, 0))
    thread, told = hold_in_thread(first, (60, 0))
    assert told == []
    assert not second.hold((60, 0), wait=True)
    second.end()
    thread.join(5)
    assert told == [True]
