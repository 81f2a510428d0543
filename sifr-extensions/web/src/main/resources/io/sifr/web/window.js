// The page that shows a store. All that comes from the store is shown as text: nodes are made one by
// one, and nothing is ever parsed as HTML.

const POLL_MILLIS = 2000;
const SAMPLES = 300; // ten minutes of plots
const PART_BYTES = 4096;
const PAGE_ENTRIES = 50;
const MOST_NAMES = 2000;
const MOST_FAILURES = 5; // of the overview
const SVG = "http://www.w3.org/2000/svg";
const GETS_PER_SAMPLE = 32;

const byId = id => document.getElementById(id);

// ---- Nodes

function fill(node, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) {
      node.append(child);
    }
  }
  return node;
}

function attributes(node, given) {
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  return node;
}

const h = (tag, given = {}, ...children) =>
  fill(attributes(document.createElement(tag), given), children);

const svg = (tag, given = {}, ...children) =>
  fill(attributes(document.createElementNS(SVG, tag), given), children);

const replace = (node, ...children) => node.replaceChildren(...children.flat());

/** Sets a text unless it is there: what did not change is not read out again. */
function say(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

function warn(node, text, isBad = false) {
  node.hidden = !text;
  node.classList.toggle("bad", isBad);
  say(node, text || "");
}

// ---- Numbers

const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

const count = number => grouped.format(number);

function about(number) {
  if (number < 10_000) {
    return count(number);
  }
  for (const [size, unit] of [[1e12, " T"], [1e9, " G"], [1e6, " M"], [1e3, " k"]]) {
    if (number >= size) {
      return (number / size).toPrecision(3) + unit;
    }
  }
  return count(number);
}

function bytes(number) {
  let unit = 0;
  let value = number;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return (unit === 0 || value >= 100 ? count(value) : value.toFixed(1)) + " " + UNITS[unit];
}

function duration(nanos) {
  const millis = nanos / 1e6;
  return millis < 1000 ? millis.toFixed(millis < 10 ? 1 : 0) + " ms" : (millis / 1000).toFixed(1) + " s";
}

const clock = millis => new Date(millis).toLocaleTimeString("en-GB");
const plural = (number, one, many = one + "s") => count(number) + " " + (number === 1 ? one : many);

// ---- Bytes as text, numbers, digits

function fromHex(digits) {
  const found = new Uint8Array(digits.length / 2);
  for (let i = 0; i < found.length; i++) {
    found[i] = parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  }
  return found;
}

const toHex = found => Array.from(found, each => each.toString(16).padStart(2, "0")).join("");

// What cannot be seen, or changes the direction of the rest.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const code = char => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0");
const seen = text => text.replace(UNSEEN, code);
const onOneLine = text => seen(text).replace(/\n/g, "\\n").replace(/\t/g, "\\t");

/** The text of bytes; null if they are none. The last character may be cut off. */
function utf8(found, isCut) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(found, { stream: isCut });
  } catch {
    return null;
  }
}

function bigEndian(found) {
  let value = 0n;
  for (const each of found) {
    value = (value << 8n) | BigInt(each);
  }
  return BigInt.asIntN(8 * found.length, value).toString();
}

function varint(found) {
  let value = 0n;
  for (let i = 0; i < found.length && i < 10; i++) {
    value |= BigInt(found[i] & 0x7f) << BigInt(7 * i);
    if (found[i] < 0x80) {
      return i === found.length - 1 ? value.toString() : null;
    }
  }
  return null;
}

function readable(found, isCut) {
  const text = utf8(found, isCut);
  const unseen = text === null ? null : text.match(UNSEEN);
  return text !== null && (unseen === null || unseen.length * 10 < text.length) ? text : null;
}

const FORMATS = {
  auto: ["text if it is, or digits", (found, isCut) => readable(found, isCut)],
  text: ["text", found => new TextDecoder().decode(found)],
  hex: ["hexadecimal digits", () => null],
  int: ["number of 4 bytes", found => (found.length === 4 ? bigEndian(found) : null)],
  long: ["number of 8 bytes", found => (found.length === 8 ? bigEndian(found) : null)],
  varint: ["number of variable length", varint],
};

