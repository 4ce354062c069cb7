// Tables about a package: findings, pipeline, packs, pools, Clusters, variants.

const SEVERITIES = ["error", "warning", "info"];

// `path:line:col` of a finding, as much as is known.
function placeOf(finding) {
  if (!finding.path) return "";
  return finding.line ? `${finding.path}:${finding.line}:${finding.column || 1}` : finding.path;
}

// `ConfigMap ns/app spec.x`
function subjectOf(finding) {
  const about = finding.resource || {};
  const name = [about.namespace, about.name].filter(Boolean).join("/");
  return [about.kind, name, finding.field].filter(Boolean).join(" ");
}

// The last part of an image or program: `apply-presets`.
function shortName(name) {
  const program = name.split(" ")[0].split("@")[0];
  const parts = program.split("/").filter(Boolean);
  const last = parts[parts.length - 1] || name;
  return last === "main.py" && parts.length > 1 ? parts[parts.length - 2] : last.split(":")[0];
}

// What `krmkit explain` says of the rule, folded.
function ruleText(finding) {
  const text = state.rules[`${finding.function || ""} ${finding.rule}`];
  if (!text) return h("span", { class: "rule" }, finding.rule);
  return h("details", { class: "rule" }, h("summary", null, finding.rule), h("p", null, text));
}

// Findings that say the same of several subjects, each group under its first one.
function alike(findings) {
  const groups = new Map();
  for (const finding of findings) {
    const about = (finding.resource || {}).kind || placeOf(finding);
    const key = [finding.rule, finding.message, finding.function, about].join("\n");
    groups.set(key, [...(groups.get(key) || []), finding]);
  }
  return [...groups.values()];
}

function otherPlaces(findings) {
  if (findings.length < 2) return null;
  return h(
    "details",
    { class: "others" },
    h("summary", null, `and ${findings.length - 1} more`),
    h(
      "ul",
      null,
      findings
        .slice(1)
        .map((one) => h("li", null, h("code", { class: "place" }, placeOf(one)), " ", subjectOf(one))),
    ),
  );
}

function findingRow(group, why) {
  const [finding] = group;
  return h(
    "li",
    { class: `finding ${finding.severity}`, "data-item": "", tabindex: "-1" },
    badge(finding.severity),
    h(
      "div",
      null,
      h("p", { class: "message" }, finding.message),
      h(
        "p",
        { class: "about" },
        placeOf(finding) ? h("code", { class: "place" }, placeOf(finding)) : null,
        subjectOf(finding) ? h("span", null, subjectOf(finding)) : null,
        "current" in finding ? h("span", null, "now ", h("code", null, valueText(finding, "current"))) : null,
        "proposed" in finding
          ? h("span", null, "better ", h("code", null, valueText(finding, "proposed")))
          : null,
        (finding.related || []).map((one) =>
          h("span", null, `${one.message} `, h("code", { class: "place" }, placeOf(one))),
        ),
        finding.rule ? ruleText(finding) : null,
        finding.function ? h("span", { class: "function" }, shortName(finding.function)) : null,
        why,
      ),
      otherPlaces(group),
    ),
  );
}

function pipelineTable(one) {
  const steps = one.functions;
  const longest = Math.max(0.0001, ...steps.map((step) => step.seconds));
  const rows = steps.map((step, number) => ({ step, number }));
  const findings = new Map();
  for (const { function: name } of one.results) findings.set(name, (findings.get(name) || 0) + 1);
  return table(
    "Functions in the order in which they ran",
    ["Step", "Function", "Time", "Findings", "Exit code"],
    rows,
    ({ step, number }) => {
      const name = step.image || step.exec || "";
      const picture = svg("svg", {
        viewBox: "0 0 120 8",
        width: 120,
        height: 8,
        "aria-hidden": "true",
        class: "time",
      });
      picture.append(svg("rect", { class: "room", width: 120, height: 8, rx: 3 }));
      picture.append(
        svg("rect", {
          class: "shade-0",
          width: Math.max(1, (120 * step.seconds) / longest),
          height: 8,
          rx: 3,
        }),
      );
      return h(
        "tr",
        null,
        h("td", { class: "number" }, number + 1),
        cell(
          h("strong", null, shortName(name)),
          step.package ? h("span", { class: "note" }, `in ${step.package}`) : null,
          h("div", { class: "about" }, h("code", { class: "place" }, step.place || name)),
        ),
        cell(h("span", { class: "mono" }, milliseconds(step.seconds)), picture),
        h("td", { class: "number" }, findings.get(name) || ""),
        cell(step.exitCode ? badge("error", `exit code ${step.exitCode}`) : "0"),
      );
    },
  );
}

