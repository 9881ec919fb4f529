"use strict";
// The organiser's page: buttons send JSON, then the page is fetched anew; every 15 seconds too.
// What the judgments say is fetched by itself, when the log has grown.
(() => {
  const root = document.body.dataset.root;
  const note = document.getElementById("notice");
  let looking = false;
  function close() {
    const one = document.createElement("button");
    one.type = "button";
    one.textContent = "Close";
    one.addEventListener("click", () => notice(""));
    return one;
  }
  function uncover() { // what was pressed is moved out from under the notice
    const pressed = document.activeElement;
    if (!pressed || pressed === document.body || note.contains(pressed)) return;
    const box = pressed.getBoundingClientRect(), top = note.getBoundingClientRect().top;
    if (box.bottom > top && box.top < window.innerHeight) window.scrollBy(0, box.bottom - top + 12);
  }
  function sentence(words) {
    const text = words.trim();
    return text && text[0].toUpperCase() + text.slice(1) + (/[.!?…]$/.test(text) ? "" : ".");
  }
  function notice(text, kind = "", link = "", who = "") {
    note.hidden = !text;
    note.className = kind;
    note.replaceChildren(sentence(text));
    if (!text) return;
    if (!link) {
      note.append(" ", close());
      document.documentElement.style.setProperty("--notice", `${note.offsetHeight + 32}px`);
      uncover();
      return;
    }
    const field = document.createElement("input");
    field.readOnly = true;
    field.value = link;
    field.setAttribute("aria-label", "Link");
    const copy = document.createElement("button");
    copy.type = "button";
    copy.textContent = "Copy";
    copy.addEventListener("click", async () => {
      field.select();
      try { await navigator.clipboard.writeText(link); } catch { document.execCommand("copy"); }
      copy.textContent = "Copied";
    });
    const mail = document.createElement("a"); // who it is may hold the address
    const [to] = who.match(/[^\s<>,;"]+@[^\s<>,;"]+/) || [""];
    const title = document.querySelector("h1.title").textContent;
    mail.className = "button";
    mail.href = `mailto:${encodeURIComponent(to)}?subject=${encodeURIComponent(title)}&body=${encodeURIComponent(link)}`;
    mail.textContent = "E-mail";
    note.append(field, copy, mail, " ", close());
    document.documentElement.style.setProperty("--notice", `${note.offsetHeight + 32}px`);
    field.focus();
    field.select();
  }
  function tellTimes() {
    const clock = { hour: "2-digit", minute: "2-digit" };
    const day = { weekday: "short", day: "numeric", month: "short" };
    for (const one of document.querySelectorAll("time[datetime]")) {
      const then = new Date(one.dateTime), now = new Date();
      const form = then.toDateString() === now.toDateString() ? clock : then - now < 3 * 864e5 ? { ...day, ...clock } : day;
      one.textContent = new Intl.DateTimeFormat(undefined, form).format(then);
    }
    for (const one of document.querySelectorAll("time[data-when]")) {
      one.textContent = new Date(Number(one.dataset.when)).toLocaleTimeString();
    }
  }
  function keepOpen(fresh, old) { // what was opened or closed by hand stays so
    const known = new Map([...old.querySelectorAll("details[data-key]")].map((one) => [one.dataset.key, one.open]));
    for (const one of fresh.querySelectorAll("details[data-key]")) {
      if (known.has(one.dataset.key)) one.open = known.get(one.dataset.key);
    }
  }
  function fill(page) { // what answers say of each judge stands in the one table of judges
    const rows = new Map([...page.querySelectorAll(".people tr[data-judge]")].map((one) => [one.dataset.judge, one]));
    for (const one of document.querySelectorAll("#found .measured [data-judge]")) {
      const row = rows.get(one.dataset.judge);
      for (const cell of row ? one.querySelectorAll("td") : []) {
        const old = row.querySelector(`.${cell.classList[0]}`), fresh = cell.cloneNode(true);
        keepOpen(fresh, old);
        if (!old.contains(document.activeElement)) old.replaceWith(fresh);
      }
    }
  }
  async function fetchPage(path) {
    const reply = await fetch(path, { headers: { Accept: "text/html" } });
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    if (reply.ok) return fresh;
    const said = [...fresh.querySelectorAll("main h1, main p")].map((one) => sentence(one.textContent));
    notice(said.join(" "), "warning");
    return null;
  }
  async function refresh() {
    const fresh = await fetchPage(root);
    if (!fresh) return;
    const page = document.getElementById("page");
    fill(fresh);
    keepOpen(fresh, page);
    const list = page.querySelector(".tall").scrollTop, top = window.scrollY;
    fresh.getElementById("found").replaceWith(document.getElementById("found"));
    for (const one of fresh.querySelectorAll("[data-load]")) one.replaceWith(page.querySelector(`[data-load=${one.dataset.load}]`));
    for (const id of ["page", "done"]) document.getElementById(id).replaceWith(fresh.getElementById(id));
    document.querySelector(".tall").scrollTop = list;
    window.scrollTo(0, top);
    tellTimes();
    look();
  }
  async function look() {
    const shown = document.querySelector("#found [data-record]");
    if (looking || (shown && shown.dataset.record === document.getElementById("page").dataset.record)) return;
    looking = true;
    try {
      const fresh = await fetchPage(`${root}/findings`);
      const found = document.getElementById("found");
      if (fresh && !found.contains(document.activeElement)) {
        keepOpen(fresh, found);
        found.replaceChildren(...fresh.body.children);
        fill(document);
        tellTimes();
        const record = found.querySelector("[data-record]").dataset.record;
        if (!record) setTimeout(look, 1500); // nothing was computed yet
      }
    } catch { notice("No connection: these are the last known data.", "warning"); }
    looking = false;
  }
  async function load(part) { // what is asked for seldom, or takes its time: when it is opened
    const place = part.querySelector("div");
    place.textContent = "Looking …";
    try {
      const fresh = await fetchPage(`${root}/${part.dataset.load}`);
      if (fresh) place.replaceChildren(...fresh.body.children);
      else part.open = false;
    } catch { place.textContent = "No connection: close this and open it again."; }
  }
  async function order(told, form, who = "") {
    try {
      const reply = await fetch(`${root}/do`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify(told),
      });
      const said = await reply.json();
      if (!reply.ok) { notice(said.error, "warning"); return; }
      if (form) form.reset();
      if (told.what !== "link") await refresh();
      notice(said.message, "", said.link, told.note || who);
      if (told.what === "link") note.querySelector("button").click(); // copies it
    } catch { notice("No connection: it is not known whether anything was changed. Reload the page.", "warning"); }
  }
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-do]");
    if (!button) return;
    if (button.dataset.ask && !window.confirm(button.dataset.ask)) return;
    const more = button.dataset.answers ? { answers: true } : {};
    if (button.dataset.do === "note") {
      const asked = `Who is ${button.dataset.judge}? Name and e-mail, for you alone.`;
      more.note = window.prompt(asked, button.dataset.note);
      if (more.note === null) return;
    }
    const row = button.closest("tr");
    const who = row ? row.querySelector(".who").textContent : "";
    order({ what: button.dataset.do, judge: button.dataset.judge || "", ...more }, null, who);
  });
  document.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.dataset.load) load(event.target);
  }, true);
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    order({ what: event.target.id, ...Object.fromEntries(new FormData(event.target)) }, event.target);
  });
  setInterval(() => {
    const writing = document.activeElement && document.activeElement.closest("form");
    if (!document.hidden && !writing) refresh().catch(() => {});
  }, 15000);
  tellTimes();
  look();
})();
