import { foot, make, say, sendButton } from "./page.js";
import { card } from "./texts.js";
import { _, letter } from "./words.js";

export function rankForm(state, main, answer, { kept, keep, send }) {
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
  const go = sendButton(send);
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
