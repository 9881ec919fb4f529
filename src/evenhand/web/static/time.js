import { memory } from "./page.js";
import { ngettext } from "./words.js";

// How long a judge worked, and when a break is suggested.
// Active work is counted as for pay: of an answer at most five minutes. Where a break was
// suggested, the first pause of two minutes or more is one, and is not counted at all.
const LONGEST = 300, PAUSE = 120, REST = 600;  // seconds; who was away for the last has rested
const breakAfter = Number(document.body.dataset.breakAfter);
let began = 0;        // when the item was shown
let active = 0;       // when the judge last did something
let paused = 0;       // how long the break took while it was shown

export function begin() {
  began = performance.now();
  paused = 0;
}
// seconds for this item, with those before the judge went back to another one
export const spent = (before = 0) => Math.round(performance.now() - began - paused + 1000 * before) / 1000;
// a key that was meant for the item before does not answer the next one
export const early = () => performance.now() - began < 200;
export function countWork(seconds) {
  const before = memory.get("work");
  const rested = !before || Date.now() - before.at > REST * 1000;
  const work = (rested ? 0 : before.work) + Math.min(seconds, LONGEST);
  memory.set("work", { work, at: Date.now(), suggested: Boolean(before && before.suggested) && !rested });
}
export function suggestBreak() {
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
