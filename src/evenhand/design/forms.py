"""How judges see a text: as it is, or as Markdown, code, a chat, an image or a recording.

Libraries parse and lay out; what they make is cut to a list of harmless elements. A file beside the
campaign goes by its SHA-256, so that a changed file is noticed as a changed text is, equal files
are one output, and no name of a file tells a judge whose output it is.
"""

from __future__ import annotations

import html
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import file_digest
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from evenhand.design.tasks import NO_TEXT, is_text
from evenhand.errors import CampaignError, sentence_hint, suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

FORMS: Final = ("text", "markdown", "code", "chat", "image", "audio")
MEDIA: Final = ("image", "audio")
MATH: Final = (False, True, "lenient")
TURNS: Final = ("text", "markdown")
MAX_CHARACTERS: Final = 100_000  # Most characters of a text that is laid out
# Time to colour code, and to set a formula, may grow by the square of its length
MAX_COLOURED: Final = 10_000
MAX_FORMULA: Final = 5_000
# A file as texts name it once the campaign is read: by its SHA-256, which tells judges nothing
STORED: Final = re.compile(r"[0-9a-f]{64}\.[a-z0-9]{2,4}")


class Settings:
    def to_dict(self) -> dict[str, Any]:
        """Return what differs from the usual: other campaigns keep their digests."""
        usual = type(self)
        return {name: one for name, one in vars(self).items() if one != getattr(usual, name)}


@dataclass(frozen=True)
class Form(Settings):
    form: str = "text"
    math: bool | str = False  # whether formulas are set; "lenient": those that can be
    syntax: str = ""  # the programming language of code; "" for no colours
    turns: str = "text"  # what the turns of a chat are

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            hint = sentence_hint(suggest(str(self.form), FORMS))
            raise CampaignError(f"form cannot be {self.form!r}: choose {' | '.join(FORMS)}{hint}")
        if self.math not in MATH:
            raise CampaignError(f'math cannot be {self.math!r}: true, false or "lenient"')
        if self.turns not in TURNS:
            raise CampaignError(f"turns cannot be {self.turns!r}: choose {' | '.join(TURNS)}")
        for name, forms in (
            ("math", ("text", "markdown", "chat")),
            ("syntax", ("code",)),
            ("turns", ("chat",)),
        ):
            if getattr(self, name) != getattr(Form, name) and self.form not in forms:
                raise CampaignError(
                    f'{name} is for {" and ".join(forms)}, and the form is "{self.form}": leave'
                    f" {name} out"
                )
        if self.syntax:
            _find_lexer(self.syntax)

    @property
    def is_plain(self) -> bool:
        """Whether judges see each character as it is."""
        return self.form == "text" and not self.math


PLAIN: Final = Form()


def read_turns(text: object) -> list[dict[str, str]]:
    """Return the turns of a chat, given as JSON or as a list.

    >>> read_turns('[{"role": "user", "content": "Hello?"}]')
    [{'role': 'user', 'content': 'Hello?'}]
    """
    turns, example = text, '{"role": "user", "content": "Hello?"}'
    if isinstance(text, str):
        try:
            turns = json.loads(text)
        except (ValueError, RecursionError):
            turns = None
    if not isinstance(turns, list) or not turns:
        raise CampaignError(f"it is no chat: write a list of turns, such as [{example}]")
    for at, one in enumerate(turns, start=1):
        if not isinstance(one, Mapping):
            raise CampaignError(f"turn {at} is no turn: write it as {example}")
        for name in ("role", "content"):
            if name not in one:
                raise CampaignError(f"turn {at} has no {name}: write it as {example}")
            value = one[name]
            if not isinstance(value, str) or (name == "role" and not value.strip()):
                raise CampaignError(f"{name} of turn {at} cannot be {value!r:.60}: it is text")
            if not is_text(value):
                raise CampaignError(f"{name} of turn {at} {NO_TEXT}")
        if more := [name for name in one if name not in ("role", "content")]:
            raise CampaignError(
                f"turn {at} has {', '.join(map(repr, more))}, which is not shown: take it out; a"
                " turn has role and content"
            )
    return [{"role": one["role"], "content": one["content"]} for one in turns]


