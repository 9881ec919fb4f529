"""The words of judges' pages: catalogues that fit the sources, and pages that hold no other."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from babel.messages import Catalog, Message
from starlette.applications import Starlette
from starlette.testclient import TestClient

from catalogues import SCRIPTS, WORDS, extract, read
from evenhand.design.campaign import Pay, Timing, Wording
from evenhand.design.catalogues import LANGUAGES, read_catalogue
from evenhand.design.reading import make_campaign, read_campaign
from evenhand.errors import CampaignError
from evenhand.web import Site, Store, make_app
from evenhand.web.app import make_metrics_app, make_public_app
from evenhand.web.links import make_address
from evenhand.web.metrics import Metrics
from evenhand.web.site import find_words
from evenhand.web.store import people
from stored_campaigns import fill, make_pairs, name_worker

TRANSLATED = sorted(set(LANGUAGES) - {"en"})
HEAD = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n{plural}\n'


def listed(catalog: Catalog) -> dict[str, Any]:
    """The messages of a catalogue by their English sentence, with both where they count."""
    return {str(one.id): one for one in catalog if one.id}


def list_ids(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def write(*messages: tuple[str, str], plural: str = "") -> str:
    head = f'"Plural-Forms: {plural}\\n"' if plural else ""
    parts = [f"msgid {json.dumps(key)}\nmsgstr {json.dumps(told)}\n" for key, told in messages]
    return "\n".join([HEAD.format(plural=head), *parts])


class Words(HTMLParser):
    """What a page says to people: its text, and the attributes that are read aloud."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.said: list[str] = []
        self.root: dict[str, str | None] = {}
        self.script: dict[str, Any] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "html":
            self.root = told
        self.said += [told[one] or "" for one in ("aria-label", "title") if one in told]
        self.script |= json.loads(told.get("data-words") or "{}")

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def find_english(said: list[str], language: str) -> list[str]:
    """Return which English sentences are said that a language writes otherwise."""
    text = " ".join(" ".join(said).split())
    held = listed(read(WORDS / f"{language}.po"))
    wanted = [one for one, told in held.items() if told.string != one and re.search(r"\w \w", one)]
    # what a sentence is filled with stands where its braces are
    forms = {one: re.sub(r"\\\{\w+\\\}", ".+", re.escape(one)) for one in wanted}
    return [one for one, form in forms.items() if re.search(rf"(?i)\b{form}", text)]


def serve(store: Store, language: str, **settings: Any) -> TestClient:
    words = find_words(Wording(language=language))
    return TestClient(make_app(Site(store, words=words, **settings)), raise_server_exceptions=False)


def test_there_is_a_catalogue_of_each_language_and_of_no_other() -> None:
    assert sorted(path.stem for path in WORDS.glob("*.po")) == TRANSLATED


@pytest.mark.parametrize("name", ["messages.pot", *(f"{one}.po" for one in TRANSLATED)])
def test_catalogues_have_the_messages_of_the_sources_and_no_others(name: str) -> None:
    """Renew them with `make words`; new messages are then empty, and wait for a translation."""
    sources, held = listed(extract()), listed(read(WORDS / name))
    assert (held.keys() - sources.keys(), sources.keys() - held.keys()) == (set(), set())
    if name != "messages.pot":
        empty = [key for key, one in held.items() if not one.string or one.fuzzy]
        assert empty == []


@pytest.mark.parametrize("language", TRANSLATED)
def test_catalogues_can_be_read_and_name_what_their_messages_are_filled_with(language: str) -> None:
    words = find_words(Wording(language=language))  # refuses other names, and too few forms
    assert len(words.messages) == len(listed(extract()))
    forms = max((one for one in words.messages.values() if not isinstance(one, str)), key=len)
    assert {*words.forms} <= {*range(len(forms))}


def test_every_sentence_of_the_script_is_extracted() -> None:
    """A template within a template, say, is not looked into by every extractor."""
    script = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    called = re.findall(r'(?<![\w.])(?:_|ngettext)\(\s*"([^"]+)"', script)
    ids = {list_ids(one)[0] for one in extract()}
    assert len(called) > 100
    assert set(called) - ids == set()


