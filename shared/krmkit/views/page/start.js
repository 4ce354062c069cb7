// Starts the page.

setTheme(storedTheme());
byId("theme").addEventListener("click", nextTheme);
byId("help").append(
  h(
    "header",
    null,
    h("h2", { id: "help-title" }, "Keys"),
    h(
      "button",
      { type: "button", class: "tool", "aria-label": "Close", onclick: () => byId("help").close() },
      "×",
    ),
  ),
  h(
    "dl",
    { class: "keys" },
    KEYS.map(([key, text]) => [h("dt", null, h("kbd", null, key)), h("dd", null, text)]),
  ),
);
byId("help-open").addEventListener("click", () => byId("help").showModal());
let waiting = 0;
byId("search").addEventListener("input", (event) => {
  clearTimeout(waiting);
  waiting = setTimeout(() => setQuery(event.target.value), 120);
});
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close(); // a click beside it
  });
}
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", follow);
showReport(JSON.parse(byId("data").textContent));
if (/^#(package|view)=/.test(location.hash)) follow();
const live = JSON.parse(byId("live").textContent);
if (live) startPreview(live);
