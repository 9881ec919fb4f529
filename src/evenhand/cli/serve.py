"""`evenhand serve`: a campaign on the web."""

from __future__ import annotations

import logging
import re
import shutil
import sys
from contextlib import ExitStack, suppress
from functools import partial
from ipaddress import ip_network
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import Options, argument, under, verb
from evenhand.errors import (
    EvenhandError,
    UnknownOption,
    listing,
    require_option,
    suggest_or_list,
)
from evenhand.render.document import plural
from evenhand.render.text import PLAIN, label

if TYPE_CHECKING:
    from collections.abc import Iterator
    from socket import socket

    from evenhand.design.campaign import Campaign
    from evenhand.ranking.plans import Asked
    from evenhand.web.links import Tokens
    from evenhand.web.store.store import Store

RENEWED: Final = (
    "{links} is not there and is rewritten. Links that judges have still work; the links for you"
    " and for a crowd platform that stood in it do not"
)
LACKED: Final = (
    "{links} holds no link of {judges}, nor will invitations.csv: the links that they have still"
    " work. Put the file that holds them in its place, or choose New link on your page, which ends"
    " the one before"
)
REPLACED: Final = (
    "{links} held no link of the role '{role}' that is good: a new one stands in it, and the one"
    " before works no more. See that no line of a judge is missing: their links still work"
)
_option = under("Options")


class Serving(Options):
    campaign: str | None = argument("[CAMPAIGN]", required=False)
    demo: bool = _option("--demo", "Serve a small campaign to try; it is not kept.")
    crowd: bool = _option("--crowd", "Judges come from a crowd platform, with one link for all.")
    database: str | None = _option(
        "--database WHERE",
        "SQLite file, or postgresql://...",
        envvar="EVENHAND_DATABASE",
        show_envvar=True,
    )
    links: str | None = _option("--links FILE", "Where links are written, for you alone.")
    host: str = _option("--host", "Address to listen on.", default="127.0.0.1")
    port: int | None = _option(
        "--port", "Port; 8000 or a free one if not said.", type=click.IntRange(0, 65535)
    )
    plan: str | None = _option(
        "--plan FILE", "Register the plan of a gate (gate.toml) as the campaign begins."
    )
    board: str | None = _option(
        "--board [HOST:]PORT", "Serve a public, read-only board too, on a port of its own."
    )
    metrics: str | None = _option(
        "--metrics [HOST:]PORT", "Serve counts for Prometheus too, on a port of its own."
    )
    log: str = _option(
        "--log", "How faults are written.", type=click.Choice(["text", "json"]), default="text"
    )
    prefix: str = _option(
        "--prefix PATH", "Path of the site behind a proxy.", default="", show_default=False
    )
    proxy: tuple[str, ...] = _option("--proxy IP", "Address of a proxy; may be repeated.")
    url: str | None = _option("--url URL", "Address of the server, as judges reach it.")


@verb(
    "evenhand serve --demo",
    "evenhand serve campaign.toml",
    "evenhand serve items.csv --port 9000",
    "evenhand serve campaign.toml --board 8001",
    "evenhand serve campaign.toml --crowd --url https://example.org",
    "evenhand serve items.csv --database postgresql://localhost/spring",
)
def serve(*, serving: Serving) -> None:
    """Serve a campaign until interrupted; what was judged is kept.

    CAMPAIGN is a campaign file (.toml) or a table of items (.csv, .jsonl,
    .xlsx). The database lies beside it, and so does the file of links, which
    only you can read. Started again, it goes on where it was.
    """
    campaign = serving.campaign
    if serving.demo and campaign is not None:
        raise UnknownOption("--demo serves a campaign of its own: leave it out, or the campaign")
    if not serving.demo and campaign is None:
        raise UnknownOption("name a campaign: evenhand serve campaign.toml, or --demo to try one")
    with ExitStack() as stack:
        if campaign is None:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="evenhand-")))
            from evenhand.web.site import HERE

            campaign = str(shutil.copy(HERE / "demo.toml", folder / "demo.toml"))
        _serve(Path(campaign), stack, serving)


