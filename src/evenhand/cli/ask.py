"""`evenhand ask`: an LLM judge answers the questions of a campaign."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

import click

from evenhand.cli.options import Options, WholeFrom, argument, under, verb
from evenhand.cli.running import ProgressDisplay
from evenhand.errors import UnknownOption, listing
from evenhand.render.document import plural
from evenhand.render.text import PLAIN, label

if TYPE_CHECKING:
    from evenhand.design.campaign import Campaign
    from evenhand.web.asking import Asked, Budget, Progress, Prompt
    from evenhand.web.endpoint import Tokens
    from evenhand.web.store.store import Store

BUSY: Final = "another process is asking this LLM judge: wait until it ends, or stop it"
STORED: Final = "all answers so far are stored: run the same command to continue"
ESTIMATED: Final = "tokens are estimated, a byte each at most: the endpoint does not count them"
PRICE: Final = click.FloatRange(min=0)
_model = under("The LLM judge")
_budget = under("Budget")
_option = under("Options")


class Questions(Options):
    campaign: str | None = argument("[CAMPAIGN]", required=False)
    database: str | None = _option(
        "--database WHERE",
        "SQLite file, or postgresql://...",
        envvar="EVENHAND_DATABASE",
        show_envvar=True,
    )
    yes: bool = _option("--yes", "Begin without confirmation.")


class Model(Options):
    url: str | None = _model("--url URL", "Address of an endpoint of the OpenAI chat protocol.")
    model: str | None = _model("--model NAME", "The model, as the endpoint calls it.")
    key_env: str | None = _model(
        "--key-env NAME", "The environment variable that holds the API key."
    )
    prompt: str | None = _model(
        "--prompt FILE", "A template for prompts. Default: the built-in one."
    )
    show_prompt: bool = _model("--show-prompt", "Print the template and exit.")
    repeats: int = _model(
        "--repeats", "How often each question is asked in each order.", type=WholeFrom(1), default=1
    )
    parallel: int = _model(
        "--parallel", "Most questions on their way at once.", type=click.IntRange(1, 64), default=1
    )
    probabilities: bool = _model(
        "--probabilities", "Store how likely each outcome of a pair was, by log-probabilities."
    )


class Limits(Options):
    max_tokens: int | None = _budget(
        "--max-tokens", "Most tokens over all runs, sent and received.", type=WholeFrom(1)
    )
    max_cost: float | None = _budget("--max-cost NUMBER", "Highest cost over all runs.", type=PRICE)
    price_in: float | None = _budget(
        "--price-in NUMBER", "Price of a million tokens sent.", type=PRICE
    )
    price_out: float | None = _budget(
        "--price-out NUMBER", "Price of a million tokens received.", type=PRICE
    )


@verb(
    "evenhand ask campaign.toml --url http://localhost:11434 --model llama3",
    "evenhand ask items.csv --url https://example.com/v1 --model m --key-env KEY",
    "evenhand ask campaign.toml ... --price-in 2.5 --price-out 10 --max-cost 5",
    "evenhand ask --show-prompt > prompt.txt",
)
def ask(*, questions: Questions, model: Model, limits: Limits) -> None:
    """Let an LLM judge answer the questions of a campaign.

    It answers all pairs, rankings and ratings of the design and, like people,
    does not see which system wrote an output. Pairs and rankings are asked in
    two orders. Answers are stored in the campaign's database, marked as an
    LLM's. The same command continues a run that was interrupted. A model with
    another prompt is another judge. A reply may take 10 minutes, 5 of them without
    a byte; 8 attempts are made. The exit code is 0 at the end, or where the budget
    ends, and 2 on errors.
    """
    from evenhand.web.asking import Prompt

    prompt = Prompt.read(model.prompt)
    if model.show_prompt:
        click.echo(prompt.template, nl=False)
        return
    if questions.campaign is None:
        raise UnknownOption("name a campaign: evenhand ask campaign.toml --url URL --model NAME")
    if model.url is None or not model.model:
        raise UnknownOption("name the endpoint and the model: --url URL --model NAME")
    prices = [one for one in (limits.price_in, limits.price_out) if one is not None]
    if len(prices) == 1 or (limits.max_cost is not None and not prices):
        raise UnknownOption("give the prices of a million tokens: --price-in and --price-out")
    from evenhand.web.asking import Budget

    budget = Budget(limits.max_tokens, limits.max_cost, *prices)
    with ExitStack() as stack:
        try:
            _ask(questions, model, prompt, budget, stack)
        except KeyboardInterrupt:
            click.echo(label("stops", STORED, PLAIN), err=True)
            raise


def _ask(
    questions: Questions, asked: Model, prompt: Prompt, budget: Budget, stack: ExitStack
) -> None:
    from evenhand.design.assignment import assign_llm
    from evenhand.design.tasks import say_bad_name
    from evenhand.web.asking import (
        REPLY_LIMIT,
        Asker,
        LlmJudge,
        forecast,
        invite_llm,
        is_unused,
        issue,
        read_progress,
    )
    from evenhand.web.endpoint import Endpoint, Meter, read_url
    from evenhand.web.links import Place, check_launch, hold_file
    from evenhand.web.store.store import Store

    llm = LlmJudge(asked.model or "", prompt.template)
    if fault := say_bad_name(llm.model):
        raise UnknownOption(f"--model {llm.model!r}: it {fault}")
    path = Path(questions.campaign or "")
    planned = _read_planned(path)
    key = _read_key(asked.key_env)
    _, host = read_url(asked.url or "", has_key=bool(key))
    where = questions.database or str(path.with_suffix(".db"))
    links = path.with_name(f"{path.stem}.links.csv")
    check_launch(links, where)
    held = (Place.at(where).file or path).resolve()  # two campaign files may name one database
    stack.enter_context(hold_file(held.with_name(f".{held.name}.{llm.digest[:16]}.lock"), BUSY))
    file = Place.at(where).file
    if file is not None and file.exists() and not links.exists() and is_unused(where, planned):
        for one in ("", "-wal", "-shm"):  # nobody has a link, and nothing was answered
            file.with_name(f"{file.name}{one}").unlink(missing_ok=True)
    store = stack.enter_context(Store.open(where))
    launched = store.find_campaign()
    if launched is not None:
        store.launch(planned)  # which refuses another campaign
    tickets = assign_llm(launched or planned)
    if not tickets:
        raise UnknownOption(
            f"campaign '{planned.name}' asks only for marked errors: LLM judges answer pairs,"
            " rankings and ratings"
        )
    progress = read_progress(store, llm)
    rounds = max(0, asked.repeats - progress.issued // len(tickets))
    left = progress.left + rounds * len(tickets)
    if left:
        sent = forecast(planned, prompt, tickets) * left // len(tickets)
        _confirm(planned, f"{llm.model} at {host}", budget, (left, sent), yes=questions.yes)
        if store.launch(planned):
            name = Place.at(where).name
            click.echo(label("begins", f"a new campaign in {name}", PLAIN), err=True)
            tickets = assign_llm(store.campaign)
        judge = store.do(invite_llm, llm)
        for _ in range(rounds):
            store.do(issue, judge, tickets)
        endpoint = Endpoint(
            asked.url or "",
            llm.model,
            key=key,
            logprobs=asked.probabilities,
            reply_limit=REPLY_LIMIT if budget.is_limited else None,
            meter=Meter(progress.tokens, budget.allows),
            tell=lambda text: click.echo(label("retries", text, PLAIN), err=True),
        )
        stack.callback(endpoint.close)
        with ProgressDisplay(f"asking {llm.model}") as display:
            asker = Asker(store, judge, endpoint, prompt, llm.digest)
            done = asker.ask_all(lambda n: display.step(n, left), asked.parallel)
        used = read_progress(store, llm).tokens
        _tell_run(done, budget, used, probabilities=asked.probabilities)
        if endpoint.estimates:
            click.echo(label("note", ESTIMATED, PLAIN))
    _tell(store, read_progress(store, llm), budget, (str(path), Place.at(where).name))


def _read_key(name: str | None) -> str:
    if name is None:
        return ""
    if not name.isidentifier():  # it may be the key, and is not shown
        raise UnknownOption(
            "--key-env takes the name of an environment variable that holds the key, not the key:"
            " export API_KEY=..., then --key-env API_KEY"
        )
    key = os.environ.get(name, "").strip()
    if not key:
        raise UnknownOption(
            f"--key-env {name}: the variable is not set, or empty: export {name}=..."
        )
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise UnknownOption(
            f"--key-env {name}: the variable holds no valid key: keys have no spaces"
        )
    return key


def _read_planned(path: Path) -> Campaign:
    from evenhand.design.reading import read_campaign

    planned = read_campaign(path)
    if shown := [one.name for one in planned.tasks if planned.needs_files(one)]:
        raise UnknownOption(
            f"'{shown[0]}' shows images or recordings, and LLM judges are sent text alone: ask"
            " people, or write a campaign without that task"
        )
    return planned


def _confirm(
    planned: Campaign, whom: str, budget: Budget, asked: tuple[int, int], *, yes: bool
) -> None:
    """Say what is asked and what it may take, and go on only if that is wanted."""
    left, sent = asked
    cost = f" (cost {budget.cost_of((sent, 0)):,.4g})" if budget.price_in is not None else ""
    asks = (
        f"{whom}: {plural(left, 'question')}, an estimated {sent:,} tokens to send{cost}, plus"
        " replies"
    )
    limits = [f"{budget.tokens:,} tokens"] if budget.tokens is not None else []
    limits += [f"cost {budget.cost:,.4g}"] if budget.cost is not None else []
    limit = f"at most {listing(limits)}, earlier runs included" if limits else "no limit"
    lines = {"asks": asks, "budget": limit}
    if spans := [one.name for one in planned.tasks if one.kind == "spans"]:
        lines["note"] = f"not asked: {listing(spans)} (marked errors)"
    for word, text in lines.items():
        click.echo(label(word, text, PLAIN), err=True)
    if not yes and not sys.stdin.isatty():
        raise UnknownOption("nothing was sent: add --yes to begin without confirmation")
    if not yes:
        click.confirm("Begin?", abort=True, err=True)


def _tell_run(done: Asked, budget: Budget, used: Tokens, *, probabilities: bool) -> None:
    reasons = ", ".join(f"{n:,} {why}" for why, n in sorted(done.skipped.items()))
    none = f", no answer to {done.skipped.total():,} ({reasons})" if reasons else ""
    click.echo(label("stored", f"{plural(done.answered, 'answer')}{none}", PLAIN))
    if probabilities:
        some = f"stored with {plural(done.likely, 'answer')}"
        none = "the endpoint gives none that can be read: the answers are stored without"
        click.echo(label("likely", some if done.likely else none, PLAIN))
    if done.stopped:
        more = " and ".join(budget.list_short(used, done.needed))
        message = "the budget does not allow the next question"
        if done.needed is not None:
            cost = f", cost {budget.cost_of(done.needed):,.4g}" if budget.cost is not None else ""
            message += f", which may take {sum(done.needed):,} tokens{cost}, two attempts included"
        message += f": raise {more} to continue"
        click.echo(label("stops", message, PLAIN))


def _tell(store: Store, progress: Progress, budget: Budget, names: tuple[str, str]) -> None:
    """Say how far the judge is, what it took in all, and what comes next."""
    sent, written = progress.tokens
    cost = f", cost {budget.cost_of(progress.tokens):,.4g}" if budget.price_in is not None else ""
    said = f"{progress.answered:,} of {plural(progress.issued, 'question')} answered"
    none = f", {progress.skipped:,} without an answer" if progress.skipped else ""
    click.echo(label("judge", f"{progress.judge}: {said}{none}", PLAIN))
    click.echo(label("used", f"{sent:,} tokens sent, {written:,} received{cost}", PLAIN))
    campaign, database = map(quote, names)
    stored = f" --database {database}" * (Path(names[1]) != Path(names[0]).with_suffix(".db"))
    then = f"evenhand serve {campaign}{stored}, to let people judge as well"
    if progress.left:
        then = "the same command with a larger budget"
    elif progress.skipped and not progress.answered:
        then = "another --model, or --prompt: no question has an answer"
    elif any(one.done for one in store.judges() if not one.llm):
        then = f"evenhand rank {database} --llm-judges {quote(progress.judge)}"
    click.echo(label("next", then, PLAIN))
