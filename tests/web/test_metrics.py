"""Counts for Prometheus: right, on a port of their own, and of nobody by name."""

import json
import re
import sqlite3
import subprocess
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from starlette.testclient import TestClient

from evenhand.web import Site, Store, make_app
from evenhand.web import metrics as counting
from evenhand.web.app import make_metrics_app
from evenhand.web.links import read_links
from evenhand.web.metrics import Metrics
from evenhand.web.store import people
from http_judges import fetch
from markdown_pages import ROOT
from served_campaigns import start
from started_servers import find_port, write_campaign
from stored_campaigns import LEFT, fill, make_pairs
from waiting import LONG

parser = pytest.importorskip("prometheus_client.parser", reason="no prometheus-client")


def read(text: str) -> dict[tuple[str, ...], float]:
    """Read samples as Prometheus does: name and values of labels, sorted by label → value."""
    return {
        (one.name, *(one.labels[name] for name in sorted(one.labels))): one.value
        for family in parser.text_string_to_metric_families(text)
        for one in family.samples
    }


@pytest.fixture
def site(store: Store) -> Site:
    clock = iter(range(0, 10_000, 10)).__next__
    return Site(store, prefix="/study", metrics=Metrics(store, clock=clock))


def count(site: Site) -> dict[tuple[str, ...], float]:
    with TestClient(make_metrics_app(site)) as client:
        reply = client.get("/metrics")
        assert reply.headers["content-type"].startswith("text/plain; version=0.0.4")
        return read(reply.text)


@pytest.mark.parametrize("where", ["sqlite", "postgresql"], indirect=True)
def test_requests_answers_judges_and_what_is_left_are_counted(
    store: Store, site: Site, clock: Any
) -> None:
    links = fill(store, make_pairs(items=6, judges=2))
    token = links["j0"]
    with TestClient(make_app(site)) as client:
        client.post(f"/study/j/{token}/consent", json={})
        for _ in range(2):
            item = client.get(f"/study/j/{token}/item").json()
            sent = {"ticket": item["ticket"], "key": item["key"], "answer": LEFT}
            assert client.post(f"/study/j/{token}/answer", json=sent).status_code == 200
        assert client.get("/study/a/none").status_code == 404
        assert client.get("/health").status_code == 200
    found = count(site)
    total = "evenhand_request_seconds_count"
    assert {key: n for key, n in found.items() if key[0] == total} == {
        (total, "judge", "200"): 5,
        (total, "organiser", "404"): 1,
        (total, "health", "200"): 1,
    }
    assert found["evenhand_request_seconds_bucket", "+Inf", "judge", "200"] == 5
    assert found["evenhand_answers", "better"] == 2
    assert found["evenhand_questions_open", "better"] == 4  # six items, one judge each
    assert found["evenhand_judges_active",] == 1
    assert found["evenhand_log_records",] == store.head().number
    assert (found["evenhand_paused",], found["evenhand_writes_waiting",]) == (0, 0)
    page = (ROOT / "docs" / "keep-it-safe.md").read_text()
    named = {*re.findall(r"`(evenhand_\w+)`", page)}
    assert named <= {key[0] for key in found} | {"evenhand_request_seconds"}
    assert len(named) == 9
    clock.wait(601)
    store.pause()
    found = count(site)
    assert (found["evenhand_judges_active",], found["evenhand_paused",]) == (0, 1)


def test_a_database_that_fails_is_counted_and_does_not_end_the_page(
    store: Store, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = fill(store)["j0"]
    store.do(people.consent, "j0")
    key = ("evenhand_database_errors_total",)
    assert (count(site)[key], count(site)["evenhand_database_up",]) == (0, 1)

    def refuse(_work: object) -> None:
        raise sqlite3.OperationalError("disk is full")

    with monkeypatch.context() as patch, TestClient(make_app(site)) as client:
        patch.setattr(store._writer, "transact", refuse)
        assert client.get(f"/study/j/{token}/item").status_code == 503
    assert count(site)[key] == 1
    store.engine.dispose()
    with sqlite3.connect(str(store.engine.url.database)) as other:
        other.execute("ALTER TABLE campaign RENAME TO gone")
    found = count(site)
    assert (found["evenhand_database_up",], ("evenhand_answers", "better") in found) == (0, False)


def test_a_server_has_them_on_a_port_of_their_own_without_a_name_and_its_log_is_json(
    tmp_path: Path,
) -> None:
    write_campaign(tmp_path, items=20)
    port, beside = find_port(), find_port()
    words = ("--port", str(port), "--metrics", str(beside), "--log", "json")
    with start(tmp_path, "campaign.toml", *words, stderr=subprocess.PIPE) as server:
        assert server.stderr is not None
        tokens = read_links(tmp_path / "campaign.links.csv")
        judge, admin = tokens["judge", "judge-1"], tokens["admin", ""]
        note = {"what": "note", "judge": "judge-1", "note": "Ann Lee"}
        assert fetch(port, f"/a/{admin}/do", note).status == 200
        item = fetch(port, f"/j/{judge}/item").json
        sent = {"ticket": item["ticket"], "key": item["key"], "answer": LEFT}
        assert fetch(port, f"/j/{judge}/answer", sent).status == 200
        text = urlopen(f"http://127.0.0.1:{beside}/metrics", timeout=LONG).read().decode()
        for secret in (judge, admin, "judge-1", "Ann", item["ticket"], str(tmp_path)):
            assert secret not in text
        assert read(text)["evenhand_answers", "better"] == 1
        assert read(text)["process_open_fds",] > 5
        for at, path in ((beside, f"/a/{admin}"), (beside, "/health"), (port, "/metrics")):
            assert fetch(at, path).status == 404
        (tmp_path / "campaign.db").rename(tmp_path / "gone")
        refused = Request(f"http://127.0.0.1:{port}/j/{judge}/undo", b"{}")
        refused.add_header("Content-Type", "application/json")
        with pytest.raises(HTTPError, match="503"):
            urlopen(refused, timeout=LONG)
        server.terminate()
        lines = [json.loads(one) for one in server.stderr.read().splitlines()]
    assert {tuple(one) for one in lines} == {("time", "level", "message")}
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z", one["time"]) for one in lines)
    assert lines[0] | {"time": ""} == {
        "time": "",
        "level": "info",
        "message": "a new campaign in campaign.db",
    }
    assert ("warning", True) in {
        (one["level"], one["message"].startswith("evenhand: the file of the database was moved"))
        for one in lines
    }


def test_the_database_is_counted_at_most_once_in_five_seconds(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(store)
    looks = []
    made = Metrics(store, clock=iter([0.0, 4.9, 5.0]).__next__)
    monkeypatch.setattr(made, "_count", lambda: looks.append(1) or [])
    for _ in range(3):
        list(made.collect())
    assert (len(looks), counting.REST) == (2, 5)
