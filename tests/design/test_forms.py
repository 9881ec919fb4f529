"""Forms of texts: what they become, what is refused, and that files go by what is in them."""

import json
import os
import random
import time
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evenhand.design.campaign import Campaign
from evenhand.design.forms import MAX_BYTES, Form, draw
from evenhand.design.reading import make_campaign, read_campaign
from evenhand.errors import CampaignError
from text_forms import FORMS, PAYLOADS, make_media, make_payloads, write_png, write_wav

MARKDOWN = Form("markdown", math=True)
ELEMENTS = frozenset(
    [
        *("p", "br", "hr", "h3", "h4", "h5", "h6", "em", "strong", "s", "code", "pre", "ul", "ol"),
        *("blockquote", "li", "a", "img", "div", "span", "table", "thead", "tbody", "tr", "th"),
        *("td", "math", "mrow", "mi", "mo", "mn", "mtext", "mspace", "mfrac", "msqrt", "mroot"),
        *("msub", "msup", "msubsup", "munder", "mover", "munderover", "mtable", "mtr", "mtd"),
        *("mstyle", "mpadded", "mphantom", "menclose"),
    ]
)


class Page(HTMLParser):
    """Elements with their attributes, and the text, of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def list_html(told: Any) -> list[str]:
    turns = told.get("turns", ())
    own = [told["html"]] if "html" in told else []
    return own + [html for one in turns for html in list_html(one)]


@pytest.mark.parametrize("form", FORMS)
def test_no_attack_makes_an_element_that_acts_or_loads(form: str) -> None:
    campaign = make_payloads(form)
    assert len(campaign.items) == len(PAYLOADS) >= 80
    for item in campaign.items:
        (text,) = item.outputs.values()
        for html in list_html(draw(campaign.wording.text("output").form, text)):
            for tag, has in Page(html).elements:
                assert tag in ELEMENTS, (tag, text)
                assert not {*has} & {"src", "style", "id", "srcset", "action"}, (tag, has)
                assert not any(name.startswith("on") for name in has), (tag, has)
                assert "evil" not in (has.get("class") or ""), (tag, has)
                if "href" in has:
                    assert (has["href"] or "").startswith(("http://", "https://"))
                    assert {"noopener", "noreferrer"} <= {*(has["rel"] or "").split()}


@pytest.mark.parametrize("text", PAYLOADS)
def test_code_and_text_with_formulas_show_each_character(text: str) -> None:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = Page(draw(Form("code", syntax="python"), lines)["html"]).text
    assert shown.rstrip("\n") == lines.rstrip("\n").removeprefix("\ufeff")
    plain = Page(draw(Form(math="lenient"), lines)["html"]).text
    if not {"$", "\\"} & {*lines}:
        assert plain == lines


def test_markdown_is_commonmark_with_tables_and_no_html() -> None:
    """The markup of each is that of https://spec.commonmark.org/0.31.2/ and of GitHub's tables."""
    told = {
        "*a* **b** `c`": "<p><em>a</em> <strong>b</strong> <code>c</code></p>\n",
        "- a\n- b": "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n",
        "> a": "<blockquote>\n<p>a</p>\n</blockquote>\n",
        "<b>a</b>": "<p>&lt;b&gt;a&lt;/b&gt;</p>\n",
        "~~a~~": "<p><s>a</s></p>\n",
        "![a](http://example.org/b.png)": "<p>![a](http://example.org/b.png)</p>\n",
        "[a](ftp://example.org)": "<p>a</p>\n",
    }
    assert {text: draw(Form("markdown"), text)["html"] for text in told} == told
    html = draw(MARKDOWN, "### a\n\n# b\n\n##### c\n\n###### d\n\n## e")["html"]
    assert [tag for tag, _ in Page(html).elements] == ["h3", "h3", "h4", "h5", "h4"]
    assert draw(MARKDOWN, "`$x$` $5 and $6")["html"] == "<p><code>$x$</code> $5 and $6</p>\n"
    assert draw(Form(math=True), " $5 and\n\n $6 \\(")["html"] == " $5 and\n\n $6 \\("