/** Bytes on one line, in a format or, if they are not of its kind, as digits. */
function shown(found, format, isCut = false) {
  const text = FORMATS[format][1](found, isCut);
  if (text === null) {
    return found.length === 0 ? "" : toHex(found);
  }
  return onOneLine(text) + (isCut ? "…" : "");
}

function dump(found, from, columns) {
  const lines = [];
  for (let i = 0; i < found.length; i += columns) {
    const row = found.subarray(i, i + columns);
    const digits = Array.from(row, each => each.toString(16).padStart(2, "0")).join(" ");
    const text = Array.from(row, each => (each >= 0x20 && each < 0x7f ? String.fromCharCode(each) : "·")).join("");
    lines.push((from + i).toString(16).padStart(8, "0") + "  " + digits.padEnd(3 * columns - 1) + "  " + text);
  }
  return lines.join("\n");
}

/** The hexadecimal digits of what was typed; throws what is wrong with it. */
function typed(text, format) {
  if (format === "text") {
    return toHex(new TextEncoder().encode(text));
  }
  if (format === "hex") {
    const digits = text.replace(/^0x|\s/g, "").toLowerCase();
    if (!/^([0-9a-f]{2})*$/.test(digits)) {
      throw new Error("Hexadecimal digits are 0 to 9 and a to f, two for each byte.");
    }
    return digits;
  }
  if (!/^-?\d{1,20}$/.test(text.trim())) {
    throw new Error("A number is written with the digits 0 to 9.");
  }
  let value = BigInt(text.trim());
  if (format === "varint") {
    if (value < 0n || value >= 1n << 64n) {
      throw new Error("A number of variable length is from 0 to 18446744073709551615.");
    }
    const found = [];
    while (value >= 0x80n) {
      found.push(Number(value & 0x7fn) | 0x80);
      value >>= 7n;
    }
    return toHex([...found, Number(value)]);
  }
  const size = format === "int" ? 4 : 8;
  if (value < -(1n << BigInt(8 * size - 1)) || value >= 1n << BigInt(8 * size)) {
    throw new Error("A number of " + size + " bytes is not that large.");
  }
  return BigInt.asUintN(8 * size, value).toString(16).padStart(2 * size, "0");
}

// ---- Questions

async function ask(name, parameters = {}) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) {
      query.set(key, value);
    }
  }
  const text = query.toString();
  let response;
  try {
    response = await fetch("api/" + name + (text ? "?" + text : ""), { cache: "no-store" });
  } catch {
    throw new Error("The window does not answer. Is its program still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const error = new Error(answer.error || "The window answers with status " + response.status + ".");
    error.status = response.status;
    throw error;
  }
  return answer;
}

// ---- The state of the store

let store = null;
let metrics = [];
const samples = [];

function showState() {
  const node = byId("state");
  let text;
  if (!store.readOnly) {
    text = "live";
  } else if (store.refreshed) {
    text = "read-only view of " + clock(store.since) + ", refreshed";
  } else {
    text = "read only, as it was when it was opened";
  }
  say(node, text);
  node.className = "state live";
  const name = store.directory;
  document.title = "Sifr – " + seen(name);
  if (byId("directory").textContent !== seen(name)) {
    replace(byId("directory"), h("bdi", {}, seen(name)));
    byId("directory").title = seen(name);
  }
  byId("backups-link").hidden = !store.backups;
  warn(byId("notice"), store.problem ? seen("Shown as of " + clock(store.since) + ": " + store.problem) : "");
}

function showError(error) {
  byId("state").className = "state bad";
  say(byId("state"), error.message === "the store is closed" ? error.message : "no answer");
  warn(byId("notice"), seen(error.message), true);
}

function sample() {
  const last = samples.at(-1);
  const time = store.since ?? store.time;
  if (last && last.time >= time) {
    return;
  }
  samples.push({ time, values: store.statistics });
  if (samples.length > SAMPLES) {
    samples.shift();
  }
}

// ---- Overview

const figure = (name, value, more = null) =>
  h("div", {}, h("dt", {}, name), h("dd", {}, value, more === null ? null : h("small", {}, more)));

