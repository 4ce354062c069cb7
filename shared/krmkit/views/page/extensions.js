// Runtime extensions: their handlers, the classes that call them, and what they set.

const HOOK_NAMES = {
  generatePatches: "generates patches",
  validateTopology: "validates",
  discoverVariables: "declares variables",
};

function extensionsSection(one) {
  const extensions = one.extensions || [];
  if (!extensions.length) return null;
  return section(
    "extensions",
    "Extensions",
    counted(extensions.length, "extension"),
    extensions.map((extension) => extensionView(extension, "h4", null)),
  );
}

function extensionView(extension, heading, link) {
  const set = extension.set || [];
  const items = extension.items || [];
  return h(
    "article",
    { class: "extension", "data-item": "", tabindex: "-1" },
    h(
      heading,
      null,
      extension.name,
      h("span", { class: "note" }, items.map((item) => item.kind).join(", ") || "not in the package"),
    ),
    h(
      "p",
      { class: "about" },
      items.map((item) => (item.place ? h("code", { class: "place" }, item.place) : null)),
      link ? h("span", null, "in ", link) : null,
    ),
    h(
      "ul",
      { class: "plain" },
      (extension.handlers || []).map((handler) =>
        h(
          "li",
          null,
          h("strong", null, handler.name),
          h("span", { class: "note" }, handlerText(handler)),
        ),
      ),
      (extension.calls || []).map((call) =>
        h(
          "li",
          null,
          h("code", null, call.handler),
          ` ${HOOK_NAMES[call.hook] || call.hook} for the class ${call.class}`,
          h("span", { class: "note" }, `patch ${call.patch}`),
        ),
      ),
    ),
    set.length
      ? h(
          "details",
          { open: set.length <= 8 },
          h("summary", { "data-item": "" }, `${counted(set.length, "value")} set`),
          table(`What ${extension.name} set`, ["Resource and field", "Value", "Handler"], set, (effect) =>
            h(
              "tr",
              null,
              cell(h("div", { class: "about" }, effect.resource), h("code", null, effect.field)),
              cell(h("code", { class: "added" }, shortened(valueText(effect, "value"), 300))),
              cell(
                effect.handler,
                effect.place ? h("div", { class: "about" }, h("code", { class: "place" }, effect.place)) : null,
              ),
            ),
          ),
        )
      : h("p", { class: "about" }, "It set no value."),
  );
}

function handlerText(handler) {
  const parts = [
    handler.patches.length ? `patches ${handler.patches.join(", ")}` : null,
    handler.variables.length ? `variables ${handler.variables.join(", ")}` : null,
    handler.validations ? counted(handler.validations, "validation") : null,
  ].filter(Boolean);
  return parts.join("; ");
}
