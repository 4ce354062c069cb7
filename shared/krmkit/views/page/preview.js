// The part of the page that only `krmkit preview` has: choosing, trying, saving, and watching files.

const preview = { live: null, pending: {}, order: 0, saving: false, drawing: false };
const POLL = 1000; // milliseconds between two looks at the disk

function startPreview(live) {
  preview.live = live;
  byId("packages").after(h("aside", { id: "choices", "aria-label": "Choices" }));
  drawChoices();
  setInterval(watch, POLL);
  window.addEventListener("beforeunload", (event) => {
    if (Object.keys(preview.pending).length) event.preventDefault();
  });
}

async function ask(path, body) {
  const headers = { authorization: `Bearer ${preview.live.token}`, "content-type": "application/json" };
  const answer = await fetch(
    path,
    body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers },
  );
  const data = (answer.headers.get("content-type") || "").includes("json")
    ? await answer.json()
    : { problem: await answer.text() };
  if (!answer.ok) throw new Error(data.problem || answer.statusText);
  return data;
}

// The choice of one thing: pending[function][pack] = labels, pending[function][field][name] = text or null.
function choose(path, value, old) {
  let holder = preview.pending;
  for (const key of path.slice(0, -1)) holder = holder[key] = Object.hasOwn(holder, key) ? holder[key] : {};
  holder[path[path.length - 1]] = value;
  if (JSON.stringify(value) === JSON.stringify(old)) forget(preview.pending, path);
  preview.note = "";
  tryOut();
}

// Take a choice out again, and what is empty without it.
function forget(holder, [key, ...rest]) {
  if (rest.length) forget(holder[key], rest);
  if (!rest.length || !Object.keys(holder[key]).length) delete holder[key];
}

function pendingAt(path, otherwise) {
  let holder = preview.pending;
  for (const key of path) {
    if (holder === null || typeof holder !== "object" || !Object.hasOwn(holder, key)) return otherwise;
    holder = holder[key];
  }
  return holder;
}

// Show what the pending choices make. Answers that come too late are dropped.
async function tryOut(note) {
  preview.order += 1;
  const order = preview.order;
  byId("choices").setAttribute("aria-busy", "true");
  try {
    const state = await ask("/state", { choices: preview.pending });
    if (order !== preview.order) return;
    const { report, ...rest } = state;
    preview.live = { ...preview.live, ...rest };
    preview.problem = "";
    showReport(report);
    if (note) preview.note = note;
  } catch (error) {
    if (order !== preview.order) return;
    preview.problem = error.message;
  }
  byId("choices").removeAttribute("aria-busy");
  drawChoices();
}

async function save() {
  preview.saving = true;
  drawChoices();
  try {
    const { written } = await ask("/save", { choices: preview.pending, files: preview.live.files });
    preview.pending = {};
    await tryOut(`Written: ${written.join(", ") || "nothing had to change"}`);
  } catch (error) {
    preview.problem = error.message;
  }
  preview.saving = false;
  drawChoices();
}

function discard() {
  preview.pending = {};
  preview.note = "";
  tryOut();
}

async function watch() {
  if (document.hidden || preview.saving) return;
  try {
    const { mark } = await ask("/mark");
    if (preview.lost) {
      preview.lost = false;
      drawChoices();
    }
    if (mark === preview.live.mark || preview.saving) return;
    preview.live.mark = mark;
    const kept = Object.keys(preview.pending).length
      ? " What you chose and did not write yet stays chosen."
      : "";
    await tryOut(`Files of the package changed on disk; this shows them as they are now.${kept}`);
  } catch {
    if (preview.lost) return;
    preview.lost = true;
    drawChoices();
  }
}