def list_images(form: Form, text: str) -> list[str]:
    if "![" not in text:
        return []
    tokens = _walk(_parse(form, text))
    return [str(one.attrGet("src") or "") for one in tokens if one.type == "image"]


def is_outside(address: str) -> bool:
    """Say whether an image is on another machine, or in the address itself; it is not loaded."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//|\\\\", address) is not None


@lru_cache(maxsize=256)  # texts have up to 1 MB of MathML
def draw(form: Form, text: str) -> Mapping[str, Any]:
    """Return what the page is told of a text: HTML, turns, a file, or the text itself."""
    if form.is_plain:
        return {"text": text}
    if form.form in MEDIA:
        return {"form": form.form, "file": text}
    if form.form == "chat":
        inside = Form("markdown" if form.turns == "markdown" else "text", form.math)
        turns = [{"role": one["role"], **draw(inside, one["content"])} for one in read_turns(text)]
        return {"form": "chat", "turns": turns}
    if form.form == "code":
        made = f"<pre><code>{_colour(text, form.syntax)}</code></pre>"
    else:
        parser = _make_parser(form)
        made = parser.renderer.render(_parse(form, text), parser.options, {})
    return {"form": form.form, "html": str(_make_cleaner().clean(made))}


def _parse(form: Form, text: str) -> Sequence[Token]:
    parser = _make_parser(form)
    # of text, lines and blanks stay as they are: there are no paragraphs in it
    marked = form.form == "markdown" or form.turns == "markdown"
    tokens = parser.parse(text, {}) if marked else parser.parseInline(text, {})
    level = 2  # of the page's headings; one in a text is below them, and none is left out between
    for one in tokens:
        if one.type == "heading_open":
            level = min(int(one.tag[1]) + 2, level + 1, 6)
        if one.type in ("heading_open", "heading_close"):
            one.tag = f"h{level}"
    return tokens


def _walk(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _walk(token.children or ())


@cache
def _make_parser(form: Form) -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    if form.form == "markdown" or form.turns == "markdown":
        parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "highlight": _highlight})
        parser.enable(["table", "strikethrough"])
    else:
        parser = MarkdownIt("zero")
    if form.math:
        dollarmath_plugin(
            parser, allow_labels=False, allow_space=False, allow_digits=False, double_inline=True
        )
        parser.inline.ruler.before("math_inline", "math_brackets", _find_brackets)
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


_BRACKETS: Final = {"\\(": "\\)", "\\[": "\\]"}


def _find_brackets(state: StateInline, silent: object) -> bool:
    r"""Find a formula between \( and \), or \[ and \]."""
    opens = state.src[state.pos : state.pos + 2]
    closes = _BRACKETS.get(opens)
    unclosed = state.env.setdefault("unclosed", set())  # what opens often is looked for once
    if closes is None or (state.src, closes) in unclosed:
        return False
    end = state.src.find(closes, state.pos + 2)
    if end < 0:
        unclosed.add((state.src, closes))
    if end < 0 or not state.src[state.pos + 2 : end].strip():
        return False
    if not silent:
        kind = "math_inline" if opens == "\\(" else "math_inline_double"
        token = state.push(kind, "math", 0)
        token.content, token.markup = state.src[state.pos + 2 : end], opens
    state.pos = end + 2
    return True


def _draw_formula(tokens: Sequence[Token], at: int, *, display: bool) -> str:
    made, fault = _set_formula(tokens[at].content, display=display)
    if fault:
        opens = tokens[at].markup
        return html.escape(f"{opens}{tokens[at].content}{_BRACKETS.get(opens, opens)}")
    return f'<span class="formula">{made}</span>' if display else made


def _draw_image(
    self: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any
) -> str:
    token = tokens[at]
    source = str(token.attrGet("src") or "")
    alt = self.renderInlineAsText(token.children or [], options, env)
    if STORED.fullmatch(source) is None:  # it is on another machine
        return html.escape(f"![{alt}]({source})")
    return f'<img data-file="{source}" alt="{html.escape(alt)}">'


def _open_link(_self: RendererHTML, tokens: Sequence[Token], at: int, *_: Any) -> str:
    address = str(tokens[at].attrGet("href") or "")
    if not address.lower().startswith(("https://", "http://")):
        return ""  # an address within this site, or of another kind: its words alone
    return f'<a href="{html.escape(address)}">'


_RULES: Final[Mapping[str, Callable[..., Any]]] = {
    "math_inline": lambda _, tokens, at, *__: _draw_formula(tokens, at, display=False),
    "math_inline_double": lambda _, tokens, at, *__: _draw_formula(tokens, at, display=True),
    "math_block": lambda _, tokens, at, *__: _draw_formula(tokens, at, display=True),
    "image": _draw_image,
    "link_open": _open_link,
    "table_open": lambda *_: '<div class="wide"><table>\n',
    "table_close": lambda *_: "</table></div>\n",
}


# Environments that the library lacks, and those that do the same in it
_ENVIRONMENTS: Final = {"aligned": "split", "gathered": "matrix", "gather": "matrix"}
_ENVIRONMENT: Final = re.compile(r"\\(begin|end)\{(\w+)\*?\}")
# Definitions may grow without end as they are put in
_DEFINITION: Final = re.compile(r"\\(?:def|(?:re)?newcommand|newenvironment|DeclareMathOperator)\b")
# What the common faults of the library mean
_FAULTS: Final = {
    "NoAvailableTokens": "a '{' is not closed, or what a command needs after it is missing",
    "MissingSuperScriptOrSubscript": "nothing stands after '^' or '_'",
    "DoubleSubscripts": "one part has two subscripts (write '{x_1}_2' or 'x_{12}')",
    "DoubleSuperscripts": "one part has two superscripts (write '{x^1}^2' or 'x^{12}')",
    "ExtraLeftOrMissingRight": r"'\left' and '\right' do not go in pairs",
    "MissingEnd": r"a '\begin' has no '\end'",
    "NumeratorNotFound": r"nothing stands before '\over' or its like",
    "LimitsMustFollowMathOperator": r"'\limits' follows no operator such as '\sum'",
}
FRACTION: Final = 2  # Parts of a fraction
_ENTITY: Final = re.compile(r"&#x[0-9A-Fa-f]+;")


def _find_fault(source: str) -> str:
    """Say what the library does not see, or takes too long for; "" where there is nothing."""
    if len(source) > MAX_FORMULA:
        return f"it has more than {MAX_FORMULA:,} characters"
    if _DEFINITION.search(source):
        return "it defines a command, which formulas may not"
    braces = re.findall("[{}]", re.sub(r"\\.", "", source))
    depths = [0, *accumulate(1 if one == "{" else -1 for one in braces)]
    if min(depths) < 0:
        return "a '}' closes nothing"
    return _FAULTS["NoAvailableTokens"] if depths[-1] else ""


@lru_cache(maxsize=1024)
def _set_formula(source: str, *, display: bool) -> tuple[str, str]:
    """Return a formula as MathML, and what is wrong with it, where it cannot be set."""
    from xml.etree.ElementTree import tostring

    from latex2mathml import exceptions
    from latex2mathml.converter import convert_to_element

    if fault := _find_fault(source):
        return "", fault
    # what its parser raises has no class in common
    kinds = [one for one in vars(exceptions).values() if isinstance(one, type)]
    faults = tuple(one for one in kinds if issubclass(one, Exception))

    def rename(found: re.Match[str]) -> str:
        if found[2] == "equation":
            return ""
        known = _ENVIRONMENTS.get(found[2])
        return f"\\{found[1]}{{{known}}}" if known else found[0]

    try:
        made = convert_to_element(
            _ENVIRONMENT.sub(rename, source), display="block" if display else "inline"
        )
    except RecursionError:
        return "", "parts stand in parts too deep"
    except faults as fault:
        name = type(fault).__name__.removesuffix("Error")
        return "", _FAULTS.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    except (StopIteration, LookupError, ValueError, TypeError, AttributeError):
        return "", "a part is missing, or in the wrong place"
    for part in made.iter():
        text = part.text or ""
        unknown = text == "&" or (text.startswith("\\") and len(text) > 1)
        if (part.tag == "mi" and unknown) or (part.tag == "mfrac" and len(part) != FRACTION):
            return "", f"'{text}' is not known here" if text else _FAULTS["NoAvailableTokens"]
        part.text = text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
        if part.tag == "mi" and len(text) > 1 and text.isalpha():  # log and sin stand off
            part.tag, part.attrib["lspace"], part.attrib["rspace"] = "mo", ".17em", ".17em"
    return tostring(made, encoding="unicode"), ""


def _find_lexer(name: str) -> Any:
    from pygments.lexers import get_all_lexers, get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        known = [alias for _, aliases, *_ in get_all_lexers() for alias in aliases]
        hint = sentence_hint(suggest(name, known)) or ", such as python"
        raise CampaignError(
            f"syntax cannot be '{name}': it is a name that Pygments has for a language{hint}"
        ) from None


def _colour(text: str, syntax: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    if not syntax or len(text) > MAX_COLOURED:
        return html.escape(text)
    return str(highlight(text, _find_lexer(syntax), HtmlFormatter(nowrap=True, classprefix=CLASS)))


def _highlight(text: str, syntax: str, _more: str) -> str:
    """Colour a block of code in Markdown; one in a language that is not known is not coloured."""
    try:
        return _colour(text, syntax)
    except CampaignError:
        return html.escape(text)


CLASS: Final = "code-"  # How classes of parts of code begin
_MATH: Final = (
    "math mrow mi mo mn mtext ms mspace mfrac msqrt mroot msub msup msubsup munder mover munderover"
    " mmultiscripts mprescripts mtable mtr mtd mstyle mpadded mphantom menclose merror"
)
_MARKUP: Final = (
    "p br hr h3 h4 h5 h6 em strong s code pre blockquote ul ol li a img div span table thead tbody"
    " tr th td"
)
_OF_MATH: Final = (
    "mathvariant lspace rspace stretchy fence form separator accent accentunder largeop symmetric"
    " movablelimits linethickness columnalign rowalign columnlines rowlines frame minsize maxsize"
    " scriptlevel displaystyle notation"
)
_ATTRIBUTES: Final[dict[str, set[str]]] = {
    **{tag: {*_OF_MATH.split()} for tag in _MATH.split()},
    "math": {"display"},
    "mspace": {"width", "linebreak"},
    "a": {"href"},
    "img": {"data-file", "alt"},
    "ol": {"start"},
}


@cache
def _make_cleaner() -> Any:
    """Return what cuts a text to harmless elements; nothing in it is loaded from anywhere."""
    import nh3
    from pygments.token import STANDARD_TYPES

    classes = {"formula", *(CLASS + one for one in STANDARD_TYPES.values())}
    return nh3.Cleaner(
        tags={*_MATH.split(), *_MARKUP.split()},
        attributes=_ATTRIBUTES,
        allowed_classes={"span": classes, "div": {"wide"}},
        set_tag_attribute_values={"a": {"target": "_blank"}},
        link_rel="noopener noreferrer nofollow",
        url_schemes={"http", "https"},
        clean_content_tags={"script", "style"},
    )


MEGABYTE: Final = 1_000_000
MAX_BYTES: Final = {"image": 20 * MEGABYTE, "audio": 100 * MEGABYTE}
MAX_PIXELS: Final = 50_000_000
# How files begin, their ending here, and the type that browsers are told
_STARTS: Final = (
    ("image", rb"\x89PNG\r\n\x1a\n", "png", "image/png"),
    ("image", rb"\xff\xd8\xff", "jpg", "image/jpeg"),
    ("image", rb"GIF8[79]a", "gif", "image/gif"),
    ("image", rb"RIFF....WEBP", "webp", "image/webp"),
    ("audio", rb"RIFF....WAVE", "wav", "audio/wav"),
    ("audio", rb"ID3|\xff[\xe2\xe3\xf2\xf3\xfa\xfb]", "mp3", "audio/mpeg"),
    ("audio", rb"OggS", "ogg", "audio/ogg"),
    ("audio", rb"fLaC", "flac", "audio/flac"),
    ("audio", rb"....ftyp", "m4a", "audio/mp4"),
)
TYPES: Final = {ending: told for _, _, ending, told in _STARTS}
_KINDS: Final = {"image": "PNG, JPEG, GIF or WebP", "audio": "MP3, WAV, Ogg, FLAC or M4A"}


@dataclass(frozen=True)
class MediaFile:
    path: Path
    name: str  # SHA-256 and ending
    size: int  # bytes
    modified: int  # nanoseconds

    @property
    def is_same(self) -> bool:
        """Whether it is as it was when the campaign was read."""
        try:
            now = self.path.stat()
            if (now.st_size, now.st_mtime_ns) == (self.size, self.modified):
                return True
            return self.name.startswith(_hash(self.path))
        except OSError:
            return False


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


class Folder:
    """The folder of a campaign, and the files in it that its texts named so far."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.files: dict[str, MediaFile] = {}  # by the name under which they are stored
        self._taken: dict[tuple[str, str], str] = {}

    def settle(self, form: Form, text: object, *, judged: bool = False) -> Any:
        """Return a text as it is stored; `judged` is an output. What is no text stays as it is."""
        chat = form.form == "chat"
        known = (str, list, tuple) if chat else (str,)
        if text == "" or form.is_plain or not isinstance(text, known):
            return text
        if form.form in MEDIA:
            return self.take(str(text).strip(), form.form)
        turns = read_turns(text if isinstance(text, str) else list(text)) if chat else []
        contents = [one["content"] for one in turns] if chat else [str(text)]
        if "markdown" in (form.form, form.turns):
            contents = [self._settle_images(form, one) for one in contents]
        stored = contents[0]
        if chat:
            pairs = zip(turns, contents, strict=True)
            stored = json.dumps(
                [{**one, "content": text} for one, text in pairs], ensure_ascii=False
            )
        if len(stored) > MAX_CHARACTERS:
            raise CampaignError(
                f"it has {len(stored):,} characters, and a text of the form {form.form!r} at most"
                f" {MAX_CHARACTERS:,}: shorten it"
            )
        marked = [one for one in contents if form.math is True and ("$" in one or "\\" in one)]
        for token in _walk([token for one in marked for token in _parse(form, one)]):
            is_formula = token.type.startswith("math")
            if is_formula and (fault := _set_formula(token.content, display=False)[1]):
                raise CampaignError(
                    f"its formula '{token.content.strip():.80}' cannot be set: {fault}; mend it, or"
                    ' say math = "lenient" and it is shown as it is written'
                )
        if judged and chat and (role := turns[-1]["role"]) in ("user", "system"):
            raise CampaignError(
                f"its last turn is of '{role}', and the last turn is what is judged: take it out,"
                " or name the role of who is judged, such as assistant"
            )
        return stored

    def _settle_images(self, form: Form, text: str) -> str:
        """Name images that lie in the folder as they are stored; those outside are not loaded."""
        if self.path is None:
            return text
        for source in dict.fromkeys(list_images(form, text)):
            if is_outside(source) or STORED.fullmatch(source):
                continue
            stored = self.take(unquote(source), "image")
            for written in {source, unquote(source)}:
                begin = r"(\]\(\s*<?|\]:\s*<?)"  # of the address in ![](...) and in [name]: ...
                text = re.sub(begin + re.escape(written) + r"(?=[\s)>]|$)", rf"\g<1>{stored}", text)
        for source in list_images(form, text):
            if not is_outside(source) and not STORED.fullmatch(source):
                raise CampaignError(
                    f"the image '{source}' is written in a way that is not read here: write it as"
                    " ![what is in it](file.png)"
                )
        return text

    def take(self, name: str, kind: str) -> str:
        """Return under which name a file is stored; what is not fit to be shown is refused."""
        if (name, kind) in self._taken:
            return self._taken[name, kind]
        if self.path is None:
            if STORED.fullmatch(name):  # a campaign that was read before
                return name
            raise CampaignError(
                f"'{name:.80}' is a file of its own: give the campaign as a file beside it"
            )
        if is_outside(name):
            raise CampaignError(
                f"'{name:.80}' is no file of the campaign's folder, and nothing is loaded from"
                " elsewhere: put the file there, and write its name"
            )
        folder = self.path.resolve()
        try:
            path = (folder / name).resolve()
        except (OSError, ValueError):  # a name that no file has
            raise CampaignError(f"there is no file {name!r:.120}") from None
        if not path.is_relative_to(folder):
            raise CampaignError(
                f"'{name}' is not in the folder of the campaign: put the file there, and write"
                " its name"
            )
        try:
            there = path.is_file()
        except OSError:  # too long a name
            there = False
        if not there:
            raise CampaignError(
                f"there is no file '{name:.120}' in the folder of the campaign: put it there, or"
                " write its name as it is, with the folders within that one"
            )
        try:
            held = path.stat()
            stored = f"{_hash(path)}.{_read_type(path, name, kind, held.st_size)}"
        except OSError as fault:
            reason = (fault.strerror or str(fault)).lower()
            raise CampaignError(f"'{name}' cannot be read: {reason}") from None
        self.files[stored] = MediaFile(path, stored, held.st_size, held.st_mtime_ns)
        self._taken[name, kind] = stored
        return stored


