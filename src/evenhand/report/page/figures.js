// Figures are drawn when they come near, and again when their width or the colours change.
const PAPER = 680; // pixels between the margins of A4
let places = [];
const views = new Map();

const draw = (place, look = { width: place.clientWidth, dark: isDark() }) => {
  if (!look.width) return; // within a part that is folded
  const path = place.dataset.figure;
  const before = views.get(place);
  if (before && before.width === look.width && before.dark === look.dark) return;
  if (before && before.view) before.view.finalize();
  views.set(place, look);
  try {
    look.view = makeView(specify(path, look), isLarge(path) ? "canvas" : "svg");
    look.view.tooltip(tell).initialize(place).run();
    place.firstElementChild.setAttribute("aria-hidden", "true"); // its words are those of the place
    place.dataset.drawn = "";
    place.style.minHeight = "";
  } catch (error) {
    place.textContent = "This chart could not be drawn; what it shows stands in words and tables.";
    console.error(path, error);
  }
};
const reserve = (place) => {
  const { spec } = held.drawing.specs[place.dataset.figure];
  if (typeof spec.height === "number") place.style.minHeight = `${spec.height + 44}px`;
};
const redraw = () => [...views.keys()].forEach((place) => draw(place));

const watchFigures = () => {
  places = all(".chart");
  const near = new IntersectionObserver(
    (seen) => seen.filter((one) => one.isIntersecting).forEach((one) => draw(one.target)),
    { rootMargin: "500px" },
  );
  places.forEach((place) => (reserve(place), near.observe(place)));
  let waiting = 0;
  const sizes = new ResizeObserver(() => {
    clearTimeout(waiting);
    waiting = setTimeout(redraw, 120);
  });
  sizes.observe(document.getElementById("main"));
  prefersDark.addEventListener("change", () => (nameTheme(), redraw()));
};

// On paper everything is open, light, and as wide as the paper.
let opened = [];
addEventListener("beforeprint", () => {
  opened = all("details:not([open])");
  opened.forEach((one) => (one.open = true));
  places.forEach((place) => draw(place, { width: PAPER, dark: false }));
});
addEventListener("afterprint", () => {
  opened.forEach((one) => (one.open = false));
  redraw();
});