function showHealth() {
  const s = store.statistics;
  const found = [];
  if (s.unusableSsts > 0) {
    found.push([true, plural(s.unusableSsts, "SST") +
      " cannot be read, or not all of it: reads of what is in there fail. sifr check finds what is damaged."]);
  }
  for (const each of failures.slice(-MOST_FAILURES)) {
    found.push([true, "At " + clock(each.last) + ", " + each.work + ": " + seen(each.message)]);
  }
  if (store.failures > MOST_FAILURES) {
    found.push([true, "These are the last of " + plural(store.failures, "failure") + "; Activity has more."]);
  }
  if (!store.readOnly && s.compactionDebt > 0) {
    found.push([false, "Compactions are behind: writers are slowed."]);
  }
  if (s.refusedWrites > 0) {
    found.push([false, plural(s.refusedWrites, "write was", "writes were") + " refused for being held back too long."]);
  }
  const lines = found.length > 0
    ? found.map(([isBad, text]) => h("p", { class: isBad ? "notice bad" : "notice" }, text))
    : [h("p", { class: "well" }, s.uncheckedSsts > 0
        ? "No damage is known; " + plural(s.uncheckedSsts, "SST") + " not yet checked since it was opened."
        : "No damage and no failure is known.")];
  replace(byId("health"), lines);
}

let databases = { count: 0, databases: [], more: false };

function showOverview() {
  const s = store.statistics;
  showHealth();
  const entries = databases.databases.reduce((sum, each) => sum + each.entries, 0);
  replace(byId("figures"), [
    figure("On disk", bytes(s.diskBytes), "all files of the store"),
    figure("Entries", (databases.more ? "over " : "") + about(entries), "estimated"),
    figure("SSTs", count(s.ssts), plural(s.trees, "tree") + ", " + plural(s.stages, "stage")),
    figure("Log", bytes(store.log.bytes), plural(store.log.segments, "segment")),
    figure("Last change", about(s.lastSequence), "its sequence number"),
    store.readOnly ? null : figure("Memory", bytes(s.budgetUsedBytes), "of " + bytes(s.budgetBytes)),
    figure("Written", (s.writeAmplification).toFixed(2) + " ×", "by flushes and compactions, per byte put"),
  ].filter(each => each !== null));
  replace(byId("databases"), databases.databases.map(each => h("tr", {},
    h("th", { scope: "row" }, h("a", { href: "#entries", onclick: () => openDatabase(each.name) }, seen(each.name))),
    h("td", { class: "number" }, count(each.entries)),
    h("td", { class: "number more" }, bytes(each.bytes)),
    h("td", { class: "number" }, bytes(each.fileBytes)),
    h("td", { class: "number more" }, count(each.trees)),
    h("td", { class: "number" }, count(each.ssts)))));
  byId("more-databases").hidden = !databases.more;
}

async function loadDatabases() {
  const first = await ask("databases");
  const shownBefore = databases.databases.length;
  while (first.more && first.databases.length < shownBefore) {
    await addDatabases(first);
  }
  databases = first;
  showNames();
}

async function addDatabases(list) {
  const more = await ask("databases", { after: list.databases.at(-1).name });
  list.databases.push(...more.databases);
  list.more = more.more && list.databases.length < MOST_NAMES;
}

function showNames() {
  const names = databases.databases.map(each => each.name);
  for (const select of [byId("entries-database"), byId("forest-database")]) {
    if (names.length === select.options.length && names.every((name, i) => select.options[i].value === name)) {
      continue;
    }
    const chosen = select.value || "default";
    replace(select, names.map(name => h("option", { value: name }, seen(name))));
    select.value = names.includes(chosen) ? chosen : names[0];
  }
}

byId("more-databases").addEventListener("click", async () => {
  try {
    await addDatabases(databases);
    showNames();
    showOverview();
  } catch (error) {
    showError(error);
  }
});

// ---- Entries

let page = { entries: [], previous: false, next: false };
let search = { prefix: null };
let entriesAreLoaded = false;

function openDatabase(name) {
  byId("entries-database").value = name;
  byId("key").value = "";
  byId("find").value = "prefix";
  search = { prefix: null };
  loadEntries({});
}

async function loadEntries(place) {
  entriesAreLoaded = true;
  const database = byId("entries-database").value;
  try {
    page = await ask("entries", { database, limit: PAGE_ENTRIES, ...search, ...place });
    warn(byId("entries-problem"), page.problem ? seen("Not all can be read: " + page.problem) : "", true);
    showEntries();
  } catch (error) {
    warn(byId("entries-problem"), seen(error.message), true);
  }
}

