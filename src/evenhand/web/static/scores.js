import { foot, key, make, own, sendButton, words } from "./page.js";
import { card } from "./texts.js";
import { _, called, number } from "./words.js";

export function scale(task, answer, asked, instant, name = "") {
  const count = Math.round((task.high - task.low) / task.step) + 1;
  return count <= 11 ? steps(task, answer, asked, instant, count, name) : slider(task, answer, asked, name);
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
function steps(task, answer, { kept, keep, send }, instant, count, name) {
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
function slider(task, answer, { kept, keep }, name) {
  let value = kept && typeof kept.score === "number" ? kept.score : null;
  let typed = "";
  const range = make("input", { type: "range", min: task.low, max: task.high, step: task.step, ...labelled(name),
    class: "slide", oninput: () => set(Number(range.value)), onpointerdown: () => requestAnimationFrame(() => set(Number(range.value))) });
  const shown = make("input", { type: "number", min: task.low, max: task.high, step: task.step, inputmode: "decimal", class: "number",
    ...(name ? { "aria-labelledby": `${name}question` } : { "aria-label": _("Score") }), "aria-describedby": labelled(name)["aria-describedby"], placeholder: "–", oninput: () => { value = shown.value === "" ? null : Number(shown.value); mark(false); keep(); } });
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
export function ratingForm(state, main, answer, asked) {
  main.append(card(state.outputs[0], called(state.outputs[0]).one).node);
  const few = (state.task.high - state.task.low) / state.task.step <= 10;
  const instant = few && !state.task.comment && !state.task.document_question;
  const made = scale(state.task, answer, asked, instant);
  const go = sendButton(asked.send);
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
