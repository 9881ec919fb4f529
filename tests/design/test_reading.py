"""A campaign comes back from its file; whatever is wrong names the file and the row."""

import json
from dataclasses import replace
from hashlib import shake_256
from pathlib import Path

import pytest

from evenhand.design.assignment import assign
from evenhand.design.campaign import Campaign, TextField
from evenhand.design.reading import make_campaign, read_campaign
from evenhand.errors import CampaignError, MissingFile, UnknownFormat
from evenhand.numerics.sampling import Draws
from evenhand.web.store.audit import audit
from evenhand.web.store.store import Store
from stored_campaigns import make_pairs

FULL = """
name = "spring"
title = "Spring campaign"
seed = 7
judges = [{ name = "ann", quota = 40 }, { name = "ben" }]
consent = "I agree."
completion_code = "C0DE"

[texts]
source = "ar"
output = { language = "en" }

[design]
judges_per_item = 2
controls = 1

[[tasks]]
kind = "spans"
name = "errors"
question = "Where are errors?"
severities = { minor = 1, major = 5 }
categories = ["accuracy", "style"]

[[training]]
task = "errors"
item = "try"
source = "نص"
outputs = { sample = "A text" }
answer = { score = 90, spans = [] }
feedback = "No error here."

[[items]]
item = "1"
source = "مرحبا"
context = "..."
outputs = { A = "Hello", B = "Hi" }

[[items]]
item = "c1"
outputs = { broken = "Helo" }
control = "bad"
"""


def write(name, text):
    Path(name).write_text(text, encoding="utf-8")
    return name


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_language_says_its_direction():
    # CLDR: Arabic, Persian, Hebrew and Urdu are written from right to left; tags are those of ISO
    # 639-1 and 639-3, of which Appraise has the latter
    right = ["ar", "ara", "ar-EG", "fa", "fas", "he", "heb", "ur", "urd", "pa-Arab"]
    left = ["en", "eng", "pa", "zho", "tur", "swa"]
    for direction, tags in {"rtl": right, "ltr": left}.items():
        assert {tag: TextField(tag).direction for tag in tags} == dict.fromkeys(tags, direction)


def test_a_full_campaign_is_read_and_comes_back():
    campaign = read_campaign(write("c.toml", FULL))
    assert campaign.systems == ("A", "B")
    assert campaign.judges[0].quota == 40
    assert campaign.wording.text("source").direction == "rtl"
    assert campaign.wording.text("context").direction == "rtl"
    assert campaign.wording.text("reference").direction == "ltr"
    assert campaign.tasks[0].categories == ("accuracy", "style")
    again = make_campaign(json.loads(campaign.canonical))
    assert again == campaign
    assert again.digest == campaign.digest


TABLES = {
    "wide.csv": "item,source,A,B\n1,uno,one,un\n2,dos,two,\n",
    "wide.tsv": "item\tsource\tA\tB\n1\tuno\tone\tun\n2\tdos\ttwo\t\n",
    "long.csv": "item;source;system;output\n1;uno;A;one\n1;uno;B;un\n2;dos;A;two\n",
    "wide.jsonl": '{"item": "1", "source": "uno", "A": "one", "B": "un"}\n'
    '{"item": "2", "source": "dos", "A": "two"}\n',
    "nested.jsonl": '{"item": 1, "source": "uno", "outputs": {"A": "one", "B": "un"}}\n\n'
    '{"item": 2, "source": "dos", "outputs": {"A": "two"}}\n',
}


@pytest.mark.parametrize("name", TABLES)
def test_every_shape_of_a_table_says_the_same(name):
    write(name, TABLES[name])
    campaign = read_campaign(
        write("c.toml", f'items = "{name}"\n[[tasks]]\nkind="rating"\nname="q"')
    )
    assert [dict(one.outputs) for one in campaign.items] == [
        {"A": "one", "B": "un"},
        {"A": "two"},
    ]
    assert [one.source for one in campaign.items] == ["uno", "dos"]


