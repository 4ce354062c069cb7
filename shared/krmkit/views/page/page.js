// The whole page: which package is shown, the list of packages, and search.

// current: a package's number, -1 for a view over all of them, whose name `view` is.
// folder: what the paths of all packages begin with, which lists of them leave out.
const state = { report: null, current: -1, view: "overview", query: "", filter: "all", rules: {}, folder: "" };
const summaries = [];
const numbers = new Map(); // of the packages by their paths

const FILTERS = {
  all: ["All", () => true],
  failed: ["Failed", (one) => one.failed],
  warning: ["Warnings", (one) => one.warning > 0],
  changed: ["Changed", (one) => one.files > 0 && !one.failed],
};

// Put a report on the page; what was open stays open where it is still there.
function showReport(report) {
  state.report = report;
  state.rules = report.rules || state.rules; // the preview sends reports without them
  summaries.length = 0;
  numbers.clear();
  for (const one of report.packages) {
    numbers.set(one.path, summaries.length);
    summaries.push(summaryOf(one));
  }
  state.folder = commonFolder(report.packages.map((one) => one.path));
  if (report.packages.length === 1 && !(report.variants || []).length) state.current = 0;
  else if (state.current >= report.packages.length) state.current = -1;
  const [first] = report.packages;
  const name =
    report.packages.length === 1
      ? (first.path === "." && first.name) || first.path
      : counted(report.packages.length, "package");
  refill(byId("title"), name);
  document.title = `${visibly(name)}: krmkit report`;
  draw();
}

// The folder, with its slash, that holds all of several paths; "" where there is none.
function commonFolder(paths) {
  if (paths.length < 2) return "";
  const [first, ...others] = paths;
  let end = first.lastIndexOf("/") + 1;
  while (end && !others.every((path) => path.startsWith(first.slice(0, end)))) {
    end = first.lastIndexOf("/", end - 2) + 1;
  }
  return first.slice(0, end);
}

function summaryOf(one) {
  const summary = {
    path: one.path,
    files: one.changes.length,
    error: 0,
    warning: 0,
    info: 0,
    text: null,
  };
  for (const result of one.results) if (SEVERITIES.includes(result.severity)) summary[result.severity] += 1;
  summary.failed = Boolean(one.failure) || summary.error > 0;
  // A failure says that a function found errors: it is one itself only where there are none.
  if (summary.failed && !summary.error) summary.error = 1;
  summary.seconds = one.functions.reduce((sum, step) => sum + step.seconds, 0);
  return summary;
}

// All that a search looks at in a package, made when the first search comes.
function textOf(number) {
  const one = state.report.packages[number];
  if (summaries[number].text === null) {
    const parts = [
      one.path,
      one.failure || "",
      ...one.results.map(findingText),
      ...(one.fields || []).map(fieldText),
    ];
    for (const change of one.changes) parts.push(change.path, change.diff || "");
    summaries[number].text = parts.join("\n").toLowerCase();
  }
  return summaries[number].text;
}

function visible() {
  const keep = FILTERS[state.filter][1];
  const found = [];
  summaries.forEach((summary, number) => {
    if (keep(summary) && (!state.query || textOf(number).includes(state.query))) found.push(number);
  });
  return found;
}

function draw() {
  const many = summaries.length > 1 || (state.report.variants || []).length > 0;
  const found = many ? visible() : [...summaries.keys()];
  byId("packages").hidden = !many;
  if (many) drawList(found);
  const main = byId("main");
  if (state.current < 0) refill(main, state.view === "overview" ? overview(found) : viewOf(state.view));
  else
    refill(main, packageView(state.report.packages[state.current], state.query));
  const items = () => counted(main.querySelectorAll("[data-item]").length, "entry", "entries");
  say(!state.query ? "" : many ? `${counted(found.length, "package")} found` : `${items()} found`);
}

function drawList(found) {
  const list = h("ul", { class: "packages" });
  const entry = (href, isCurrent, ...content) =>
    h("li", null, h("a", { href, "aria-current": isCurrent ? "page" : null }, content));
  const counts = (number) => {
    const one = summaries[number];
    const kind = one.failed ? "error" : one.warning ? "warning" : one.files ? "changed" : "good";
    const words = one.failed
      ? "failed"
      : one.warning
        ? "warnings"
        : one.files
          ? "would change"
          : "nothing to do";
    return h("span", { class: `dot ${kind}`, title: words }, h("span", { class: "quiet" }, `${words}: `));
  };
  const rows = portions(
    found,
    (number) =>
      list.append(
        entry(
          `#package=${number}`,
          number === state.current,
          counts(number),
          h("span", { class: "path", title: summaries[number].path }, shortPath(summaries[number].path)),
        ),
      ),
    list,
  );
  const views = Object.entries(VIEWS).map(([name, [label, rowsOf]]) => {
    const rows = rowsOf();
    if (rows && !rows.length) return null;
    const count = rows ? h("span", { class: "note" }, rows.length.toLocaleString("en")) : null;
    const isCurrent = state.current < 0 && name === state.view;
    return entry(name === "overview" ? "#overview" : `#view=${name}`, isCurrent, h("span", null, label), count);
  });
  refill(
    byId("packages"),
    h("ul", { class: "packages views" }, shownOnly(views)),
    h("h2", { class: "nav-title" }, "Packages"),
    h(
      "div",
      { class: "filters", role: "group", "aria-label": "Which packages are listed" },
      Object.entries(FILTERS).map(([name, [label, keep]]) =>
        h(
          "button",
          { type: "button", "aria-pressed": String(state.filter === name), onclick: () => setFilter(name) },
          `${label} `,
          h("span", { class: "note" }, summaries.filter(keep).length),
        ),
      ),
    ),
    rows,
  );
}