function drawChoices() {
  const aside = byId("choices");
  const focused = aside.contains(document.activeElement) ? document.activeElement.id : "";
  const open = new Set([...aside.querySelectorAll("details[open]")].map((one) => one.id));
  const scrolled = aside.scrollTop;
  const { choices, edits } = preview.live;
  const waiting = edits.length > 0;
  preview.drawing = true;
  refill(
    aside,
    h("h2", null, "Choices"),
    h(
      "div",
      { class: "actions" },
      h(
        "button",
        {
          id: "save",
          type: "button",
          class: "main",
          disabled: !waiting || preview.saving || Boolean(preview.problem),
          onclick: save,
        },
        "Write to files",
      ),
      h(
        "button",
        {
          id: "discard",
          type: "button",
          disabled: !Object.keys(preview.pending).length || preview.saving,
          onclick: discard,
        },
        "Discard",
      ),
    ),
    h(
      "p",
      { class: "about", id: "waiting" },
      waiting ? `Not written yet: ${edits.join(", ")}` : "The files hold what is shown.",
    ),
    h(
      "div",
      { role: "status" },
      preview.lost
        ? h(
            "p",
            { class: "banner error" },
            "krmkit preview has ended. Start it again, and open its new address.",
          )
        : null,
      preview.problem ? h("p", { class: "banner error", id: "problem" }, preview.problem) : null,
      preview.note ? h("p", { class: "banner", id: "note" }, preview.note) : null,
    ),
    totals(),
    poolTotals(open),
    ...choices.flatMap((one) => (one.kind === "presets" ? presetForm(one, open) : macroForm(one))),
    choices.length ? null : h("p", { class: "about", id: "no-choices" }, noChoices()),
  );
  preview.drawing = false;
  aside.scrollTop = scrolled;
  const again = focused && byId(focused);
  if (again) again.focus({ preventScroll: true });
}

// Why there is nothing to choose.
function noChoices() {
  const [one] = state.report.packages;
  return summaries[0].failed && !one.functions.length
    ? "The package cannot be read. Mend what is listed beside; the choices come back by themselves."
    : "The pipeline has no apply-presets and no resolve-macros with a config.";
}

// What the choices come to, beside them.
function totals() {
  const summary = summaries[0];
  if (!summary) return null;
  const part = (count, noun, kind) => (count ? badge(kind, counted(count, noun)) : null);
  return h(
    "p",
    { class: "totals" },
    part(summary.error, "error", "error"),
    part(summary.warning, "warning", "warning"),
    part(summary.files, "file", ""),
    summary.error || summary.warning ? null : badge("good", "no errors"),
  );
}

// What the packs ask of the machine pools with these choices.
function poolTotals(open) {
  const profiles = (state.report.packages[0].profiles || []).filter(
    (profile) => profile.pools && profile.pools.length,
  );
  if (!profiles.length) return null;
  const cards = profiles.map((profile) => {
    const colours = new Map(profile.packs.map((pack, place) => [pack.name, place]));
    return profile.pools.map((pool) => poolCard(pool, colours, "h3"));
  });
  const first = !byId("pool-totals");
  return h(
    "details",
    { id: "pool-totals", open: first || open.has("pool-totals") },
    h("summary", null, "Machine pools"),
    h("div", { class: "pools" }, cards),
  );
}

function presetForm(one, open) {
  return one.packs.map((pack) => {
    const path = [one.id, pack.pack];
    const selected = pendingAt(path, pack.selected);
    const groups = [...new Set(pack.presets.map((preset) => preset.group))];
    const set = (labels) => choose(path, labels, pack.selected);
    return h(
      "fieldset",
      null,
      h(
        "legend",
        null,
        pack.pack,
        pack.title && pack.title !== pack.pack ? h("span", { class: "note" }, pack.title) : null,
      ),
      pack.problem ? h("p", { class: "banner error" }, pack.problem) : null,
      groups.map((group) => {
        const presets = pack.presets.filter((preset) => preset.group === group);
        if (!group)
          return presets.map((preset) => presetChoice(one, pack, preset, "checkbox", selected, set, open));
        const none = { group, name: "", label: "", displayName: "none", removes: [], sets: {} };
        return h(
          "div",
          { role: "radiogroup", "aria-label": `${pack.pack}: ${group}`, class: "group" },
          h("p", { class: "about" }, group),
          [...presets, none].map((preset) =>
            presetChoice(one, pack, preset, "radio", selected, set, open, presets),
          ),
        );
      }),
      pack.from === "marker" ? h("p", { class: "about" }, "as the marker comment of its values says") : null,
    );
  });
}

