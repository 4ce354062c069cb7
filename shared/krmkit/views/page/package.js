// One package, whole: findings, Clusters, Installations, packs and pools, extensions, changes, values, pipeline.

const OPEN_FILES = 6; // diffs that are open at the start

// The sections about a package. `query` narrows findings, files and fields; a query that fits none of them narrows nothing.
function packageView(one, query) {
  const index = indexFields(one);
  const results = chosen(one.results, query, findingText);
  const changes = chosen(one.changes, query, (change) => `${change.path}\n${change.diff || ""}`);
  const fields = chosen(one.fields || [], query, fieldText);
  const hits = results.hits + changes.hits + fields.hits;
  const pick = (group) => (query && hits ? group.found : group.all);
  const sections = shownOnly([
    findingsSection(one, pick(results), index),
    clustersSection(one),
    installationsSection(one),
    (one.profiles || []).map(profileSection),
    extensionsSection(one),
    changesSection(pick(changes), index),
    valuesSection(pick(fields)),
    one.functions.length ? section("pipeline", "Pipeline", totalTime(one), pipelineTable(one)) : null,
  ]);
  return [
    h(
      "div",
      null,
      h("h2", { class: "path", tabindex: "-1" }, pathText(one.path)),
      one.name && !one.path.endsWith(one.name) ? h("p", { class: "about" }, one.name) : null,
      one.upstream ? h("p", { class: "about" }, `cloned from ${one.upstream}`) : null,
      one.blueprint
        ? h("p", { class: "about" }, "A blueprint: its render is validated, and nothing of it is written or applied.")
        : null,
    ),
    one.failure
      ? h("p", { class: "banner error", role: "alert" }, h("strong", null, "Failed: "), one.failure)
      : null,
    query && hits ? h("p", { class: "banner" }, `Only what holds “${query}” is shown. Esc shows all.`) : null,
    sectionLinks(sections),
    sections,
  ];
}

// Links to the sections of a package, where there are many.
function sectionLinks(sections) {
  if (sections.length < 4) return null;
  return h(
    "nav",
    { class: "jump", "aria-label": "Parts of this package" },
    h(
      "ul",
      null,
      sections.map((one) => h("li", null, h("a", { href: `#${one.id}` }, one.querySelector("h3").firstChild.textContent))),
    ),
  );
}

function chosen(all, query, text) {
  const found = query ? all.filter((each) => text(each).toLowerCase().includes(query)) : all;
  return { all, found, hits: query ? found.length : 0 };
}

function findingText(finding) {
  return [
    finding.severity,
    finding.rule,
    finding.message,
    placeOf(finding),
    subjectOf(finding),
    finding.function,
  ].join("\n");
}

function fieldText(field) {
  const names = field.steps.flatMap((step) => [step.function, ...step.causes.map((cause) => cause.name)]);
  return [
    field.resource,
    field.field,
    valueText(field, "original"),
    valueText(field, "value"),
    ...names,
  ].join("\n");
}

function totalTime(one) {
  const seconds = one.functions.reduce((sum, step) => sum + step.seconds, 0);
  return `${counted(one.functions.length, "function")} in ${milliseconds(seconds)}`;
}

function findingsSection(one, results, index) {
  const counts = SEVERITIES.map((severity) => [
    severity,
    results.filter((result) => result.severity === severity),
  ]);
  const rest = results.filter((result) => !SEVERITIES.includes(result.severity));
  const note = results.length ? null : "none";
  const lists = [...counts, ["other", rest]]
    .filter(([, found]) => found.length)
    .map(([severity, found]) => {
      const list = h("ul", { class: "findings", "aria-label": `Findings of severity ${severity}` });
      const rows = portions(
        alike(found),
        (group) => list.append(findingRow(group, whyOfFinding(index, group[0]))),
        list,
      );
      return h(
        "details",
        { open: severity !== "info" || found.length <= OPEN_FILES },
        h("summary", null, badge(severity), ` ${counted(found.length, "finding")}`),
        rows,
      );
    });
  return section("findings", "Findings", note, lists);
}

function changesSection(changes, index) {
  const open = changes.length <= OPEN_FILES;
  const files = h("div");
  const rows = portions(changes, (change) => files.append(fileView(change, index, open)), files);
  const note = changes.length ? counted(changes.length, "file") : "no file would change";
  return section("changes", "Changes", note, changes.length ? rows : null);
}

function fileView(change, index, open) {
  const counts = countsOf(hunksOf(change.diff || ""));
  const view = h(
    "details",
    { class: "file", open },
    h(
      "summary",
      { "data-item": "" },
      h("code", null, pathText(change.path)),
      badge({ created: "good", changed: "warning", removed: "error" }[change.action] || "", change.action),
      change.diff
        ? h(
            "span",
            { class: "counts" },
            h("span", { class: "plus" }, `+${counts["+"]}`),
            " ",
            h("span", { class: "minus" }, `−${counts["-"]}`),
          )
        : null,
    ),
  );
  // A diff is drawn when it is opened.
  const draw = () => {
    if (!view.open || view.dataset.drawn || !change.diff) return;
    view.dataset.drawn = "yes";
    const why = (side, line) => {
      const number = side === "left" ? line.left : line.right;
      return whyButton(index[side].get(`${change.path}:${number}`));
    };
    view.append(diffTable(change.diff, `Changes of ${change.path}`, why));
  };
  view.addEventListener("toggle", draw);
  narrow.addEventListener("change", () => {
    if (!view.isConnected || !view.dataset.drawn) return;
    view.lastElementChild.remove();
    delete view.dataset.drawn;
    draw();
  });
  draw();
  return view;
}

function valuesSection(fields) {
  if (!fields.length) return null;
  return section(
    "values",
    "Values",
    counted(fields.length, "field"),
    h(
      "details",
      null,
      h("summary", { "data-item": "" }, "Every value that does not stay, and where it comes from"),
      fieldTable(fields),
    ),
  );
}

function profileSection(profile, number) {
  const where = profile.package ? ` in ${profile.package}` : "";
  const colours = new Map(profile.packs.map((pack, place) => [pack.name, place]));
  const wanted = profile.packs.some((pack) => pack.dependencies.length);
  return section(
    `packs-${number}`,
    `Packs${where}`,
    counted(profile.packs.length, "pack"),
    dependencyGraph(profile.packs),
    wanted
      ? h(
          "details",
          null,
          h("summary", { "data-item": "" }, "Dependencies as a table"),
          dependencyTable(profile.packs),
        )
      : null,
    profile.pools
      ? [
          h(
            "h3",
            null,
            "Machine pools",
            h("span", { class: "note" }, "what the packs ask, of what the pools have"),
          ),
          h(
            "div",
            { class: "pools" },
            profile.pools.map((pool) => poolCard(pool, colours, "h4")),
          ),
          legend(profile, colours),
          h("details", null, h("summary", { "data-item": "" }, "Pools as a table"), poolTable(profile.pools)),
        ]
      : null,
  );
}
