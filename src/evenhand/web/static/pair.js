import { foot, key, make, sendButton } from "./page.js";
import { card } from "./texts.js";
import { _, called, outcomesOf, split } from "./words.js";

export function pairForm(state, main, answer, { kept, keep, send }) {
  const cards = state.outputs.map((one, at) => card(one, called(one).of(at + 1)));
  main.append(...cards.map((one) => one.node));
  const instant = !state.task.comment;
  const outcomes = outcomesOf(state.outputs[0]);
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
    const [name, label] = outcomes[outcome];
    buttons[outcome] = make("button", { type: "button", class: `choice ${outcome}`, "aria-pressed": String(chosen === outcome),
      "aria-keyshortcuts": name, onclick: () => choose(outcome) }, key(name), make("span", { dir: "auto" }, label));
    row.append(buttons[outcome]);
  }
  answer.append(row);
  if (!instant) answer.append(foot(sendButton(send)));
  let differ = null;
  const help = state.task.outcomes.map((one) => outcomes[one]);
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
      const found = state.task.outcomes.find((one) => outcomes[one][0] === pressed);
      if (found) { choose(found); return true; }
      if (pressed === "d" && differ) { toggle(); return true; }
      return false;
    },
  };
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
