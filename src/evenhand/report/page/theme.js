// What is in the page, and whether it is light or dark.
const root = document.documentElement;
const able = "DecompressionStream" in globalThis;
if (able) root.dataset.js = "";

const unpack = async (letters) => {
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
};
const read = async (id) => {
  const { type, textContent } = document.getElementById(id);
  return type.endsWith("gzip") ? unpack(textContent) : textContent;
};
const held = {}; // text: the JSON as it stands, report: its value
const at = (path) => path.split("/").slice(1).reduce((value, key) => value[key], held.report);
const all = (what, within = document) => [...within.querySelectorAll(what)];

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";
const nameTheme = () => {
  const button = document.querySelector("[data-do=theme]");
  button.textContent = isDark() ? "Light" : "Dark";
};
const turnTheme = () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
};
