// Buttons, links into folded parts, and the list of contents.
const say = (text) => {
  document.getElementById("said").textContent = text;
};
const copyText = async (button) => {
  const holder = button.closest(".copied, .block").querySelector("code, pre");
  try {
    await navigator.clipboard.writeText(holder.textContent);
    button.textContent = "copied";
    say("copied");
  } catch {
    getSelection().selectAllChildren(holder); // so that it can be copied by hand
    button.textContent = "selected";
  }
  setTimeout(() => (button.textContent = "copy"), 2000);
};
const turnRows = (button) => {
  const long = button.closest(".table").classList.toggle("clipped");
  button.textContent = long ? "Show all rows" : "Show the first rows";
  button.setAttribute("aria-expanded", String(!long));
};
const turnParts = (button) => {
  const open = button.textContent === "Open all";
  all("details.part").forEach((part) => (part.open = open));
  button.textContent = open ? "Close all" : "Open all";
};
const chartOf = (button) => button.closest("figure").querySelector(".chart");
const DO = {
  theme: turnTheme,
  open: turnParts,
  print: () => print(),
  json: () => save("report.json", held.text, "application/json"),
  svg: (button) => saveSvg(chartOf(button)),
  png: (button) => savePng(chartOf(button)),
  csv: (button) => saveCsv(button.closest(".table").querySelector("table")),
  rows: turnRows,
  copy: copyText,
  text: (button) => save(button.dataset.name, button.closest(".block").querySelector("pre").textContent, "text/plain"),
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-do]");
  if (button) DO[button.dataset.do](button);
});

// On paper everything is open.
let opened = [];
addEventListener("beforeprint", () => {
  opened = all("details:not([open])");
  opened.forEach((one) => (one.open = true));
});
addEventListener("afterprint", () => opened.forEach((one) => (one.open = false)));

const openTarget = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
  (target.closest("details.part") && target.id.split("-").length === 2 ? target.parentElement : target).scrollIntoView();
};
const watchSections = () => {
  const links = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver(
    (told) => {
      for (const one of told) {
        const link = links.get(one.target.id);
        if (one.isIntersecting) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
      }
    },
    { rootMargin: "-20% 0px -75% 0px" },
  );
  for (const name of links.keys()) seen.observe(document.getElementById(name));
};

const begin = async () => {
  nameTheme();
  all(".table.long").filter((table) => !table.closest(".numbers")).forEach((table) => table.classList.add("clipped"));
  all(".numbers [data-do=rows]").forEach((button) => button.remove());
  const text = await read("report");
  Object.assign(held, { text, report: JSON.parse(text) });
  prefersDark.addEventListener("change", nameTheme);
  watchSections();
  openTarget();
  addEventListener("hashchange", openTarget);
  root.dataset.ready = "";
};
if (able) begin();
