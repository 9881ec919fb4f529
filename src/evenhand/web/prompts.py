"""What an LLM judge reads and writes: a template that shows a ticket, a schema, a strict reading.

A template is given what a judge's page is told of a ticket, and nothing else: neither systems nor
what the ticket is for. A reply is read as one JSON object with the fields of the answer, among
others; what is not exactly that is refused, and nothing is guessed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import exp, fsum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec

from evenhand.design.tasks import PairTask, RankTask, ScaledTask, Task, Ticket
from evenhand.errors import InvalidJudgments, UnknownOption
from evenhand.web.site import HERE
from evenhand.web.views import View

if TYPE_CHECKING:
    import jinja2

SHOWN: Final = ("task", "beside", "outputs")  # Of a view, what a template is given
REPAIR: Final = (
    "That is not a valid answer: {fault}. Reply again with a single JSON object as described, and"
    " nothing else."
)
FENCE: Final = "```"
ROUNDING: Final = 1e-3  # By how much probabilities of an endpoint may exceed 1
DIGITS: Final = 6  # Of a probability that is stored


class Prompt:
    """A template of prompts, in the language of Jinja."""

    def __init__(self, template: str, name: str = "the prompt") -> None:
        self.template, self.name = template, name

    @classmethod
    def read(cls, path: str | None) -> Prompt:
        """Read a template from a file; None is the one that comes with Evenhand."""
        file = HERE / "prompt.txt" if path is None else Path(path)
        try:
            return cls(file.read_text("utf-8-sig"), f"--prompt {path}")
        except FileNotFoundError:
            raise UnknownOption(
                f"--prompt {path}: there is no such file; evenhand ask --show-prompt > {path}"
                " writes one to edit"
            ) from None
        except (OSError, UnicodeDecodeError) as fault:
            reason = getattr(fault, "strerror", None) or "save it in UTF-8"
            raise UnknownOption(f"--prompt {path}: it cannot be read: {reason}") from None

    @cached_property
    def _compiled(self) -> jinja2.Template:
        from jinja2 import StrictUndefined, TemplateSyntaxError
        from jinja2.sandbox import SandboxedEnvironment

        rules = SandboxedEnvironment(
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        rules.filters["number"] = "{:g}".format
        try:
            return rules.from_string(self.template)
        except TemplateSyntaxError as fault:
            raise UnknownOption(f"{self.name}, line {fault.lineno}: {fault.message}") from None

    def write(self, view: View) -> str:
        """Write the prompt of a ticket; one that does not show all its texts is refused."""
        from jinja2 import TemplateError

        compiled = self._compiled
        try:
            text = compiled.render({name: view[name] for name in SHOWN})
        except (TemplateError, TypeError, ValueError, LookupError) as fault:
            raise UnknownOption(
                f"{self.name}: it cannot be filled in: {fault}; evenhand ask --show-prompt prints"
                " one that can"
            ) from None
        if any(one["text"] not in text for one in view["outputs"]):
            raise UnknownOption(
                f"{self.name}: it does not show each output: {{{{ outputs[0].text }}}} does, as in"
                " evenhand ask --show-prompt"
            )
        return text


def make_schema(task: Task, ticket: Ticket) -> dict[str, Any]:
    """Return what an answer is as a JSON schema, which some endpoints hold replies to."""
    name, field = "score", dict[str, Any]()
    if isinstance(task, PairTask):
        name, field = "outcome", {"type": "string", "enum": list(task.outcomes)}
    elif isinstance(task, RankTask):
        n = len(ticket.systems)
        place = {"type": "integer", "minimum": 1, "maximum": n}
        name, field = "ranks", {"type": "array", "items": place, "minItems": n, "maxItems": n}
    elif isinstance(task, ScaledTask):
        field = {"type": "number", "minimum": task.low, "maximum": task.high}
    return {"type": "object", "properties": {name: field}, "required": [name]}


def read_reply(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of an answer; a reply that is not one JSON object is refused.

    >>> schema = {"required": ["score"]}
    >>> read_reply('{"reason": "clear", "score": 4}', schema)
    {'score': 4}
    >>> read_reply("I would say 4", schema)
    Traceback (most recent call last):
    evenhand.errors.InvalidJudgments: it is not one JSON object
    """
    lines = text.strip()
    if lines.startswith(FENCE) and lines.endswith(FENCE) and "\n" in lines:
        lines = lines.partition("\n")[2].removesuffix(FENCE)
    try:
        whole = json.loads(lines, object_pairs_hook=_read_object)
    except (ValueError, RecursionError):
        whole = None
    if not isinstance(whole, dict):
        raise InvalidJudgments("it is not one JSON object")
    return {name: whole[name] for name in schema["required"] if name in whole}


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; one that says two things under one name says nothing."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


class _Alternative(msgspec.Struct):
    token: str
    logprob: Annotated[float, msgspec.Meta(le=ROUNDING)]
    raw: list[Annotated[int, msgspec.Meta(ge=0, le=255)]] | None = msgspec.field(
        name="bytes", default=None
    )

    @property
    def written(self) -> bytes:
        return self.token.encode() if self.raw is None else bytes(self.raw)


class _Token(_Alternative):
    top_logprobs: list[_Alternative] = []


class _LogProbs(msgspec.Struct):
    content: list[_Token]


def read_probabilities(
    text: str, outcome: str, outcomes: Sequence[str], logprobs: object
) -> dict[str, float] | None:
    """Return how likely each outcome was, of 1 together, and what went to other words ("outside").

    They are of the first token that tells the outcomes apart. An outcome that is not among the
    listed alternatives has 0. None where the endpoint does not say, or the token is not found.
    """
    starts = [one.end() for one in re.finditer(r'"outcome"\s*:\s*"', text)]
    try:
        tokens = msgspec.convert(logprobs, _LogProbs).content
        if len(starts) != 1 or not text[starts[0] :].startswith(f'{outcome}"'):
            return None
        begin, end = len(text[: starts[0]].encode()), 0
        if b"".join(one.written for one in tokens) != text.encode():
            return None
    except (msgspec.ValidationError, UnicodeEncodeError):
        return None
    for token in tokens:
        end += len(token.written)
        if end > begin:
            break
    # what the token holds of the text before the outcome, or where in the outcome it begins
    before = text.encode()[end - len(token.written) : begin]
    likely = {one.written: one.logprob for one in (token, *token.top_logprobs)}
    shares = dict.fromkeys(outcomes, 0.0)
    for written, logprob in likely.items():
        rest = written.removeprefix(before) if written.startswith(before) else b""
        ends = [(one, f'{one}"'.encode()) for one in outcomes]
        meant = [
            one for one, end in ends if rest and (end.startswith(rest) or rest.startswith(end))
        ]
        if len(meant) == 1:
            shares[meant[0]] += exp(logprob)
        elif written == token.written:  # which outcome it is shows later
            return None
    total, whole = fsum(shares.values()), fsum(map(exp, likely.values()))
    if not shares[outcome] or whole > 1 + ROUNDING:
        return None
    found = {one: round(share / total, DIGITS) for one, share in shares.items()}
    return {**found, "outside": round(max(0.0, 1 - total), DIGITS)}