def _serve(path: Path, stack: ExitStack, asked: Serving) -> None:
    from evenhand.design.reading import read_campaign
    from evenhand.web import app as serving
    from evenhand.web.links import (
        KeptLinks,
        Place,
        check_launch,
        hold_links,
        is_lost,
        note_end,
        read_links,
        write_links,
    )
    from evenhand.web.metrics import Metrics, load_client
    from evenhand.web.site import Site, find_words, touch
    from evenhand.web.store.store import Store

    demo = asked.demo
    prefix, planned = _read_prefix(asked.prefix), read_campaign(path)
    plan = "" if asked.plan is None else _read_plan(asked.plan, planned)
    if asked.url is not None and not asked.url.startswith(("http://", "https://")):
        raise UnknownOption(f"--url {asked.url}: an address begins with https://")
    url, proxies = (asked.url or "").rstrip("/"), tuple(map(_check_proxy, asked.proxy))
    links = Path(asked.links or path.with_name(f"{path.stem}.links.csv"))
    note = stack.enter_context(hold_links(links))
    taken = stack.enter_context(serving.open_port(asked.host, asked.port))
    note(serving.name_address(taken) + prefix)
    public = _open_beside(asked.board, "--board", stack)
    counts = _open_beside(asked.metrics, "--metrics", stack)
    if counts is not None:
        load_client()  # refused before there is a database
    where = asked.database or str(path.with_suffix(".db"))
    check_launch(links, where)
    store = stack.enter_context(Store.open(where))
    metrics = None if counts is None else Metrics(store)
    begins = store.launch(planned, plan=plan)
    if begins and not demo:
        _note(asked, "begins", f"a new campaign in {Place.at(where).name}")
    end, missing = note_end(store, links, where)
    stack.callback(end.close)
    if missing:
        _note(asked, "warns", missing)
    for doubt in _find_doubts(store, planned):
        _note(asked, "warns", doubt)
    address = url or serving.name_address(taken)
    lost, before = not begins and is_lost(store, links), read_links(links)
    tokens = write_links(store, links, address + prefix, crowd=asked.crowd, judges=planned.judges)
    for doubt in _compare_links(store, links, before, tokens, lost=lost):
        _note(asked, "warns", doubt)
    try:  # a file that may only be read is noticed before the first answer
        store.do(touch)
    except EvenhandError as fault:
        _note(asked, "warns", f"no answer can be stored now: {fault}")
    board = "" if public is None else f"{serving.name_address(public)}{prefix}/"
    tell = partial(_tell, store, tokens, address + prefix, None if demo else links, board)
    kept = KeptLinks(store, links, address + prefix)
    site = Site(
        store,
        prefix,
        address,
        proxies=proxies,
        links=kept,
        metrics=metrics,
        words=find_words(planned.wording),
        files=planned.files,
    )
    serving.serve(site, taken, tell, public, counts=counts, log=asked.log)
    if demo:  # nothing of it is kept
        return
    with suppress(EvenhandError):  # the database may be away
        number, hashed = store.do(lambda tx: tx.head)  # after whatever waits to be written
        click.echo(f"head   {number}:{hashed}, the end of the log: note it elsewhere")


def _compare_links(
    store: Store, links: Path, before: Tokens, after: Tokens, *, lost: bool
) -> Iterator[str]:
    """Say which links are not those that the file held before, or are in no file."""
    from evenhand.web.links import find_missing, find_replaced

    if lost:
        yield RENEWED.format(links=links)
    for role in find_replaced(before, after):
        yield REPLACED.format(links=links, role=role)
    lacked = find_missing(store.judges(), {judge for role, judge in after if role == "judge"})
    if lacked:
        yield LACKED.format(links=links, judges=listing(lacked, 3))


def _note(asked: Serving, word: str, text: str) -> None:
    """Say something before the server listens, in the form of its log."""
    if asked.log == "text":
        click.echo(label(word, text, PLAIN), err=True)
        return
    from evenhand.web.app import JsonLines

    level = logging.WARNING if word == "warns" else logging.INFO
    told = logging.LogRecord("evenhand", level, "", 0, text, (), None)
    click.echo(JsonLines("%(message)s").format(told), err=True)


def _read_plan(path: str, planned: Campaign) -> str:
    from evenhand.ranking.plans import Asked, naming_plan, read_gate_plan

    with naming_plan(path, UnknownOption):
        asked = Asked.take(read_gate_plan(path)[0], path)
        for name in (*asked.new, asked.old):
            if name not in planned.systems:
                hint = suggest_or_list(name, planned.systems)
                raise UnknownOption(f"the campaign has no system '{name}'.{hint}")
        _check_answers(asked, planned)
    return Path(path).read_bytes().decode()


def _check_answers(asked: Asked, planned: Campaign) -> None:
    """Refuse a plan that the answers of a campaign cannot decide."""
    from evenhand.design.tasks import ScaledTask
    from evenhand.ranking.clustering import CLUSTER_OPTIONS
    from evenhand.ranking.plans import find_delta

    tables = {one.table for one in planned.tasks}
    criteria = [one.criterion for one in planned.tasks if isinstance(one, ScaledTask)]
    if not criteria:
        find_delta(asked.margin)
    if not criteria and (asked.criterion or asked.better):
        raise UnknownOption("criterion and better are of ratings, and no task rates: take them out")
    if asked.criterion is not None and asked.criterion not in criteria:
        hint = suggest_or_list(asked.criterion, criteria)
        raise UnknownOption(f"the campaign has no criterion '{asked.criterion}'.{hint}")
    if asked.anytime and tables == {"ratings"}:
        raise UnknownOption("an anytime decision needs comparisons: take it out, as all tasks rate")
    columns = ["judge", "item", "login", "judge_type"]
    columns += ["task"] * (tables != {"ratings"}) + ["criterion"] * bool(criteria)
    columns += ["document"] * planned.has_documents + ["chosen"] * bool(planned.design.policy)
    if asked.group_by is not None and asked.group_by not in columns:
        hint = suggest_or_list(asked.group_by, columns)
        raise UnknownOption(f"answers have no groups by '{asked.group_by}'.{hint}")
    if asked.cluster is not None:
        known = [one for one in CLUSTER_OPTIONS if one != "ranking" or "rankings" in tables]
        require_option("cluster", asked.cluster, known)
        if asked.group_by in asked.cluster.split("+"):
            raise UnknownOption(f"every group by {asked.group_by} has one: cluster by another one")