function presetChoice(one, pack, preset, type, selected, set, open, group) {
  const id = `choice-${one.id}-${pack.pack}-${preset.group}-${preset.name}`;
  const labels = group ? group.map((each) => each.label) : [preset.label];
  const none = group && !preset.label;
  const checked = none ? !selected.some((label) => labels.includes(label)) : selected.includes(preset.label);
  const change = (event) => {
    const others = selected.filter((label) => !labels.includes(label));
    if (none || !event.target.checked) return set(others);
    // In the place of the one that it replaces: presets take effect in their order.
    const at = selected.findIndex((label) => labels.includes(label));
    set(
      at < 0
        ? [...others, preset.label]
        : selected
            .map((label, place) => (place === at ? preset.label : label))
            .filter((label, place) => place === at || !labels.includes(label)),
    );
  };
  const effects = [
    ...preset.removes.map((path) => `− ${path}`),
    ...Object.entries(preset.sets).map(([path, value]) => `+ ${path}: ${JSON.stringify(value)}`),
  ];
  return h(
    "div",
    { class: "choice" },
    h("input", { id, type, name: `${one.id}-${pack.pack}-${preset.group}`, checked, onchange: change }),
    h(
      "label",
      { for: id },
      preset.displayName || preset.name,
      preset.displayName && preset.label ? h("span", { class: "note" }, preset.name) : null,
    ),
    effects.length
      ? h(
          "details",
          { id: `${id}-effects`, open: open.has(`${id}-effects`) },
          h(
            "summary",
            null,
            counted(effects.length, "value"),
            h("span", { class: "quiet" }, ` of ${preset.label}`),
          ),
          h(
            "ul",
            { class: "effects" },
            effects.map((text) => h("li", null, text)),
          ),
        )
      : null,
  );
}

const FIELD_NAMES = { system: "System macros", macros: "User macros", variables: "Profile variables" };

function macroForm(one) {
  const fields = Object.keys(FIELD_NAMES).filter((field) =>
    one.entries.some((entry) => entry.field === field),
  );
  return [
    one.problem ? h("p", { class: "banner" }, `${one.file}: ${one.problem}`) : null,
    ...fields.map((field) =>
      h(
        "fieldset",
        null,
        h("legend", null, FIELD_NAMES[field], h("span", { class: "note" }, one.file)),
        one.entries.filter((entry) => entry.field === field).map((entry) => macroInput(one, entry)),
      ),
    ),
  ];
}

function macroInput(one, entry) {
  const id = `choice-${one.id}-${entry.field}-${entry.name}`;
  const path = [one.id, entry.field, entry.name];
  const hidden = entry.secret || entry.value.includes("(secret)");
  const old = entry.given ? entry.value : null;
  const now = pendingAt(path, hidden ? "" : entry.value);
  // An empty field takes the value out; that of a secret one leaves it as it is.
  const change = (text) => choose(path, text === "" ? (hidden ? old : null) : text, old);
  return h(
    "div",
    { class: "field" },
    h(
      "label",
      { for: id },
      entry.name,
      entry.used ? null : h("span", { class: "note" }, "not used"),
      entry.given || now ? null : h("span", { class: "note doubtful" }, "no value"),
    ),
    textInput(id, now === null ? "" : now, hidden, hidden && entry.given ? "(secret)" : "", change),
  );
}

// The same element in every drawing, so that an answer that comes while somebody types takes nothing of it away.
function textInput(id, value, hidden, placeholder, change) {
  const input = byId(id) || h("input", { id, autocomplete: "off", spellcheck: "false" });
  // Its default value is what was drawn or tried last.
  const isTyping = input === document.activeElement && input.value !== input.defaultValue;
  input.type = hidden ? "password" : "text";
  input.placeholder = placeholder;
  input.defaultValue = value;
  if (!isTyping) input.value = value;
  // Drawing takes the element out and in again, which browsers report as the end of typing.
  input.onchange = input.onblur = () => {
    if (preview.drawing || input.value === input.defaultValue) return;
    input.defaultValue = input.value;
    change(input.value);
  };
  return input;
}
