// What is told of a mark under the pointer or the finger.
const tip = document.getElementById("tip");
const hideTip = () => {
  tip.hidden = true;
};
const showTip = (event, value) => {
  const told = typeof value === "object" ? Object.entries(value) : [["", value]];
  tip.replaceChildren(
    ...told.flat().map((text) => {
      const span = document.createElement("span");
      span.textContent = text;
      span.dir = "auto";
      return span;
    }),
  );
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const right = event.clientX + 16 + width < innerWidth ? event.clientX + 16 : event.clientX - 16 - width;
  const below = event.clientY + 16 + height < innerHeight ? event.clientY + 16 : event.clientY - 16 - height;
  tip.style.left = `${Math.max(12, Math.min(right, innerWidth - width - 12))}px`;
  tip.style.top = `${Math.max(12, below)}px`;
};
const tell = (handler, event, item, value) =>
  value === null || value === undefined || value === "" ? hideTip() : showTip(event, value);
addEventListener("scroll", hideTip, { passive: true });
addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