@pytest.mark.parametrize(
    ("formula", "tags", "text"),
    [
        (r"\frac{a}{b}", ["mrow", "mfrac", "mrow", "mi", "mrow", "mi"], "ab"),
        ("x^2", ["mrow", "msup", "mi", "mn"], "x2"),
        ("a<b", ["mrow", "mi", "mo", "mi"], "a<b"),
        (r"\alpha\le\mathbb{R}", ["mrow", "mi", "mo", "mi"], "α≤ℝ"),
        (r"n\log n", ["mrow", "mi", "mo", "mi"], "nlogn"),
    ],
)
def test_formulas_become_mathml(formula: str, tags: list[str], text: str) -> None:
    """What each part becomes: https://www.w3.org/TR/mathml-core/, elements of presentation."""
    for written in (f"${formula}$", rf"\({formula}\)"):
        made = ElementTree.fromstring(draw(Form(math=True), written)["html"])
        assert [one.tag for one in made.iter()] == ["math", *tags]
        assert "".join(made.itertext()) == text
    for written in (f"$${formula}$$", rf"\[{formula}\]"):
        made = ElementTree.fromstring(draw(Form(math=True), written)["html"])
        assert (made.tag, made.attrib) == ("span", {"class": "formula"})
        assert "".join(made.itertext()) == text


BROKEN = {
    r"$\frac{1}{$": "a '{' is not closed, or what a command needs after it is missing",
    r"$\frac{1$": "a '{' is not closed, or what a command needs after it is missing",
    r"$\frac{1}$": "a '{' is not closed, or what a command needs after it is missing",
    r"$x^{2$": "a '{' is not closed, or what a command needs after it is missing",
    r"$x}^2$": "a '}' closes nothing",
    r"$$x^$$": "nothing stands after '^' or '_'",
    r"\(\left( x\)": r"'\left' and '\right' do not go in pairs",
    r"$x_1_2$": "one part has two subscripts (write '{x_1}_2' or 'x_{12}')",
    r"$x^1^2$": "one part has two superscripts (write '{x^1}^2' or 'x^{12}')",
    r"$\begin{matrix} a$": r"a '\begin' has no '\end'",
    r"\[\nosuchcommand x\]": r"'\nosuchcommand' is not known here",
    r"$\begin{multline} a & b \end{multline}$": "'&' is not known here",
    r"$\def\a{b}\a$": "it defines a command, which formulas may not",
    "$" + "{" * 2_000 + "}" * 2_000 + "$": "parts stand in parts too deep",
    r"$\textnormal$": "a part is missing, or in the wrong place",
}


@pytest.mark.parametrize(("text", "fault"), BROKEN.items())
def test_a_broken_formula_is_refused_or_shown_as_it_is_written(text: str, fault: str) -> None:
    for form in ({"math": True}, {"form": "markdown", "math": True}):
        with pytest.raises(CampaignError, match="item '1': the output of A: its formula") as said:
            make(form, text)
        assert f'cannot be set: {fault}; mend it, or say math = "lenient"' in str(said.value)
    made = make({"math": "lenient"}, text)
    shown = Page(draw(made.wording.text("output").form, text)["html"]).text
    assert shown == text
    paragraph = Page(draw(Form("markdown", math="lenient"), f"So: {text}")["html"]).text
    assert paragraph == f"So: {text}\n"


def test_no_formula_breaks_a_page() -> None:
    """Whatever stands in it is set, or shown as it is written."""
    drawn = random.Random(29)
    parts = [r"\frac", r"\sqrt", r"\left(", r"\right)", r"\begin{array}{c}", r"\end{array}", "&"]
    parts += [r"\text", r"\binom", r"\operatorname", r"\overset", r"\not", r"\limits", r"\\", "^"]
    parts += [r"\sum", r"\mathbb", r"\hspace", r"\color", r"\skew", r"\textsf"]
    parts += ["{", "}", "x", "1em", "_"]
    set_ones = 0
    for _ in range(3_000):
        formula = " ".join(drawn.choice(parts) for _ in range(drawn.randint(1, 8)))
        html = draw(Form(math="lenient"), f"${formula}$")["html"]
        set_ones += html.startswith("<math")
        assert html.startswith("<math") or Page(html).text == f"${formula}$"
    assert 300 < set_ones < 2_700


