import { foot, key, make, memory, say, sendButton } from "./page.js";
import { scale } from "./scores.js";
import { card } from "./texts.js";
import { _, end, listed, quoted, severityOf, split } from "./words.js";

export function spansForm(state, main, answer, asked) {
  const { task } = state;
  const { kept, keep, top } = asked;
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
  let unit = memory.get("unit") ?? "word";  // what is chosen at once: words, or characters as they are read
  let chosen = null;    // { side, from, to }: places of units, in the order chosen
  let pending = null;   // a mark whose category is not chosen yet
  let drag = null;       // the unit on which a mouse was pressed
  for (const [name, side] of Object.entries(sides)) cut(name, side);

  const severities = task.severities.map((one, at) => make("button", { type: "button", class: `severity s${weight(at)}`,
    onclick: () => mark(one) }, key(String(at + 1)), make("span", {}, severityOf(one))));
  const missing = make("button", { type: "button", class: "quiet", onclick: miss }, _("Something is missing"), " ", key("M"));
  const remove = make("button", { type: "button", class: "quiet", onclick: unmark }, _("Remove"), " ", key(_("Del")));
  const finer = make("button", { type: "button", class: "quiet", onclick: change }, _("Characters"), " ", key("C"));
  const tools = make("div", { class: "tools", role: "group", "aria-label": _("Mark what is chosen") }, ...severities, missing, finer, remove);
  const kinds = make("div", { class: "tools kinds", role: "group", "aria-label": _("Error type") });
  const hint = make("p", { class: "hint" });
  const list = make("ol", { class: "marks", "aria-label": _("Errors marked") });
  const marking = make("div", { class: "marking" }, hint, tools, kinds);
  answer.append(marking, list);
  const made = task.score ? scale(task, answer, asked, false) : null;
  answer.append(foot(sendButton(asked.send)));

  function weight(at) {
    return task.severities.length < 2 ? 2 : Math.round((at / (task.severities.length - 1)) * 2);
  }
  function cut(name, side) {
    let at = 0;
    side.letters = [...side.field.text];
    side.tokens = [];
    side.gaps = [];
    const nodes = split(side.field.text, side.field.language, unit).map((text) => {
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
    side.box.classList.toggle("finely", unit !== "word");
    side.box.classList.toggle("joined", /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}]/u.test(side.field.text));
    side.at = 0;
  }
  // from words to characters and back; what is chosen stays, and where it ends within words they are chosen
  function change() {
    const found = range(), here = walked(), { at, tokens } = sides[here], start = tokens[at]?.start ?? 0;
    const focused = sides[here].box.contains(document.activeElement);
    unit = unit === "word" ? "grapheme" : "word";
    memory.set("unit", unit);
    for (const [name, side] of Object.entries(sides)) cut(name, side);
    const find = (name, letter) => Math.max(0, sides[name].tokens.findIndex((one) => one.end > letter));
    chosen = found ? { side: found.side, from: find(found.side, found.start), to: find(found.side, found.end - 1), tapped: true } : null;
    if (focused) sides[here].tokens[chosen ? chosen.to : find(here, start)].node.focus();
    draw();
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
    return quoted(sides[one.side].letters.slice(one.start, one.end).join(""));
  }
  // the classes of a piece of text: of the worst mark on it, and of what is chosen
  function paint(over, is) {
    const worst = Math.max(-1, ...over.map((one) => weight(task.severities.indexOf(one.severity))));
    return [worst >= 0 ? `s${worst}` : "", is ? "chosen" : ""].filter(Boolean).join(" ");
  }
  function draw() {
    const found = range();
    for (const [name, side] of Object.entries(sides)) {
      const mine = marks.filter((one) => one.side === name);
      const here = found && found.side === name ? found : null;
      for (const { node, start, end } of side.gaps) {
        const painted = paint(mine.filter((one) => one.start < start && one.end > end), here && here.start < start && here.end > end);
        node.className = painted && `g ${painted}`;
      }
      for (const { node, start, end } of side.tokens) {
        const touches = (from, to) => (one) => one.start < to && one.end > from;
        const over = mine.filter(touches(start, end));
        const is = Boolean(here && touches(start, end)(here));
        // a word of which a part is marked is drawn in pieces
        const borders = [...new Set(over.flatMap((one) => [one.start, one.end]).filter((one) => one > start && one < end))].sort((a, b) => a - b);
        const edges = [start, ...borders, end];
        const pieces = borders.length ? edges.slice(1).map((to, at) => make("span",
          { class: paint(over.filter(touches(edges[at], to)), false) }, side.letters.slice(edges[at], to).join(""))) : [];
        node.className = `w ${paint(borders.length ? [] : over, is)}`;
        if (pieces.length || node.firstElementChild) node.replaceChildren(...(pieces.length ? pieces : [side.letters.slice(start, end).join("")]));
        node.setAttribute("aria-pressed", String(is));
        if (over.length) node.setAttribute("aria-description", over.map((one) => severityOf(one.severity)).reduce(listed));
        else node.removeAttribute("aria-description");
      }
    }
    for (const one of severities) one.disabled = !found;
    finer.setAttribute("aria-pressed", String(unit !== "word"));
    remove.hidden = !found || !marks.some((one) => one.side === found.side && one.start < found.end && one.end > found.start);
    kinds.hidden = !pending;
    tools.hidden = Boolean(pending);
    marking.classList.toggle("active", Boolean(found || pending));
    hint.textContent = pending ? _("What is wrong with {error}?", { error: quote(pending) })
      : found ? _("Severity") : unit === "word" ? _("Choose the first and the last word of an error, or go through the text with the arrow keys.")
        : _("Choose the first and the last character of an error, or go through the text with the arrow keys.");
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
      [_("Shift ← →"), _("choose several words")], ["C", _("choose characters, or words again")],
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
      if (pressed === "c") { change(); return true; }
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
