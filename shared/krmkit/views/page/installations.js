// Installations: a graph of who gives what to whom for each scope, and tables that say the same.

const BOX = { width: 190, height: 52, across: 92, down: 18 };
const PHASES = { Succeeded: "good", Failed: "error", Waiting: "warning" };
const MOST_BOXES = 60; // in one picture; more are in the table

// The graph of the installations of one scope: those without a parent, or those inside `parent`.
function installationGraph(nodes, edges, parent) {
  const inside = nodes.filter((node) => (node.parent || "") === parent).slice(0, MOST_BOXES);
  const boxes = new Map(inside.map((node) => [node.path, { node, depth: 0, from: [] }]));
  const own = edges.filter((edge) => boxes.has(edge.from) && boxes.has(edge.to));
  for (const edge of own) boxes.get(edge.to).from.push(edge.from);
  // In the order of their runs each one comes after what it needs; a cycle ends where it began.
  for (let round = 0; round < inside.length; round += 1) {
    let moved = false;
    for (const one of boxes.values()) {
      const least = Math.max(0, ...one.from.map((path) => boxes.get(path).depth + 1));
      if (least > one.depth && least < inside.length) {
        one.depth = least;
        moved = true;
      }
    }
    if (!moved) break;
  }
  const rows = [];
  for (const one of boxes.values()) {
    const row = rows[one.depth] || 0;
    rows[one.depth] = row + 1;
    one.x = one.depth * (BOX.width + BOX.across) + 8;
    one.y = row * (BOX.height + BOX.down) + 8;
  }
  const columns = rows.length;
  const width = columns * (BOX.width + BOX.across) - BOX.across + 16;
  const height = Math.max(...rows.map((count) => count || 0)) * (BOX.height + BOX.down) + 8;
  const where = parent ? `Installations inside ${parent}` : "Installations";
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": `${where}: ${counted(inside.length, "installation")}, ${counted(own.length, "arrow")}. The table below says the same.`,
    class: "graph installations",
  });
  const tips = newTips();
  picture.append(arrowHead(tips, "good"));
  for (const [pair, keys] of bundled(own)) {
    const [from, to] = pair.split("\n").map((path) => boxes.get(path));
    picture.append(flowArrow(from, to, keys, tips));
  }
  for (const one of boxes.values()) picture.append(installationBox(one));
  return h(
    "div",
    { class: "scroll picture", tabindex: "0", role: "region", "aria-label": `Picture of ${where}` },
    picture,
  );
}

// The keys that go between two installations, by the pair.
function bundled(edges) {
  const found = new Map();
  for (const edge of edges) {
    const pair = `${edge.from}\n${edge.to}`;
    (found.get(pair) || found.set(pair, []).get(pair)).push(edge.key);
  }
  return found;
}

function flowArrow(from, to, keys, tips) {
  const x1 = from.x + BOX.width;
  const y1 = from.y + BOX.height / 2;
  const y2 = to.y + BOX.height / 2;
  const bend = BOX.across / 2;
  const back = to.x <= from.x;
  const path = back ? below(from, to) : curve(x1, y1, to.x, y2, bend);
  const said = `${from.node.path} gives ${keys.join(", ")} to ${to.node.path}`;
  const label = keys.length > 1 ? `${shortened(keys[0], 9)} +${keys.length - 1}` : shortened(keys[0], 13);
  return svg(
    "g",
    null,
    svg("path", { d: path, class: "arrow good", "marker-end": `url(#${tips}-good)` }, svg("title", null, said)),
    svg(
      "text",
      { x: (x1 + to.x) / 2, y: (y1 + y2) / 2 - 5, class: "key", "text-anchor": "middle" },
      label,
    ),
  );
}