def test_a_bare_table_is_a_campaign():
    write("mine.csv", "\ufeffitem,A,B\n1,one,un\n")
    campaign = read_campaign("mine.csv")
    assert (campaign.name, campaign.tasks[0].kind, len(campaign.judges)) == ("mine", "pair", 3)
    write("one.csv", "item,A\n1,one\n")
    assert read_campaign("one.csv").tasks[0].kind == "rating"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("item,sorce,A\n1,x,y\n", r"items.csv, line 2: 'sorce' would be a system. Did you mean"),
        (
            "item,A\n1,x\n1,y\n",
            r"line 3: item '1' appears twice \(also items.csv, line 2\): give each its own",
        ),
        ("item,A\n1,x\n,y\n", "items.csv, line 3: the item has no name; its cell in column"),
        ("item,A\n1,x,z\n", "items.csv, line 2: 3 cells, and the header has 2: put quotes around"),
        ("item,A,A\n1,x,z\n", "items.csv, line 1: two columns are called 'A': rename"),
        ("item,A,\n1,x,z\n", "items.csv, line 1: column 3 has no name: name it"),
        ("item,source\n1,x\n", "items.csv, line 2: item '1' has no outputs"),
        ("item,A,anchor\n1,x,maybe\n", "items.csv, line 2: anchor cannot be 'maybe': yes or no"),
        ("item,A,control\n1,x,goood\n", "items.csv, line 2: .*Did you mean 'good'"),
        (
            "item,system,output\n1,A,x\n1,A,y\n",
            "items.csv, line 3: item '1' has two outputs of 'A'",
        ),
        (
            "item,source,system,output\n1,s,A,x\n1,t,B,y\n",
            "items.csv, line 3: source of item '1' is another than before",
        ),
        ('item,A\n1,"x\n', "items.csv, line"),
        ("item,A\n", "'items.csv' holds no items: write a header"),
        ("item,A\n1,a\0b\n", "items.csv, line 2"),
    ],
)
def test_a_wrong_table_names_file_and_row(table, said):
    write("items.csv", table)
    with pytest.raises((CampaignError, UnknownFormat), match=said):
        read_campaign(write("c.toml", 'items = "items.csv"\n'))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("jugdes = 3", "c.toml: a campaign has no setting 'jugdes'. Did you mean 'judges'"),
        ("[design]\nrepeat = 3", r"c.toml, \[design\]: .* 'repeat'. Did you mean 'repeats'"),
        ("[design]\nlag = -1", r"c.toml, \[design\]: lag cannot be -1"),
        (
            '[[tasks]]\nkind = "pairs"',
            "c.toml, task 1: kind cannot be .*Did you mean 'pair'",
        ),
        ('[[tasks]]\nkind = "pair"', "c.toml, task 1: a task needs a name"),
        ('[[tasks]]\nkind = "pair"\nname = "p"\ntie = true', "'tie'. Did you mean 'ties'"),
        ('[texts]\nsorce = "en"', "c.toml: no text of the page is called 'sorce'"),
        ("judges = 0", "c.toml: judges cannot be 0"),
        ('judges = ["ann", "ann"]', "c.toml: two judges have one name: ann"),
        ('[[training]]\ntask = "p"\nitem = "t"\nA = "x"', "c.toml: training 't' teaches nothing"),
        ("seed = -1", "c.toml: seed cannot be -1"),
        (f"seed = {2**256}", "c.toml: seed cannot be 1157"),
        ('seed = "7"', "c.toml: seed cannot be '7'.*leave it out and the launch draws one"),
        ('language = "xx"', r"language cannot be 'xx': choose ar \| cs"),
        ("language = 3", "language cannot be 3: it is text in quotes"),
        ('messages = "pl.po"', 'messages = "pl.po" needs a language, such as language = "pl"'),
        ('[texts]\nsource = "Englisch"', "'Englisch' is no tag of a language: write es"),
        ('language = "p l"\nmessages = "pl.po"', "'p l' is no tag of a language"),
        ('language = "pl"\nmessages = "gone.po"', "there is no file"),
        ("[pay]\nper_hour = -1", "per_hour cannot be -1: it is a number, 0 or more"),
        ('[pay]\nper_hour = "12"', "per_hour cannot be '12': it is a number"),
        ("[pay]\nhourly = 12", r"\[pay\] has no setting 'hourly'"),
        ("[pay]\ncurrency = 3", "currency cannot be 3"),
        ("[pay]\nper_hour = 12", r'c.toml, \[pay\]: .* no currency: add .* currency = "EUR"'),
        ("[pay]\nper_answer = 0.1\ncurrency = ' '", "the amount has no currency"),
        (f"name = '{'c' * 201}'", "campaign 'cc.*has 201 characters, and a name at most 200"),
        (f"judges = ['{'j' * 201}']", "judge 'jj.* has 201 characters, .*: shorten it"),
        (f"items = [{{ item = 'i', {'s' * 201} = 'x' }}]", "item 'i': system 'ss.*: shorten it"),
        ("[time]\nseconds_per_answer = -1", "seconds_per_answer cannot be -1"),
        ("[time]\nseconds = 20", r"\[time\] has no setting 'seconds'"),
        ('[design]\nequal_outputs = "no"', "equal_outputs cannot be 'no'"),
        ("items = [1]", "c.toml: items are tables"),
        ("= 3", "'c.toml' is not valid TOML"),
    ],
)
def test_a_wrong_campaign_says_where(text, said):
    more = "" if text.startswith("items") else '\n[[items]]\nitem = "1"\noutputs = { A = "x" }\n'
    with pytest.raises((CampaignError, UnknownFormat), match=said):
        read_campaign(write("c.toml", text + more))