def make(form: dict[str, Any], output: Any = "a", task: Any = None, **item: Any) -> Campaign:
    told: dict[str, Any] = {"name": "n", "judges": ["j"], "texts": {"output": form}}
    told["tasks"] = [{"kind": "rating", "name": "good", **(task or {})}]
    return make_campaign({**told, "items": [{"item": "1", "outputs": {"A": output}, **item}]}, "c")


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"form": "markdwn"}, "form cannot be 'markdwn': choose text .* Did you mean 'markdown'"),
        ({"form": "code", "syntax": "pyhton"}, "syntax cannot be 'pyhton'.*Did you mean 'python'"),
        ({"form": "image", "math": True}, "math is for text and markdown and chat.*leave math out"),
        ({"syntax": "python"}, 'syntax is for code, and the form is "text": leave syntax out'),
        ({"math": "yes"}, "math cannot be 'yes': true, false or \"lenient\""),
        ({"form": "chat", "turns": "html"}, "turns cannot be 'html': choose text . markdown"),
        ({"from": "chat"}, "a text has no setting 'from'. Did you mean 'form'"),
    ],
)
def test_a_form_that_is_none_is_refused_by_name(form: dict[str, Any], told: str) -> None:
    with pytest.raises(CampaignError, match=rf"c, \[texts.output\]: {told}"):
        make(form)


CHAT = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]


@pytest.mark.parametrize(
    ("chat", "told"),
    [
        ("Hi", r"it is no chat: write a list of turns, such as \[\{"),
        ("[]", "it is no chat"),
        ('[{"role": "user"', "it is no chat"),
        ("[" * 100_000, "it is no chat"),
        (["Hi"], "turn 1 is no turn: write it as"),
        ([{"role": "user"}], "turn 1 has no content: write it as"),
        ([{"role": " ", "content": "x"}], "role of turn 1 cannot be ' ': it is text"),
        ([CHAT[0], {**CHAT[1], "name": "gpt"}], "turn 2 has 'name', which is not shown: take it"),
        (CHAT[:1], "its last turn is of 'user', and the last turn is what is judged"),
        ([{"role": "a", "content": "x\0"}], "holds a character that no text holds"),
        ('[{"role": "a", "content": "\\ud800"}]', "holds a character that no text holds"),
    ],
)
def test_a_chat_that_is_none_is_refused_with_its_turn(chat: Any, told: str) -> None:
    with pytest.raises(CampaignError, match=rf"(?s)item '1': the output of A:? .*{told}|{told}"):
        make({"form": "chat"}, chat)


@pytest.mark.parametrize("form", ["text", "markdown", "code", "chat", "image", "audio"])
def test_a_form_is_not_taken_for_a_language(form: str) -> None:
    told = {"name": "n", "judges": 1, "items": [{"item": "1", "outputs": {"A": "a", "B": "b"}}]}
    said = rf'"{form}" is a form.*: write output = {{ form = "{form}" }}$'
    with pytest.raises(CampaignError, match=said):
        make_campaign({**told, "texts": {"output": form}})


def test_a_chat_is_the_same_text_however_it_is_written() -> None:
    written = [CHAT, json.dumps(CHAT), json.dumps(CHAT, indent=2)]
    assert len({make({"form": "chat"}, one).digest for one in written}) == 1
    made = make({"form": "chat"}, CHAT, source="plain")
    assert draw(made.wording.text("output").form, made.items[0].outputs["A"]) == {
        "form": "chat",
        "turns": [{"role": "user", "text": "Hi"}, {"role": "assistant", "text": "Hello"}],
    }
    assert make_campaign(json.loads(made.canonical)) == made


def test_what_marks_or_compares_characters_asks_for_plain_outputs() -> None:
    told = "'good' {} of plain outputs, and \\[texts\\] says of outputs: form; leave one"
    with pytest.raises(CampaignError, match=told.format("marks words")):
        make({"form": "markdown"}, task={"kind": "spans"})
    with pytest.raises(CampaignError, match=told.format("shows differences")):
        make({"form": "code"}, task={"kind": "pair", "differences": True})
    with pytest.raises(CampaignError, match="the text of the page is plain"):
        make_campaign({**json.loads(make({}).canonical), "texts": {"page": {"form": "code"}}})