function installationBox({ node, x, y }) {
  const items = (node.deployItems || []).length;
  const said = [node.phase, items ? counted(items, "item") : null, node.observed ? `was ${node.observed}` : null];
  const kind = PHASES[node.phase] || "";
  return svg(
    "g",
    { class: `installation ${kind}`, transform: `translate(${x} ${y})` },
    svg("rect", { width: BOX.width, height: BOX.height, rx: 7 }),
    svg("rect", { width: 6, height: BOX.height, rx: 3, class: "phase" }),
    svg("text", { x: 16, y: 22, class: "name" }, shortened(node.path.split("/").pop(), 22)),
    svg("text", { x: 16, y: 40, class: "version" }, shortened(said.filter(Boolean).join(", "), 27)),
    svg("title", null, `${node.path}: ${node.phase}`),
  );
}

function installationTable(nodes, link) {
  const [whole, more] = table(
    "Installations in the order in which they run",
    ["Installation", "Phase", "Imports", "Exports", "Deploy items", "Reconciled"],
    nodes,
    (node) =>
      h(
        "tr",
        { "data-item": "", tabindex: "-1" },
        h(
          "th",
          { scope: "row" },
          node.path,
          node.component ? h("div", { class: "about" }, node.component) : null,
          link ? h("div", { class: "about" }, link(node.package)) : null,
          node.place ? h("div", { class: "about" }, h("code", { class: "place" }, breakable(node.place))) : null,
        ),
        cell(
          badge(PHASES[node.phase] || "", node.phase),
          node.observed ? h("div", { class: "about" }, `in the cluster: ${node.observed}`) : null,
          (node.waitsFor || []).map((text) => h("div", { class: "about" }, `waits for ${text}`)),
          (node.errors || []).map((text) => h("div", { class: "bad" }, text)),
        ),
        cell(flowList(node.imports)),
        cell(flowList(node.exports)),
        cell(
          (node.deployItems || []).length
            ? h(
                "ul",
                { class: "plain" },
                node.deployItems.map((item) =>
                  h(
                    "li",
                    null,
                    item.name,
                    " ",
                    h("span", { class: "note" }, item.type.split("/").pop(), item.target ? ` to ${item.target}` : ""),
                  ),
                ),
              )
            : null,
        ),
        cell(node.reconcile ? reconcileText(node.reconcile) : null),
      ),
  );
  whole.classList.add("installations-table");
  return [whole, more];
}

function flowList(entries) {
  if (!entries || !entries.length) return null;
  return h(
    "ul",
    { class: "plain" },
    entries.map((one) =>
      h("li", null, one.name, " ", one.key && one.key !== one.name ? h("span", { class: "note" }, `${one.kind} ${one.key}`) : null),
    ),
  );
}

function reconcileText(plan) {
  const when = [
    plan.succeeded ? `after success: ${plan.succeeded}` : null,
    plan.failed ? `after a failure: ${plan.failed}` : null,
  ].filter(Boolean);
  return [
    h("div", null, breakable(plan.message)),
    plan.next ? h("div", { class: "about" }, "next ", h("time", { datetime: plan.next }, plan.next)) : null,
    when.map((text) => h("div", { class: "about" }, text)),
  ];
}

// The pictures of all scopes of a package that hold something to draw.
function installationsSection(one) {
  const graph = one.installations;
  if (!graph) return null;
  const parents = [...new Set(graph.nodes.map((node) => node.parent || ""))];
  const phases = {};
  for (const node of graph.nodes) phases[node.phase] = (phases[node.phase] || 0) + 1;
  const note = Object.entries(phases)
    .map(([phase, count]) => `${count} ${phase}`)
    .join(", ");
  return section(
    "installations",
    "Installations",
    note,
    (graph.problems || []).map((text) => h("p", { class: "banner error" }, text)),
    parents.map((parent) => [
      parent ? h("h4", { class: "scope" }, `Inside ${parent}`) : null,
      installationGraph(graph.nodes, graph.edges, parent),
    ]),
    h(
      "details",
      { open: graph.nodes.length <= 12 },
      h("summary", { "data-item": "" }, "Phases, imports, exports and times as a table"),
      installationTable(graph.nodes, null),
    ),
  );
}