def test_the_script_says_nothing_that_is_not_in_the_catalogues() -> None:
    """A sentence has a blank or ends in a full stop, as no key or class does."""
    script = "\n".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    said = set(re.findall(r'"([A-Z][^"\n]*(?: [^"\n]*|[.?!:]))"', script))
    assert len(said) > 50
    assert said - set(chain.from_iterable(list_ids(one) for one in extract())) == set()


@pytest.mark.parametrize("language", TRANSLATED)
def test_pages_are_in_the_language_of_the_campaign_and_hold_no_english(
    store: Store, language: str
) -> None:
    planned = replace(
        make_pairs(1, 1),
        pay=Pay(per_hour=12.5, per_answer=0.05, currency="EUR"),
        time=Timing(seconds_per_answer=7200),
        platform="other",
    )
    judge = fill(store, planned)["j0"]
    crowd = make_address("", "crowd", store.do(people.replace_link, "crowd").token, "other")
    with serve(store, language) as client:
        html = {"accept": "text/html"}
        pages = [
            client.get(path, headers=html)
            for path in (f"/j/{judge}", crowd.partition("=")[0] + "=w1", "/j/" + "x" * 40, "/no")
        ]
        assert [one.status_code for one in pages] == [200, 200, 404, 404]
        for page in pages:
            read_page = Words(page.text)
            direction = "rtl" if language == "ar" else "ltr"
            assert (read_page.root["lang"], read_page.root["dir"]) == (language, direction)
            assert find_english(read_page.said, language) == []
        consent = client.get(f"/j/{judge}/item").json()
        item = client.post(f"/j/{judge}/consent", json={}).json()
        refused = [
            client.post(f"/j/{judge}/answer", json={**sent, "key": "k", "answer": {}})
            for sent in ({"ticket": item["ticket"]}, {"ticket": "x"})
        ]
        back = client.post(f"/j/{judge}/undo", json={})
        said = [*(one.json()["error"] for one in (*refused, back)), item["task"]["question"]]
        assert find_english([*said, consent["time"], consent["pay"]], language) == []
        assert {one.status_code for one in refused} | {back.status_code} == {422, 409}
        store.pause()
        assert client.get(f"/j/{judge}/item").json()["error"] == find_words(
            Wording(language=language)
        ).gettext("the campaign is paused: no questions are asked right now; come back later")


# Sentences by hand; how numbers and hours are written: https://www.unicode.org/cldr/charts/latest/
@pytest.mark.parametrize(
    ("language", "time", "pay"),
    [
        ("", "about 2.5 hours", "12.50 EUR per hour and 0.0625 EUR per answer"),
        ("de", "etwa 2,5 Stunden", "12,50 EUR pro Stunde und 0,0625 EUR pro Antwort"),
        ("cs", "přibližně 2,5 hodiny", "12,50 EUR za hodinu a 0,0625 EUR za odpověď"),
        ("zh", "约 2.5小时", "每小时 12.50 EUR，每题 0.0625 EUR"),
    ],
)
def test_time_and_pay_are_written_as_the_language_writes_numbers(
    store: Store, language: str, time: str, pay: str
) -> None:
    planned = replace(
        make_pairs(1, 1),
        pay=Pay(per_hour=12.5, per_answer=0.0625, currency="EUR"),
        time=Timing(seconds_per_answer=9000),
    )
    judge = fill(store, planned)["j0"]
    with serve(store, language) as client:
        told = client.get(f"/j/{judge}/item").json()
    assert (told["time"], told["pay"]) == (time, pay)


