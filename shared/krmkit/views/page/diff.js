// Unified diffs as tables: side by side where there is room, one below the other on a phone. Unchanged lines fold.

const FOLD = 8; // a run of unchanged lines that is longer than this folds
const KEEP = 3; // lines that stay open at each end of it
const MOST_LINES = 4000; // of one file that are shown at once
const narrow = window.matchMedia("(max-width: 760px)");

// Hunks of a unified diff: [{gap, lines: [{kind: " " | "-" | "+", left, right, text}]}]; gap: unchanged lines before it.
function hunksOf(diff) {
  const hunks = [];
  let left = 0;
  let right = 0;
  let end = 1;
  let hunk = null;
  for (const line of diff.split("\n")) {
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (head) {
      left = Number(head[1]);
      right = Number(head[3]);
      hunk = { gap: Math.max(0, left - end), lines: [] };
      hunks.push(hunk);
    } else if (hunk && line !== "" && " -+".includes(line[0])) {
      const kind = line[0];
      hunk.lines.push({
        kind,
        left: kind === "+" ? 0 : left,
        right: kind === "-" ? 0 : right,
        text: line.slice(1),
      });
      if (kind !== "+") left += 1;
      if (kind !== "-") right += 1;
      end = left;
    }
  }
  return hunks;
}

function countsOf(hunks) {
  const counts = { "+": 0, "-": 0, " ": 0 };
  for (const hunk of hunks) for (const line of hunk.lines) counts[line.kind] += 1;
  return counts;
}

// Pairs of lines for two columns: removed lines stand beside the added ones that follow them.
function pairsOf(lines) {
  const pairs = [];
  for (let at = 0; at < lines.length;) {
    if (lines[at].kind === " ") {
      pairs.push([lines[at], lines[at]]);
      at += 1;
      continue;
    }
    const removed = [];
    const added = [];
    while (at < lines.length && lines[at].kind === "-") removed.push(lines[at++]);
    while (at < lines.length && lines[at].kind === "+") added.push(lines[at++]);
    for (let n = 0; n < Math.max(removed.length, added.length); n += 1) {
      pairs.push([removed[n] || null, added[n] || null]);
    }
  }
  return pairs;
}

// The text of a line, with what differs from its partner marked.
function marked(line, partner) {
  if (!partner || partner.kind === line.kind || line.kind === " ") return [line.text];
  const mine = line.text;
  const other = partner.text;
  const most = Math.min(mine.length, other.length);
  let start = 0;
  while (start < most && mine[start] === other[start]) start += 1;
  let stop = 0;
  while (stop < most - start && mine[mine.length - 1 - stop] === other[other.length - 1 - stop]) stop += 1;
  const middle = mine.slice(start, mine.length - stop);
  if (!middle || middle.length > mine.trim().length * 0.8) return [mine];
  return [mine.slice(0, start), h("mark", null, middle), mine.slice(mine.length - stop)];
}

// The table of a diff. `why(side, line)` gives a button for a line, or null.
function diffTable(diff, label, why) {
  const body = h("tbody");
  const hunks = hunksOf(diff);
  const counts = countsOf(hunks);
  // A file that comes or goes has no other side.
  const single = narrow.matches || (!counts[" "] && !(counts["+"] && counts["-"]));
  const columns = single ? 3 : 4;
  const rows = [];
  for (const hunk of hunks) {
    if (hunk.gap) rows.push({ fold: null, count: hunk.gap });
    const pairs = single ? hunk.lines.map((line) => [line, line]) : pairsOf(hunk.lines);
    rows.push(...folded(pairs));
  }
  const limited = rows.slice(0, MOST_LINES);
  for (const row of limited) body.append(...drawn(row, columns, why));
  if (rows.length > limited.length) {
    const rest = rows.slice(MOST_LINES);
    const button = h("button", { type: "button" }, `Show ${counted(rest.length, "more line")}`);
    const holder = h("tr", { class: "fold" }, h("td", { colspan: columns }, button));
    button.addEventListener("click", () =>
      holder.replaceWith(...rest.flatMap((row) => drawn(row, columns, why))),
    );
    body.append(holder);
  }
  const heads = single ? ["Old line", "New line", "Text"] : ["Old line", "Before", "New line", "After"];
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      { class: single ? "diff one" : "diff two" },
      h("caption", { class: "quiet" }, label),
      h(
        "colgroup",
        null,
        heads.map((text) => h("col", { class: text.endsWith("line") ? "number" : null })),
      ),
      h(
        "thead",
        { class: "quiet" },
        h(
          "tr",
          null,
          heads.map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      body,
    ),
  );
}

// Rows with long runs of unchanged lines folded: {pair} or {fold: [pairs], count}.
function folded(pairs) {
  const rows = [];
  let run = [];
  const close = (atEnd) => {
    const head = rows.length ? KEEP : 0;
    const tail = atEnd ? 0 : KEEP;
    if (run.length > FOLD + head + tail) {
      const inside = run.slice(head, run.length - tail);
      rows.push(...run.slice(0, head).map((pair) => ({ pair })), { fold: inside, count: inside.length });
      rows.push(...run.slice(run.length - tail).map((pair) => ({ pair })));
    } else rows.push(...run.map((pair) => ({ pair })));
    run = [];
  };
  for (const pair of pairs) {
    if (pair[0] && pair[0].kind === " ") run.push(pair);
    else {
      close(false);
      rows.push({ pair });
    }
  }
  close(true);
  return rows;
}

function drawn(row, columns, why) {
  if (row.pair) return [columns === 3 ? oneLine(row.pair[0], why) : twoLines(row.pair, why)];
  const text = `${counted(row.count, "unchanged line")}`;
  const holder = h("tr", { class: "fold" });
  if (!row.fold) {
    holder.append(h("td", { colspan: columns }, text));
    return [holder];
  }
  const open = () => {
    const lines = row.fold.flatMap((pair) => drawn({ pair }, columns, why));
    holder.replaceWith(...lines);
  };
  holder.append(
    h(
      "td",
      { colspan: columns },
      h("button", { type: "button", "aria-expanded": "false", onclick: open }, text),
    ),
  );
  return [holder];
}

const SIGN = { "-": "removed: ", "+": "added: ", " ": "" };

function oneLine(line, why) {
  const side = line.kind === "-" ? "left" : "right";
  return h(
    "tr",
    { class: classOf(line) },
    h("td", { class: "number" }, line.left || ""),
    h("td", { class: "number" }, line.right || ""),
    h(
      "td",
      { class: "text" },
      h("span", { class: "quiet" }, SIGN[line.kind]),
      line.text,
      line.kind === " " ? null : why(side, line),
    ),
  );
}

function classOf(line) {
  return { "-": "removed", "+": "added", " ": "" }[line.kind];
}

function twoLines([left, right], why) {
  const half = (line, partner, side) => {
    if (!line) return [h("td", { class: "number none" }), h("td", { class: "text none" })];
    const number = side === "left" ? line.left : line.right;
    const sign = h("span", { class: "quiet" }, SIGN[line.kind]);
    const button = line.kind === " " ? null : why(side, line);
    return [
      h("td", { class: `number ${classOf(line)}` }, number || ""),
      h("td", { class: `text ${classOf(line)}` }, sign, marked(line, partner), button),
    ];
  };
  return h("tr", null, half(left, right, "left"), half(right, left, "right"));
}