function milliseconds(seconds) {
  return seconds >= 1 ? `${seconds.toFixed(2)} s` : `${(seconds * 1000).toFixed(1)} ms`;
}

function dependencyTable(packs) {
  const rows = packs.flatMap((pack) => pack.dependencies.map((wanted) => ({ pack, wanted })));
  return table(
    "What packs want of each other",
    ["Pack", "Wants", "Version", "Type", "State"],
    rows,
    ({ pack, wanted }) =>
      h(
        "tr",
        null,
        cell(pack.name),
        cell(wanted.name, wanted.layer ? h("span", { class: "note" }, wanted.layer) : null),
        cell(rangeText(wanted).trim() || "any"),
        cell(wanted.type),
        cell(
          badge(wanted.state === "satisfied" ? "good" : "error", wanted.state),
          wanted.message ? h("div", { class: "about" }, wanted.message) : null,
        ),
      ),
  );
}

function poolTable(pools) {
  const rows = pools.flatMap((pool) => pool.resources.map((row) => ({ pool, row })));
  return table(
    "What packs ask of the pools",
    ["Pool", "Resource", "Required", "Available", "By pack"],
    rows,
    ({ pool, row }) =>
      h(
        "tr",
        null,
        cell(pool.name),
        cell(KINDS[row.type] || row.type),
        h("td", { class: "number" }, row.required),
        h("td", { class: "number" }, row.available === undefined ? "unknown" : row.available),
        cell(row.packs.map((pack) => `${pack.name} ${pack.required}`).join(", ")),
      ),
  );
}

const ACTIONS = { same: "", create: "good", change: "warning", remove: "error", refused: "error" };

function clusterTable(clusters, link) {
  return table(
    "Clusters, and the machines that roll",
    ["Cluster", "Action", "Objects", "Machines that roll", "Why"],
    clusters,
    (one) =>
      h(
        "tr",
        { "data-item": "", tabindex: "-1" },
        cell(
          h("strong", null, `${one.namespace}/${one.name}`),
          link ? h("div", { class: "about" }, link(one.path)) : null,
        ),
        cell(badge(ACTIONS[one.action] || "", one.action)),
        cell(
          one.changes.length
            ? h(
                "details",
                null,
                h("summary", null, counted(one.changes.length, "object")),
                objectList(one.changes),
              )
            : "",
        ),
        cell(
          one.rolls.length
            ? h(
                "ul",
                { class: "plain" },
                one.rolls.map((roll) =>
                  h(
                    "li",
                    null,
                    roll.group,
                    roll.sure ? null : h("span", { class: "note" }, "the provider decides"),
                  ),
                ),
              )
            : "none",
        ),
        cell(
          h(
            "ul",
            { class: "plain" },
            [...new Set([...one.errors, ...one.rolls.flatMap((roll) => roll.reasons), ...one.waits])].map(
              (reason) => h("li", null, reason),
            ),
          ),
        ),
      ),
  );
}

function objectList(changes) {
  return h(
    "ul",
    { class: "plain" },
    changes.map((change) =>
      h(
        "li",
        null,
        `${change.action} ${change.kind} ${change.name}`,
        change.fields ? h("span", { class: "note" }, change.fields.join(", ")) : null,
      ),
    ),
  );
}

const STATES = {
  current: "good",
  changed: "warning",
  edited: "warning",
  behind: "warning",
  conflict: "error",
  failed: "error",
};

function variantTable(variants, link) {
  return table("Variants of the fleet", ["Package", "State", "Set", "Upstream", "Note"], variants, (one) =>
    h(
      "tr",
      { "data-item": "", tabindex: "-1" },
      cell(link(one.package)),
      cell(badge(STATES[one.state] || "", one.state)),
      cell(
        one.owner,
        one.source ? h("div", { class: "about" }, h("code", { class: "place" }, one.source)) : null,
      ),
      cell(one.upstream || "", one.newest && one.newest !== one.upstream ? h("div", { class: "about" }, `newest ${one.newest}`) : null),
      cell(
        one.note || "",
        one.draft ? h("div", { class: "about" }, `draft ${one.draft}`) : null,
        (one.conflicts || []).map((text) => h("div", { class: "bad" }, `conflict: ${text}`)),
        (one.gates || []).map((text) => h("div", { class: "about" }, `waits for ${text}`)),
      ),
    ),
  );
}
