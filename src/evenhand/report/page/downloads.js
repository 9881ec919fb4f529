// Files are made here, from what the page holds; nothing is fetched.
const save = (name, content, type) => {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
// A figure on its own: light, as wide as it is seen.
const light = document.styleSheets[0].cssRules[0].style;
const drawAlone = (place) => {
  const seen = all("svg", place).find((one) => one.getClientRects().length);
  const drawn = seen.cloneNode(true);
  drawn.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  drawn.setAttribute("style", `background: #ffffff; font-family: ${getComputedStyle(document.body).fontFamily.replaceAll('"', "'")}`);
  all("[data-path]", drawn).forEach((one) => one.removeAttribute("data-path"));
  const text = new XMLSerializer().serializeToString(drawn);
  return text.replace(/var\((--[\w-]+)\)/g, (_, name) => light.getPropertyValue(name).trim());
};
const saveSvg = (place) => save(`${place.dataset.name}.svg`, drawAlone(place), "image/svg+xml");
const savePng = async (place) => {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawAlone(place))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
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