def test_texts_keep_their_own_language_and_direction(store: Store) -> None:
    """Instructions in English on a page of Arabic words, and a page as its texts lie without."""
    planned = make_campaign(
        {
            "name": "n",
            "title": "A study",
            "texts": {"page": "en"},
            "items": [{"item": "1", "outputs": {"A": "a", "B": "b"}}],
        }
    )
    judge = fill(store, planned)["judge-1"]
    with serve(store, "ar") as client:
        page = client.get(f"/j/{judge}").text
    assert '<html lang="ar" dir="rtl">' in page
    assert '<p class="title" lang="en" dir="ltr">A study</p>' in page
    with TestClient(make_app(Site(store))) as client:
        assert '<html lang="en" dir="ltr">' in client.get(f"/j/{judge}").text


def test_a_catalogue_of_the_campaign_is_read_and_falls_back_to_english(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("item,A,B\n1,a,b\n", encoding="utf-8")
    (tmp_path / "pl.po").write_text(write(("Undo", "Cofnij")), encoding="utf-8")
    file = tmp_path / "c.toml"
    file.write_text('items = "items.csv"\nlanguage = "pl"\nmessages = "pl.po"\n', encoding="utf-8")
    words = find_words(read_campaign(file).wording)
    assert (words.language, words.direction) == ("pl", "ltr")
    assert (words.gettext("Undo"), words.gettext("Keys")) == ("Cofnij", "Keys")


COUNTS = '\nmsgid "{n} minute of {of}"\nmsgid_plural "{n} minutes of {of}"\n'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            write(("{place} of {total}", "{place} z {suma}")),
            "pl.po, line 5: '{place} z {suma}' mus",
        ),
        (write(("Undo", "Cofnij {n}")), "pl.po, line 5: 'Cofnij {n}' must name nothing in braces"),
        (write(("{n} of", "{n.real} z")), "pl.po, line 5: '{n.real} z' must name {n}"),
        (write() + COUNTS + 'msgstr[0] "minuta {of}"\nmsgstr[1] "{n}"\n', "must name {n}, {of}"),
        (write() + COUNTS + 'msgstr[0] "{of}"\n', "line 5: there are 1 forms, and Plural-Forms"),
        (write() + 'msgid "Undo\nmsgstr "x"\n', "pl.po, line 4: 'msgid \"Undo' is no line of a"),
        (write() + 'msgstr "x"\nUndo = x\n', "pl.po, line 5: 'Undo = x' is no line of a"),
        (write(plural="nplurals=2; plural=n/0;"), "pl.po: its first entry cannot be read: "),
        (write(plural="nplurals=2; plural=__import__;"), "pl.po: its first entry cannot be read: "),
        (write(plural="nplurals=x; plural=n;"), "pl.po: its first entry cannot be read: "),
        (write(plural="nplurals=2; plural=n;"), "pl.po: its Plural-Forms choose form 199 of 2"),
    ],
)
def test_catalogues_that_cannot_be_filled_are_refused_with_their_line(text: str, says: str) -> None:
    with pytest.raises(CampaignError, match=re.escape(says)):
        read_catalogue(text, "pl.po", "pl", "ltr")


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("de", (1, 0, 1, 1, 1, 1, 1, 1, 1, 1)),
        ("fr", (0, 0, 2, 2, 2, 2, 2, 2, 2, 2)),
        ("es", (2, 0, 2, 2, 2, 2, 2, 2, 2, 2)),
        ("cs", (2, 0, 1, 1, 2, 2, 2, 2, 2, 2)),
        ("zh", (0,) * 10),
        ("ar", (0, 1, 2, 3, 3, 4, 4, 5, 5, 3)),
    ],
)
def test_numbers_choose_the_form_of_their_language(language: str, forms: tuple[int, ...]) -> None:
    words = find_words(Wording(language=language))
    assert tuple(words.forms[n] for n in (0, 1, 2, 3, 5, 11, 21, 100, 102, 103)) == forms


