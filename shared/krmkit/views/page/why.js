// Where a value comes from: the answers of `krmkit why`, found by the line of a diff or the field of a finding.

// The answers of a package by `path:line` before and after, and by `Kind/name field`.
function indexFields(one) {
  const index = { left: new Map(), right: new Map(), named: new Map() };
  const put = (map, key, field) => (map.has(key) ? map.get(key).push(field) : map.set(key, [field]));
  for (const field of one.fields || []) {
    if (field.place) put(index.left, lineOf(field.place), field);
    if (field.placeAfter) put(index.right, lineOf(field.placeAfter), field);
    put(index.named, `${field.resource} ${field.field}`, field);
  }
  return index;
}

// `a/b.yaml:7` of `a/b.yaml:7:3`
function lineOf(place) {
  return place.slice(0, place.lastIndexOf(":"));
}

// A button that opens the answers, or null where there are none.
function whyButton(fields, what) {
  if (!fields || !fields.length) return null;
  const asked = what || fields[0].field;
  return h(
    "button",
    {
      type: "button",
      class: "why",
      "aria-label": `why ${asked}`,
      title: `Where does ${asked} come from?`,
      onclick: () => openWhy(fields),
    },
    "why",
  );
}

function whyOfFinding(index, finding) {
  if (!finding.field || !finding.resource) return null;
  const about = finding.resource;
  const name = [about.kind, about.namespace, about.name].filter(Boolean).join("/");
  return whyButton(index.named.get(`${name} ${finding.field}`), finding.field);
}

function openWhy(fields) {
  const dialog = byId("why");
  dialog.replaceChildren(
    h(
      "header",
      null,
      h("h2", { id: "why-title" }, "Where the value comes from"),
      h(
        "button",
        { type: "button", class: "tool", "aria-label": "Close", onclick: () => dialog.close() },
        "×",
      ),
    ),
    ...fields.slice(0, PORTION).map(answer),
    fields.length > PORTION
      ? h("p", { class: "about" }, `and ${counted(fields.length - PORTION, "more field")}`)
      : "",
  );
  dialog.showModal();
  dialog.scrollTop = 0;
}

function answer(field) {
  return h(
    "article",
    { class: "answer" },
    h("h3", null, h("span", { class: "about" }, field.resource), " ", h("code", null, field.field)),
    h(
      "ol",
      { class: "steps" },
      h(
        "li",
        null,
        h("p", null, field.place ? "in the file" : "in no file"),
        field.place ? h("code", { class: "place" }, field.place) : null,
        "original" in field
          ? h("p", { class: "values" }, h("code", null, valueText(field, "original")))
          : null,
      ),
      field.steps.map((step) =>
        h(
          "li",
          null,
          h("p", null, h("strong", null, shortName(step.function)), " changed it"),
          h("code", { class: "place" }, step.place),
          h(
            "p",
            { class: "values" },
            h("code", { class: "removed" }, valueText(step, "before")),
            " → ",
            h("code", { class: "added" }, valueText(step, "after")),
          ),
          step.causes.length
            ? h(
                "ul",
                { class: "plain" },
                step.causes.map((cause) =>
                  h(
                    "li",
                    null,
                    badge("", cause.kind),
                    " ",
                    cause.name,
                    cause.place ? h("code", { class: "place" }, cause.place) : null,
                  ),
                ),
              )
            : null,
        ),
      ),
      field.steps.length ? null : h("li", null, "no function changed it"),
    ),
  );
}

function fieldTable(fields) {
  return table(
    "Values that did not stay as in the file",
    ["Resource and field", "Before", "After", "By", "Why"],
    fields,
    (field) =>
      h(
        "tr",
        { "data-item": "", tabindex: "-1" },
        cell(h("div", { class: "about" }, field.resource), h("code", null, field.field)),
        cell(h("code", { class: "removed" }, shortened(valueText(field, "original"), 300))),
        cell(h("code", { class: "added" }, shortened(valueText(field, "value"), 300))),
        cell([...new Set(field.steps.map((step) => shortName(step.function)))].join(", ")),
        cell(whyButton([field])),
      ),
  );
}
