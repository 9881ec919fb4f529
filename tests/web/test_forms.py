"""Forms of texts over HTTP: what the page is told, and files, which are sent to judges alone."""

import csv
import io
import json
import os
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from starlette.responses import FileResponse
from starlette.testclient import TestClient

from evenhand.cli.main import main
from evenhand.design.campaign import Campaign
from evenhand.design.forms import MediaFile
from evenhand.design.reading import make_campaign
from evenhand.errors import EvenhandError
from evenhand.web import Site, Store, make_app
from evenhand.web.asking import Prompt
from evenhand.web.downloads import list_files, open_download
from evenhand.web.limits import HEADERS
from evenhand.web.store import people
from evenhand.web.store.audit import check_store
from evenhand.web.views import view_ticket
from served_campaigns import serve
from stored_campaigns import fill, judge_next, take
from text_forms import make_media, write_png, write_wav

NAMES = ("modelo", "rival")


def connect(store: Store, campaign: Campaign) -> tuple[TestClient, str]:
    links = fill(store, campaign)
    site = Site(store, files=campaign.files)
    return TestClient(make_app(site), raise_server_exceptions=False), f"/j/{links['j']}"


@pytest.mark.parametrize(("form", "kind"), [("image", "image/png"), ("audio", "audio/wav")])
def test_a_file_is_sent_to_judges_by_what_is_in_it_and_by_no_name(
    store: Store, tmp_path: Path, form: str, kind: str
) -> None:
    campaign = make_media(tmp_path, form)
    client, judge = connect(store, campaign)
    with client:
        told = client.get(f"{judge}/item")
        assert not any(name in told.text for name in NAMES)
        files = [one["file"] for one in told.json()["outputs"]]
        assert {*files} == {*campaign.files}
        for name in files:
            sent = client.get(f"{judge}/file/{name}")
            assert sent.status_code == 200
            assert sent.content == campaign.files[name].path.read_bytes()
            assert sent.headers["content-type"] == kind
            assert "content-disposition" not in sent.headers
            # no time: files of one system were often made together
            assert sent.headers["last-modified"] == "Thu, 01 Jan 1970 00:00:00 GMT"
            assert sent.headers["etag"] == f'"{name}"'
            assert sent.headers["cache-control"] == "private, max-age=31536000, immutable"
            assert (
                HEADERS.items()
                <= {
                    next(own for own in HEADERS if own.lower() == name): value
                    for name, value in sent.headers.items()
                    if name in map(str.lower, HEADERS)
                }.items()
            )
            part = client.get(f"{judge}/file/{name}", headers={"range": "bytes=4-7"})
            assert (part.status_code, part.content) == (206, sent.content[4:8])