def _read_prefix(asked: str) -> str:
    prefix = asked.strip("/")
    if prefix and not all(re.fullmatch(r"[\w-]*[^\W_][\w-]*", part) for part in prefix.split("/")):
        raise UnknownOption(f"--prefix {asked}: a path such as /study")
    return f"/{prefix}" if prefix else ""


def _open_beside(asked: str | None, option: str, stack: ExitStack) -> socket | None:
    """Open a port beside the campaign's, where asked for; on this machine if no host is named."""
    from evenhand.web.app import open_port

    if asked is None:
        return None
    host, _, port = asked.rpartition(":")
    if not (port.isascii() and port.isdigit()):
        raise UnknownOption(f"{option} {asked}: a port, as 8001, or with its host, as 0.0.0.0:8001")
    opened = open_port(host.strip("[]") or "127.0.0.1", int(port), f"{option} {asked}")
    return stack.enter_context(opened)


def _find_doubts(store: Store, planned: Campaign) -> Iterator[str]:
    """Find what lets judges know whose output they see, or misleads them; what is not read."""
    from evenhand.design.assignment import SEED_IS_KNOWN, SEED_IS_NAMED, find_named_places

    if planned.seed is None and not store.campaign.has_secret_seed:
        yield SEED_IS_KNOWN
        return  # training was then shown as it is written
    if planned.seed is not None:
        yield SEED_IS_NAMED
    yield from find_named_places(planned)
    if unread := planned.judges[0].unread:
        yield f"columns of the table of judges that are not read: {listing(unread)}"


def _tell(store: Store, tokens: Tokens, base: str, links: Path | None, board: str) -> None:
    """Say that it serves, where, and what; the organiser's link on a terminal only."""
    from evenhand.web.links import make_address
    from evenhand.web.store.people import PRESENT
    from evenhand.web.store.queries import count_answers

    people, name = store.judges(), store.campaign.title or store.campaign.name
    people = tuple(one for one in people if not one.llm)
    done, left, vacant = count_answers(people)
    held = {one.seat for one in people if one.state in PRESENT and one.total}
    free = sum(1 for questions in vacant.values() if questions)
    places = f", {plural(free, 'free place')}" if free else ""
    answered = f"{done:,} of {plural(done + sum(left.values()), 'question')} answered"
    progress = f"{plural(len(held), 'judge')}{places}, {answered}"
    paused = "; it is paused: resume it on your page" if store.paused else ""
    click.echo(label("serves", f"{name}: {progress}{paused}", PLAIN))
    shown = links is None or sys.stdout.isatty()
    if shown:
        click.echo(f"admin  {make_address(base, 'admin', tokens['admin', ''])}")
    if links is not None:
        whose = ["judges"] if {role for role, _ in tokens} & {"judge", "crowd"} else []
        whom = " and ".join(f"for {one}" for one in [*whose, *([] if shown and whose else ["you"])])
        click.echo(f"links  {links}, {whom}; only you can read it")
    else:
        first = next(token for (role, _), token in tokens.items() if role == "judge")
        click.echo(f"judge  {make_address(base, 'judge', first)}")
    if board:
        click.echo(f"board  {board}, for anybody")
    if store.plan:
        from evenhand.ranking.plans import read_gate_plan

        digest = read_gate_plan(content=store.plan.encode())[1]
        click.echo(f"plan   registered, with SHA-256 {digest}: publish it")
    outputs = ", ".join(f"{name} ({n:,})" for name, n in store.campaign.outputs.items())
    click.echo(label("judged", f"outputs of {outputs}", PLAIN))


def _check_proxy(proxy: str) -> str:
    try:
        network = ip_network(proxy.strip(), strict=False)
    except ValueError:
        raise UnknownOption(
            f"--proxy {proxy}: the number of a machine or a network, such as 127.0.0.1 or"
            " 172.16.0.0/12"
        ) from None
    if network.prefixlen == 0:
        raise UnknownOption(
            f"--proxy {proxy}: everybody would be believed: name the proxy alone, such as 127.0.0.1"
        )
    return str(network)
