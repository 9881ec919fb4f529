"""`evenhand ask` is killed while an LLM answers that is paid by the call.

No answer that was stored is asked for again, and none that was stored is lost: a kill can cost the
replies that were on their way, one or as many as `--parallel` allows.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chat_servers import ChatServer, Reply, answer_anew, fail, serve_chat
from evenhand.web.asking import Prompt
from evenhand.web.store.audit import check_store
from evenhand.web.store.log import Record
from evenhand.web.store.queries import Readable, open_to_read
from evenhand.web.views import view_ticket
from started_servers import Commands, start_parent, write_campaign
from waiting import LONG, wait_for

KEY = "sk-paid-by-the-call"
PROMPT = Prompt.read(None)  # compiled once


def answer_badly(draws: random.Random) -> "dict[str, object]":
    """A server that errs in one of four calls, and says something else each time."""
    good = answer_anew()
    faults = [
        lambda: fail(429, retry_after="0"),
        lambda: Reply("I prefer the left one."),
        lambda: Reply("", message={"refusal": "no"}),
        lambda: Reply(body=b'{"choices": [{"mess', headers={"Retry_After": "0"}),
    ]

    def answer(request: "dict[str, object]") -> Reply:
        wait = draws.uniform(0, 0.02)
        reply = good(request) if draws.random() < 0.75 else draws.choice(faults[:3])()
        return replace(reply, wait=wait)

    return answer  # type: ignore[return-value]


def write_words(campaign: Path, server: ChatServer, parallel: int = 1) -> list[str]:
    words = ["ask", str(campaign), "--url", server.url, "--model", "gpt", "--key-env", "SECRET"]
    return [*words, "--parallel", str(parallel), "--yes"]


def start(
    campaign: Path, server: ChatServer, printed: Path, parallel: int = 1
) -> "subprocess.Popen[bytes]":
    with printed.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "evenhand", *write_words(campaign, server, parallel)],
            env={**os.environ, "SECRET": KEY, "OPENBLAS_NUM_THREADS": "1"},
            stdout=file,
            stderr=file,
        )


def wait_for_calls(server: ChatServer, n: int, is_dead: Callable[[], bool]) -> None:
    wait_for(lambda: len(server.calls) >= n or is_dead(), every=0.001)
    assert not is_dead(), "it ended before it was told to"


def list_stored(store: Readable) -> list[Record]:
    return [one for one in store.records() if one.by_llm]


def write_prompt(store: Readable, record: Record) -> str:
    assert record.ticket is not None
    return PROMPT.write(view_ticket(store.campaign, record.ticket))


def kill_often(folder: Path, times: int, parallel: int) -> None:
    draws = random.Random(20131)
    campaign, printed = write_campaign(folder, items=12 * times), folder / "printed"
    where = str(campaign.with_suffix(".db"))
    acknowledged: set[str] = set()
    with (
        serve_chat(answer_badly(draws)) as server,  # type: ignore[arg-type]
        start_parent(printed, SECRET=KEY) as parent,
    ):
        commands, words = Commands(parent, printed), write_words(campaign, server, parallel)
        for _ in range(times):
            before = len(server.calls)
            commands.run(words)
            wait_for_calls(server, before + draws.randint(0, 20), commands.is_dead)
            time.sleep(draws.uniform(0, 0.1))
            assert commands.end() == -signal.SIGKILL
            asked = {call.prompt for call in server.calls[before:]}
            assert not asked & acknowledged, "what was stored was asked again"
            if Path(where).exists():
                store = open_to_read(where)
                acknowledged = {write_prompt(store, one) for one in list_stored(store)}
                store.engine.dispose()
        before, killed = len(server.calls), len(acknowledged)
        commands.run(words)
        assert commands.wait() == 0, printed.read_text()
        assert not {call.prompt for call in server.calls[before:]} & acknowledged
        calls = [(call.prompt, call.sent) for call in server.calls]
    store = open_to_read(where)
    assert check_store(store).holds
    stored = list_stored(store)
    prompts = [write_prompt(store, one) for one in stored]
    assert len(set(prompts)) == len(prompts) == 2 * 12 * times
    good = {(prompt, sent.text) for prompt, sent in calls if sent.text.startswith("{")}
    answered = [(prompt, one.reply) for prompt, one in zip(prompts, stored, strict=True)]
    answered = [one for one in answered if one[1].startswith("{")]
    assert {*answered} <= good, "an answer is not what was said to this question"
    assert all(json.loads(reply)["reason"] for _, reply in answered)
    lost = len(good) - len(answered)
    assert lost <= parallel * times
    assert "Traceback" not in printed.read_text()
    for path in folder.iterdir():
        assert KEY.encode() not in path.read_bytes()
    print(  # noqa: T201 - counts of an experiment
        f"{times} killed, {killed:,} answers stored by then, 0 of them asked again or lost;"
        f" {len(good):,} good replies, {len(answered):,} stored, {lost} on their way when killed"
    )
    assert killed > times


@pytest.mark.parametrize("parallel", [1, 4])
def test_three_kills_lose_no_answer_and_ask_none_again(tmp_path: Path, parallel: int) -> None:
    kill_often(tmp_path, 3, parallel)


@pytest.mark.slow
@pytest.mark.parametrize(("times", "parallel"), [(30, 1), (15, 4)])
def test_many_kills_lose_no_answer_and_ask_none_again(
    tmp_path: Path, times: int, parallel: int
) -> None:
    kill_often(tmp_path, times, parallel)


def test_two_processes_do_not_ask_for_one_judge(tmp_path: Path) -> None:
    """Nor by two campaign files whose database is one."""
    campaign, printed = write_campaign(tmp_path, items=10), tmp_path / "printed"
    copy = shutil.copy(campaign, campaign.with_name("copy.toml"))
    copy.with_suffix(".db").symlink_to(campaign.with_suffix(".db"))
    refused = threading.Event()
    with serve_chat(lambda _: Reply('{"outcome": "left"}', until=refused.is_set)) as server:
        first = start(campaign, server, tmp_path / "first")
        wait_for_calls(server, 1, lambda: first.poll() is not None)
        assert start(copy, server, printed).wait(LONG) == 2
        assert "another process is asking this LLM judge" in printed.read_text()
        refused.set()
        assert first.wait(LONG) == 0
        assert len(server.calls) == 20


def test_an_interrupt_ends_four_at_once_and_the_next_run_goes_on(tmp_path: Path) -> None:
    """Replies that do not come keep nobody waiting, and what is stored is not asked again."""
    campaign, printed = write_campaign(tmp_path, items=10), tmp_path / "printed"
    ended = threading.Event()

    def answer(request: "dict[str, object]") -> Reply:
        late = len(server.calls) >= 8
        return Reply('{"outcome": "left"}', wait=0.02, until=ended.is_set if late else None)

    with serve_chat(answer) as server:
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)  # where this run ignores it
        try:
            process = start(campaign, server, printed, 4)
        finally:
            signal.signal(signal.SIGINT, before)
        # the first eight are stored before four others take their place
        wait_for_calls(server, 12, lambda: process.poll() is not None)
        process.send_signal(signal.SIGINT)
        assert process.wait(LONG) == 130
        ended.set()
        assert "all answers so far are stored" in printed.read_text()
        assert "Traceback" not in printed.read_text()
        store = open_to_read(str(campaign.with_suffix(".db")))
        stored = {write_prompt(store, one) for one in list_stored(store)}
        assert len(stored) == 8
        server.answer = lambda _: Reply('{"outcome": "left"}')
        assert start(campaign, server, printed, 4).wait(LONG) == 0
        assert len(server.calls) == 12 + 12
        assert not {call.prompt for call in server.calls[12:]} & stored
    assert check_store(store).holds
