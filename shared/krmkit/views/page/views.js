// Views over all packages, one for each system. A view is listed where there is something for it to show.

const VIEWS = {
  overview: ["Overview", () => null, null],
  clusters: ["Clusters", () => ofAll("clusters"), (rows) => clustersView(rows)],
  packs: ["Packs", () => versionsOf("pack"), (rows) => packsView(rows)],
  installations: ["Installations", () => allNodes(), (rows) => installationsView(rows)],
  extensions: ["Extensions", () => ofAll("extensions"), (rows) => extensionsView(rows)],
  variants: ["Variants", () => state.report.variants || [], (rows) => variantsView(rows)],
  versions: ["Versions", () => state.report.versions || [], (rows) => versionsView(rows)],
  collisions: ["Collisions", () => state.report.collisions || [], (rows) => collisionsView(rows)],
};

// The entries of one field of all packages, each with its package.
function ofAll(name) {
  return state.report.packages.flatMap((one) => (one[name] || []).map((entry) => ({ ...entry, package: one.path })));
}

function allNodes() {
  return state.report.packages.flatMap((one) =>
    one.installations ? one.installations.nodes.map((node) => ({ ...node, package: one.path })) : [],
  );
}

function versionsOf(kind) {
  return (state.report.versions || []).filter((one) => one.kind === kind);
}

// Those that hold the words of the search.
function searched(rows) {
  return state.query ? rows.filter((row) => JSON.stringify(row).toLowerCase().includes(state.query)) : rows;
}

function viewOf(name) {
  const [label, rowsOf, draw] = VIEWS[name];
  const rows = searched(rowsOf());
  return [
    h("h2", { tabindex: "-1" }, label),
    state.query ? h("p", { class: "banner" }, `Only what holds “${state.query}” is shown. Esc shows all.`) : null,
    rows.length ? draw(rows) : h("p", { class: "about" }, "nothing to show"),
  ];
}

const isRolling = (cluster) => cluster.groups.some((group) => group.rolls);

function clustersView(rows) {
  const rolling = rows.filter(isRolling);
  const rest = rows.filter((one) => !isRolling(one));
  const list = (trees) => {
    const holder = h("div", { class: "clusters" });
    return portions(trees, (one) => holder.append(clusterTree(one, "h4", packageLink(one.package))), holder);
  };
  return [
    section("kubernetes", "Kubernetes", null, versionTable(versionsOf("kubernetes"))),
    rolling.length
      ? section("rolling", "Machines roll", counted(rolling.length, "Cluster"), orderTable(rolling), list(rolling))
      : null,
    rest.length
      ? section("resting", rolling.length ? "No machine rolls" : "Clusters", counted(rest.length, "Cluster"), list(rest))
      : null,
  ];
}

// Which machines roll over all Clusters: each in its steps.
function orderTable(clusters) {
  const rows = clusters.flatMap((cluster) =>
    cluster.groups
      .filter((group) => group.rolls)
      .flatMap((group) => group.rolls.steps.map((step) => ({ cluster, group, step }))),
  );
  rows.sort((a, b) => a.step - b.step);
  return h(
    "details",
    { open: true },
    h("summary", { "data-item": "" }, `The order over all Clusters: ${counted(rows.length, "rollout")}`),
    table(
      "Machines that roll, in the order of the steps",
      ["Step", "Cluster", "Machines", "At a time", "Why"],
      rows,
      ({ cluster, group, step }) =>
        h(
          "tr",
          null,
          h("td", { class: "number" }, step),
          h("th", { scope: "row" }, `${cluster.namespace}/${cluster.name}`, h("div", { class: "about" }, packageLink(cluster.package))),
          cell(group.name || "control plane", h("span", { class: "note" }, machinesText(group.rolls))),
          cell(limitsText(group.rolls)),
          cell(group.rolls.reasons.join("; ")),
        ),
    ),
  );
}

const machinesText = (rolls) => (rolls.replicas === undefined ? "" : counted(rolls.replicas, "machine"));

function limitsText(rolls) {
  if (rolls.maxSurge === undefined) return "the provider decides";
  return `${rolls.maxSurge} more, ${rolls.maxUnavailable || 0} fewer`;
}

