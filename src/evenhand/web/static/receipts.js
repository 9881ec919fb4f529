import { make, memory } from "./page.js";
import { _ } from "./words.js";

const MOST_RECEIPTS = 5000;
export function keepReceipt(hash) {
  const kept = memory.get("receipts") ?? [];
  if (hash && !kept.includes(hash)) memory.set("receipts", [...kept, hash].slice(-MOST_RECEIPTS));
}
export function showReceipts() {
  const kept = memory.get("receipts") ?? [];
  if (!kept.length) return null;
  const box = make("textarea", { readonly: true, rows: "3", "aria-label": _("Receipts, one a line"), spellcheck: "false" });
  box.value = kept.join("\n");
  return make("details", { class: "receipts" }, make("summary", {}, _("Receipts of your answers")),
    make("p", {}, _("You may keep these lines: with any of them, anyone who has the log can check that your answer is in it, unchanged. They do not reveal your answer.")), box);
}
