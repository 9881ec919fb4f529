"""The file of links."""

import csv
import errno
import io
import re
import stat
from itertools import product
from pathlib import Path

import pytest

from evenhand.cli.serve import _find_doubts
from evenhand.design.reading import read_campaign
from evenhand.errors import CampaignError
from evenhand.web import Store
from evenhand.web.links import read_links, write_invitations, write_links
from evenhand.web.store import people
from evenhand.web.store.people import draw_token
from stored_campaigns import make_pairs


@pytest.fixture
def launched(store: Store) -> Store:
    store.launch(make_pairs())
    return store


def test_only_the_owner_can_read_it(launched: Store, tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    write_links(launched, path, "http://here")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.glob(".links*")] == []


def test_links_that_are_still_good_are_kept_under_a_new_address(
    launched: Store, tmp_path: Path
) -> None:
    path = tmp_path / "links.csv"
    first = write_links(launched, path, "http://here")
    again = write_links(launched, path, "https://there/study")
    assert again == first == read_links(path)
    assert f"https://there/study/j/{first['judge', 'j0']}" in path.read_text()


def test_who_judges_are_comes_from_their_table_and_is_for_the_organiser_alone(
    store: Store, tmp_path: Path
) -> None:
    table = "Judge,Name,E-mail,Note,Quota\nj1,Ann Lee,ann@example.org,pays cash,\n"
    (tmp_path / "judges.csv").write_text(f"{table}j2,,ben@example.org,,9\nj3,,,,\n")
    (tmp_path / "items.csv").write_text("item,A,B\n1,eins,zwei\n2,drei,vier\n")
    path = tmp_path / "c.toml"
    tasks = '[[tasks]]\nkind = "pair"\nname = "p"\n'
    path.write_text(f'name = "n"\nitems = "items.csv"\njudges = "judges.csv"\n{tasks}')
    planned = read_campaign(path)
    assert [one.quota for one in planned.judges] == [None, 9, None]
    store.launch(planned)
    tokens = write_links(store, tmp_path / "l.csv", "http://here", judges=planned.judges)
    links = {judge: token for (role, judge), token in tokens.items() if role == "judge"}
    rows = list(csv.DictReader(io.StringIO(write_invitations(store.judges(), links))))
    assert [(one["judge"], one["name"], one["email"]) for one in rows] == [
        ("j1", "Ann Lee", "ann@example.org"),
        ("j2", "j2", "ben@example.org"),
        ("j3", "j3", ""),
    ]
    notes = {one.name: one.note for one in store.judges()}
    assert notes == {
        "j1": "Ann Lee <ann@example.org>, pays cash",
        "j2": "<ben@example.org>",
        "j3": "",
    }
    kept = [planned.canonical.decode(), *(line.write() for line in store.lines())]
    assert not any("example.org" in one or "Ann" in one for one in kept)
    # what you wrote since is not written over when the server is started again
    store.do(people.describe, "j1", "Ann Lee, ill")
    write_links(store, tmp_path / "l.csv", "http://here", judges=planned.judges)
    assert {one.name: one.note for one in store.judges()}["j1"] == "Ann Lee, ill"


NAMES = ["Lee, Ann", "Dr. Cem: Öz", 'Eve "E." Fox', "Dea (UPF)", "Fay; Gil", "=Hal", ""]


def test_a_mail_merge_has_names_and_addresses_as_they_stand_in_the_table(
    store: Store, tmp_path: Path
) -> None:
    emails, notes = ("a.b+c@example.org", ""), ("", "ill, pays cash", "mail x@example.net")
    people = [one for one in product(NAMES, emails, notes) if one[0] or one[1]]
    with (tmp_path / "judges.csv").open("w", newline="") as file:
        rows = [(f"j{n}", *one) for n, one in enumerate(people)]
        csv.writer(file).writerows([("judge", "name", "email", "note"), *rows])
    (tmp_path / "items.csv").write_text("item,A,B\n1,eins,zwei\n")
    path = tmp_path / "c.toml"
    path.write_text('items = "items.csv"\njudges = "judges.csv"\n')
    planned = read_campaign(path)
    store.launch(planned)
    tokens = write_links(store, tmp_path / "l.csv", "http://here", judges=planned.judges)
    links = {judge: token for (role, judge), token in tokens.items() if role == "judge"}
    text = write_invitations(store.judges(), links)
    written = {row["judge"]: row for row in csv.DictReader(io.StringIO(text))}
    for judge, name, email, _ in rows:
        shown = (name or judge).replace("=Hal", "'=Hal")  # a spreadsheet would run it
        assert (written[judge]["name"], written[judge]["email"]) == (shown, email)