def test_a_score_beyond_the_scale_is_refused_in_the_language_of_the_judge(store: Store) -> None:
    told = {"name": "n", "judges": ["j"], "tasks": [{"kind": "rating", "name": "r"}]}
    link = fill(store, make_campaign({**told, "items": [{"item": "1", "outputs": {"A": "a"}}]}))
    with serve(store, "de") as client:
        item = client.get(f"/j/{link['j']}/item").json()
        sent = {"ticket": item["ticket"], "key": item["key"], "answer": {"score": 130}}
        refused = client.post(f"/j/{link['j']}/answer", json=sent)
    assert refused.json() == {
        "error": "die Punktzahl ist eine ganze Zahl von 0 bis 100, nicht 130",
        "word": "invalid",
    }


@pytest.mark.parametrize("prefix", ["", "/study"])
def test_the_pages_of_the_organiser_stay_english(store: Store, prefix: str) -> None:
    judge = fill(store)["j0"]
    admin = store.do(people.replace_link, "admin").token
    with serve(store, "ar", prefix=prefix) as client:
        page = Words(client.get(f"{prefix}/a/{admin}").text)
        gone = client.get(f"{prefix}/a/{'x' * 40}", headers={"accept": "text/html"}).text
        assert Words(client.get(f"{prefix}/j/{judge}").text).root["lang"] == "ar"
    assert page.root == {"lang": "en"}
    assert "This link is not known, or is no longer valid" in gone.replace("this link", "This link")
    assert Words(gone).root == {"lang": "en"}


@pytest.mark.parametrize("make", [make_public_app, make_metrics_app])
def test_the_board_and_the_counts_stay_english(
    store: Store, make: Callable[[Site], Starlette]
) -> None:
    fill(store)
    site = Site(store, words=find_words(Wording(language="ar")), metrics=Metrics(store))
    with TestClient(make(site), raise_server_exceptions=False) as client:
        lost = Words(client.get("/no", headers={"accept": "text/html"}).text)
    assert (lost.root["lang"], find_english(lost.said, "ar")) == ("en", ["Page not found"])


def test_words_are_no_part_of_the_design(tmp_path: Path) -> None:
    """A language may be changed after the launch: the campaign is the same, and is checked so."""
    items = {"items": [{"item": "1", "outputs": {"A": "a", "B": "b"}}], "name": "n"}
    plain, german = make_campaign(items), make_campaign({**items, "language": "de"})
    assert german.wording.language == "de"
    assert (german.canonical, german.digest) == (plain.canonical, plain.digest)
    assert german.fits(plain.with_seed())
    with Store.open(str(tmp_path / "c.db")) as store:
        assert store.launch(plain)
        assert not store.launch(german)


def test_markup_in_a_catalogue_and_in_a_name_is_shown_and_does_nothing(store: Store) -> None:
    bad = "<script>alert(1)</script>\"' onload=x {worker} & {platform}"
    keys = ("You come from {platform} as {worker}.",)
    plain = ("Skip to the answer", "Tools", "Page not found")
    text = write(*((key, bad) for key in keys), *((key, "</body><script>'\"") for key in plain))
    words = read_catalogue(text, "bad.po", "de", "ltr")
    judge = fill(store, replace(make_pairs(), platform="prolific"))["j0"]
    crowd = make_address("", "crowd", store.do(people.replace_link, "crowd").token, "prolific")
    with TestClient(make_app(Site(store, words=words))) as client:
        paths = (f"/j/{judge}", crowd.partition("=")[0] + "=" + name_worker("ann"), "/j/xyz")
        pages = [client.get(one, headers={"accept": "text/html"}).text for one in paths]
    own = '<script src="/static/'
    assert [page.replace(own, "").lower().count("<script") for page in pages] == [0, 0, 0]
    assert "".join(pages).count("&lt;script&gt;") >= 3
    assert Words(pages[0]).script["messages"][keys[0]] == bad  # which the page writes as text


def test_a_form_may_leave_out_its_number_but_nothing_else() -> None:
    text = write() + COUNTS + 'msgstr[0] "jedna minuta z {of}"\nmsgstr[1] "{n} minut z {of}"\n'
    words = read_catalogue(text, "pl.po", "pl", "ltr")
    assert words.messages["{n} minute of {of}"] == ("jedna minuta z {of}", "{n} minut z {of}")
