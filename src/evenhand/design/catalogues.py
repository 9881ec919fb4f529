"""Words of the judges' pages in the language of a campaign: a catalogue from a .po file.

A translation names the same places in braces as its message; of one that counts, a form may leave
out the number.
"""

from __future__ import annotations

import gettext
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from evenhand.errors import PLACEHOLDER, CampaignError, Message, fill_message

if TYPE_CHECKING:
    from babel import Locale

LANGUAGES: Final = ("ar", "cs", "de", "en", "es", "fr", "zh")  # that there are catalogues of
COUNTED: Final = 200  # Rules of plurals look at n up to here, and at its last two digits beyond
_LINE: Final = re.compile(
    r'\s*(#.*|((msgid|msgid_plural|msgctxt|msgstr|msgstr\[\d\])\s*)?"([^"\\]|\\.)*"\s*)?'
)
REFUSED: Final = Message("the server refused this: reload the page, or tell the organiser")


@dataclass(frozen=True)
class Catalogue:
    language: str = "en"
    direction: str = ""  # of the page; "" where it lies as the campaign's own texts do
    # English sentence → its translation; for one that counts, all its forms
    messages: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict, hash=False)
    forms: tuple[int, ...] = ()  # which form is of n = 0, 1, ...; () as in English

    def gettext(self, text: str) -> str:
        translated = self.messages.get(text, text)
        return translated if isinstance(translated, str) else text

    def say(self, text: str) -> str:
        """Translate what is said to a judge; what no catalogue can hold is said in general."""
        if isinstance(text, Message):
            values = text.values
            if self.direction == "rtl":  # what is of another direction does not turn the rest
                values = {name: f"\u2068{value}\u2069" for name, value in values.items()}
            return fill_message(self.gettext(text.source), values)
        return self.gettext(REFUSED.source) if text and self.messages else text

    @cached_property
    def locale(self) -> Locale:
        from babel import Locale, UnknownLocaleError

        try:
            return Locale.parse(self.language, sep="-")
        except (UnknownLocaleError, ValueError):
            return Locale("en")

    def format_amount(self, value: float) -> str:
        """Write an amount of money: a part of a whole with two digits, or all of more.

        >>> Catalogue("de").format_amount(12.5), Catalogue("cs").format_amount(0.0625)
        ('12,50', '0,0625')
        >>> Catalogue().format_amount(12), Catalogue().format_amount(1234.5)
        ('12', '1,234.50')
        """
        from babel.numbers import format_decimal

        form = "#,##0" if value == int(value) else "#,##0.00##########"
        return format_decimal(value, format=form, locale=self.locale, decimal_quantization=False)

    def format_minutes(self, minutes: int) -> str:
        """Write so many minutes, or from 90 on hours.

        >>> Catalogue("de").format_minutes(1), Catalogue("de").format_minutes(90)
        ('1 Minute', '1,5 Stunden')
        """
        from babel.units import format_unit

        value, unit = (minutes, "minute") if minutes < 90 else (round(minutes / 6) / 10, "hour")
        return format_unit(value, unit, locale=self.locale)

    def to_dict(self) -> dict[str, object]:
        """Return it as scripts of a page read it."""
        return {"forms": self.forms, "messages": dict(self.messages)}


ENGLISH: Final = Catalogue()


def read_catalogue(text: str, name: str, language: str, direction: str) -> Catalogue:
    """Read a .po file; a translation that cannot stand for its message is refused."""
    from babel.messages.pofile import PoFileError, read_po

    lines = text.split("\n")
    for at, line in enumerate(lines, start=1):
        if _LINE.fullmatch(line) is None:  # a quote that is not closed, which Babel takes
            raise CampaignError(f"{name}, line {at}: {line!r:.60} is no line of a .po file")
    try:
        entries = read_po(lines, abort_invalid=True)
        count, choose = entries.num_plurals, gettext.c2py(entries.plural_expr)
        forms = tuple(choose(n) for n in range(COUNTED))
    except PoFileError as fault:
        raise CampaignError(f"{name}, line {fault.lineno + 1}: {fault}") from None
    except (ValueError, ZeroDivisionError) as fault:
        raise CampaignError(f"{name}: its first entry cannot be read: {fault}") from None
    if max(forms) >= count:
        raise CampaignError(f"{name}: its Plural-Forms choose form {max(forms)} of {count}")
    messages: dict[str, str | tuple[str, ...]] = {}
    for entry in entries:
        ids, told = (
            tuple(one or "" for one in (texts if isinstance(texts, tuple | list) else (texts,)))
            for texts in (entry.id, entry.string)
        )
        if entry.fuzzy or not ids[0] or not any(told):
            continue
        where, counts = f"{name}, line {entry.lineno}", len(ids) > 1
        if not all(told) or (counts and len(told) != count):
            there = len(list(filter(None, told)))
            raise CampaignError(f"{where}: there are {there} forms, and Plural-Forms says {count}")
        wanted = {place for one in ids for place in PLACEHOLDER.findall(one)}
        for one in told:
            named = {*PLACEHOLDER.findall(one)}
            if named - wanted or wanted - named - ({"n"} if counts else set()):
                names = ", ".join(f"{{{place}}}" for place in sorted(wanted))
                must = f"must name {names or 'nothing in braces'}, as its message does"
                raise CampaignError(f"{where}: {one!r:.60} {must}")
        messages[ids[0]] = told[0] if len(ids) == 1 else told
    return Catalogue(language, direction, MappingProxyType(messages), forms)
