// The judge's page. It shows one item, sends the answer, and shows the next one, which comes with
// the reply. An answer is kept in the browser until the server says that it is stored.
import { pairForm } from "./pair.js";
import { foot, key, make, memory, notice, own, page, paragraphs, root, say, words } from "./page.js";
import { rankForm } from "./ranks.js";
import { keepReceipt, showReceipts } from "./receipts.js";
import { ratingForm, scale } from "./scores.js";
import { spansForm } from "./spans.js";
import { showText } from "./texts.js";
import { begin, countWork, early, spent, suggestBreak } from "./time.js";
import { LABELS, _, apart, end, letter, listed, number, outcomesOf, quoted, sentence, severityOf } from "./words.js";

const skip = document.querySelector(".skip");
let item = null;      // what is shown
let form = null;      // the answer as it stands: read(), keys(event), help
let busy = false;     // an answer is on its way
let wait = 1;         // seconds until the next attempt

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
  if (item?.state === "ended") { await submit(item.ended); return; }
  if (busy || !item || item.state !== "item") return;
  const answer = form.read();
  if (typeof answer === "string") { notice(answer, "warning"); return; }
  if (page.querySelector(".file.unloaded")) { notice(_("Wait until everything is loaded: answer when you have seen or heard it."), "warning"); return; }
  const comment = document.getElementById("comment");
  if (comment && comment.value.trim()) answer.comment = comment.value;
  const seconds = spent(item.spent);
  const kept = { ticket: item.ticket, key: item.key ?? drawKey(), answer, seconds, replaces: item.replaces };
  countWork(seconds);
  memory.set("outbox", kept);
  memory.set("last", { ticket: item.ticket, answer });
  document.body.classList.add("sending");
  await deliver(kept);
}
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
    const begun = said.next.state === "item" && item && item.back && item.back.ticket === said.next.ticket;
    if (begun) said.next = { ...said.next, answer: item.back.answer, spent: item.back.spent };
    if (said.feedback && item) teach(said.feedback, kept.answer, said.next);
    else show(said.next);
    if (begun) keep();
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
  if (item && item.back) { giveUp(); return; }
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
  item = state;
  document.body.classList.toggle("asking", state.state === "item");
  clearTimeout(again.timer);
  const answered = state.place > 1 || state.state === "done" || state.state === "ended";
  document.getElementById("undo").hidden = !answered || Boolean(state.closed);
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
// the document is submitted, the one that is asked, and those that follow.
function change(segments, at) {
  if (busy) return;
  const draft = form && form.draft ? { answer: { ...form.draft(), comment: document.getElementById("comment")?.value }, spent: spent(item.spent) } : {};
  const { place, total } = item;
  show({ ...segments[at], state: "item", place, total, document: segments, at, replaces: segments[at].receipt, back: item.back ?? { ...item, ...draft } });
}
// what was begun of a change is given up, and what was begun before it stays
function giveUp() {
  memory.drop("draft");
  show(item.back);
  keep();
}
function segmentCard(segments, at) {
  const one = segments[at];
  const name = _("Segment {n} of {total}", { n: number(at + 1), total: number(segments.length) });
  const texts = [...one.beside.filter((text) => text.name === "source"), ...one.outputs].map((text) => showText(text));
  const given = one.answer ? make("p", { class: "given" }, _("Your answer: {answer}", { answer: describe(one.answer, one) }),
    make("button", { type: "button", class: "quiet", "aria-label": _("Change the answer to segment {n}", { n: number(at + 1) }), onclick: () => change(segments, at) }, _("Change"))) : null;
  return make("section", { class: "segment", "aria-label": name }, make("div", { class: "pieces" }, ...texts), given);
}
function showEnded(state) {
  const { ended } = state;
  const go = make("button", { class: "primary send", type: "button", onclick: send }, _("Submit the document"), " ", key(_("Enter")));
  page.className = "task review";
  page.replaceChildren(make("div", { class: "asked" }, make("h1", { class: "question", id: "question", tabindex: "-1" }, _("Check your answers")),
    make("p", { class: "hint" }, _("You can change them until you submit the document."))), ...ended.map((_one, at) => segmentCard(ended, at)), foot(go));
  begin();
  window.scrollTo(0, 0);
  say(end(_("Check your answers")));
  go.focus({ preventScroll: true });
}
async function submit(ended) {
  if (busy) return;
  busy = true;
  try {
    const next = await ask("submit", { receipts: ended.filter((one) => one.receipt).map((one) => one.receipt) });
    memory.drop("draft");
    notice("");
    show(next);
  } catch (fault) {
    busy = false;
    if (fault.status === undefined) notice(_("No connection: try again."), "warning");
    else if (passing(fault)) notice(sentence(fault.message), "warning");
    else await refused(fault);
  } finally { busy = false; }
}
// a second scale, for the whole document, with the last segment
function askWhole(task, answer, asked, inner) {
  const box = make("section", { class: "whole" }, words(task.document_question, own, { class: "question", id: "whole-question" }));
  const made = scale(task, box, { ...asked, kept: asked.kept && { score: asked.kept.document } }, false, "whole-");
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
  if (right.outcome) told.push(outcomesOf(about.outputs[0])[right.outcome][1]);
  if (right.ranks) told.push(right.ranks.map((place, at) => _("{output} in place {place}", { output: letter(at), place })).reduce(listed));
  if (right.spans) {
    const source = about.beside.find((one) => one.name === "source");
    // a source that is laid out has no text, and no marks
    const texts = { output: [...about.outputs[0].text], source: [...(source?.text ?? "")] };
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
    make("h2", {}, LABELS[one.name]), showText(one)));
  const main = make("div", { class: "outputs" });
  const answer = make("div", { id: "answer", role: "group", "aria-labelledby": "question" });
  const top = make("div", { class: "beside-row" }, ...beside);
  page.className = `task ${task.kind}`;
  const around = segments.map((_one, at) => at === state.at ? null : segmentCard(segments, at));
  page.replaceChildren(head, ...around.slice(0, state.at), ...(beside.length ? [top] : []), main, answer, ...around.slice(state.at + 1));
  const draft = memory.get("draft");
  const kept = draft && draft.ticket === state.ticket ? draft.answer : state.answer ?? null;
  const asked = { top, kept, keep, send };
  form = FORMS[task.kind](state, main, answer, asked);
  if (task.document_question) form = askWhole(task, answer, asked, form);
  if (segments.length) form.help = [...form.help, ["B", _("go back in the document")]];
  if (state.back) answer.append(make("button", { type: "button", class: "quiet", onclick: giveUp }, _("Cancel")));
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
  begin();
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
    if (button && !button.matches(".place, .step, .choice[aria-pressed=true]")) {
      if (event.repeat || early()) event.preventDefault();  // it was meant for what was shown before
      return;
    }
    event.preventDefault();
    if (!event.repeat && !early()) send();
    return;
  }
  if (writing) return;
  if (target.tagName === "AUDIO" && /^(Arrow|Home|End| )/.test(pressed)) return;
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

document.getElementById("undo").addEventListener("click", undo);
document.getElementById("help").addEventListener("click", openHelp);
document.getElementById("leave").addEventListener("click", leave);
window.addEventListener("online", () => { wait = 1; const kept = memory.get("outbox"); notice(""); if (kept) deliver(kept); else if (!item) load(); });
window.addEventListener("offline", () => notice(_("No connection. You can go on with this item; your answer is kept on this device."), "warning"));
load();
