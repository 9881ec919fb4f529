"""What every request needs: the store, the campaign, and where the site lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import jinja2
from starlette.requests import Request

from evenhand.campaign.campaign import Campaign
from evenhand.web.acquaintances import Acquaintances
from evenhand.web.looks import Looks
from evenhand.web.promises import Promises
from evenhand.web.rates import Rates
from evenhand.web.sayings import typeset, write_number
from evenhand.web.store.store import Store

HERE: Final = Path(__file__).parent
STATIC: Final = HERE / "static"


@dataclass(frozen=True)
class Limits:
    """How much may come in.

    Attributes:
        body: most bytes of a request.
        per_second: requests of one link, in the long run.
        burst: requests of one link at once.
        misses: unknown links from one address at once; one more every six seconds.

    """

    body: int = 256 * 1024
    per_second: float = 30
    burst: int = 120
    misses: int = 20


@dataclass(frozen=True)
class Site:
    """A campaign on the web.

    Attributes:
        store: its database.
        prefix: path under which it lies, such as "/study"; "" for none.
        address: of the server, as judges reach it, such as "https://example.org"; "" for the one
            by which a request came.
        limits: how much may come in.
        proxy: a machine or network whose word is taken on where a request came from; "" for this
            machine alone.

    """

    store: Store
    prefix: str = ""
    address: str = ""
    limits: Limits = field(default_factory=Limits)
    proxy: str = ""

    @property
    def campaign(self) -> Campaign:
        """What is asked."""
        return self.store.campaign

    @cached_property
    def requests(self) -> Rates:
        """Requests by link."""
        return Rates(self.limits.per_second, self.limits.burst)

    @cached_property
    def misses(self) -> Rates:
        """Unknown links by address."""
        return Rates(1 / 6, self.limits.misses)

    @cached_property
    def complaints(self) -> Rates:
        """Words to the organiser's terminal, by what they say: one in ten seconds."""
        return Rates(1 / 10, 1)

    @cached_property
    def known(self) -> Acquaintances:
        """Judges who came a moment ago."""
        return Acquaintances()

    @cached_property
    def looks(self) -> Looks:
        """What the organiser sees of the judgments."""
        return Looks(self.store)

    @cached_property
    def promises(self) -> Promises:
        """What the design promises, counted on the answers."""
        return Promises(self.store)

    @cached_property
    def version(self) -> str:
        """Changes when a static file does, so that browsers may keep them for ever."""
        every = sorted(one for one in STATIC.iterdir() if one.is_file())
        return sha256(b"".join(one.read_bytes() for one in every)).hexdigest()[:12]

    @cached_property
    def pages(self) -> jinja2.Environment:
        """The templates."""
        made = jinja2.Environment(
            loader=jinja2.FileSystemLoader(HERE / "pages"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        made.filters |= {"number": write_number, "typeset": typeset}
        return made

    def render(self, page: str, told: dict[str, Any]) -> str:
        """Fill in a template."""
        root = f"{self.prefix}/static/{self.version}"
        return self.pages.get_template(page).render(site=self, static=root, **told)


def site_of(request: Request) -> Site:
    """Return the site that a request came to."""
    found: Site = request.app.state.site
    return found
