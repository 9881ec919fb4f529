// A specification in the looks of the page: its width, its colours, hairlines, no boxes.
const NARROW = 480; // pixels; below this, names are cut short and letters are smaller
const MANY = 5000; // marks; from here on they are painted instead of being elements
const FONT = getComputedStyle(document.body).fontFamily;

const configure = (colours, narrow) => ({
  font: FONT,
  background: null,
  aria: false,
  mark: { color: colours.accent },
  text: { color: colours.ink },
  rule: { color: colours.quiet },
  view: { stroke: null },
  axis: {
    gridColor: colours.grid,
    domain: false,
    ticks: false,
    labelColor: colours.quiet,
    titleColor: colours.quiet,
    titleFontWeight: "normal",
    labelFontSize: narrow ? 11 : 12,
    titleFontSize: narrow ? 11 : 12,
    labelPadding: 6,
    titlePadding: 8,
  },
  axisY: { labelLimit: limitNames(narrow) },
  legend: {
    orient: "top",
    labelColor: colours.ink,
    titleColor: colours.quiet,
    titleFontWeight: "normal",
    labelFontSize: narrow ? 11 : 12,
    titleFontSize: narrow ? 11 : 12,
    labelLimit: 240,
    gradientLength: narrow ? 140 : 200,
  },
  header: { labelColor: colours.ink, titleColor: colours.quiet },
  title: { color: colours.ink, anchor: "start", fontSize: 14, fontWeight: 600, offset: 12 },
});
const limitNames = (narrow) => (narrow ? 110 : 190);

const COLOURED = /^(color|fill|stroke|value|range|\w*Color)$/;
const adapt = (node, key, look) => {
  if (typeof node === "string") {
    return (look.dark && COLOURED.test(key) && held.drawing.darkened[node.toLowerCase()]) || node;
  }
  if (Array.isArray(node)) return node.map((one) => adapt(one, key, look));
  if (node === null || typeof node !== "object") return node;
  const adapted = {};
  for (const name of Object.keys(node)) adapted[name] = adapt(node[name], name, look);
  if (key === "y" && adapted.axis && adapted.axis.labelLimit) {
    adapted.axis.labelLimit = Math.min(adapted.axis.labelLimit, limitNames(look.narrow));
  }
  if (key === "x" && adapted.type === "quantitative" && adapted.axis !== null) {
    const count = Math.max(3, Math.min(8, Math.round(look.width / 110)));
    if (!adapted.axis || !adapted.axis.values) adapted.axis = { tickCount: count, ...adapted.axis };
  }
  return adapted;
};

// How a figure is drawn, for Vega; `look` holds width and dark.
const specify = (path, look) => {
  const { spec, wide } = held.drawing.specs[path];
  const width = wide ? Math.max(spec.width || 0, look.width) : look.width;
  const whole = { ...look, width, narrow: look.width < NARROW };
  const drawn = adapt(spec, "", whole);
  const simple = !["hconcat", "vconcat", "concat", "facet", "repeat"].some((kind) => kind in spec);
  if (simple) Object.assign(drawn, { width, autosize: { type: "fit-x", contains: "padding" } });
  drawn.config = configure(held.drawing[look.dark ? "dark" : "light"], whole.narrow);
  drawn.datasets = structuredClone(at(path).datasets);
  return drawn;
};
const isLarge = (path) =>
  Object.values(at(path).datasets).reduce((sum, rows) => sum + rows.length, 0) > MANY;
const makeView = (spec, renderer) => {
  const { parse, View, compile, expressionInterpreter } = globalThis.vegaBundle;
  return new View(parse(compile(spec).spec, null, { ast: true }), { renderer, expr: expressionInterpreter });
};