def test_a_row_of_a_table_is_named_by_its_own_file_alone():
    write("items.jsonl", '{"item": "1", "A": "x"}\n{"item": "2", \n')
    write("table.csv", "item,A\n1,x\n1,y\n")
    for items, said in (
        ("items.jsonl", "items.jsonl, line 2: "),
        ("table.csv", "table.csv, line 3: "),
    ):
        with pytest.raises(CampaignError, match=f"^{said}"):
            read_campaign(write("c.toml", f'items = "{items}"'))
    write("one.csv", "item,A\n1,x\n")
    with pytest.raises(CampaignError, match=r"^c\.toml: ignore: no item has a column 'B'"):
        read_campaign(write("c.toml", 'items = "one.csv"\nignore = ["B"]'))


def test_seeds_and_platforms_are_kept_in_files_and_digests() -> None:
    item = '\n[[items]]\nitem = "1"\noutputs = { A = "x" }\n'
    campaign = read_campaign(write("c.toml", f'seed = "{"c0" * 24}"{item}'))
    assert campaign.seed == int("c0" * 24, 16)
    assert campaign.to_dict()["seed"] == "c0" * 24
    assert read_campaign(write("c.toml", item)).seed is None
    assert "seed" not in read_campaign(write("c.toml", item)).to_dict()
    assert read_campaign(write("c.toml", f"seed = 8{item}")).to_dict()["seed"] == 8
    plain = make_pairs()
    assert "platform" not in plain.to_dict()
    other = replace(plain, platform="mturk")
    assert other.digest != plain.digest
    assert make_campaign(other.to_dict()) == other


def test_with_a_secret_seed_draws_come_from_shake_256():
    seed = 2**191 + 5
    told = shake_256(f"{seed:x}/a/b".encode()).digest(24)
    wanted = [int.from_bytes(told[at : at + 8], "little") for at in (0, 8, 16)]
    assert Draws(seed, "a").of("b").keys(3).tolist() == wanted
    assert Draws(2**63 - 1, "a").keys(1) != Draws(2**63, "a").keys(1)


@pytest.mark.parametrize("name", ["prolifik", "", 3, ["mturk"]])
def test_a_platform_that_is_none_is_refused(name: object) -> None:
    told = {**make_pairs().to_dict(), "platform": name}
    with pytest.raises(CampaignError, match=r"prolific \| mturk \| other"):
        make_campaign(told)


NAMES = ("Nord", "Süd", "Ost", "West")
"""In no alphabet's order."""


def make() -> Campaign:
    rows = [
        {"item": f"i{n}", "outputs": {name: f"{name} {n}" for name in NAMES}} for n in range(12)
    ]
    known = [
        {"item": f"k{n}", "outputs": {"West": "w", "Nord": "n"}, "expected": "Nord"}
        for n in range(3)
    ]
    marks = {"kind": "spans", "name": "errors", "severities": {"small": 1, "big": 5, "awful": 25}}
    bad = [{"item": f"b{n}", "outputs": {"West": "w"}, "control": "bad"} for n in range(3)]
    tasks = [{"kind": "pair", "name": "better"}, marks]
    design = {"judges_per_item": 2, "controls": 1}
    return make_campaign(
        {
            "name": "order",
            "judges": 3,
            "design": design,
            "tasks": tasks,
            "items": [*rows, *known, *bad],
        }
    )


def test_the_order_of_systems_and_severities_is_kept_in_files_tickets_and_the_log(tmp_path):
    campaign = make()
    again = make_campaign(json.loads(campaign.canonical))
    assert again.systems == campaign.systems == NAMES
    assert list(again.task("errors").severities) == ["small", "big", "awful"]
    assert (again.digest, again.canonical) == (campaign.digest, campaign.canonical)
    assert list(assign(again)) == list(assign(campaign))
    with Store.open(str(tmp_path / "c.db")) as store:
        store.launch(make())
    assert audit(str(tmp_path / "c.db")).holds


def test_files_that_are_none():
    with pytest.raises(MissingFile, match=r"no file 'nix.toml'"):
        read_campaign("nix.toml")
    with pytest.raises(MissingFile, match=r"no file 'nix.csv'"):
        read_campaign(write("c.toml", 'items = "nix.csv"'))
    with pytest.raises(UnknownFormat, match="is no campaign"):
        read_campaign("c.pdf")
    Path("c.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(UnknownFormat, match="UTF-8"):
        read_campaign("c.toml")


def test_a_stored_campaign_keeps_the_language_that_it_was_launched_with():
    assert TextField("english").language == "english"  # read anew it is refused