def test_plain_texts_keep_their_digest_and_may_be_long() -> None:
    made = make({"language": "en"})
    assert json.loads(made.canonical)["texts"] == {"output": {"language": "en", "direction": "ltr"}}
    code = make({"form": "code"})
    assert code.wording.text("output").direction == "ltr"
    with pytest.raises(CampaignError, match=r"100,001 characters.*at most 100,000: shorten it"):
        make({"form": "markdown"}, "x" * 100_001)
    assert make({}, "x" * 100_001)


def test_what_would_take_minutes_is_not_coloured_and_not_set() -> None:
    """Without bounds these take minutes each: libraries and searches go by the square."""
    code = Form("code", syntax="csharp")
    coloured, plain = "int a;\n" * 1_428, "a\n" * 50_000
    assert "span" in draw(code, coloured)["html"]
    assert draw(code, plain)["html"] == f"<pre><code>{plain}</code></pre>"
    block = draw(Form("markdown"), f"```csharp\n{plain[:90_000]}```")["html"]
    assert "span" not in block
    assert "<math" in draw(MARKDOWN, f"${'x' * 5_000}$")["html"]
    with pytest.raises(CampaignError, match="cannot be set: it has more than 5,000 characters"):
        make({"math": True}, f"${'x' * 5_001}$")


def test_what_opens_a_formula_and_never_closes_is_looked_for_once() -> None:
    began = time.process_time()
    for opens in (r"\(", r"\["):
        text = opens * 50_000
        assert Page(draw(Form(math="lenient"), text)["html"]).text == text
    assert draw(MARKDOWN, r"\(x [\(y\)](http://a.example) \[")["html"].count("<math") == 1
    assert time.process_time() - began < 10  # 40 s where each one is looked for


# ---------- files ----------


def test_a_file_goes_by_what_is_in_it_and_equal_files_are_one_output(tmp_path: Path) -> None:
    made = make_media(tmp_path)
    stored = {system: text for item in made.items for system, text in item.outputs.items()}
    for system, name in stored.items():
        held = (tmp_path / system / "1.png").read_bytes()
        assert name == f"{sha256(held).hexdigest()}.png"
        assert made.files[name].path == tmp_path.resolve() / system / "1.png"
    assert b"modelo/" not in made.canonical
    assert make_campaign(json.loads(made.canonical)) == made
    before = made.digest
    write_png(tmp_path / "modelo" / "1.png", (1, 2, 3))
    write_png(tmp_path / "rival" / "1.png", (1, 2, 3))
    outputs = {one: f"{one}/1.png" for one in stored}
    told = {"name": "n", "texts": {"output": {"form": "image"}}}
    same = make_campaign({**told, "items": [{"item": "1", "outputs": outputs}]}, "c", tmp_path)
    assert same.items[0].merged
    assert same.digest != before
    assert len(same.files) == 1


def test_images_in_markdown_go_by_what_is_in_them(tmp_path: Path) -> None:
    """Whichever way an address is written: https://spec.commonmark.org/0.31.2/#images."""
    image = write_png(tmp_path / "gpt 5" / "a(1).png")
    name = f"{sha256(image.read_bytes()).hexdigest()}.png"
    told = {"name": "n", "texts": {"output": {"form": "markdown"}}}
    for written in (
        "![x](<gpt 5/a(1).png>)",
        "![x](gpt%205/a(1).png)",
        '![x](gpt%205/a(1).png "a title")',
        "> ![x][y]\n\n[y]: <gpt 5/a(1).png>",
        "- a\n  - ![x](gpt%205/a(1).png) ![z](gpt%205/a(1).png)",
    ):
        items = [{"item": "1", "outputs": {"A": written}}]
        made = make_campaign({**told, "items": items}, "c", tmp_path)
        text = made.items[0].outputs["A"]
        assert "gpt" not in text
        shown = Page(draw(made.wording.text("output").form, text)["html"])
        images = [has for tag, has in shown.elements if tag == "img"]
        assert {one["data-file"] for one in images} == {name} == {*made.files}


