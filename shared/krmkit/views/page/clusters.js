// Clusters as trees: the control plane and the worker groups, what they run on, and what rolls in which step.

const MOST_DOTS = 24; // machines of a group that are drawn one by one

const TREE_ACTIONS = { create: "good", change: "warning", remove: "error", refused: "error", paused: "" };
const GROUP_KINDS = {
  controlPlane: "control plane",
  machineDeployment: "machine deployment",
  machinePool: "machine pool",
};

// One Cluster. `link` is the link of its package, or null; `heading` the level of its name.
function clusterTree(cluster, heading, link) {
  const name = `${cluster.namespace}/${cluster.name}`;
  const changes = cluster.action && cluster.action !== "same";
  return h(
    "article",
    { class: "cluster", "data-item": "", tabindex: "-1" },
    h(
      heading,
      null,
      name,
      " ",
      cluster.version ? h("span", { class: "mono version" }, cluster.version) : null,
      " ",
      changes ? badge(TREE_ACTIONS[cluster.action] || "", cluster.action) : null,
      cluster.paused ? badge("warning", "paused") : null,
    ),
    h(
      "p",
      { class: "about" },
      [
        cluster.class ? `class ${cluster.class}` : null,
        cluster.infrastructure || null,
        ...(cluster.variables || []).map((one) => `${one.name} = ${shortened(valueText(one, "value"), 60)}`),
      ]
        .filter(Boolean)
        .map((text) => h("span", null, text)),
      link ? h("span", null, "in ", link) : null,
      cluster.place ? h("code", { class: "place" }, cluster.place) : null,
    ),
    (cluster.errors || []).map((text) => h("p", { class: "banner error" }, text)),
    h(
      "ul",
      { class: "tree", "aria-label": `Machines of ${name}` },
      cluster.groups.map((group) => h("li", { class: group.rolls ? "rolls" : null }, groupLine(group))),
    ),
    stepList(cluster),
    (cluster.waits || []).map((text) => h("p", { class: "about" }, text)),
  );
}

function groupLine(group) {
  const parts = [
    group.template || null,
    group.bootstrap || null,
    group.failureDomain ? `failure domain ${group.failureDomain}` : null,
    group.minReplicas || group.maxReplicas
      ? `scaled between ${group.minReplicas || "?"} and ${group.maxReplicas || "?"}`
      : null,
  ].filter(Boolean);
  return h(
    "div",
    { class: "group-line" },
    h(
      "div",
      null,
      h("strong", null, group.name || "control plane"),
      h(
        "span",
        { class: "note" },
        group.role === "controlPlane"
          ? (group.object || "").split(" ")[0]
          : [GROUP_KINDS[group.role], group.class ? `class ${group.class}` : null].filter(Boolean).join(", "),
      ),
    ),
    h(
      "div",
      { class: "machines" },
      machineDots(group),
      h("span", null, group.replicas === undefined ? "replicas unknown" : counted(group.replicas, "machine")),
    ),
    h("div", { class: "mono" }, group.version || "no version"),
    h("div", null, rollBadge(group)),
    h(
      "p",
      { class: "about" },
      parts.map((text) => h("span", null, text)),
      group.rolls ? h("span", { class: "doubtful" }, group.rolls.reasons.join("; ")) : null,
    ),
  );
}

// A square for each machine; those that roll have another colour. The text beside it says the number.
function machineDots(group) {
  const count = Math.min(Number(group.replicas) || 0, MOST_DOTS);
  if (!count) return null;
  const picture = svg("svg", {
    viewBox: `0 0 ${count * 12} 10`,
    width: count * 12,
    height: 10,
    "aria-hidden": "true",
    class: group.rolls ? "dots rolling" : "dots",
  });
  for (let n = 0; n < count; n += 1) picture.append(svg("rect", { x: n * 12, width: 10, height: 10, rx: 2 }));
  return picture;
}