function showEntries() {
  const keyFormat = byId("show-key").value;
  const valueFormat = byId("show-value").value;
  const rows = page.entries.map(entry => {
    const key = shown(fromHex(entry.key), keyFormat);
    const open = h("button", { type: "button", title: "Show the whole value", onclick: () => openEntry(entry) },
      key === "" ? h("i", {}, "empty") : key);
    if (entry.problem) {
      return h("tr", {}, h("th", { scope: "row", class: "clip" }, open),
        h("td", { class: "unread", colspan: "2" }, "cannot be read: " + seen(entry.problem)));
    }
    const isCut = entry.value.length < 2 * entry.length;
    return h("tr", {}, h("th", { scope: "row", class: "clip" }, open),
      h("td", { class: "clip" }, shown(fromHex(entry.value), valueFormat, isCut)),
      h("td", { class: "number" }, count(entry.length)));
  });
  if (rows.length === 0) {
    rows.push(h("tr", {}, h("td", { class: "empty", colspan: "3" },
      search.prefix || page.previous || page.next ? "No entries here." : "The database is empty.")));
  }
  replace(byId("entries-rows"), rows);
  byId("first").disabled = byId("previous").disabled = !page.previous;
  byId("next").disabled = byId("last").disabled = !page.next;
  say(byId("entries-count"), page.entries.length === 0 ? "" : plural(page.entries.length, "entry", "entries") + " of this moment" +
    (page.previous || page.next ? "; there are more " + (page.previous && page.next ? "before and after" : page.next ? "after" : "before") + " them." : "."));
}

byId("search").addEventListener("submit", event => {
  event.preventDefault();
  let key;
  try {
    key = byId("key").value === "" ? null : typed(byId("key").value, byId("key-as").value);
  } catch (error) {
    warn(byId("entries-problem"), error.message, true);
    return;
  }
  const isPrefix = byId("find").value === "prefix";
  search = { prefix: isPrefix ? key : null };
  loadEntries(isPrefix ? {} : { from: key });
});
byId("entries-database").addEventListener("change", () => openDatabase(byId("entries-database").value));
byId("first").addEventListener("click", () => loadEntries({}));
byId("previous").addEventListener("click", () =>
  loadEntries(page.entries.length > 0 ? { before: page.entries[0].key } : { end: "true" }));
byId("next").addEventListener("click", () =>
  loadEntries(page.entries.length > 0 ? { after: page.entries.at(-1).key } : {}));
byId("last").addEventListener("click", () => loadEntries({ end: "true" }));

for (const id of ["show-key", "show-value", "entry-as"]) {
  replace(byId(id), Object.entries(FORMATS).map(([name, [label]]) => h("option", { value: name }, label)));
}
byId("show-key").addEventListener("change", showEntries);
byId("show-value").addEventListener("change", showEntries);

// ---- One entry

let entry = null; // its database, key, where the part begins, the part, the length

function openEntry(of) {
  entry = { database: byId("entries-database").value, key: of.key, expires: of.expires, from: 0, part: "", length: 0 };
  byId("entry").showModal();
  loadPart(0);
}

async function loadPart(from) {
  const asked = entry;
  try {
    const answer = await ask("value", { database: entry.database, key: entry.key, from, length: PART_BYTES });
    if (asked !== entry) {
      return;
    }
    Object.assign(entry, { from, part: answer.part, length: answer.length });
    warn(byId("entry-problem"), "");
  } catch (error) {
    warn(byId("entry-problem"), seen(error.message), true);
  }
  showPart();
}

function showPart() {
  const key = fromHex(entry.key);
  const part = fromHex(entry.part);
  const format = byId("entry-as").value;
  replace(byId("entry-facts"), [
    h("dt", {}, "Key"), h("dd", {}, shown(key, byId("show-key").value)),
    h("dt", {}, "in digits"), h("dd", {}, entry.key === "" ? "none" : entry.key),
    h("dt", {}, "Value"), h("dd", {}, plural(entry.length, "byte")),
    entry.expires ? [h("dt", {}, "Expires"), h("dd", {}, new Date(entry.expires).toISOString())] : [],
  ].flat());
  const isCut = entry.from + part.length < entry.length;
  const text = FORMATS[format][1](part, isCut || entry.from > 0);
  byId("entry-value").textContent = text === null
    ? dump(part, entry.from, window.innerWidth < 640 ? 8 : 16)
    : seen(text);
  const end = entry.from + part.length;
  say(byId("part-place"), entry.length === 0 ? "" : "bytes " + count(entry.from + 1) + " to " + count(end) + " of " + count(entry.length));
  byId("part-first").disabled = byId("part-previous").disabled = entry.from === 0;
  byId("part-next").disabled = byId("part-last").disabled = end >= entry.length;
}