function versionTable(entries) {
  const rows = entries.flatMap((one) => one.versions.map((each) => ({ ...each, name: one.name, of: one.versions.length })));
  return table("Versions", ["What", "Version", "Packages"], rows, (row) =>
    h(
      "tr",
      { "data-item": "", tabindex: "-1" },
      h("th", { scope: "row" }, row.name),
      cell(h("span", { class: "mono" }, row.version), row.of > 1 ? h("span", { class: "note" }, `one of ${row.of}`) : null),
      cell(packageList(row.packages)),
    ),
  );
}

const SOME = 4; // packages that are named before the others fold

function packageList(paths) {
  const links = (some) => h("ul", { class: "plain links" }, some.map((path) => h("li", null, packageLink(path))));
  if (paths.length <= SOME) return links(paths);
  const folded = h("details", null, h("summary", null, counted(paths.length, "package")));
  folded.addEventListener("toggle", () => {
    if (folded.open && !folded.querySelector("ul")) folded.append(links(paths));
  });
  return folded;
}

function packsView(rows) {
  const pools = state.report.packages
    .filter((one) => (one.profiles || []).some((profile) => profile.pools))
    .flatMap((one) => one.profiles.filter((profile) => profile.pools).map((profile) => ({ one, profile })));
  const holder = h("div");
  const places = portions(
    pools,
    ({ one, profile }) => {
      const colours = new Map(profile.packs.map((pack, place) => [pack.name, place]));
      holder.append(
        h("h4", { class: "scope" }, packageLink(one.path)),
        h("div", { class: "pools" }, profile.pools.map((pool) => poolCard(pool, colours, "h5"))),
      );
    },
    holder,
  );
  return [
    section("pack-versions", "Packs and versions", counted(rows.length, "pack"), versionTable(rows)),
    pools.length ? section("all-pools", "Machine pools", "what the packs ask, of what the pools have", places) : null,
  ];
}

function installationsView(nodes) {
  const links = searched(state.report.links || []);
  const across = links.filter((link) => link.to.some((end) => link.from.every((from) => from.package !== end.package)));
  return [
    links.length
      ? section(
          "links",
          "Exports and who imports them",
          across.length ? `${across.length} go to another package` : counted(links.length, "export"),
          linkTable(links),
        )
      : null,
    section("all-installations", "Installations", counted(nodes.length, "installation"), installationTable(nodes, packageLink)),
  ];
}

function linkTable(links) {
  const ends = (list) =>
    list.length
      ? h(
          "ul",
          { class: "plain" },
          list.map((end) => h("li", null, end.installation, h("span", { class: "note" }, packageLink(end.package)))),
        )
      : h("span", { class: "about" }, "nobody");
  return table("Exports", ["Export", "Namespace", "From", "Imported by"], links, (link) =>
    h(
      "tr",
      { "data-item": "", tabindex: "-1" },
      h("th", { scope: "row" }, link.key, h("span", { class: "note" }, link.kind)),
      cell(link.namespace),
      cell(ends(link.from)),
      cell(ends(link.to)),
    ),
  );
}

function extensionsView(rows) {
  const holder = h("div");
  const list = portions(rows, (one) => holder.append(extensionView(one, "h4", packageLink(one.package))), holder);
  return section("all-extensions", "Extensions", counted(rows.length, "extension"), list);
}

function variantsView(rows) {
  const counts = {};
  for (const one of rows) counts[one.state] = (counts[one.state] || 0) + 1;
  const note = Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
  return section("variants", "Variants of the fleet", note, variantTable(rows, packageLink));
}

const VERSION_KINDS = { kubernetes: "Kubernetes", blueprint: "Blueprints", pack: "Packs", component: "Components" };

function versionsView(rows) {
  return Object.entries(VERSION_KINDS).map(([kind, title]) => {
    const found = rows.filter((one) => one.kind === kind);
    const many = found.filter((one) => one.versions.length > 1).length;
    return found.length
      ? section(`versions-${kind}`, title, many ? `${many} in several versions` : "one version each", versionTable(found))
      : null;
  });
}

function collisionsView(rows) {
  return section(
    "collisions",
    "Collisions",
    "objects that two packages make for one cluster",
    table("Objects that two packages make", ["What", "Packages"], rows, (one) =>
      h("tr", { "data-item": "", tabindex: "-1" }, h("th", { scope: "row" }, one.message), cell(packageList(one.packages))),
    ),
  );
}
