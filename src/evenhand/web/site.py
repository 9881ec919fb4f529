"""What every request needs: the store, the campaign, and where the site lies."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import jinja2
from starlette.requests import Request

from evenhand.design.campaign import Campaign
from evenhand.web.acquaintances import Acquaintances
from evenhand.web.health import Health
from evenhand.web.questions import Analyst
from evenhand.web.rates import Rates
from evenhand.web.sayings import typeset, write_number
from evenhand.web.store.store import Store

HERE: Final = Path(__file__).parent
STATIC: Final = HERE / "static"


@dataclass(frozen=True)
class Limits:
    """How much may come in."""

    body: int = 256 * 1024  # most bytes of a request
    per_second: float = 30  # requests of one link, in the long run
    burst: int = 120  # requests of one link at once
    misses: int = 20  # unknown links from one address at once; one more every six seconds
    head: float = 20  # seconds in which the head of a request has to come
    body_time: float = 60  # seconds in which its body has to come
    idle: float = 30  # seconds for which a connection may wait for the next request
    stall: float = 120  # seconds in which a client has to read on, where more is sent than it reads
    connections: int = 1_000  # most at once
    # most at once of one address that is no proxy, of those whose request has not come whole
    per_address: int = 250


@dataclass(frozen=True)
class Site:
    """A campaign on the web."""

    store: Store  # its database
    prefix: str = ""  # path under which it lies, such as "/study"; "" for none
    # of the server, as judges reach it, such as "https://example.org"; "" for the one by which a
    # request came
    address: str = ""
    limits: Limits = field(default_factory=Limits)  # how much may come in
    # machines and networks whose word is taken on where a request came from
    proxies: tuple[str, ...] = ()
    # the process that computes on answers; None to compute in this process, as tests do
    worker: Analyst | None = None

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
    def health(self) -> Health:
        """Whether the store can be read and written."""
        return Health(self.store)

    @cached_property
    def known(self) -> Acquaintances:
        """Judges who came a moment ago."""
        return Acquaintances()

    @cached_property
    def analysis(self) -> Analyst:
        """What computes on answers: a process of its own where there is one, else this one."""
        if self.worker is not None:
            return self.worker
        from evenhand.web.analysis import Analysis

        return Analysis(self.store)

    @cached_property
    def version(self) -> str:
        """Changes when a static file does, so that browsers may keep them for ever."""
        every = sorted(one for one in STATIC.iterdir() if one.is_file())
        return sha256(b"".join(one.read_bytes() for one in every)).hexdigest()[:12]

    @cached_property
    def pages(self) -> jinja2.Environment:
        """The templates."""
        return make_pages()

    def render(self, page: str, told: dict[str, Any]) -> str:
        """Fill in a template."""
        root = f"{self.prefix}/static/{self.version}"
        return self.pages.get_template(page).render(site=self, static=root, **told)


def make_pages() -> jinja2.Environment:
    """Return the templates."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": write_number, "typeset": typeset}
    return made


def site_of(request: Request) -> Site:
    """Return the site that a request came to."""
    found: Site = request.app.state.site
    return found