byId("entry-as").addEventListener("change", showPart);
byId("entry-close").addEventListener("click", () => byId("entry").close());
byId("part-first").addEventListener("click", () => loadPart(0));
byId("part-previous").addEventListener("click", () => loadPart(Math.max(0, entry.from - PART_BYTES)));
byId("part-next").addEventListener("click", () => loadPart(entry.from + PART_BYTES));
byId("part-last").addEventListener("click", () =>
  loadPart(Math.floor((entry.length - 1) / PART_BYTES) * PART_BYTES));

// ---- Forest

let forest = null;
let forestText = "";

async function loadForest() {
  const database = byId("forest-database").value;
  const found = await ask("forest", { database });
  const text = JSON.stringify(found);
  noteChanges(found);
  if (text !== forestText) {
    forestText = text;
    forest = found;
    drawForest();
  }
}

/** For each key its place in the order of all, from 0 to 1. */
function keyPlaces() {
  const keys = new Set();
  for (const stage of forest.stages) {
    for (const tree of stage.shown) {
      for (const block of tree.blocks) {
        keys.add(block.first);
        keys.add(block.last);
      }
    }
  }
  const sorted = [...keys].sort();
  const places = new Map();
  sorted.forEach((key, i) => places.set(key, sorted.length > 1 ? i / (sorted.length - 1) : 0));
  return places;
}

function drawForest() {
  byId("forest-drawing").hidden = forest.trees === 0;
  const width = Math.max(260, byId("forest-drawing").clientWidth - 32);
  const isNarrow = width < 560;
  const left = isNarrow ? 0 : 108;
  const right = isNarrow ? 0 : 190;
  const space = width - left - right;
  const places = keyPlaces();
  const drawing = svg("svg", { width, role: "img" });
  let y = 4;
  const text = (x, at, words, kind = null) => svg("text", { x, y: at, class: kind }, words);
  for (const stage of forest.stages) {
    const words = stage.trees === 0
      ? "no trees"
      : plural(stage.trees, "tree") + ", " + plural(stage.ssts, "SST") + ", " + bytes(stage.bytes);
    drawing.append(text(0, y + 14, "Stage " + stage.stage, "stage"), text(left === 0 ? 70 : left, y + 14, words));
    y += 24;
    for (const tree of stage.shown) {
      const label = "tree " + tree.id;
      const size = bytes(tree.bytes) + ", " + about(tree.entries) + (tree.entries === 1 ? " entry" : " entries");
      if (isNarrow) {
        drawing.append(text(0, y + 11, label), svg("text", { x: width, y: y + 11, class: "size" }, size));
        y += 16;
      } else {
        drawing.append(text(0, y + 12, label), svg("text", { x: width, y: y + 12, class: "size" }, size));
      }
      drawing.append(svg("line", { x1: left, x2: left + space, y1: y + 8, y2: y + 8, class: "track" }));
      for (const block of tree.blocks) {
        const x = left + places.get(block.first) * space;
        const wide = Math.max(2, (places.get(block.last) - places.get(block.first)) * space);
        const what = (block.ssts === 1 ? "SST " + block.number : plural(block.ssts, "SST") + " from " + block.number + " on") +
          ": " + bytes(block.bytes) + ", " + plural(block.entries, "entry", "entries") +
          (block.tombstones > 0 ? ", of which " + plural(block.tombstones, "tombstone") : "") +
          "\nfrom " + shown(fromHex(block.first), "auto", false) + "\nto " + shown(fromHex(block.last), "auto", false);
        drawing.append(svg("rect", {
          x: Math.min(x, left + space - 2), y, width: wide, height: 16, rx: 1.5,
          "fill-opacity": forest.stages.length > 1 ? 0.62 + 0.38 * (stage.stage - 1) / (forest.stages.length - 1) : 1,
          class: "block" + (block.place === "STORE" ? "" : " " + block.place.toLowerCase()),
        }, svg("title", {}, what)));
      }
      y += isNarrow ? 24 : 22;
    }
    const more = stage.trees - stage.shown.length;
    if (more > 0) {
      drawing.append(text(left, y + 12, "and " + plural(more, "tree") + " more"));
      y += 22;
    }
    y += 10;
  }
  attributes(drawing, {
    height: y,
    "aria-label": "Forest of " + plural(forest.trees, "tree") + " in " + plural(forest.stages.length, "stage") +
      "; the table below has the same",
  });
  replace(byId("forest-drawing"), drawing);
  say(byId("forest-summary"), forest.trees === 0
    ? "There are no trees: what was written is in memory and in the log."
    : plural(forest.trees, "tree") + " of " + plural(forest.ssts, "SST") + ", " + bytes(forest.bytes) +
    (forest.valueFiles > 0
      ? "; " + plural(forest.valueFiles, "value file") + " of " + bytes(forest.valueBytes) + ", of which " +
        bytes(forest.referredValueBytes) + " are referred to"
      : "") + ".");
  replace(byId("forest-rows"), forest.stages.flatMap(stage => stage.shown.map(tree => h("tr", {},
    h("td", { class: "number" }, count(stage.stage)),
    h("td", { class: "number" }, String(tree.id)),
    h("td", { class: "number" }, count(tree.ssts)),
    h("td", { class: "number" }, count(tree.entries)),
    h("td", { class: "number" }, bytes(tree.bytes))))));
}

