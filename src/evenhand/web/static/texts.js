import { make, root, words } from "./page.js";
import { FORMS, _, roleOf } from "./words.js";

// A text in the form in which its campaign has it: plain, as markup of the server, which cut it to
// harmless elements, as the turns of a chat, or as a file, which is loaded from this server alone.
export function showText(one, { judged = false } = {}) {
  const box = words(one.text ?? "", one, { class: one.form ? `words as-${one.form}` : "words" });
  if (one.html !== undefined) fillIn(box, one);
  if (one.turns) showTurns(box, one, judged);
  if (one.file) box.append(showFile(one.form, one.file, FORMS[one.form].one));
  return box;
}
export function card(field, title, more = {}) {
  const text = showText(field, { judged: true });
  return { text, node: make("section", { class: "text output", "aria-label": title, ...more }, make("h2", {}, title), text) };
}
function fillIn(box, one) {
  box.innerHTML = one.html;
  for (const image of box.querySelectorAll("img")) {
    image.replaceWith(showFile("image", image.dataset.file ?? "", image.alt || FORMS.image.one));
  }
  if (one.direction === "auto") for (const part of box.querySelectorAll("p, h3, h4, h5, h6, li, td, th")) part.dir = "auto";
  for (const part of box.querySelectorAll("pre, math")) part.dir = "ltr";
  for (const part of box.querySelectorAll("pre, .wide, .formula")) part.tabIndex = 0;  // what is too wide is scrolled
  requestAnimationFrame(() => {
    for (const part of box.querySelectorAll("math")) if (part.scrollWidth > part.clientWidth + 1 && !part.closest(".formula")) part.tabIndex = 0;
  });
}
function showTurns(box, one, judged) {
  const last = one.turns.length - 1;
  const turns = one.turns.map((turn, at) => {
    const said = showText({ ...turn, language: one.language, direction: one.direction });
    const is = judged && at === last;
    return make("li", { class: is ? "turn judged" : `turn${turn.role === "user" ? " asks" : ""}` },
      make("p", { class: "role" }, make("bdi", {}, roleOf(turn.role)), is ? ` · ${_("Judge this turn")}` : ""), said);
  });
  const list = make("ol", { class: "turns", tabindex: "0" }, ...turns);
  box.append(list);
  if (judged) requestAnimationFrame(() => { list.scrollTop = turns[last].offsetTop; });
}
// An answer waits for the images; a recording begins to load when it is played.
function showFile(form, name, alt) {
  const box = make("span", { class: "file" });
  const load = (again = "") => {
    const src = `${root}/file/${encodeURIComponent(name)}${again}`;
    const failed = () => {
      const retry = make("button", { type: "button", onclick: () => load(`?${Date.now()}`) }, _("Try again"));
      box.replaceChildren(make("span", {}, _("This file could not be loaded.")), " ", retry);
      box.classList.add("unloaded");
    };
    const done = () => box.classList.remove("unloaded");
    const shown = form === "image" ? make("img", { alt, onload: done, onerror: failed })
      : make("audio", { controls: true, preload: "metadata", "aria-label": alt, onerror: failed, onloadedmetadata: done });
    if (form === "image") box.classList.add("unloaded");
    box.replaceChildren(shown);
    shown.src = src;
  };
  load();
  return box;
}