FAULTY: dict[str, tuple[str, str]] = {
    "none.png": ("image", "there is no file 'none.png' in the folder of the campaign"),
    "http://example.org/x.png": ("image", "is no file of the campaign's folder, and nothing is"),
    "../outside.png": (
        "image",
        "'../outside.png' is not .* put the file there, and write its name",
    ),
    "link.png": ("image", "'link.png' is not in the folder of the campaign"),
    "page.png": ("image", "'page.png' is no PNG, JPEG, GIF or WebP: save it as one of these"),
    "drawing.svg": ("image", "'drawing.svg' is no PNG, JPEG, GIF or WebP: save it"),
    "empty.png": ("image", "'empty.png' is no PNG, JPEG, GIF or WebP"),
    "sound.wav": ("image", r"is no PNG, JPEG, GIF or WebP \(it is audio/wav\): save it"),
    "good.png": ("audio", r"is no MP3, WAV, Ogg, FLAC or M4A \(it is image/png\): save it"),
    "cut.png": ("image", "'cut.png' cannot be shown: the image is damaged .* save it again"),
    "wide.png": ("image", "'wide.png' has more than 50 million pixels: make it smaller"),
    "large.wav": ("audio", "has 100.1 MB, and a file of the form 'audio' has at most 100 MB"),
    "folder": ("image", "there is no file 'folder'"),
    "x\0y": ("image", r"there is no file 'x\\x00y'"),
    "n" * 5_000: ("image", "there is no file 'n"),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_file_that_cannot_be_shown_is_refused_with_a_remedy(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "campaign"
    good = write_png(folder / "good.png").read_bytes()
    write_png(tmp_path / "outside.png")
    if name == "wide.png":
        write_png(folder / name, side=7_100)
    write_wav(folder / "sound.wav")
    (folder / "link.png").symlink_to(tmp_path / "outside.png")
    (folder / "folder").mkdir()
    (folder / "page.png").write_text("<script>alert(1)</script>")
    (folder / "drawing.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    (folder / "empty.png").touch()
    (folder / "cut.png").write_bytes(good[:-20])
    with (folder / "large.wav").open("wb") as file:
        file.write(b"RIFF\0\0\0\0WAVE")
        os.truncate(file.fileno(), MAX_BYTES["audio"] + 100_000)
    form, told = FAULTY[name]
    settings = {"name": "n", "texts": {"output": {"form": form}}}
    items = [{"item": "1", "outputs": {"A": name}}]
    with pytest.raises(CampaignError, match=f"c: item '1': the output of A: .*{told}"):
        make_campaign({**settings, "items": items}, "c", folder)


def test_an_item_is_named_once_where_it_is_named_as_it_is_counted() -> None:
    items = [{"item": name, "outputs": {"A": "$x^$"}} for name in ("s7", "2")]
    told = {"name": "n", "texts": {"output": {"math": True}}}
    with pytest.raises(CampaignError, match=r"^c, item 1: item 's7': the output of A: its"):
        make_campaign({**told, "items": items}, "c")
    items[0]["outputs"] = {"A": "a"}
    with pytest.raises(CampaignError, match=r"^c: item '2': the output of A: its"):
        make_campaign({**told, "items": items}, "c")


@pytest.mark.parametrize("form", ["image", "audio"])
def test_a_campaign_that_is_no_file_has_no_files_beside_it(form: str) -> None:
    with pytest.raises(CampaignError, match="give the campaign as a file beside it"):
        make({"form": form}, "x.png")


def test_a_campaign_file_names_files_beside_it(tmp_path: Path) -> None:
    write_png(tmp_path / "a.png")
    write_png(tmp_path / "b.png", (0, 0, 0))
    (tmp_path / "items.csv").write_text("item,A,B\n1,a.png,b.png\n")
    (tmp_path / "c.toml").write_text('items = "items.csv"\n[texts]\noutput = { form = "image" }\n')
    assert len(read_campaign(tmp_path / "c.toml").files) == 2
    (tmp_path / "items.csv").write_text("item,A,B\n1,a.png,c.png\n")
    with pytest.raises(CampaignError, match=r"items\.csv, line 2: item '1': the output of B:"):
        read_campaign(tmp_path / "c.toml")
