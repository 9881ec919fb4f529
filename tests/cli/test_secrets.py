"""No verb says what stands in a URL and is secret: not in messages, not in what it writes."""

import pytest
from click.testing import CliRunner

from evenhand.cli.main import VERBS, main
from evenhand.formats.reading import hide_settings, show_source
from web_site import SECRET, Site, serve

SIGNED = f"votes.csv?X-Amz-Signature={SECRET}&X-Amz-Credential=AKIA{SECRET}"
MORE = {
    "report": ("--sections", "ranking,judges", "-o", "report.html", "--tables", "tables"),
    "convert": ("-o", "votes.parquet"),
    "plan": ("--pilot", f"http://127.0.0.1:1/{SIGNED}"),
}
QUICK = ("inspect", "rank", "convert", "report")
"""Verbs that are run to their end; what others write is of the same names."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, words, prog_name="evenhand")


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_shows_a_signature_in_what_it_refuses(folder, verb):
    url = f"http://127.0.0.1:1/{SIGNED}"
    for words in ([verb, url, *MORE.get(verb, ())], [verb, url, url], [verb, "--nothing", url]):
        result = run(*words)
        assert result.exit_code == 2, result.output
        assert SECRET not in result.output


@pytest.mark.parametrize("verb", QUICK)
def test_no_signature_stands_in_what_a_verb_says_or_writes(folder, verb):
    with serve(Site()) as url:
        result = run(verb, f"{url}/{SIGNED}", *MORE.get(verb, ()), "--explain")
    assert result.exit_code == 0, result.output
    assert SECRET not in result.output
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert len(written) >= (verb in MORE)
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]
    if verb == "report":
        assert f"evenhand rank {url}/votes.csv" in (folder / "report.html").read_text()


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (f"postgres://ann:{SECRET}@db/arena?table=votes", "postgres://db/arena?table=votes"),
        (f"s3://key:{SECRET}@bucket/ann@home.csv", "s3://bucket/ann@home.csv"),
        (f"https://ann:{SECRET}@a.b/votes.csv?key={SECRET}", "https://a.b/votes.csv"),
        (f"https://a.b/c@1/votes.csv;jsessionid={SECRET}?x", "https://a.b/c@1/votes.csv"),
        ("duckdb://votes.db?table=votes", "duckdb://votes.db?table=votes"),
        ("what?.csv", "what?.csv"),
    ],
)
def test_a_source_is_shown_as_it_may_be_read_again_without_secrets(source, shown):
    assert show_source(source) == shown
    assert hide_settings(f"no '{source}'", ("rank", f"--pilot={source}")) == f"no '{shown}'"
