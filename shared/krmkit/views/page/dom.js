// Elements. Texts become text nodes, never markup: this is the only file that makes elements.

const SVG = "http://www.w3.org/2000/svg";

// h("button", {class: "why", onclick: open}, "why") makes an element with attributes, listeners and children.
function h(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

// The same for parts of a picture.
function svg(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...shownOnly(children));
  return element;
}

// A path that a narrow column breaks behind its slashes, and not within a name.
function breakable(path) {
  return path.split("/").map((part, number) => (number ? ["/", h("wbr"), part] : part));
}

// Children without those that are not there: the methods of elements would write the word "null" for them.
function shownOnly(children) {
  return children
    .flat(Infinity)
    .filter((one) => one !== null && one !== undefined && one !== false)
    .map((one) => (typeof one === "string" ? visibly(one) : one));
}

// Controls of the direction of writing can make a line look like another one: they are written by name.
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function visibly(text) {
  return text.replace(DIRECTION, (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);
}

// Gives an element these children in place of all that it had.
function refill(element, ...children) {
  element.replaceChildren(...shownOnly(children));
}

const byId = (id) => document.getElementById(id);

// A count with its noun: counted(2, "file") is "2 files".
const counted = (number, noun, plural = `${noun}s`) => `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;

function badge(kind, text) {
  return h("span", { class: `badge ${kind}` }, text || kind);
}

function section(id, title, note, ...children) {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h3", { id: `${id}-title` }, title, note ? h("span", { class: "note" }, note) : null),
    children,
  );
}

// A table with headings for screen readers. Rows that are many come in portions.
const PORTION = 100;

function table(label, headings, rows, makeRow) {
  const body = h("tbody");
  const whole = h(
    "div",
    { class: "scroll rows", tabindex: "0", role: "region", "aria-label": label },
    h(
      "table",
      null,
      h("caption", { class: "quiet" }, label),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          headings.map((heading) => h("th", { scope: "col" }, heading)),
        ),
      ),
      body,
    ),
  );
  const add = (row) => {
    const made = makeRow(row);
    // On a phone a row is a card, and each cell says what it is.
    [...made.cells].forEach((one, place) => (one.dataset.label = headings[place]));
    body.append(made);
  };
  return portions(rows, add, whole);
}

// `whole`, with the first rows added to it, and a button for the next ones.
function portions(rows, add, whole) {
  let shown = 0;
  const more = h("button", { type: "button", class: "more", onclick: () => next() });
  const next = () => {
    for (const row of rows.slice(shown, shown + PORTION)) add(row);
    shown = Math.min(shown + PORTION, rows.length);
    more.textContent = `Show more (${counted(rows.length - shown, "row")} left)`;
    more.hidden = shown === rows.length;
  };
  next();
  return [whole, rows.length > PORTION ? more : null];
}

function cell(...children) {
  return h("td", null, children);
}

// A path that may break behind its slashes.
function pathText(path) {
  return path.split(/(?<=\/)/).flatMap((part) => [part, h("wbr")]);
}

// A value as JSON; what is not there is absent.
function valueText(holder, key) {
  if (!(key in holder)) return "absent";
  const value = holder[key];
  return typeof value === "string" ? value : JSON.stringify(value);
}

function say(text) {
  byId("status").textContent = text;
}
