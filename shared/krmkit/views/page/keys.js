// Keys, and colours: light, dark, or as the system.

// j and k: the next or previous package where there are several, else the next finding, file or row.
function move(step) {
  if (summaries.length > 1) {
    const found = [-1, ...visible()];
    const at = found.indexOf(state.current);
    const next = found[Math.min(Math.max(at + step, 0), found.length - 1)];
    location.hash = next < 0 ? "#overview" : `#package=${next}`;
    follow(); // the event comes later, and the next key may be faster
  } else moveInside(step);
}

// n and p: the next or previous finding, file or row of what is shown.
function moveInside(step) {
  const items = [...byId("main").querySelectorAll("[data-item]")].filter((one) => one.offsetParent !== null);
  if (!items.length) return;
  const at = items.indexOf(document.activeElement);
  const next =
    items[at < 0 ? (step > 0 ? 0 : items.length - 1) : Math.min(Math.max(at + step, 0), items.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "center" });
}

const KEYS = [
  ["/", "search", () => byId("search").focus()],
  ["j", "next package (or finding)", () => move(1)],
  ["k", "previous package (or finding)", () => move(-1)],
  ["n", "next finding, file or row", () => moveInside(1)],
  ["p", "previous finding, file or row", () => moveInside(-1)],
  ["t", "light, dark, or as the system", () => nextTheme()],
  ["?", "this list", () => byId("help").showModal()],
  ["Enter", "in the search: open the first package that was found", null],
  ["Esc", "leave the search, close what is open", null],
];

function onKey(event) {
  const search = byId("search");
  if (event.key === "Escape" && !document.querySelector("dialog[open]")) {
    if (state.query || document.activeElement === search) {
      search.value = "";
      setQuery("");
      search.blur();
    }
    return;
  }
  if (event.key === "Enter" && event.target === search) {
    openFound();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  const key = KEYS.find(([name, , act]) => name === event.key && act);
  if (!key) return;
  event.preventDefault();
  key[2]();
}

const THEMES = { system: ["◐", "as the system"], light: ["☀", "light"], dark: ["☾", "dark"] };

function setTheme(name) {
  const [sign, label] = THEMES[name];
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  byId("theme").textContent = sign;
  byId("theme").setAttribute("aria-label", `Colours: ${label}`);
  byId("theme").title = `Colours: ${label}`;
  try {
    localStorage.setItem("krmkit-theme", name);
  } catch {
    // A page that may not store anything forgets the choice.
  }
}

function nextTheme() {
  const names = Object.keys(THEMES);
  const now = document.documentElement.dataset.theme || "system";
  setTheme(names[(names.indexOf(now) + 1) % names.length]);
}

function storedTheme() {
  try {
    const name = localStorage.getItem("krmkit-theme");
    return Object.hasOwn(THEMES, name) ? name : "system";
  } catch {
    return "system";
  }
}