byId("forest-database").addEventListener("change", () => refresh());
new ResizeObserver(() => {
  if (forest !== null && !byId("forest").hidden) {
    drawForest();
  }
}).observe(byId("main"));

// ---- Activity

/** What is drawn: name, unit, lines of [label, value of two samples], whether a reader of files knows it. */
const rate = (name, factor = 1) => (a, b) =>
  a === undefined || b.values[name] < a.values[name] ? null : (factor * (b.values[name] - a.values[name])) / ((b.time - a.time) / 1000);
/** After a crash sequence numbers go on much higher. */
const changes = (a, b) => {
  const found = rate("lastSequence")(a, b);
  return found > 2 ** 30 ? null : found;
};
const level = name => (a, b) => b.values[name];
const PLOTS = [
  ["Changes per second", about, [["changes", changes]], true],
  ["Written per second", bytes, [["by the program", rate("userBytes")], ["by flushes", rate("flushBytes")],
    ["by compactions", rate("compactionBytes")]], true],
  ["Gets per second, about", about, [["gets", rate("getMicrosSamples", GETS_PER_SAMPLE)]], false],
  ["Delays of writers, ms per second", about, [["delays", rate("stallMillis")]], false],
  ["On disk", bytes, [["files", level("diskBytes")], ["estimated data", level("estimatedDataBytes")]], true],
  ["Memory", bytes, [["write buffers", level("writeBufferBytes")], ["block cache", level("blockCacheBytes")]], false],
  ["Trees", count, [["trees", level("trees")]], true],
];