def test_a_file_is_sent_to_nobody_else_and_no_other_file_is_sent(
    store: Store, tmp_path: Path
) -> None:
    campaign = make_media(tmp_path)
    client, judge = connect(store, campaign)
    name = next(iter(campaign.files))
    admin = store.do(people.replace_link, "admin").token
    (tmp_path / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with client:
        for path in (f"/j/{'x' * 40}/file/{name}", f"/j/{admin}/file/{name}"):
            assert client.get(path).status_code == 404, path
        for other in (
            "secret.png",
            "../secret.png",
            "%2e%2e%2fsecret.png",
            "modelo%2f1.png",
            str(tmp_path / "secret.png"),
            f"{'0' * 64}.png",
            name[:-4],
            name.upper(),
            f"{name}%00",
            f"{name}/",
        ):
            assert client.get(f"{judge}/file/{other}").status_code == 404, other
        assert client.post(f"{judge}/file/{name}").status_code == 405
        assert client.get(f"{judge}/file/{name}").status_code == 200
        order = {"what": "revoke", "judge": "j"}
        assert client.post(f"/a/{admin}/do", json=order).status_code == 200
        assert client.get(f"{judge}/file/{name}").status_code == 404


def test_a_file_that_was_changed_is_not_shown_and_not_served_again(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    campaign = make_media(tmp_path)
    client, judge = connect(store, campaign)
    file = next(iter(campaign.files.values()))
    held = file.path.read_bytes()
    organiser = f"/a/{store.do(people.replace_link, 'admin').token}"
    with client:
        assert "was changed or removed" not in client.get(organiser).text
        write_png(file.path, (7, 7, 7))
        assert client.get(f"{judge}/file/{file.name}").status_code == 404
        assert f"{file.path} was changed or removed, and is not shown" in caplog.text
        told = f"The file <bdi>{file.path}</bdi> was changed or removed"
        assert told in client.get(organiser).text
        with pytest.raises(EvenhandError, match="another"):
            store.launch(make_media_again(tmp_path))
        file.path.unlink()
        assert client.get(f"{judge}/file/{file.name}").status_code == 404
        assert client.get(organiser).text.count("was changed or removed") == 1
        file.path.write_bytes(held)  # with another time
        assert "was changed or removed" not in client.get(organiser).text
        assert client.get(f"{judge}/file/{file.name}").status_code == 200
        assert not store.launch(make_media_again(tmp_path))


@pytest.mark.parametrize("window", ["before it is looked at", "before it is opened"])
@pytest.mark.parametrize("headers", [{}, {"range": "bytes=4-7"}])
def test_a_file_that_is_deleted_while_it_is_asked_for_is_not_there(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    window: str,
    headers: dict[str, str],
) -> None:
    campaign = make_media(tmp_path)
    client, judge = connect(store, campaign)
    file = next(iter(campaign.files.values()))
    monkeypatch.setattr(MediaFile, "is_same", True)  # it was, when it was checked
    if window == "before it is looked at":
        file.path.unlink()
    else:
        look = FileResponse.set_stat_headers

        def look_and_delete(self: FileResponse, held: os.stat_result) -> None:
            look(self, held)
            file.path.unlink()

        monkeypatch.setattr(FileResponse, "set_stat_headers", look_and_delete)
    with client:
        assert client.get(f"{judge}/file/{file.name}", headers=headers).status_code == 404


def make_media_again(folder: Path) -> Campaign:
    """The campaign of files that are there, whatever is in them."""
    outputs = {one: f"{one}/1.png" for one in NAMES}
    told = {"name": "n", "judges": ["j"], "texts": {"output": {"form": "image"}}}
    told |= {"tasks": [{"kind": "pair", "name": "better"}]}
    items = [{"item": "1", "source": "Draw a house.", "outputs": outputs}]
    return make_campaign({**told, "items": items}, "c.toml", folder)


def test_answers_receipts_and_downloads_of_files_hold_and_name_systems(
    store: Store, tmp_path: Path
) -> None:
    campaign = make_media(tmp_path)
    fill(store, campaign)
    record = judge_next(store, "j", {"outcome": "left"})
    check = check_store(store)
    assert check.holds
    assert record.hash
    for name in list_files(store):
        text = b"".join(open_download(store, name) or ()).decode()
        assert "modelo/" not in text, name
    table = b"".join(open_download(store, "comparisons.csv") or ()).decode()
    (row,) = csv.DictReader(io.StringIO(table))
    assert {row["left"], row["right"]} == {*NAMES}
    told = b"".join(open_download(store, "campaign.json") or ()).decode()
    assert make_campaign(json.loads(told)).items == store.campaign.items


def test_a_page_is_told_html_and_a_prompt_the_text(store: Store) -> None:
    told: dict[str, Any] = {"name": "n", "judges": ["j"], "texts": {"output": {"form": "markdown"}}}
    items = [{"item": "1", "outputs": {"A": "**a**", "B": "<b>b</b>"}}]
    campaign = make_campaign({**told, "items": items})
    client, judge = connect(store, campaign)
    with client:
        outputs = client.get(f"{judge}/item").json()["outputs"]
    assert {one["html"] for one in outputs} == {
        "<p><strong>a</strong></p>\n",
        "<p>&lt;b&gt;b&lt;/b&gt;</p>\n",
    }
    assert all("text" not in one for one in outputs)
    prompt = Prompt.read(None).write(view_ticket(campaign, take(store, "j").ticket))
    assert "**a**" in prompt
    assert "<b>b</b>" in prompt


def test_llm_judges_are_not_asked_about_what_they_cannot_see(tmp_path: Path) -> None:
    write_png(tmp_path / "a.png")
    write_wav(tmp_path / "b.wav")
    for texts, text in (
        ('output = { form = "image" }', "a.png"),
        ('output = { form = "markdown" }', "![x](a.png)"),
    ):
        (tmp_path / "c.toml").write_text(
            f"[texts]\n{texts}\n[[items]]\nitem = '1'\noutputs = {{ A = '{text}' }}\n"
        )
        words = ["ask", str(tmp_path / "c.toml"), "--url", "http://127.0.0.1:9/v1", "--model", "m"]
        done = CliRunner().invoke(main, [*words, "--yes"])
        assert done.exit_code == 2
        assert "'quality' shows images or recordings, and LLM judges are sent text" in done.output


def test_a_campaign_file_is_served_with_its_files(tmp_path: Path) -> None:
    write_png(tmp_path / "pictures" / "a.png")
    write_png(tmp_path / "pictures" / "b.png", (0, 0, 0))
    (tmp_path / "items.csv").write_text("item,A,B\n1,pictures/a.png,pictures/b.png\n")
    (tmp_path / "c.toml").write_text(
        'judges = ["j"]\nitems = "items.csv"\n[texts]\noutput = { form = "image" }\n'
    )
    with serve(tmp_path / "c.toml") as served:
        judge = f"http://127.0.0.1:{served.port}{served.judges['j']}"
        with urlopen(f"{judge}/item") as reply:
            outputs = json.load(reply)["outputs"]
        sent = set()
        for one in outputs:
            with urlopen(f"{judge}/file/{one['file']}") as reply:
                sent.add(reply.read())
    assert sent == {path.read_bytes() for path in (tmp_path / "pictures").iterdir()}
