// Pictures of packs: what they want of each other, and what they ask of the machine pools.

const LAYERS = ["os", "kernel", "k8s", "cni", "csi", "addon"];
const NODE = { width: 164, height: 46, across: 52, down: 16 };

function shortened(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

// Packs in columns by layer, with an arrow from each pack to those that it depends on.
function dependencyGraph(packs) {
  const nodes = new Map();
  for (const pack of packs)
    nodes.set(pack.name, { name: pack.name, version: pack.version, layer: pack.layer });
  const edges = [];
  for (const pack of packs) {
    for (const wanted of pack.dependencies) {
      if (!wanted.packs.length && wanted.type === "notSupported") continue; // absent, as it should be
      const targets = wanted.packs.length ? wanted.packs : [`${wanted.name} (absent)`];
      for (const name of targets) {
        if (!nodes.has(name))
          nodes.set(name, {
            name: wanted.name,
            version: "not in the profile",
            layer: wanted.layer,
            ghost: "ghost",
          });
        if (nodes.get(name).ghost && wanted.state !== "satisfied") nodes.get(name).ghost = "ghost missing";
        edges.push({ from: pack.name, to: name, wanted });
      }
    }
  }
  const layers = [...new Set([...nodes.values()].map((node) => node.layer))];
  layers.sort((a, b) => rank(a) - rank(b));
  const columns = layers.map((layer) => [...nodes.values()].filter((node) => node.layer === layer));
  columns.forEach((column, x) =>
    column.forEach((node, y) => {
      node.x = x * (NODE.width + NODE.across) + 8;
      node.y = y * (NODE.height + NODE.down) + 30;
    }),
  );
  const width = columns.length * (NODE.width + NODE.across) - NODE.across + 56; // with room for arrows inside the last column
  const height = Math.max(...columns.map((column) => column.length)) * (NODE.height + NODE.down) + 60;
  const unmet = edges.filter((edge) => edge.wanted.state !== "satisfied").length;
  const label = `Dependencies of ${counted(packs.length, "pack")}: ${counted(edges.length, "arrow")}, ${unmet} not satisfied. The table below says the same.`;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: "img",
    "aria-label": label,
    class: "graph",
  });
  const tips = newTips();
  picture.append(arrowHead(tips, "good"), arrowHead(tips, "bad"));
  layers.forEach((layer, x) =>
    picture.append(
      svg("text", { x: x * (NODE.width + NODE.across) + 8, y: 16, class: "layer" }, layer || "no layer"),
    ),
  );
  for (const edge of edges) picture.append(arrow(nodes.get(edge.from), nodes.get(edge.to), edge.wanted, tips));
  for (const node of nodes.values()) picture.append(box(node));
  return h(
    "div",
    { class: "scroll picture", tabindex: "0", role: "region", "aria-label": "Picture of dependencies" },
    picture,
  );
}

function rank(layer) {
  const found = LAYERS.indexOf(layer);
  return found < 0 ? LAYERS.length : found;
}

// The tips of a picture's arrows have ids, which are unique on the page.
let pictureCount = 0;

function newTips() {
  pictureCount += 1;
  return `tip-${pictureCount}`;
}

function arrowHead(tips, kind) {
  const tip = svg("path", { d: "M0 0 L8 4 L0 8 z", class: `tip ${kind}` });
  return svg(
    "marker",
    { id: `${tips}-${kind}`, markerWidth: 8, markerHeight: 8, refX: 7, refY: 4, orient: "auto" },
    tip,
  );
}

function arrow(from, to, wanted, tips) {
  const kind = wanted.state === "satisfied" ? "good" : "bad";
  const y1 = from.y + NODE.height / 2;
  const y2 = to.y + NODE.height / 2;
  const far = Math.abs(to.x - from.x) > NODE.width + NODE.across;
  let path;
  if (far)
    path = below(from, to); // not behind the packs between them
  else if (to.x < from.x) path = curve(from.x, y1, to.x + NODE.width, y2, -40);
  else if (to.x > from.x) path = curve(from.x + NODE.width, y1, to.x, y2, 40);
  else path = `M${from.x + NODE.width} ${y1} c 44 0 44 ${y2 - y1} 0 ${y2 - y1}`;
  const said = `${from.name} to ${wanted.name}${rangeText(wanted)}: ${wanted.type}, ${wanted.state}`;
  return svg(
    "path",
    {
      d: path,
      class: `arrow ${kind} ${wanted.type === "optional" ? "optional" : ""}`,
      "marker-end": `url(#${tips}-${kind})`,
    },
    svg("title", null, said),
  );
}

