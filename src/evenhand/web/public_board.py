"""What anybody may see of a campaign that runs: its systems, and none of its judges.

The board has an address of its own, with these routes and no others: it knows no links. It is one
value, of the dashboard of one moment, and made anew when that is.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from math import isfinite
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from evenhand.data.coding import SEED
from evenhand.data.exclusions import Exclusion
from evenhand.data.source import write_log_check
from evenhand.errors import EvenhandError
from evenhand.ranking.gate import decide
from evenhand.ranking.plans import Asked, describe_plan, read_gate_plan
from evenhand.web.dashboard import CampaignStatus, Dashboard, DashboardCache, get_status
from evenhand.web.findings import Findings
from evenhand.web.requests import name_address
from evenhand.web.site import Answer, Question, TooMany, analysis_of, site_of
from evenhand.web.store.queries import MoveCount, Readable

CONTRACT: Final = 1  # Another number where a key means something else
# The log as the organiser publishes it: whoever looks has no database
LOG: Final = "log.jsonl"
# Keys of sentences; others hold numbers, and names of systems and passes
SENTENCES: Final = (
    *("answer", "excluded", "findings", "headline", "says", "signature", "since", "why"),
)


class PublicBoard:
    def __init__(self, store: Readable, cache: DashboardCache) -> None:
        self.store, self._cache, self._moves = store, cache, MoveCount()
        self._last: tuple[Findings, Answer] | None = None
        self._lock = threading.Lock()

    def get(self) -> Answer:
        dashboard = self._cache.look()
        with self._lock:
            if self._last is not None and self._last[0] is dashboard.findings:
                return self._last[1]
            payload = describe(self.store, self._cache, dashboard, self._moves)
            body = json.dumps(payload, ensure_ascii=False, allow_nan=False)
            made = Answer(body, dashboard.made, sha256(body.encode()).hexdigest()[:16])
            self._last = (dashboard.findings, made)
            return made


def describe(
    store: Readable, cache: DashboardCache, dashboard: Dashboard, moves: MoveCount
) -> dict[str, Any]:
    status, judges = get_status(store, cache), store.judges()
    assert status is not None  # no state is known to whoever asks
    names = {name for one in judges for name in (one.name, one.seat, one.person)}
    passes = []
    for one in status.passes:
        order, ranking = dashboard.findings.orders[one.name], None
        if order.ranking is not None:
            excluded = _count_alone(order.ranking.excluded)
            ranking = replace(order.ranking, excluded=excluded).to_dict()
        board = None if one.board is None else one.board.to_dict()
        passes.append({"name": one.name, "ranking": ranking, "board": board, "why": order.why})
    public = {
        "contract": CONTRACT,
        "title": status.title,
        "made": _write_time(dashboard.made),
        "state": "paused" if status.paused else "open" if status.remaining else "complete",
        "n_judgments": status.judged,
        "remaining": status.remaining,
        "last": None if status.last is None else _write_time(status.last),
        "record": dashboard.record,
        "log_head": status.head,
        "log_check": write_log_check(LOG, status.head),
        "plan": _describe_plan(store, status, dashboard, moves),
        "passes": passes,
    }
    return leave_out(public, names - {""})  # type: ignore[no-any-return]


def _describe_plan(
    store: Readable, status: CampaignStatus, dashboard: Dashboard, moves: MoveCount
) -> dict[str, Any] | None:
    """Return a registered plan, and what it decides where it may be looked at now."""
    if not store.plan:
        return None
    stated, digest = read_gate_plan(content=store.plan.encode())
    asked, orders = Asked.take(stated), [*dashboard.findings.orders.values()]
    decision = None
    # several passes, groups and clusters are left to `evenhand gate` on the published answers
    whole = len(orders) == 1 and not stated.keys() & {"group_by", "cluster", "criterion", "better"}
    ranking = orders[0].of_gate if whole else None
    if ranking is not None and (asked.anytime or not status.remaining):
        try:
            found = decide(ranking, asked, digest, SEED, of_these=orders[0].by_llm)
            with store.reading() as connection:
                found = found.explore(moved=moves.catch_up(connection))
            decision = replace(found, excluded=_count_alone(found.excluded)).to_dict()
        except EvenhandError as refusal:  # such as a system that was not judged yet
            decision = {"decision": "undecided", "answer": [str(refusal)]}
    return {"sha256": digest, **stated, "says": describe_plan(stated), "decision": decision}


def _count_alone(excluded: tuple[Exclusion, ...]) -> tuple[Exclusion, ...]:
    return tuple(replace(one, judge_names=()) for one in excluded)


def _write_time(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="seconds")


def leave_out(value: Any, names: Iterable[str]) -> Any:
    """Return JSON without the sentences in which one of these names stands.

    A number is a name in quotes alone, as values have it: sentences hold numbers.

    >>> leave_out({"says": ["ann voted", "A leads"], "why": "ben left", "n": 2}, ["ann", "ben"])
    {'says': ['A leads'], 'why': '', 'n': 2}
    >>> leave_out({"says": ["6 judges", "judge '6' left"]}, ["6"])
    {'says': ['6 judges']}
    """

    def match(name: str) -> str:
        written = re.escape(json.dumps(name, ensure_ascii=False)[1:-1])
        has_letter = any(letter.isalpha() for letter in name)
        return rf"(?<!\w){written}(?!\w)" if has_letter else rf"[\"']{written}[\"']"

    named = re.compile("|".join(map(match, names)) or "(?!)")

    def is_named(one: Any) -> bool:
        return named.search(json.dumps(one, ensure_ascii=False)) is not None

    def clean(one: Any) -> Any:
        if isinstance(one, list | tuple):
            return [clean(part) for part in one]
        if isinstance(one, float) and not isfinite(one):
            return None
        if not isinstance(one, Mapping):
            return one
        return {key: drop(part) if key in SENTENCES else clean(part) for key, part in one.items()}

    def drop(said: Any) -> Any:
        if isinstance(said, list | tuple):
            return [one for one in said if not is_named(one)]
        return "" if said is not None and is_named(said) else said

    return clean(value)


async def _ask(request: Request) -> Answer:
    if not site_of(request).requests.take(name_address(request)):
        raise TooMany("too many requests at once: wait a moment")
    return await analysis_of(request).ask(Question("public"))


async def show_page(request: Request) -> Response:
    board = msgspec.json.decode((await _ask(request)).body)
    page = site_of(request).render("public.html", {"board": board})
    return HTMLResponse(page, headers={"Cache-Control": FRESH})


async def send_feed(request: Request) -> Response:
    answer = await _ask(request)
    headers = {"ETag": f'"{answer.mark}"', "Cache-Control": FRESH}
    if request.headers.get("if-none-match", "").strip('"') == answer.mark:
        return Response(status_code=304, headers=headers)
    return Response(answer.body, media_type="application/json", headers=headers)


FRESH: Final = "public, max-age=2"  # Nothing is made anew more often
ROUTES_PUBLIC: Final = [Route("/", show_page), Route("/board.json", send_feed)]