function setFilter(name) {
  state.filter = name;
  draw();
}

function overview(found) {
  const sum = (key) => summaries.reduce((total, one) => total + one[key], 0);
  const card = (value, label, kind) =>
    h(
      "div",
      { class: `card ${value ? kind : ""}` },
      h("strong", null, value.toLocaleString("en")),
      h("span", null, label),
    );
  const rows = [...found].sort(
    (a, b) => summaries[b].error - summaries[a].error || summaries[b].warning - summaries[a].warning || a - b,
  );
  const number = (value, kind) => h("td", { class: `number ${value ? kind : ""}` }, value || "");
  const clusters = state.report.packages.flatMap((one) =>
    one.topology ? one.topology.clusters.map((each) => ({ ...each, path: one.path })) : [],
  );
  const moving = clusters.filter((one) => one.action !== "same");
  const variants = searched(state.report.variants || []);
  const clashes = state.report.collisions || [];
  return [
    h("h2", { class: "quiet" }, "Overview"),
    state.folder ? h("p", { class: "about" }, "all below ", h("code", { class: "path" }, pathText(state.folder))) : null,
    h(
      "div",
      { class: "cards" },
      card(summaries.filter((one) => one.failed).length, "failed", "error"),
      clusters.length
        ? card(clusters.filter((one) => one.action === "refused").length, "Clusters refused", "error")
        : null,
      card(summaries.filter((one) => one.files && !one.failed).length, "would change", "changed"),
      clusters.length
        ? card(clusters.filter((one) => one.rolls.length).length, "Clusters roll machines", "warning")
        : null,
      card(sum("error"), "errors", "error"),
      card(sum("warning"), "warnings", "warning"),
      card(summaries.length, "packages", ""),
      clashes.length ? card(clashes.length, "collisions", "warning") : null,
    ),
    variants.length
      ? section(
          "variants",
          "Variants",
          counted(variants.length, "variant"),
          variantTable(variants, packageLink),
        )
      : null,
    section(
      "by-package",
      "Findings by package and severity",
      state.query ? `${counted(rows.length, "package")} with “${state.query}”` : null,
      table(
        "Packages with their findings",
        ["Package", "Errors", "Warnings", "Infos", "Files", "Time"],
        rows,
        (each) => {
          const one = summaries[each];
          return h(
            "tr",
            { "data-item": "", tabindex: "-1" },
            h("th", { scope: "row" }, packageLink(one.path)),
            number(one.error, "bad"),
            number(one.warning, "doubtful"),
            number(one.info, ""),
            number(one.files, ""),
            h("td", { class: "number" }, milliseconds(one.seconds)),
          );
        },
      ),
    ),
    moving.length
      ? section(
          "rolling",
          "Clusters and machines",
          `${moving.length} of ${counted(clusters.length, "Cluster")} change`,
          clusterTable(moving, packageLink),
        )
      : null,
  ];
}

function packageLink(path) {
  const number = numbers.get(path);
  return number === undefined ? path : h("a", { href: `#package=${number}`, title: path }, shortPath(path));
}

// A package's path without the folder that all packages are in.
function shortPath(path) {
  return pathText(path.slice(state.folder.length));
}

// Follow the part of the address behind #.
function follow() {
  const match = /^#package=(\d+)$/.exec(location.hash);
  const asked = /^#view=(\w+)$/.exec(location.hash);
  const view = asked ? asked[1] : location.hash === "#overview" ? "overview" : "";
  if (!match && !Object.hasOwn(VIEWS, view)) return; // a link inside the page
  const number = match ? Number(match[1]) : -1;
  if (number >= summaries.length || (number === state.current && (match || view === state.view))) return;
  state.current = number;
  if (!match) state.view = view;
  draw();
  window.scrollTo(0, 0);
  const heading = byId("main").querySelector("h2");
  if (heading) heading.focus({ preventScroll: true });
  const now = byId("packages").querySelector("[aria-current]");
  if (now) now.scrollIntoView({ block: "nearest" });
}

function setQuery(text) {
  const query = text.trim().toLowerCase();
  if (query === state.query) return;
  state.query = query;
  draw();
}

// Enter in the search: the first package that was found, or the first entry of the package that is shown.
function openFound() {
  setQuery(byId("search").value);
  const [first] = visible();
  if (state.query && summaries.length > 1 && state.current < 0 && first !== undefined) {
    location.hash = `#package=${first}`;
    follow();
  } else moveInside(1);
}