def test_links_that_cannot_be_written_are_not_made(
    launched: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link that is good and that nobody ever saw would shut its judge out."""
    path = tmp_path / "links.csv"

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(Path, "replace", fail)
        with pytest.raises(CampaignError, match="cannot be written: no space left"):
            write_links(launched, path, "http://here")
    assert {one.state for one in launched.judges()} == {"vacant"}
    assert list(tmp_path.glob("*links*")) == []
    found = write_links(launched, path, "http://here")
    assert launched.identify(found["judge", "j0"]).judge == "j0"


def make_file(launched: Store, path: Path, *links: tuple[str, str, str]) -> None:
    """A file of links of a launch, as a server writes it that is killed before its commit."""
    launch = next(launched.lines()).hash[:16]
    rows = (f"{','.join(one)},{launch}\n" for one in links)
    path.write_text("role,judge,link,launch\n" + "".join(rows))


def test_links_of_this_launch_that_the_database_does_not_know_are_taken_over(
    launched: Store, tmp_path: Path
) -> None:
    """Written before a crash, or lost from the database by a backup that is older: given out."""
    path, ours, admin = tmp_path / "links.csv", str(draw_token()), str(draw_token())
    make_file(
        launched,
        path,
        ("judge", "j0", f"http://here/j/{ours}"),
        ("judge", "j1", "http://here/j/no-token"),
        ("admin", "", f"http://here/a/{admin}"),
    )
    found = write_links(launched, path, "http://here")
    assert (found["judge", "j0"], found["admin", ""]) == (ours, admin)
    assert launched.identify(found["judge", "j1"]).judge == "j1"
    assert launched.identify(ours).judge == "j0"
    assert launched.identify(admin).role == "admin"


def test_one_link_of_two_judges_is_taken_over_for_neither(launched: Store, tmp_path: Path) -> None:
    path, same = tmp_path / "links.csv", f"http://here/j/{draw_token()}"
    make_file(launched, path, ("judge", "j0", same), ("judge", "j1", same))
    found = write_links(launched, path, "http://here")
    assert {launched.identify(found["judge", one]).judge for one in ("j0", "j1")} == {"j0", "j1"}
    assert same.rpartition("/")[2] not in found.values()


def test_a_link_that_was_ended_is_not_taken_over_again(launched: Store, tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    first = write_links(launched, path, "http://here")
    launched.invite("j0")
    launched.do(people.replace_link, "admin")
    again = write_links(launched, path, "http://here")
    assert ("judge", "j0") not in again
    assert again["admin", ""] != first["admin", ""]
    assert again["judge", "j1"] == first["judge", "j1"]


def test_the_link_of_a_crowd_is_made_for_a_crowd_alone_and_then_kept(
    launched: Store, tmp_path: Path
) -> None:
    path = tmp_path / "links.csv"
    assert ("crowd", "") not in write_links(launched, path, "http://here")
    token = write_links(launched, path, "http://here", crowd=True)["crowd", ""]
    assert write_links(launched, path, "http://here")["crowd", ""] == token


def test_a_file_that_a_spreadsheet_program_wrote_is_read_and_left_alone(
    launched: Store, tmp_path: Path
) -> None:
    path = tmp_path / "links.csv"
    first = write_links(launched, path, "http://here")
    text = path.read_text()
    for edited in (
        b"\xef\xbb\xbf" + text.encode(),
        text.replace("\n", "\r\n").encode(),
        text.replace(",", ";").encode(),
        text.replace(",", "\t").encode(),
        b"\xef\xbb\xbf" + text.replace(",", ";").replace("\n", ";;\r\n").encode() + b";;;;;\r\n",
    ):
        path.write_bytes(edited)
        path.chmod(0o644)
        assert write_links(launched, path, "http://here") == first
        assert path.read_bytes() == edited
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_of_something_else_is_not_overwritten(launched: Store, tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(CampaignError, match="not a file of links"):
        write_links(launched, path, "http://here")
    assert path.read_text() == "a,b\n1,2\n"


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("judge,qouta\nj1,9\n", "no column 'qouta': call it 'quota', or another name"),
        ("judge,emial\nj1,a@b.org\n", "no column 'emial': call it 'email'"),
        ("judge,notes\nj1,late\n", "no column 'notes': call it 'note'"),
        ("judge,email\nj1,b@x.org?cc=evil@x.org\n", "is no e-mail address: write one, or none"),
        ("judge,email\nj1,not an address\n", "'not an address' is no e-mail address"),
        ("judge,email\nj1,Ann <a@b.org>\n", "'Ann <a@b.org>' is no e-mail address"),
        (
            "judge,name\nj1,Ben (UPF) <not an address>\n",
            "the name 'Ben (UPF) <not an address>' has",
        ),
        ("judge\nann\nann\n", "judges.csv: two judges have one name: ann"),
    ],
)
def test_what_a_table_of_judges_cannot_mean_is_refused(
    tmp_path: Path, rows: str, says: str
) -> None:
    (tmp_path / "items.csv").write_text("item,A,B\n1,eins,zwei\n")
    (tmp_path / "judges.csv").write_text(rows)
    (tmp_path / "c.toml").write_text('items = "items.csv"\njudges = "judges.csv"\n')
    with pytest.raises(CampaignError, match=re.escape(says)) as told:
        read_campaign(tmp_path / "c.toml")
    assert str(told.value).startswith(("judges.csv, line 2: ", "judges.csv: two"))


def test_names_of_people_with_their_addresses_do_not_become_pseudonyms(tmp_path: Path) -> None:
    (tmp_path / "items.csv").write_text("item,A,B\n1,eins,zwei\n")
    path = tmp_path / "c.toml"
    path.write_text('items = "items.csv"\njudges = "judges.csv"\n')
    for header in ("Name,E-mail", "Mail,name", "E-Mail Address,NAME"):
        (tmp_path / "judges.csv").write_text(f"{header}\nAnn Lee,ann@example.org\n")
        said = r"^judges\.csv, line 2: the names in 'name'.*add a column 'judge' with pseudonyms"
        with pytest.raises(CampaignError, match=f"(?i){said}"):
            read_campaign(path)
    (tmp_path / "judges.csv").write_text("Name,E-mail,judge\nAnn Lee,ann@example.org,j1\n")
    assert [one.name for one in read_campaign(path).judges] == ["j1"]
    (tmp_path / "judges.csv").write_text("Name\nann\n")
    assert [one.name for one in read_campaign(path).judges] == ["ann"]


@pytest.mark.parametrize(
    ("columns", "unread"),
    [
        ("E-mail Address,Note,Name,QUOTA", ()),
        ("mail", ()),
        ("native,age", ("native", "age")),
        ("mail address,country", ("mail address", "country")),
    ],
)
def test_columns_of_a_table_of_judges_that_are_not_read_are_named(
    store: Store, tmp_path: Path, columns: str, unread: tuple[str, ...]
) -> None:
    (tmp_path / "items.csv").write_text("item,A,B\n1,eins,zwei\n")
    (tmp_path / "judges.csv").write_text(f"judge,{columns}\nj1{',' * (columns.count(',') + 1)}\n")
    (tmp_path / "c.toml").write_text('items = "items.csv"\njudges = "judges.csv"\n')
    planned = read_campaign(tmp_path / "c.toml")
    assert planned.judges[0].unread == unread
    store.launch(planned)
    warned = [one for one in _find_doubts(store, planned) if "not read" in one]
    assert [one.rpartition(": ")[2] for one in warned] == [", ".join(unread)] * bool(unread)


def test_a_file_in_another_encoding_is_refused_in_words(launched: Store, tmp_path: Path) -> None:
    path = tmp_path / "links.csv"
    path.write_bytes("role,judge,link\njudge,Zoë,x\n".encode("cp1252"))
    with pytest.raises(CampaignError, match="save the file as CSV in UTF-8"):
        write_links(launched, path, "http://here")
