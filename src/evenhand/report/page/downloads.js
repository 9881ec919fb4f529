// Files are made here, from what the page holds; nothing is fetched.
const save = (name, content, type) => {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
// A figure on its own: light, with its title, at the width at which it is seen.
const drawAlone = (place) => {
  const path = place.dataset.figure;
  const spec = specify(path, { width: Math.max(place.clientWidth, 320), dark: false });
  spec.title = { text: at(path).title, limit: spec.width || 600 };
  spec.config.background = "white";
  spec.padding = 12;
  return makeView(spec, "none").runAsync();
};
const saveSvg = async (place) => {
  const view = await drawAlone(place);
  save(`${place.dataset.name}.svg`, await view.toSVG(), "image/svg+xml");
};
const savePng = async (place) => {
  const view = await drawAlone(place);
  const canvas = await view.toCanvas(2);
  canvas.toBlob((blob) => save(`${place.dataset.name}.png`, blob));
};
const quote = (value) => {
  if (value === null || value === undefined) return "";
  const text = String(value);
  const plain = typeof value === "string" && /^\s*[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text; // no formula
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};
const writeCsv = (table) => {
  const rows = table.rows.map((row) => table.columns.map((column) => row[column.key]));
  const lines = [table.columns.map((column) => column.title), ...rows];
  return lines.map((line) => `${line.map(quote).join(",")}\r\n`).join("");
};
const saveCsv = (table) =>
  save(`${table.dataset.name}.csv`, `\ufeff${writeCsv(at(table.dataset.table))}`, "text/csv");
