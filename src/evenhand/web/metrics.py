"""Counts of a running server as Prometheus reads them; a pass is named, and nobody else."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from evenhand.errors import EvenhandError, UnknownOption
from evenhand.web.store.schema import CLOSED, OPEN, leases
from evenhand.web.store.schema import campaign as state
from evenhand.web.store.schema import tickets as asked
from evenhand.web.store.store import Store

if TYPE_CHECKING:
    from prometheus_client import Metric

# Whose page a request is for, by the start of its path; secrets stand behind that
SIDES: Final = {
    "j": "judge",
    "a": "organiser",
    "crowd": "crowd",
    "static": "static",
    "health": "health",
}
ACTIVE: Final = 600_000  # Milliseconds after a question was served for which a judge is active
REST: Final = 5.0  # Seconds for which counts of the database hold


def load_client() -> Any:
    try:
        import prometheus_client
    except ImportError:
        raise UnknownOption(
            "--metrics needs the client of Prometheus: pip install 'evenhand[metrics]' (in a"
            " clone: '.[metrics]')"
        ) from None
    return prometheus_client


class Metrics:
    """What happened since the start, and what is in the database at the moment."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        client = load_client()
        self.store, self._clock, self._until = store, clock, 0.0
        self._stored: list[Metric] = []
        self._registry = client.CollectorRegistry()
        client.ProcessCollector(registry=self._registry)
        says = "Requests: how many there were, and how long they took"
        self._requests = client.Histogram(
            "evenhand_request_seconds", says, ["side", "status"], registry=self._registry
        )
        says = "Requests that the database did not take or answer"
        self._errors = client.Counter("evenhand_database_errors", says, registry=self._registry)
        self._registry.register(self)

    def note_request(self, path: str, status: int, seconds: float) -> None:
        side = SIDES.get(path.split("/", 2)[1] if path.startswith("/") else "", "other")
        self._requests.labels(side, str(status)).observe(seconds)

    def note_error(self) -> None:
        self._errors.inc()

    async def send(self, _request: Request) -> Response:
        from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

        body = await run_in_threadpool(generate_latest, self._registry)
        return Response(body, media_type=CONTENT_TYPE_PLAIN_0_0_4)

    def describe(self) -> list[Metric]:
        """Name nothing before it is asked for: the database may be away at the start."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield what the database holds, counted at most once in some seconds."""
        from prometheus_client.core import GaugeMetricFamily

        now, up = self._clock(), 1
        if now >= self._until:
            try:
                self._stored = self._count()
                self._until = now + REST
            except EvenhandError:
                self._stored, up = [], 0
        yield GaugeMetricFamily("evenhand_database_up", "Whether the database can be read", up)
        says = "Writes that wait for the database"
        yield GaugeMetricFamily("evenhand_writes_waiting", says, self.store.waiting)
        yield from self._stored

    def _count(self) -> list[Metric]:
        from prometheus_client.core import GaugeMetricFamily

        by_task = select(asked.c.task, asked.c.state, func.count())
        served = select(func.count()).where(leases.c.since > self.store.clock.now() - ACTIVE)
        with self.store.reading() as connection:
            rows = connection.execute(by_task.group_by(asked.c.task, asked.c.state)).all()
            active = connection.scalar(served) or 0
            paused, head = connection.execute(select(state.c.paused, state.c.head_number)).one()
        counts = {(name, step): n for name, step, n in rows}
        found: list[Metric] = []
        for name, step, says in (
            ("evenhand_answers", CLOSED, "Answers that stand, by pass"),
            ("evenhand_questions_open", OPEN, "Questions without an answer, by pass"),
        ):
            family = GaugeMetricFamily(name, says, labels=["pass"])
            for task in self.store.campaign.tasks:
                family.add_metric([task.name], counts.get((task.name, step), 0))
            found.append(family)
        for name, value, says in (
            ("evenhand_judges_active", active, "Judges who were served in the last ten minutes"),
            ("evenhand_paused", paused, "Whether the campaign is paused"),
            ("evenhand_log_records", head, "Records of the log"),
        ):
            found.append(GaugeMetricFamily(name, says, value))
        return found
