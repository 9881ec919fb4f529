"""Texts in the forms that judges see, files beside a campaign, and campaigns with them."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any, Final

from attacks import ATTACKS
from evenhand.design.campaign import Campaign
from evenhand.design.reading import make_campaign
from evenhand.design.tasks import is_text

OWN: Final[dict[str, str]] = {
    "link to a script": "[a](javascript:evil()) [b](JaVaScRiPt:evil()) [c](java&#115;cript:evil())",
    "link to data": "[a](data:text/html,<script>evil()</script>) <javascript:evil()>",
    "link out of a link": '[a](http://evil.example/"onmouseover="evil() "x\\" onclick=\\"evil()")',
    "link to this site": "[a](../../a/admin) [b](//evil.example/x) [c](#answer) [d](file:///etc/x)",
    "reference": "[a][b] ![c][b]\n\n[b]: javascript:evil() '\" onerror=evil()'",
    "image elsewhere": "![x](http://evil.example/x.png) ![y](//evil.example/y.png)",
    "image of data": "![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ZXZpbCgpLz4=)",
    "image out of its words": '![x" onerror="evil()](http://evil.example/x "\\" onload=evil()")',
    "code out of its box": "```html\n</code></pre><script class=evil>evil()</script>\n```",
    "language of code": '```"><script class=evil>evil()</script>\nx\n```\n\n```../x\ny\n```',
    "table": "| <b class=evil>a</b> | b |\n|---|---|\n| `<img src=x onerror=evil()>` | ![x](x:y) |",
    "heading": "# <script class=evil>evil()</script>\n\n###### six\n\n# one",
    "deep": "> " * 500 + "x",
    "lists": "- " * 300 + "x",
    "stars": "*" * 3000 + "a" + "*" * 3000,
    "brackets": "[" * 3000 + "a" + "](x)" * 500,
    "formula with markup": r"$\text{<script class=evil>evil()</script>}$ $<img onerror=evil()>$",
    "formula with a link": r"$\href{javascript:evil()}{x}$ \[\href{http://evil.example}{y}\]",
    "formula with entities": r"$\text{&#x3c;script class=evil&#x3e;evil()&#x3c;/script&#x3e;}$",
    "formula with styles": r"$\style{position:fixed;inset:0}{x} \class{evil}{y} \color{red}{z}$",
    "formula that grows": r"$\def\a{xx}\def\b{\a\a}\newcommand{\c}{\b\b}\c$",
    "formula that is wide": r"$\hspace{9999em}x\rule{9999em}{9999em}$ $$\hspace{9999em}y$$",
    "formula that is broken": r"$\frac{1}{$ \(x^\) $$\begin{matrix}$$ \[ \left( \]",
    "formula in formula": r"$\text{$x$} \(y\)$ \[ $z$ \] $" + "{" * 400 + "$",
    "formula from right to left": "$\\text{\u202eabc\u05d0\u05d1}$ \u202e$x$ \u2067\\(y\\)",
    "right to left": "# \u0645\u0631\u062d abc\n\n- \u05d0\u05d1 **\u202eabc**\n\n`\u202ecode`",
    "end of a formula": "$</math><script class=evil>evil()</script><math>$",
}
"""Attacks on what lays out Markdown, code and formulas."""
PAYLOADS: Final = [one for one in (*ATTACKS.values(), *OWN.values()) if is_text(one)]
FORMS: Final[dict[str, dict[str, Any]]] = {
    "markdown": {"form": "markdown", "math": "lenient"},
    "formulas": {"math": "lenient"},
    "code": {"form": "code", "syntax": "html"},
    "chat": {"form": "chat", "math": "lenient"},
    "markdown chat": {"form": "chat", "turns": "markdown", "math": "lenient"},
}


def make_payloads(form: str) -> Campaign:
    """A campaign that shows every attack in one form on one page, as segments of a document."""
    texts = {"output": FORMS[form], "source": FORMS[form]}
    items = []
    for at, one in enumerate(PAYLOADS):
        text: Any = one
        if "chat" in form:
            role = one.strip()[:200] or "user"
            text = [{"role": role, "content": one}, {"role": "assistant", "content": one}]
        items.append({"item": str(at), "document": "d", "source": text, "outputs": {"A": text}})
    told = {"name": "n", "judges": ["j"], "texts": texts, "items": items}
    task = {"kind": "rating", "name": "good", "comment": True}
    return make_campaign({**told, "tasks": [task], "design": {"documents": True}})


def write_png(path: Path, colour: tuple[int, int, int] = (200, 80, 40), side: int = 8) -> Path:
    """Write an image of one colour, as the standard of PNG has it."""

    def chunk(name: bytes, held: bytes) -> bytes:
        checked = struct.pack(">I", zlib.crc32(name + held))
        return struct.pack(">I", len(held)) + name + held + checked

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + bytes(colour) * side) * side)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    return path


def write_wav(path: Path, seconds: float = 0.5) -> Path:
    """Write silence, eight thousand samples a second, as RIFF has it."""
    held = b"\0\0" * int(8000 * seconds)
    head = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16)
    body = b"WAVE" + head + b"data" + struct.pack("<I", len(held)) + held
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body)
    return path


def make_media(folder: Path, form: str = "image", **more: Any) -> Campaign:
    """A campaign of two systems, whose names are those of folders with their files."""
    ending = "png" if form == "image" else "wav"
    for n, system in enumerate(("modelo", "rival")):
        path = folder / system / f"1.{ending}"
        if form == "image":
            write_png(path, (90 * n, 80, 40))
        else:
            write_wav(path, 1 + n)
    outputs = {one: f"{one}/1.{ending}" for one in ("modelo", "rival")}
    told = {"name": "n", "judges": ["j"], "texts": {"output": {"form": form}}}
    told |= {"tasks": [{"kind": "pair", "name": "better"}]}
    items = [{"item": "1", "source": "Draw a house.", "outputs": outputs}]
    return make_campaign({**told, "items": items, **more}, "c.toml", folder)
