"use strict";
// The judge's page. It shows one item, sends the answer, and shows the next one, which comes with
// the reply. An answer is kept in the browser until the server says that it is stored.
(() => {
  const root = document.body.dataset.root;
  const page = document.getElementById("page");
  const skip = document.querySelector(".skip");
  const own = { language: document.body.dataset.language, direction: document.body.dataset.direction };

  // ---------- words ----------
  // Sentences are in English here and translated by the catalogue of the campaign's language, which
  // the page brings. What they are filled with is text, as they are: no markup comes of either.
  const catalogue = JSON.parse(document.body.dataset.words);
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
  const _ = (text, values = {}) => fill(catalogue.messages[text] ?? text, values);
  function ngettext(one, many, n) {
    const form = catalogue.forms[n < 200 ? n : 100 + n % 100];
    const told = catalogue.messages[one] ?? [one, many];
    return fill(told[catalogue.messages[one] ? form : Number(n !== 1)], { n: number(n) });
  }
  const numbers = (() => {
    const language = document.documentElement.lang, told = { maximumFractionDigits: 12 };
    try {
      return new Intl.NumberFormat(`${language}-u-nu-latn`, told);
    } catch { /* a tag that the browser does not know */ }
    return new Intl.NumberFormat("en", told);
  })();
  const number = (value) => numbers.format(value);
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const end = (text) => _("{sentence}.", { sentence: text });
  const sentence = (text) => end(capital(text));
  // a part of another text does not turn the sentence around it
  const quoted = (text) => _("“{text}”", { text: document.documentElement.dir === "rtl" ? `\u2068${text}\u2069` : text });
  const OUTCOMES = {
    left: ["1", _("Text 1 is better")], right: ["2", _("Text 2 is better")],
    tie: ["0", _("No preference")], both_bad: ["9", _("Both are bad")],
  };
  const LABELS = { source: _("Source"), reference: _("Reference"), context: _("Context") };
  const SEVERITIES = { minor: _("minor"), major: _("major") };  // those of a task that names none
  const severityOf = (name) => SEVERITIES[name] ?? name;
  let item = null;      // what is shown
  let form = null;      // the answer as it stands: read(), keys(event), help
  let began = 0;        // when it was shown
  let busy = false;     // an answer is on its way
  let wait = 1;         // seconds until the next attempt

  // ---------- small tools ----------
  function make(tag, told = {}, ...inside) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(told)) {
      if (value === null || value === undefined || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "class") node.className = value;
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...inside.filter((one) => one !== null));
    return node;
  }
  const key = (name) => make("kbd", { "aria-hidden": "true" }, name);
  const words = (text, field, told = {}) =>
    make("div", { ...told, lang: field.language || null, dir: field.direction || "auto" }, text);
  const paragraphs = (text) => text.split(/\n\s*\n/).map((one) => make("p", {}, one));
  const say = (text) => { document.getElementById("spoken").textContent = text; };
  function notice(text, kind = "") {
    const node = document.getElementById("notice");
    node.hidden = !text;
    node.className = kind;
    node.textContent = text;
  }
  const memory = {
    name: (what) => `evenhand ${root} ${what}`,
    get(what) {
      try { return JSON.parse(localStorage.getItem(this.name(what))); } catch { return null; }
    },
    set(what, value) {
      try { localStorage.setItem(this.name(what), JSON.stringify(value)); } catch { /* full */ }
    },
    drop(what) { try { localStorage.removeItem(this.name(what)); } catch { /* none */ } },
  };

  // ---------- receipts ----------
  const MOST_RECEIPTS = 5000;
  function keepReceipt(hash) {
    const kept = memory.get("receipts") ?? [];
    if (hash && !kept.includes(hash)) memory.set("receipts", [...kept, hash].slice(-MOST_RECEIPTS));
  }
  function showReceipts() {
    const kept = memory.get("receipts") ?? [];
    if (!kept.length) return null;
    const box = make("textarea", { readonly: true, rows: "3", "aria-label": _("Receipts, one a line"), spellcheck: "false" });
    box.value = kept.join("\n");
    return make("details", { class: "receipts" }, make("summary", {}, _("Receipts of your answers")),
      make("p", {}, _("You may keep these lines: with any of them, anyone who has the log can check that your answer is in it, unchanged. They do not reveal your answer.")), box);
  }

  // ---------- breaks ----------
  // Active work is counted as for pay: of an answer at most five minutes. Where a break was
  // suggested, the first pause of two minutes or more is one, and is not counted at all.
  const LONGEST = 300, PAUSE = 120, REST = 600;  // seconds; who was away for the last has rested
  const breakAfter = Number(document.body.dataset.breakAfter);
  let active = 0;       // when the judge last did something
  let paused = 0;       // how long the break took while this item was shown
  function countWork(seconds) {
    const before = memory.get("work");
    const rested = !before || Date.now() - before.at > REST * 1000;
    const work = (rested ? 0 : before.work) + Math.min(seconds, LONGEST);
    memory.set("work", { work, at: Date.now(), suggested: Boolean(before && before.suggested) && !rested });
  }
  function suggestBreak() {
    const kept = memory.get("work");
    if (!breakAfter || !kept || kept.work < breakAfter * 60) return "";
    memory.set("work", { ...kept, work: 0, suggested: true });
    return ngettext("You have worked for {n} minute: a short break may help. Its time is not counted.",
      "You have worked for {n} minutes: a short break may help. Its time is not counted.", Math.floor(kept.work / 60));
  }
  function wake() {
    const now = performance.now();
    const pause = now - Math.max(active, began);
    active = now;
    if (pause < PAUSE * 1000) return;
    const kept = memory.get("work");
    if (!kept || !kept.suggested) return;
    paused += pause;
    memory.set("work", { ...kept, work: 0, at: Date.now(), suggested: false });
  }
  for (const one of ["pointerdown", "pointermove", "keydown", "scroll"]) {
    window.addEventListener(one, wake, { capture: true, passive: true });
  }

  // ---------- the server ----------
  async function ask(what, sent) {
    const told = sent === undefined ? {} : {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(sent),
    };
    const reply = await fetch(`${root}/${what}`, { ...told, headers: { Accept: "application/json", ...told.headers } });
    const said = await reply.json();
    if (!reply.ok) throw Object.assign(new Error(said.error), { word: said.word, status: reply.status });
    return said;
  }
  const passing = (fault) => fault.status === undefined || fault.status === 429 || fault.status >= 500;

  async function load() {
    const kept = memory.get("outbox");
    try {
      if (kept) return await deliver(kept);
      show(await ask("item"));
      notice("");
      wait = 1;
    } catch (fault) {
      if (passing(fault)) again(fault, load);
      else halt(fault.message, fault.word);
    }
  }
  function again(fault, what) {
    const offline = fault.status === undefined;
    const kept = memory.get("outbox") ? _("Your answer is kept on this device and is sent as soon as that works.") : "";
    notice(`${offline ? _("No connection.") : sentence(fault.message)} ${kept}`.trim(), "warning");
    clearTimeout(again.timer);
    again.timer = setTimeout(what, wait * 1000);
    wait = Math.min(wait * 2, 30);
  }

  async function send() {
    if (busy || !item || item.state !== "item") return;
    const answer = form.read();
    if (typeof answer === "string") { notice(answer, "warning"); return; }
    const comment = document.getElementById("comment");
    if (comment && comment.value.trim()) answer.comment = comment.value;
    const seconds = spent();
    const kept = { ticket: item.ticket, key: item.key ?? drawKey(), answer, seconds, replaces: item.replaces };
    countWork(seconds);
    memory.set("outbox", kept);
    memory.set("last", { ticket: item.ticket, answer });
    document.body.classList.add("sending");
    await deliver(kept);
  }
  // seconds for this item, with those before the judge went back to another one
  const spent = () => Math.round(performance.now() - began - paused + 1000 * (item.spent ?? 0)) / 1000;
  const drawKey = () => Array.from(crypto.getRandomValues(new Uint8Array(12)), (one) => one.toString(16).padStart(2, "0")).join("");
  async function deliver(kept) {
    if (busy) return;
    busy = true;
    try {
      const said = await ask("answer", kept);
      memory.drop("outbox");
      memory.drop("draft");
      keepReceipt(said.receipt);
      notice("");
      wait = 1;
      // what was begun of the segment from which the judge went back
      if (item && item.back && item.back.ticket === said.next.ticket) said.next = { ...said.next, answer: item.back.answer, spent: item.back.spent };
      if (said.feedback && item) teach(said.feedback, kept.answer, said.next);
      else show(said.next);
    } catch (fault) {
      if (passing(fault)) again(fault, () => deliver(memory.get("outbox") ?? kept));
      else refused(fault);
    } finally {
      busy = false;
      document.body.classList.remove("sending");
    }
  }
  async function refused(fault) {
    memory.drop("outbox");
    if (fault.word === "shut-out" || fault.word === "unknown-link") { halt(fault.message, fault.word); return; }
    busy = false;
    if (fault.word !== "invalid" || !item) await load();
    notice(sentence(fault.message), "warning");
  }
  async function undo() {
    if (busy || document.getElementById("undo").hidden) return;
    if (item && item.back) { show(item.back); return; }
    busy = true;
    try {
      const last = memory.get("last");
      const back = await ask("undo", { at: item ? item.ticket ?? null : null });
      if (last && last.ticket === back.ticket) memory.set("draft", last);
      notice("");
      show(back, _("Undone."));
    } catch (fault) {
      notice(fault.status === undefined ? _("No connection: try again.") : sentence(fault.message), "warning");
    } finally { busy = false; }
  }

  // ---------- states ----------
  function show(state, before = "") {
    const previous = item;
    const ended = state.ended && state.ended.map((one) => one.receipt).join(" ");
    if (ended && state.ended.length > 1 && state.state !== "ended" && memory.get("ended") !== ended) {
      state = { state: "ended", next: state, ended: state.ended, mark: ended, ticket: state.ticket, place: state.place ?? Infinity, total: state.total };
    }
    item = state;
    document.body.classList.toggle("asking", state.state === "item");
    clearTimeout(again.timer);
    document.getElementById("undo").hidden = !(state.place > 1 || state.state === "done");
    for (const one of [document.getElementById("help"), skip]) one.hidden = state.state !== "item";
    if (state.state === "item") return showItem(state, previous, before);
    document.getElementById("progress").textContent = "";
    if (state.state !== "ended") document.getElementById("done").value = state.state === "done" ? 1 : 0;
    form = null;
    if (state.state === "consent") return showConsent(state);
    if (state.state === "ended") return showEnded(state);
    if (state.state === "halt") return halt(state.message, state.word);
    const told = [make("h1", {}, _("You have finished")),
      state.thanks ? words(state.thanks, own, { class: "prose" }) : make("p", {}, _("Thank you. Your answers are saved; you can close this page."))];
    if (state.code) {
      told.push(make("p", {}, _("Your completion code:")), make("p", {}, make("output", { class: "code" }, state.code)));
    }
    page.replaceChildren(make("section", { class: "sheet", tabindex: "-1" }, ...told, showReceipts()));
    say(sentence(_("You have finished")));
  }
  function halt(message, word = "") {
    item = form = null;
    document.body.classList.remove("asking");
    const title = word === "paused" ? _("Paused") : _("This page is no longer available");
    const more = word === "paused"
      ? make("button", { class: "primary", type: "button", onclick: load }, _("Try again")) : null;
    page.replaceChildren(make("section", { class: "sheet" }, make("h1", {}, title), make("p", {}, sentence(message)), more));
    for (const one of [document.getElementById("undo"), document.getElementById("help"), skip]) one.hidden = true;
  }
  function showConsent(state) {
    const agree = make("button", { class: "primary", type: "button", onclick: async () => {
      try { notice(""); show(await ask("consent", {})); } catch (fault) { notice(fault.status ? sentence(fault.message) : _("No connection: try again."), "warning"); }
    } }, _("I agree and begin"));
    const no = make("button", { class: "quiet", type: "button", onclick: leave }, _("I do not agree"));
    const prose = words("", own, { class: "prose" });
    prose.append(...paragraphs(state.consent));
    const facts = [[_("Questions"), state.questions && number(state.questions)], [_("Time"), state.time], [_("Pay"), state.pay]]
      .filter(([, value]) => value).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
    page.replaceChildren(make("section", { class: "sheet" }, make("h1", {}, _("Before you begin")), prose,
      facts.length ? make("dl", { class: "facts-of-study" }, ...facts) : null, make("p", { class: "row" }, agree, no)));
    agree.focus();
  }
  async function leave() {
    if (!window.confirm(_("Withdraw from the study? The answers you have given are kept; this link will no longer work."))) return;
    try { await ask("leave", {}); } catch (fault) { notice(sentence(fault.message), "warning"); return; }
    document.getElementById("instructions").close();
    halt(_("you have left the campaign; thank you for coming"), "left");
  }
  function teach(feedback, answer, next) {
    const field = own;
    const told = [];
    const right = feedback.right && Object.keys(feedback.right).length ? describe(feedback.right) : "";
    told.push(make("p", {}, _("Your answer: {answer}", { answer: describe(answer) })));
    if (feedback.agrees !== null) {
      told.push(make("p", { class: feedback.agrees ? "verdict good" : "verdict" },
        feedback.agrees ? _("As expected.") : _("Expected: {answer}", { answer: right })));
    }
    if (feedback.text) told.push(words(feedback.text, field, { class: "prose" }));
    const go = make("button", { class: "primary", type: "button", onclick: () => show(next) }, _("Continue"), " ", key(_("Enter")));
    const box = make("section", { class: "feedback", "aria-label": _("Feedback") }, make("h2", {}, _("Practice")), ...told, go);
    const old = document.getElementById("answer");
    old.replaceChildren(box);
    form = { read: () => "", keys: () => false, help: [] };
    item = { state: "feedback", task: item.task };
    document.getElementById("undo").hidden = true;
    go.focus();
    go.scrollIntoView({ block: "nearest" });
  }
  // ---------- documents ----------
  // The segments of a document are on one page: those with an answer, which may be changed until
  // something after the document is answered, the one that is asked, and those that follow.
  function change(segments, at) {
    if (busy) return;
    const draft = form && form.draft ? { answer: { ...form.draft(), comment: document.getElementById("comment")?.value }, spent: spent() } : {};
    const { place, total } = item;
    show({ ...segments[at], state: "item", place, total, document: segments, at, replaces: segments[at].receipt, back: item.back ?? { ...item, ...draft } });
  }
  function segmentCard(segments, at) {
    const one = segments[at];
    const name = _("Segment {n} of {total}", { n: number(at + 1), total: number(segments.length) });
    const texts = [...one.beside.filter((text) => text.name === "source"), ...one.outputs].map((text) => words(text.text, text, { class: "words" }));
    const given = one.answer ? make("p", { class: "given" }, _("Your answer: {answer}", { answer: describe(one.answer, one) }),
      make("button", { type: "button", class: "quiet", "aria-label": _("Change the answer to segment {n}", { n: number(at + 1) }), onclick: () => change(segments, at) }, _("Change"))) : null;
    return make("section", { class: "segment", "aria-label": name }, make("div", { class: "pieces" }, ...texts), given);
  }
  function showEnded(state) {
    const { ended } = state;
    const go = make("button", { class: "primary send", type: "button", onclick: () => { memory.set("ended", state.mark); show(state.next); } },
      _("Submit the document"), " ", key(_("Enter")));
    page.className = "task review";
    page.replaceChildren(make("div", { class: "asked" }, make("h1", { class: "question", id: "question", tabindex: "-1" }, _("Check your answers")),
      make("p", { class: "hint" }, _("You can change them until you submit the document."))), ...ended.map((_one, at) => segmentCard(ended, at)), foot(go));
    window.scrollTo(0, 0);
    say(end(_("Check your answers")));
    go.focus({ preventScroll: true });
  }
  // a second scale, for the whole document, with the last segment
  function askWhole(task, answer, kept, inner) {
    const box = make("section", { class: "whole" }, words(task.document_question, own, { class: "question", id: "whole-question" }));
    const made = scale(task, box, kept && { score: kept.document }, false, "whole-");
    answer.querySelector(".saving").before(box);
    return {
      ...inner,
      draft: () => ({ ...inner.draft(), document: made.value() }),
      read() {
        const told = inner.read();
        if (typeof told === "string" || made.value() !== null) return typeof told === "string" ? told : { ...told, document: made.value() };
        box.querySelector("input, button").focus();
        return _("Enter a score of the document.");
      },
      keys: (pressed, event) => event.target.closest?.(".whole") ? made.keys(pressed) : inner.keys(pressed, event),
    };
  }

  function describe(right, about = item) {
    const told = [];
    if (right.outcome) told.push(OUTCOMES[right.outcome][1]);
    if (right.ranks) told.push(right.ranks.map((place, at) => _("{output} in place {place}", { output: letter(at), place })).reduce(listed));
    if (right.spans) {
      const source = about.beside.find((one) => one.name === "source");
      const texts = { output: [...about.outputs[0].text], source: source ? [...source.text] : [] };
      told.push(right.spans.length ? right.spans.map((one) => {
        const words = texts[one.side || "output"].slice(one.start, one.end).join("");
        const what = words ? quoted(words) : _("something missing");
        const marked = _("{what} {severity}", { what, severity: severityOf(one.severity) });
        return one.category ? listed(marked, one.category) : marked;
      }).reduce(apart) : _("no errors"));
    }
    if (right.score !== undefined) told.push(_("a score of {score}", { score: number(right.score) }));
    if (right.document !== undefined) told.push(_("a score of {score} for the document", { score: number(right.document) }));
    const both = (first, second) => _("{first}, and {second}", { first, second });
    return end(told.slice(1).reduce(right.spans && right.spans.length ? apart : both, told[0] ?? ""));
  }
  const listed = (first, second) => _("{first}, {second}", { first, second });
  const apart = (first, second) => _("{first}; {second}", { first, second });
  const letter = (at) => String.fromCharCode(65 + at);

  function showItem(state, previous, before) {
    const { task } = state;
    const newPass = !previous || !previous.task || previous.task.name !== task.name;
    // of a document that was the last there is no next place
    const progress = state.total ? _("{place} of {total}", { place: number(state.place), total: number(state.total) }) : "";
    document.getElementById("progress").textContent = progress;
    if (state.total) document.getElementById("done").value = (state.place - 1) / state.total;
    const rest = suggestBreak();
    const parts = [task.parts > 1 ? _("Part {part} of {parts}", { part: task.part, parts: task.parts }) : "", state.training ? _("Practice") : ""];
    const segments = state.document ?? [];
    if (segments.length) parts.push(_("Segment {n} of {total}", { n: number(state.at + 1), total: number(segments.length) }));
    const head = make("div", { class: "asked" }, rest ? make("p", { class: "rest" }, rest) : null,
      parts.some(Boolean) ? make("p", { class: "part" }, parts.filter(Boolean).join(" · ")) : null,
      words(task.question, own, { class: "question", id: "question", role: "heading", "aria-level": "1", tabindex: "-1" }));
    const beside = state.beside.map((one) => make("section", { class: `text beside ${one.name}`, "aria-label": LABELS[one.name] },
      make("h2", {}, LABELS[one.name]), words(one.text, one, { class: "words" })));
    const main = make("div", { class: "outputs" });
    const answer = make("div", { id: "answer", role: "group", "aria-labelledby": "question" });
    const top = make("div", { class: "beside-row" }, ...beside);
    page.className = `task ${task.kind}`;
    const around = segments.map((_one, at) => at === state.at ? null : segmentCard(segments, at));
    page.replaceChildren(head, ...around.slice(0, state.at), ...(beside.length ? [top] : []), main, answer, ...around.slice(state.at + 1));
    const draft = memory.get("draft");
    const kept = draft && draft.ticket === state.ticket ? draft.answer : state.answer ?? null;
    form = FORMS[task.kind](state, main, answer, kept, top);
    if (task.document_question) form = askWhole(task, answer, kept, form);
    if (segments.length) form.help = [...form.help, ["B", _("go back in the document")]];
    if (state.back) answer.append(make("button", { type: "button", class: "quiet", onclick: () => show(state.back) }, _("Cancel")));
    if (task.comment) {
      const box = make("textarea", { id: "comment", dir: "auto", rows: "2", maxlength: "5000", oninput: keep });
      box.value = (kept && kept.comment) || "";
      const label = make("label", { class: "comment" }, make("span", {}, _("Comment, if you like")), box);
      const foot = answer.querySelector(".saving");
      if (foot) foot.before(label); else answer.append(label);
    }
    for (const one of page.querySelectorAll(".text")) {  // its heading and line stand where a text begins
      one.dir = getComputedStyle(one.querySelector(".words")).direction;
    }
    fillHelp(task);
    began = performance.now();
    paused = 0;
    window.scrollTo(0, 0);
    if (state.at > 0) (beside.length ? top : main).scrollIntoView();
    document.getElementById("question").focus({ preventScroll: true });
    say([before, progress && end(progress), rest].filter(Boolean).join(" "));
    if (newPass && task.instructions && !memory.get(`read ${task.name}`)) {
      memory.set(`read ${task.name}`, true);
      openHelp();
    }
  }
  function keep() {
    if (!item || item.state !== "item" || !form) return;
    const answer = form.draft ? form.draft() : {};
    const comment = document.getElementById("comment");
    if (comment) answer.comment = comment.value;
    memory.set("draft", { ticket: item.ticket, answer });
  }
  function fillHelp(task) {
    const box = document.getElementById("instructions-text");
    box.replaceChildren(...paragraphs(task.instructions || task.question));
    const keys = [...form.help, ["U", _("undo the last answer")], ["?", _("these instructions")]];
    document.getElementById("keys").replaceChildren(...keys.flatMap(([name, what]) =>
      [make("dt", {}, ...name.split(" ").map((one) => one === "–" ? one : make("kbd", {}, one))), make("dd", {}, what)]));
  }
  function openHelp() {
    const dialog = document.getElementById("instructions");
    document.getElementById("receipts").replaceChildren(...[showReceipts()].filter(Boolean));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  }
  function sendButton() {
    return make("button", { class: "primary send", type: "button", onclick: send }, _("Save and continue"), " ", key(_("Enter")));
  }
  const foot = (button) => make("div", { class: "saving" }, button);
  function card(field, title, more = {}) {
    const text = words(field.text, field, { class: "words" });
    return { text, node: make("section", { class: "text output", "aria-label": title, ...more }, make("h2", {}, title), text) };
  }

  // ---------- two outputs ----------
  function pairForm(state, main, answer, kept) {
    const cards = state.outputs.map((one, at) => card(one, _("Text {n}", { n: at + 1 })));
    main.append(...cards.map((one) => one.node));
    const instant = !state.task.comment;
    let chosen = kept ? kept.outcome : null;
    const buttons = {};
    function choose(outcome) {
      chosen = outcome;
      for (const [name, one] of Object.entries(buttons)) one.setAttribute("aria-pressed", String(name === outcome));
      keep();
      if (instant) send();
    }
    const row = make("div", { class: "choices", dir: "ltr" });
    main.dir = "ltr";
    for (const outcome of state.task.outcomes) {
      const [name, label] = OUTCOMES[outcome];
      buttons[outcome] = make("button", { type: "button", class: `choice ${outcome}`, "aria-pressed": String(chosen === outcome),
        "aria-keyshortcuts": name, onclick: () => choose(outcome) }, key(name), make("span", { dir: "auto" }, label));
      row.append(buttons[outcome]);
    }
    answer.append(row);
    if (!instant) answer.append(foot(sendButton()));
    let differ = null;
    const help = state.task.outcomes.map((one) => OUTCOMES[one]);
    if (state.task.differences) {
      differ = make("button", { type: "button", class: "quiet differences", "aria-pressed": "false", onclick: toggle }, _("Show differences"), " ", key("D"));
      main.after(differ);
      help.push(["D", _("show where the two differ")]);
    }
    function toggle() {
      const on = differ.getAttribute("aria-pressed") !== "true";
      differ.setAttribute("aria-pressed", String(on));
      const marked = on ? differences(state.outputs.map((one) => one.text)) : state.outputs.map((one) => [[one.text, false]]);
      cards.forEach(({ text }, at) => text.replaceChildren(...marked[at].map(([part, is]) => is ? make("mark", {}, part) : part)));
    }
    return {
      help,
      draft: () => ({ outcome: chosen }),
      read: () => chosen ? { outcome: chosen } : _("Choose an answer first."),
      keys(pressed) {
        const found = state.task.outcomes.find((one) => OUTCOMES[one][0] === pressed);
        if (found) { choose(found); return true; }
        if (pressed === "d" && differ) { toggle(); return true; }
        return false;
      },
    };
  }
  function split(text, language) {
    if (window.Intl && Intl.Segmenter) {
      try {
        return [...new Intl.Segmenter(language || undefined, { granularity: "word" }).segment(text)].map((one) => one.segment);
      } catch { /* a tag that the browser does not know */ }
    }
    return text.match(/\s+|[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu) || [];
  }
  function differences(texts) {
    const [a, b] = texts.map((one) => split(one));
    if (a.length * b.length > 4e6) return [[[texts[0], false]], [[texts[1], false]]];
    const width = b.length + 1;
    const common = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--) {
      for (let j = b.length - 1; j >= 0; j--) {
        common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
      }
    }
    const found = [[], []];
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) {
        found[0].push([a[i++], false]); found[1].push([b[j++], false]);
      } else if (j >= b.length || i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1]) {
        found[0].push([a[i++], true]);
      } else found[1].push([b[j++], true]);
    }
    return found.map(joinGaps);
  }
  // a blank is marked between two marked words, and nowhere else
  function joinGaps(parts) {
    return parts.map(([text, is], at) => text.trim() ? [text, is]
      : [text, Boolean(parts[at - 1] && parts[at - 1][1] && parts[at + 1] && parts[at + 1][1])]);
  }

  // ---------- several outputs ----------
  function rankForm(state, main, answer, kept) {
    const n = state.outputs.length;
    const ranks = kept && Array.isArray(kept.ranks) && kept.ranks.length === n ? [...kept.ranks] : Array(n).fill(null);
    const rows = state.outputs.map((one, at) => {
      const { node } = card(one, letter(at));
      const group = make("div", { class: "places", dir: "ltr", role: "radiogroup", "aria-label": _("Rank of {output}", { output: letter(at) }) });
      const places = Array.from({ length: n }, (_, place) => make("button", {
        type: "button", class: "place", role: "radio", tabindex: "-1", "aria-checked": "false", onclick: () => put(at, place + 1, false) }, String(place + 1)));
      group.append(make("span", { class: "end" }, _("best")), ...places, make("span", { class: "end" }, _("worst")));
      node.append(group);
      node.tabIndex = 0;
      node.addEventListener("focusin", () => { current = at; mark(); });
      return { node, places };
    });
    let current = Math.max(0, ranks.indexOf(null));
    main.append(...rows.map((one) => one.node));
    const go = sendButton();
    answer.append(make("p", { class: "hint" }, state.task.ties ? _("Equal outputs may share a rank.") : _("No two outputs may share a rank.")), foot(go));
    function put(at, rank, move) {
      if (!state.task.ties) ranks.forEach((one, other) => { if (one === rank && other !== at) ranks[other] = null; });
      const again = ranks[at] !== null;
      ranks[at] = ranks[at] === rank && !move ? null : rank;
      current = at;
      if (move) step(at, again);
      const output = letter(at);
      say(ranks[at] === null ? _("{output}: no place.", { output }) : _("{output}: place {place}.", { output, place: ranks[at] }));
      mark();
      keep();
    }
    // to the next output that has no place; where all have one, to the next, and at last to the button
    function step(at, again) {
      const left = ranks.map((one, other) => one === null ? (other - at + n) % n : n);
      const near = left.indexOf(Math.min(...left));
      const all = ranks[near] !== null;
      current = all ? (again ? (at + 1) % n : 0) : near;
      mark();
      if (all && (!again || current === 0)) go.focus(); else rows[current].node.focus();
    }
    function mark() {
      rows.forEach(({ node, places }, at) => {
        node.classList.toggle("current", at === current);
        node.classList.toggle("placed", ranks[at] !== null);
        places.forEach((one, place) => one.setAttribute("aria-checked", String(ranks[at] === place + 1)));
      });
      go.disabled = ranks.includes(null);
    }
    mark();
    return {
      help: [[`1 – ${Math.min(n, 9)}`, _("place of the output with the frame")], ["↑ ↓", _("go to another output")], [_("Enter"), _("save and continue")]],
      draft: () => ({ ranks: [...ranks] }),
      read: () => ranks.includes(null) ? _("Rank every output.") : { ranks: [...ranks] },
      keys(pressed) {
        if (/^[1-9]$/.test(pressed) && Number(pressed) <= n) { put(current, Number(pressed), true); return true; }
        const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[pressed];
        if (step) {
          current = (current + step + n) % n;
          rows[current].node.focus();
          mark();
          return true;
        }
        if (pressed === "ArrowRight" || pressed === "ArrowLeft") {
          const by = pressed === "ArrowRight" ? 1 : -1;
          const to = ranks[current] === null ? 1 : Math.min(n, Math.max(1, ranks[current] + by));
          if (to !== ranks[current]) put(current, to, false);
          return true;
        }
        return false;
      },
    };
  }

  // ---------- scores ----------
  function scale(task, answer, kept, instant, name = "") {
    const count = Math.round((task.high - task.low) / task.step) + 1;
    return count <= 11 ? steps(task, answer, kept, instant, count, name) : slider(task, answer, kept, name);
  }
  // what a score means: of the ends, what the campaign says, and of the others nothing
  const meaning = (task, value) =>
    [number(value), value === task.low ? task.low_label : value === task.high ? task.high_label : ""].filter(Boolean).join(": ");
  function ends(task, name, between = null) {
    const [low, high] = [task.low, task.high].map((value, at) => words(meaning(task, value), own, { id: name + ENDS[at] }));
    return make("div", { class: "ends" }, low, between, high);
  }
  const ENDS = ["low", "high"];
  const labelled = (name) => ({ "aria-labelledby": `${name}question`, "aria-describedby": ENDS.map((one) => name + one).join(" ") });
  const tidy = (value) => Number(value.toPrecision(12));
  function steps(task, answer, kept, instant, count, name) {
    const values = Array.from({ length: count }, (_, at) => tidy(task.low + at * task.step));
    const single = values.every((one) => Number.isInteger(one) && one >= 0 && one <= 10);
    const keys = values.map((one, at) => single ? (one === 10 ? (task.low === 0 ? "" : "0") : String(one)) : (at < 9 ? String(at + 1) : ""));
    let chosen = kept && values.includes(kept.score) ? kept.score : null;
    const buttons = values.map((one, at) => make("button", { type: "button", class: "step", role: "radio", "aria-checked": "false",
      "aria-label": meaning(task, one),
      onclick: () => choose(at) }, number(one), keys[at] && keys[at] !== String(one) ? key(keys[at]) : null));
    const row = make("div", { class: count > 6 ? "steps many" : "steps", role: "radiogroup", ...labelled(name) }, ...buttons);
    row.style.setProperty("--half", Math.ceil(count / 2));
    answer.append(make("div", { class: "scale", dir: "ltr" }, row, ends(task, name)));
    function choose(at, only = false) {
      chosen = values[at];
      mark();
      keep();
      if (instant && !only) send(); else buttons[at].focus();
    }
    function mark() {
      buttons.forEach((one, at) => {
        one.setAttribute("aria-checked", String(values[at] === chosen));
        one.tabIndex = values[at] === chosen || chosen === null && at === 0 ? 0 : -1;
      });
    }
    mark();
    return {
      help: [[[...new Set([keys[0], keys.filter(Boolean).pop()])].join(" – "), _("score")], ["← →", _("choose without saving")]],
      value: () => chosen,
      keys(pressed) {
        const at = keys.indexOf(pressed);
        if (pressed && at >= 0) { choose(at); return true; }
        const by = { ArrowRight: 1, ArrowLeft: -1 }[pressed];
        if (!by) return false;
        const now = values.indexOf(chosen);
        choose(now < 0 ? (by > 0 ? 0 : count - 1) : Math.min(count - 1, Math.max(0, now + by)), true);
        return true;
      },
    };
  }
  function slider(task, answer, kept, name) {
    let value = kept && typeof kept.score === "number" ? kept.score : null;
    let typed = "";
    const range = make("input", { type: "range", min: task.low, max: task.high, step: task.step, ...labelled(name),
      class: "slide", oninput: () => set(Number(range.value)), onpointerdown: () => requestAnimationFrame(() => set(Number(range.value))) });
    const shown = make("input", { type: "number", min: task.low, max: task.high, step: task.step, inputmode: "decimal", class: "number",
      "aria-label": _("Score"), "aria-describedby": labelled(name)["aria-describedby"], placeholder: "–", oninput: () => { value = shown.value === "" ? null : Number(shown.value); mark(false); keep(); } });
    const hint = make("p", { class: "unscored", dir: "auto" }, _("Type a number, or choose a place on the line"));
    answer.append(make("div", { class: "scale sliding", dir: "ltr" }, shown, range, ends(task, name, hint)));
    function set(to) {
      const steps = Math.round((Math.min(task.high, Math.max(task.low, to)) - task.low) / task.step);
      value = tidy(task.low + steps * task.step);
      mark(true);
      keep();
    }
    function mark(write = true) {
      range.classList.toggle("unset", value === null);
      hint.classList.toggle("gone", value !== null);
      if (value !== null) range.value = value;
      range.setAttribute("aria-valuetext", value === null ? _("no score yet") : meaning(task, value));
      if (write) shown.value = value === null ? "" : value;
    }
    mark();
    return {
      help: [["0 – 9", _("type the score")], ["← →", _("less, more")], 
        // Words: names of keys, with a blank between two
        [_("Page↑ Page↓"), _("ten steps more, less")]],
      value: () => value,
      keys(pressed) {
        if (/^[0-9.]$/.test(pressed) || pressed === "Backspace" || pressed === "-" && task.low < 0) {
          shown.focus();
          typed = pressed === "Backspace" ? "" : pressed;
          shown.value = typed;
          shown.dispatchEvent(new Event("input"));
          return true;
        }
        const by = { ArrowRight: 1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[pressed];
        if (!by) return false;
        set(value === null ? (by > 0 ? task.low : task.high) : value + by * task.step);
        return true;
      },
    };
  }
  function ratingForm(state, main, answer, kept) {
    main.append(card(state.outputs[0], _("Text")).node);
    const few = (state.task.high - state.task.low) / state.task.step <= 10;
    const instant = few && !state.task.comment && !state.task.document_question;
    const made = scale(state.task, answer, kept, instant);
    const go = sendButton();
    const look = () => { go.hidden = instant && made.value() === null; };
    look();
    answer.append(foot(go));
    return {
      help: [...made.help, [_("Enter"), _("save and continue")]],
      draft() { look(); return { score: made.value() }; },
      read: () => made.value() === null ? _("Enter a score first.") : { score: made.value() },
      keys: made.keys,
    };
  }

  // ---------- error spans ----------
  function spansForm(state, main, answer, kept, top) {
    const { task } = state;
    const sides = {};     // side → { field, tokens, box }
    const out = card(state.outputs[0], _("Text"));
    main.append(out.node);
    sides.output = { field: state.outputs[0], box: out.text, node: out.node };
    const source = state.beside.find((one) => one.name === "source");
    if (source && task.sides.includes("source")) {
      const node = top.querySelector(".source");
      sides.source = { field: source, box: node.querySelector(".words"), node };
    }
    const marks = kept && Array.isArray(kept.spans) ? kept.spans.map((one) => ({ side: "output", category: "", ...one })) : [];
    let chosen = null;    // { side, from, to }: places of words, in the order chosen
    let pending = null;   // a mark whose category is not chosen yet
    let drag = null;       // the word on which a mouse was pressed
    for (const [name, side] of Object.entries(sides)) cutWords(name, side);

    const severities = task.severities.map((one, at) => make("button", { type: "button", class: `severity s${weight(at)}`,
      onclick: () => mark(one) }, key(String(at + 1)), make("span", {}, severityOf(one))));
    const missing = make("button", { type: "button", class: "quiet", onclick: miss }, _("Something is missing"), " ", key("M"));
    const remove = make("button", { type: "button", class: "quiet", onclick: unmark }, _("Remove"), " ", key(_("Del")));
    const tools = make("div", { class: "tools", role: "group", "aria-label": _("Mark what is chosen") }, ...severities, missing, remove);
    const kinds = make("div", { class: "tools kinds", role: "group", "aria-label": _("Error type") });
    const hint = make("p", { class: "hint" });
    const list = make("ol", { class: "marks", "aria-label": _("Errors marked") });
    const marking = make("div", { class: "marking" }, hint, tools, kinds);
    answer.append(marking, list);
    const made = task.score ? scale(task, answer, kept, false) : null;
    answer.append(foot(sendButton()));

    function weight(at) {
      return task.severities.length < 2 ? 2 : Math.round((at / (task.severities.length - 1)) * 2);
    }
    function cutWords(name, side) {
      let at = 0;
      side.tokens = [];
      side.gaps = [];
      const nodes = split(side.field.text, side.field.language).map((text) => {
        const start = at;
        at += [...text].length;
        if (!text.trim()) {
          const gap = make("span", {}, text);
          side.gaps.push({ node: gap, start, end: at });
          return gap;
        }
        const place = side.tokens.length;
        const node = make("span", { class: "w", role: "button", tabindex: place ? "-1" : "0",
          onpointerdown: (event) => { if (event.pointerType === "mouse") { drag = { side: name, place }; event.preventDefault(); tap(name, place, false); } },
          onpointerenter: (event) => { if (drag && event.pointerType === "mouse" && event.buttons) extend(name, place); },
          onclick: (event) => { if (event.pointerType !== "mouse" || event.detail === 0) tap(name, place, true); },
          onfocus: () => { side.at = place; } }, text);
        side.tokens.push({ node, start, end: at });
        return node;
      });
      side.box.replaceChildren(...nodes);
      side.box.classList.add("markable");
      side.at = 0;
    }
    document.onpointerup = () => { drag = null; };
    function tap(name, place, joins) {
      pending = null;
      if (chosen && chosen.side === name && (joins || chosen.tapped)) {
        if (chosen.from === place && chosen.to === place) chosen = null; else chosen.to = place;
      } else chosen = { side: name, from: place, to: place };
      if (chosen) chosen.tapped = true;
      draw();
      sides[name].tokens[place].node.focus();
    }
    function extend(name, place) {
      if (drag.side !== name) return;
      chosen = { side: name, from: drag.place, to: place, tapped: false };
      draw();
    }
    function range() {
      if (!chosen) return null;
      const { tokens } = sides[chosen.side];
      const [from, to] = [Math.min(chosen.from, chosen.to), Math.max(chosen.from, chosen.to)];
      return { side: chosen.side, start: tokens[from].start, end: tokens[to].end };
    }
    function mark(severity) {
      const found = range();
      if (!found) return;
      const same = marks.find((one) => one.side === found.side && one.start === found.start && one.end === found.end);
      if (same) same.severity = severity;
      else marks.push({ ...found, severity, category: "" });
      add(same || marks[marks.length - 1]);
    }
    function miss() {
      marks.push({ side: "output", start: 0, end: 0, severity: task.severities[task.severities.length - 1], category: "" });
      add(marks[marks.length - 1]);
    }
    function add(one) {
      chosen = null;
      pending = task.categories.length ? one : null;
      const told = _("{error}: {severity}.", { error: quote(one), severity: severityOf(one.severity) });
      say(pending ? `${told} ${_("Choose the kind of error.")}` : told);
      draw();
      keep();
    }
    function classify(category) {
      if (!pending) return;
      pending.category = category;
      say(end(category));
      pending = null;
      draw();
      keep();
    }
    function unmark() {
      const found = range();
      if (!found) return;
      for (let at = marks.length - 1; at >= 0; at--) {
        const one = marks[at];
        if (one.side === found.side && one.start < found.end && one.end > found.start) marks.splice(at, 1);
      }
      chosen = pending = null;
      say(_("Removed."));
      draw();
      keep();
    }
    function quote(one) {
      if (one.end === 0) return _("Missing");
      return quoted([...sides[one.side].field.text].slice(one.start, one.end).join(""));
    }
    function draw() {
      const found = range();
      for (const [name, side] of Object.entries(sides)) {
        for (const { node, start, end } of side.gaps) {
          const over = marks.filter((one) => one.side === name && one.start < start && one.end > end);
          const worst = Math.max(-1, ...over.map((one) => weight(task.severities.indexOf(one.severity))));
          const is = found && found.side === name && found.start < start && found.end > end;
          node.className = worst >= 0 || is ? `g${worst >= 0 ? ` s${worst}` : ""}${is ? " chosen" : ""}` : "";
        }
        for (const { node, start, end } of side.tokens) {
          const over = marks.filter((one) => one.side === name && one.start < end && one.end > start);
          const worst = Math.max(-1, ...over.map((one) => weight(task.severities.indexOf(one.severity))));
          const is = found && found.side === name && found.start < end && found.end > start;
          node.className = `w${worst >= 0 ? ` s${worst}` : ""}${is ? " chosen" : ""}`;
          node.setAttribute("aria-pressed", String(Boolean(is)));
          if (over.length) node.setAttribute("aria-description", over.map((one) => severityOf(one.severity)).reduce(listed));
          else node.removeAttribute("aria-description");
        }
      }
      for (const one of severities) one.disabled = !found;
      remove.hidden = !found || !marks.some((one) => one.side === found.side && one.start < found.end && one.end > found.start);
      kinds.hidden = !pending;
      tools.hidden = Boolean(pending);
      marking.classList.toggle("active", Boolean(found || pending));
      hint.textContent = pending ? _("What is wrong with {error}?", { error: quote(pending) })
        : found ? _("Severity") : _("Choose the first and the last word of an error, or go through the text with the arrow keys.");
      if (pending) {
        kinds.replaceChildren(...task.categories.map((one, at) => make("button", { type: "button", onclick: () => classify(one) },
          at < 9 ? key(String(at + 1)) : null, make("span", {}, one))));
      }
      list.replaceChildren(...marks.map((one, at) => make("li", { class: `s${weight(task.severities.indexOf(one.severity))}` },
        make("span", { class: "what", dir: "auto" }, quote(one)), make("span", { class: "how" }, severityOf(one.severity)),
        task.categories.length ? make("button", { type: "button", class: "how link", onclick: () => { pending = one; draw(); } }, one.category || _("kind?")) : null,
        make("button", { type: "button", class: "drop", "aria-label": _("Remove {error}", { error: quote(one) }), onclick: () => { marks.splice(at, 1); pending = null; draw(); keep(); } }, "×"))));
    }
    draw();
    function walk(by, longer) {
      const side = sides[walked()];
      go(chosen ? chosen.to + by : by > 0 ? side.at : side.tokens.length - 1, longer);
    }
    function walked() {
      return chosen ? chosen.side : sides.source && sides.source.box.contains(document.activeElement) ? "source" : "output";
    }
    function go(place, longer) {
      const name = walked();
      const { tokens } = sides[name];
      const to = Math.min(tokens.length - 1, Math.max(0, place));
      chosen = longer && chosen ? { ...chosen, to, tapped: false } : { side: name, from: to, to };
      tokens[to].node.focus();
      draw();
    }
    return {
      help: [["← →", _("go through the words")], 
        // Words: names of keys, with a blank between two
        [_("Home End"), _("the first word, the last one")],
        // Words: names of keys, with a blank between two
        [_("Shift ← →"), _("choose several words")],
        [task.severities.length > 1 ? `1 – ${Math.min(9, task.severities.length)}` : "1", _("mark what is chosen")], ["M", _("something is missing")], [_("Del"), _("remove a mark")],
        [_("Esc"), made ? _("choose nothing: digits are then the score") : _("choose nothing")],
        ...(sides.source ? [["S", _("go to the source and back")]] : []), [_("Enter"), _("save and continue")]],
      draft: () => ({ spans: marks, ...(made ? { score: made.value() } : {}) }),
      read() {
        const open = task.categories.length && marks.find((one) => !one.category);
        if (open) { pending = open; draw(); return _("Choose the error type of {error}.", { error: quote(open) }); }
        if (made && made.value() === null) return _("Enter a score first.");
        const spans = marks.map(({ side, start, end, severity, category }) => ({ side, start, end, severity, ...(category ? { category } : {}) }));
        return { spans, ...(made ? { score: made.value() } : {}) };
      },
      keys(pressed, event) {
        const digit = /^[1-9]$/.test(pressed) ? Number(pressed) : 0;
        if (pending && digit && digit <= task.categories.length) { classify(task.categories[digit - 1]); return true; }
        if (chosen && digit && digit <= severities.length) { mark(task.severities[digit - 1]); return true; }
        if (pressed === "m") { miss(); return true; }
        if (pressed === "Delete" || pressed === "Backspace" && chosen) { unmark(); return true; }
        if (pressed === "Escape" && (chosen || pending)) { chosen = pending = null; draw(); return true; }
        if (pressed === "s" && sides.source) {
          const name = chosen && chosen.side === "source" ? "output" : "source";
          chosen = { side: name, from: sides[name].at, to: sides[name].at };
          sides[name].tokens[sides[name].at].node.focus();
          draw();
          return true;
        }
        if ((pressed === "ArrowRight" || pressed === "ArrowLeft") && !(event.target.closest && event.target.closest(".scale"))) {
          const side = sides[chosen ? chosen.side : "output"];
          const turned = getComputedStyle(side.box).direction === "rtl";
          walk((pressed === "ArrowRight") === turned ? -1 : 1, event.shiftKey);
          return true;
        }
        if ((pressed === "Home" || pressed === "End") && !(event.target.closest && event.target.closest(".scale"))) {
          go(pressed === "Home" ? 0 : Infinity, event.shiftKey);
          return true;
        }
        if (pressed === " " && event.target.classList.contains("w")) { walk(0, false); return true; }
        return made && !chosen && !pending ? made.keys(pressed) : false;
      },
    };
  }
  const FORMS = { pair: pairForm, rank: rankForm, rating: ratingForm, spans: spansForm };

  // ---------- keys ----------
  function nameOf(event) {
    const digit = !event.shiftKey && /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
    if (digit) return digit[1];
    if (event.key.length === 1 && !/^[a-z]$/i.test(event.key) && /^Key[A-Z]$/.test(event.code)) return event.code[3].toLowerCase();
    return event.key.length === 1 ? event.key.toLowerCase() : event.key;
  }
  document.addEventListener("keydown", (event) => {
    const { target } = event;
    const writing = target.tagName === "TEXTAREA" || target.tagName === "INPUT" && target.type === "number";
    if (document.getElementById("instructions").open || event.isComposing) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); send(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const pressed = nameOf(event);
    if (pressed === "Escape" && writing) { target.blur(); return; }
    if (target.tagName === "TEXTAREA") return;
    if (pressed === "Enter") {
      const button = target.closest("button, a");
      if (button && !button.matches(".place, .step, .choice[aria-pressed=true]")) return;
      event.preventDefault();
      if (!event.repeat && !early()) send();
      return;
    }
    if (writing) return;
    if (target.type === "range" && /^(Arrow|Page|Home|End)/.test(pressed)) return;
    if (pressed === "?" || event.key === "F1") { event.preventDefault(); if (item && item.task) openHelp(); return; }
    if (pressed === "b" && item && item.document) {
      const at = item.document.slice(0, item.at).findLastIndex((one) => one.answer);
      event.preventDefault();
      if (at >= 0 && !event.repeat) change(item.document, at);
      return;
    }
    if (pressed === "u") { event.preventDefault(); if (!event.repeat) undo(); return; }
    if (!form || event.repeat && !/^Arrow|^Page/.test(pressed) || early()) return;
    if (form.keys(pressed, event)) event.preventDefault();
  });
  // a key that was meant for the item before does not answer the next one
  const early = () => performance.now() - began < 200;

  document.getElementById("undo").addEventListener("click", undo);
  document.getElementById("help").addEventListener("click", openHelp);
  document.getElementById("leave").addEventListener("click", leave);
  window.addEventListener("online", () => { wait = 1; const kept = memory.get("outbox"); notice(""); if (kept) deliver(kept); else if (!item) load(); });
  window.addEventListener("offline", () => notice(_("No connection. You can go on with this item; your answer is kept on this device."), "warning"));
  load();
})();