function rollBadge(group) {
  if (group.rolls) {
    const { rolls } = group;
    const steps = rolls.steps.length === 1 ? `step ${rolls.steps[0]}` : `steps ${rolls.steps.join(", ")}`;
    const sure = rolls.sure ? "rolls" : "may roll";
    return badge("warning", `${sure}${rolls.only ? ` (${rolls.only})` : ""} in ${steps}`);
  }
  if (group.action && group.action !== "change") return badge(TREE_ACTIONS[group.action] || "", group.action);
  return group.action ? badge("", "changes in place") : null;
}

// What rolls after what, where anything does.
function stepList(cluster) {
  const steps = new Map();
  for (const group of cluster.groups)
    for (const step of group.rolls ? group.rolls.steps : [])
      (steps.get(step) || steps.set(step, []).get(step)).push(group);
  if (!steps.size) return null;
  const said = (group) => {
    const { rolls } = group;
    const more = [
      rolls.maxSurge !== undefined ? `${rolls.maxSurge} more at a time` : null,
      rolls.maxUnavailable ? `${rolls.maxUnavailable} fewer` : null,
    ].filter(Boolean);
    const size = rolls.replicas === undefined ? "" : `, ${counted(rolls.replicas, "machine")}`;
    return `${group.name || "control plane"}${size}${more.length ? ` (${more.join(", ")})` : ""}`;
  };
  return h(
    "ol",
    { class: "order", "aria-label": "What rolls in which step" },
    [...steps.keys()]
      .sort((a, b) => a - b)
      .map((step) =>
        h("li", { value: step }, h("strong", null, `Step ${step}: `), steps.get(step).map(said).join("; ")),
      ),
  );
}

// What the variables of a ClusterClass act on, as `krmkit topology explain` shows it.
function classTable(one) {
  return h(
    "details",
    null,
    h("summary", { "data-item": "" }, `Variables of class ${one.class}`),
    one.problem ? h("p", { class: "banner warning" }, `a minimal Cluster cannot be rendered: ${one.problem}`) : null,
    table(
      `Variables of class ${one.class}`,
      ["Variable", "Type", "Default", "Needed", "Acts on", "Description"],
      one.variables,
      (each) =>
        h(
          "tr",
          null,
          cell(each.name),
          cell(each.schema.type || "any"),
          cell("default" in each.schema ? shortened(valueText(each.schema, "default"), 60) : ""),
          cell(each.required ? "required" : each.needed ? "yes, though optional" : "no"),
          cell(each.acts.map((act) => `${act.kind} ${act.field} (${act.patch}${act.group ? `, ${act.group}` : ""})`).join("; ")),
          cell(each.schema.description || ""),
        ),
    ),
  );
}

// The trees of a package, and the objects that change.
function clustersSection(one) {
  const clusters = one.clusters || [];
  const topology = one.topology;
  if (!clusters.length && !topology && !one.classes) return null;
  const rolling = clusters.filter((each) => each.groups.some((group) => group.rolls)).length;
  const compared = topology && !topology.problem;
  const note = one.blueprint
    ? `${counted(clusters.length, "Cluster")} of a blueprint`
    : compared
    ? `${counted(clusters.length, "Cluster")}, machines roll in ${rolling || "none"}, against ${topology.against}`
    : `${counted(clusters.length, "Cluster")}, not compared`;
  const gone = compared ? topology.clusters.filter((each) => each.action === "remove") : [];
  return section(
    "clusters",
    "Clusters",
    note,
    clusters.map((cluster) => clusterTree(cluster, "h4", null)),
    gone.map((each) => h("p", { class: "banner warning" }, `${each.namespace}/${each.name} is removed`)),
    topology && topology.problem ? h("p", { class: "banner" }, topology.problem) : null,
    topology
      ? [...(topology.errors || []), ...(topology.warnings || [])].map((text) =>
          h("p", { class: "banner warning" }, text),
        )
      : null,
    compared && topology.clusters.some((each) => each.action !== "same")
      ? h(
          "details",
          null,
          h("summary", { "data-item": "" }, "Changed objects as a table"),
          clusterTable(topology.clusters),
        )
      : null,
    (one.classes || []).map(classTable),
  );
}