function plot([title, unit, lines]) {
  const width = 300;
  const height = 64;
  const begin = samples.length > 0 ? samples[0].time : 0;
  const span = Math.max(60_000, samples.length > 0 ? samples.at(-1).time - begin : 0);
  const found = lines.map(([, value]) => samples.map((b, i) => [b.time, value(samples[i - 1], b)]));
  const most = Math.max(1, ...found.flat().map(([, value]) => value ?? 0));
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height + 4}`, width: "100%", role: "img" });
  drawing.append(svg("line", { x1: 0, x2: width, y1: height + 1, y2: height + 1, class: "base" }));
  found.forEach((points, i) => {
    const path = points.filter(([, value]) => value !== null)
      .map(([time, value]) => ((time - begin) / span * width).toFixed(1) + "," + (height - value / most * (height - 12)).toFixed(1));
    drawing.append(svg("polyline", { points: path.join(" "), class: "plot-" + i }));
  });
  const now = found.map(points => points.at(-1)?.[1] ?? null);
  const words = now.map(value => (value === null ? "–" : unit(value)));
  if (found.flat().some(([, value]) => value > 0)) {
    drawing.append(svg("text", { x: width, y: 9, class: "size most" }, "up to " + unit(most)));
  }
  attributes(drawing, { "aria-label": title + ": " + lines.map(([label], i) => label + " " + words[i]).join(", ") });
  return h("figure", {}, h("figcaption", {}, title),
    h("ul", { class: "legend" }, lines.map(([label], i) =>
      h("li", {}, lines.length > 1 ? h("i", { class: "plot-" + i }) : null, lines.length > 1 ? label + " " : "", h("b", {}, words[i])))),
    drawing);
}

const events = [];
let failures = [];
let failuresText = "";
let lastEvent = 0;
const treesBefore = new Map(); // by database, the trees of the last forest

function describe(event) {
  const where = event.database === "default" ? "" : " of " + event.database;
  switch (event.kind) {
    case "flush":
      return plural(event.entries, "entry", "entries") + where + ", " + bytes(event.writtenBytes) + " in " + duration(event.nanos);
    case "compaction":
      return plural(event.trees, "tree") + where + " of stage " + event.fromStage + (event.fromStage === event.toStage ? "" : " into stage " + event.toStage) + ": " +
        bytes(event.writtenBytes) + " written, " + bytes(event.movedBytes) + " moved, in " + duration(event.nanos) +
        " (" + event.reason.replaceAll("_", " ") + ")";
    case "stall":
      return "a writer waited for " + duration(event.nanos) + where;
    default:
      return event.text;
  }
}

/** Of a store that is open elsewhere there are no events: what happened is seen by its trees. */
function noteChanges(found) {
  const trees = new Map();
  for (const stage of found.stages) {
    for (const tree of stage.shown) {
      trees.set(tree.id, [stage.stage, tree.bytes]);
    }
  }
  const before = treesBefore.get(found.database);
  treesBefore.set(found.database, trees);
  if (store === null || store.events && !store.readOnly || before === undefined) {
    return;
  }
  const where = found.database === "default" ? "" : " in " + found.database;
  for (const [id, [stage, size]] of trees) {
    if (!before.has(id)) {
      events.push({ time: store.since ?? store.time, kind: "tree", text: "tree " + id + " came to stage " + stage + where + ", " + bytes(size) });
    }
  }
  const gone = [...before].filter(([id]) => !trees.has(id));
  for (const stage of new Set(gone.map(([, [number]]) => number))) {
    const here = gone.filter(([, [number]]) => number === stage);
    events.push({ time: store.since ?? store.time, kind: "tree",
      text: plural(here.length, "tree") + where + " left stage " + stage + ", compacted or dropped" });
  }
  showEvents();
}

async function loadEvents() {
  if (!store.events) {
    return;
  }
  const found = await ask("events", { after: lastEvent });
  if (found.count < lastEvent) {
    lastEvent = 0; // the program was started again
    return;
  }
  lastEvent = found.count;
  events.push(...found.events);
  const text = JSON.stringify(found.failures);
  if (found.events.length > 0 || text !== failuresText) {
    failures = found.failures;
    failuresText = text;
    showEvents();
  }
}

function showEvents() {
  events.splice(0, Math.max(0, events.length - 200));
  const line = (time, kind, text, isFailure = false) => h("li", { class: isFailure ? "failure" : null },
    h("time", { datetime: new Date(time).toISOString() }, clock(time)), h("span", { class: "kind" }, kind),
    h("span", { class: "text" }, seen(text)));
  const lines = [
    ...failures.map(each => line(each.last, "failure",
      each.work + ": " + each.message + (each.times > 1 ? " (" + each.times + " times)" : ""), true)).reverse(),
    ...events.map(each => line(each.time, each.kind, describe(each))).reverse(),
  ];
  replace(byId("events"), lines.length > 0 ? lines : [h("li", { class: "none" }, "None yet.")]);
}

const number = (metric, value) =>
  metric.unit === "bytes" ? bytes(value)
    : Number.isInteger(value) ? count(value) + (metric.unit === "milliseconds" ? " ms" : "")
      : value.toFixed(2) + (metric.unit === "microseconds" ? " µs" : "");

function showStatistics() {
  const s = store.statistics;
  const names = Object.keys(s);
  replace(byId("statistics"), metrics.flatMap(metric => {
    const own = names.includes(metric.name) ? [metric.name] : names.filter(name => name.startsWith(metric.name));
    return own.map(name => h("tr", {},
      h("th", { scope: "row" }, name),
      h("td", { class: "number" }, number(name.endsWith("Samples") ? {} : metric, s[name])),
      h("td", { class: "faint" }, metric.meaning)));
  }));
}

function showActivity() {
  const s = store.statistics;
  say(byId("activity-hint"), store.readOnly
    ? "The store is open to be read only, so what its writer does is seen by what has come to the files. Rates follow the log and the manifest."
    : "Plots begin when the page is opened, and reach back ten minutes.");
  say(byId("events-hint"), store.readOnly
    ? "Of the forest that the tab Forest shows, seen from view to view."
    : store.events ? "The last flushes, compactions, stalls and failures."
      : "The program does not tell its events to the window; these are changes of the forest that the tab Forest shows.");
  byId("now").hidden = store.readOnly;
  if (!store.readOnly) {
    replace(byId("now"), [
      figure("Compactions now", count(s.runningCompactions)),
      figure("Write buffers to be flushed", count(s.fullWriteBuffers)),
      figure("Compaction debt", s.compactionDebt.toFixed(2), "above 0 writers are slowed"),
      figure("Longest put", s.putMicrosSamples > 0 ? duration(1000 * s.putMicrosMax) : "–", "of those measured"),
    ]);
  }
  replace(byId("plots"), PLOTS.filter(each => !store.readOnly || each[3]).map(plot));
  showStatistics();
}

// ---- Backups

async function loadBackups() {
  const found = await ask("backups");
  warn(byId("backups-problem"), found.problem ? seen(found.problem) : "", true);
  replace(byId("points"), found.points.map(each => h("tr", {},
    h("th", { scope: "row", class: "number" }, count(each.number)),
    each.problem
      ? h("td", { colspan: "5", class: "unread" }, seen(each.problem))
      : [
        h("td", {}, new Date(each.taken).toLocaleString("sv-SE")),
        h("td", { class: "number" }, count(each.databases)),
        h("td", { class: "number" }, count(each.ssts)),
        h("td", { class: "number" }, bytes(each.bytes)),
        h("td", { class: "number" }, bytes(each.copiedBytes)),
      ])));
  say(byId("points-count"), found.count === 0 ? "There are no points." : plural(found.count, "point") +
    (found.count > found.points.length ? ", of which these are the last" : "") + ". Files are not verified here: sifr backup verify does that.");
}

// ---- Parts of the window, and time

const TABS = ["overview", "entries", "forest", "activity", "backups"];
let tab = "";
let isBusy = false;
let isAskedAgain = false;

function choose() {
  const wanted = location.hash.slice(1);
  if (wanted === "main") {
    return;
  }
  tab = TABS.includes(wanted) ? wanted : "overview";
  for (const name of TABS) {
    byId(name).hidden = name !== tab;
  }
  for (const link of document.querySelectorAll("nav a")) {
    const isThis = link.getAttribute("href") === "#" + tab;
    if (isThis) {
      link.setAttribute("aria-current", "page");
    } else {
      link.removeAttribute("aria-current");
    }
  }
  window.scrollTo(0, 0);
  refresh();
}

async function refresh() {
  if (isBusy) {
    isAskedAgain = true;
    return;
  }
  isBusy = true;
  try {
    do {
      isAskedAgain = false;
      await look();
    } while (isAskedAgain);
  } finally {
    isBusy = false;
  }
}

async function look() {
  try {
    store = await ask("store");
    showState();
    sample();
    if (metrics.length === 0) {
      metrics = (await ask("metrics")).metrics;
    }
    if (tab === "overview" || databases.count === 0) {
      await loadDatabases();
    }
    if (tab === "overview") {
      await loadEvents();
      showOverview();
    } else if (tab === "entries" && !entriesAreLoaded) {
      await loadEntries({});
    } else if (tab === "backups" && store.backups) {
      await loadBackups();
    }
    if (tab === "forest" || tab === "activity") {
      await loadForest();
    }
    if (tab === "activity") {
      await loadEvents();
      showActivity();
    }
    document.body.dataset.shown = tab;
  } catch (error) {
    showError(error);
  }
}

addEventListener("hashchange", choose);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) {
    refresh();
  }
});
setInterval(() => {
  if (!document.hidden) {
    refresh();
  }
}, POLL_MILLIS);
showEvents();
choose();