def _read_type(path: Path, name: str, kind: str, size: int) -> str:
    """Return the ending of a file by what is in it, whatever its name says."""
    from PIL import Image, UnidentifiedImageError

    most = MAX_BYTES[kind]
    if size > most:
        raise CampaignError(
            f"'{name}' has {size / MEGABYTE:,.1f} MB, and a file of the form '{kind}' has at most"
            f" {most // MEGABYTE} MB: make it smaller"
        )
    with path.open("rb") as file:
        head = file.read(16)
    found = [one for one in _STARTS if re.match(one[1], head, re.DOTALL)]
    if not found or found[0][0] != kind:
        other = f" (it is {found[0][3]})" if found else ""
        raise CampaignError(
            f"'{name}' is no {_KINDS[kind]}{other}: save it as one of these, and write its name"
        )
    if kind != "image":
        return found[0][2]
    try:
        with warnings.catch_warnings():  # of size, which is looked at here
            warnings.simplefilter("ignore")
            with Image.open(path) as image:
                pixels = image.width * image.height
                if pixels <= MAX_PIXELS:
                    image.verify()
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as fault:
        raise CampaignError(
            f"'{name}' cannot be shown: the image is damaged ({fault!s:.80}); save it again"
        ) from None
    except Image.DecompressionBombError:
        pixels = MAX_PIXELS + 1
    if pixels > MAX_PIXELS:
        raise CampaignError(
            f"'{name}' has more than {MAX_PIXELS // 1_000_000} million pixels: make it smaller"
        )
    return found[0][2]