function below(from, to) {
  const x1 = from.x + NODE.width / 2;
  const x2 = to.x + NODE.width / 2;
  const y1 = from.y + NODE.height;
  const y2 = to.y + NODE.height;
  return `M${x1} ${y1} C${x1} ${y1 + 44} ${x2} ${y2 + 44} ${x2} ${y2}`;
}

function curve(x1, y1, x2, y2, bend) {
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

function box(node) {
  return svg(
    "g",
    { class: `pack ${node.ghost || ""}`, transform: `translate(${node.x} ${node.y})` },
    svg("rect", { width: NODE.width, height: NODE.height, rx: 7 }),
    svg("text", { x: 12, y: 20, class: "name" }, shortened(node.name, 20)),
    svg("text", { x: 12, y: 36, class: "version" }, shortened(node.version || "no version", 22)),
    svg("title", null, `${node.name} ${node.version}`),
  );
}

// ` 1.2.0 to 2.0.0`, ` from 1.2.0`, ` up to 2.0.0`, or nothing.
function rangeText(wanted) {
  if (wanted.minVersion && wanted.maxVersion) return ` ${wanted.minVersion} to ${wanted.maxVersion}`;
  if (wanted.minVersion) return ` from ${wanted.minVersion}`;
  return wanted.maxVersion ? ` up to ${wanted.maxVersion}` : "";
}

const KINDS = { cpu: "CPU", memory: "Memory", diskSize: "Disk" };

// A pool: for each kind of resource a bar, as long as all that it has, with the packs' shares in it.
function poolCard(pool, colours, heading) {
  const role = pool.controlPlane ? (pool.worker ? "control plane and worker" : "control plane") : "worker";
  const size = pool.size === null ? "size unknown" : counted(pool.size, "node");
  return h(
    "article",
    { class: "pool" },
    h(heading, null, pool.name, h("span", { class: "note" }, `${role}, ${size}`)),
    pool.resources.map((row) => bar(row, colours)),
  );
}

function bar(row, colours) {
  const over =
    row.share > 1 || (row.share === undefined && row.available !== undefined && row.packs.length > 0);
  const part = row.share === undefined ? "" : ` (${percent(row.share)})`;
  const text =
    row.available === undefined
      ? `${row.required} required, capacity unknown`
      : `${row.required} of ${row.available}${part}`;
  const width = 300;
  const total = row.packs.reduce((sum, pack) => sum + pack.units, 0);
  const scale = total ? (width * Math.min(row.share === undefined ? 1 : row.share, 1)) / total : 0;
  const picture = svg("svg", {
    viewBox: `0 0 ${width} 14`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `${KINDS[row.type] || row.type}: ${text}`,
  });
  picture.append(svg("rect", { class: "room", width, height: 14, rx: 4 }));
  let x = 0;
  for (const pack of row.packs) {
    const length = pack.units * scale;
    const title = svg("title", null, `${pack.name}: ${pack.required}`);
    picture.append(
      svg(
        "rect",
        {
          class: over ? "over" : `shade-${colours.get(pack.name) % 6}`,
          x,
          width: Math.max(length - 1, 0.5),
          height: 14,
        },
        title,
      ),
    );
    x += length;
  }
  return h(
    "div",
    { class: over ? "bar over" : "bar" },
    h(
      "div",
      { class: "bar-text" },
      h("span", null, KINDS[row.type] || row.type),
      h("span", { class: "mono" }, text),
    ),
    picture,
  );
}

// Which shade is which pack, for those that ask for something.
function legend(profile, colours) {
  const asking = new Set(
    profile.pools.flatMap((pool) => pool.resources.flatMap((row) => row.packs.map((pack) => pack.name))),
  );
  const sample = (name) =>
    svg(
      "svg",
      { viewBox: "0 0 10 10", width: 10, height: 10, "aria-hidden": "true" },
      svg("rect", { class: `shade-${colours.get(name) % 6}`, width: 10, height: 10, rx: 2 }),
    );
  return h(
    "ul",
    { class: "legend", "aria-label": "Packs in the bars" },
    [...asking].map((name) => h("li", null, sample(name), " ", name)),
  );
}

function percent(share) {
  return share < 0.001 && share > 0 ? "under 0.1 %" : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
