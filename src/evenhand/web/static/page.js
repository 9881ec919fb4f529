import { _ } from "./words.js";

export const root = document.body.dataset.root;
export const page = document.getElementById("page");
// of texts that the campaign wrote for its judges
export const own = { language: document.body.dataset.language, direction: document.body.dataset.direction };

export function make(tag, told = {}, ...inside) {
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
export const key = (name) => make("kbd", { "aria-hidden": "true" }, name);
export const words = (text, field, told = {}) =>
  make("div", { ...told, lang: field.language || null, dir: field.direction || "auto" }, text);
export const paragraphs = (text) => text.split(/\n\s*\n/).map((one) => make("p", {}, one));
export const say = (text) => { document.getElementById("spoken").textContent = text; };
export function notice(text, kind = "") {
  const node = document.getElementById("notice");
  node.hidden = !text;
  node.className = kind;
  node.textContent = text;
}
export const memory = {
  name: (what) => `evenhand ${root} ${what}`,
  get(what) {
    try { return JSON.parse(localStorage.getItem(this.name(what))); } catch { return null; }
  },
  set(what, value) {
    try { localStorage.setItem(this.name(what), JSON.stringify(value)); } catch { /* full */ }
  },
  drop(what) { try { localStorage.removeItem(this.name(what)); } catch { /* none */ } },
};

export function sendButton(send) {
  return make("button", { class: "primary send", type: "button", onclick: send }, _("Save and continue"), " ", key(_("Enter")));
}
export const foot = (button) => make("div", { class: "saving" }, button);
