"use strict";
// Sorts, searches and filters tables and hides their columns. What was chosen stands in the
// address, so that it can be shared. Every page is complete without this script.

document.documentElement.classList.add("js");

const byId = (id) => document.getElementById(id);
const table = document.querySelector("table.board, table.matrix");
const CHOICES = ["q", "kind", "complete", "family", "setting", "price", "cutoff", "weights"];
const controls = Object.fromEntries(CHOICES.map((key) => [key, byId(key === "q" ? "filter" : key)]));
const state = { ...Object.fromEntries(CHOICES.map((key) => [key, ""])), sort: "", hide: [] };

function valueOf(cell, kind) {
  const text = cell.dataset.v ?? cell.textContent.trim();
  if (kind !== "number") return text === "" || text === "–" ? undefined : text;
  const number = Number.parseFloat(text.replaceAll(",", "").replace("<", ""));
  return Number.isNaN(number) ? undefined : number;
}

function compare(kind, direction, column) {
  const sign = direction === "ascending" ? 1 : -1;
  const values = new Map();
  const of = (row) => {
    if (!values.has(row)) values.set(row, valueOf(row.cells[column], kind));
    return values.get(row);
  };
  return (a, b) => {
    const left = of(a);
    const right = of(b);
    // Rows without a value stay last in both directions.
    if (left === undefined || right === undefined) {
      return (left === undefined) - (right === undefined);
    }
    return sign * (kind === "number" ? left - right : left.localeCompare(right, "en"));
  };
}

const labelOf = (header) => {
  const named = header.querySelector("button") ?? header;
  return named.getAttribute("aria-label") ?? named.textContent.trim();
};
const headersOf = (of) => [...of.tHead.rows[of.tHead.rows.length - 1].cells];

function sortBy(header, direction) {
  const button = header.querySelector("button");
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", direction);
  const body = header.closest("table").querySelector("tbody.ranked");
  const rows = [...body.rows];
  rows.sort(compare(button.dataset.kind, direction, header.cellIndex));
  body.append(...rows);
}

function matches(row) {
  const wanted = state.q.trim().toLowerCase();
  const name = (row.querySelector("th") ?? row).textContent;
  if (wanted && !name.toLowerCase().includes(wanted)) return false;
  if (state.complete && "gaps" in row.dataset) return false;
  // Whoever has no price or no cutoff fails no limit: a baseline costs nothing and learnt nothing.
  if (state.price && Number(row.dataset.price) > Number(state.price)) return false;
  if (state.cutoff && row.dataset.cutoff >= state.cutoff) return false;
  if (state.weights && row.dataset.weights !== state.weights) return false;
  if (!state.family && !state.setting) return !state.kind || row.classList.contains(state.kind);
  // Who took none of the tasks in view has nothing to show there.
  const inView = headersOf(table).filter((one) => one.dataset.family !== undefined && !isHidden(one));
  const hasTaken = inView.length === 0 || inView.some((one) => row.cells[one.cellIndex].textContent !== "");
  return hasTaken && (!state.kind || row.classList.contains(state.kind));
}

function filterRows() {
  if (!table) return;
  const rows = [...table.querySelectorAll("tbody tr")];
  let shown = 0;
  for (const row of rows) {
    row.hidden = !matches(row);
    shown += row.hidden ? 0 : 1;
  }
  table.closest(".scroll").hidden = shown === 0;
  const nothing = document.querySelector(".nothing");
  if (nothing) nothing.hidden = shown !== 0;
  const isChosen = ["q", "kind", "complete", "price", "cutoff", "weights"].some((key) => state[key].trim());
  const status = byId("status");
  const lost = headersOf(table).filter(isHidden).length;
  const told = isChosen ? [`${shown} of ${rows.length} rows`] : [];
  if (lost) told.push(`${lost} ${lost === 1 ? "column" : "columns"} hidden`);
  if (status) status.textContent = told.join(", ");
}

function isHidden(header) {
  const { family, setting } = header.dataset;
  if (family !== undefined && state.family && family !== state.family) return true;
  if (setting !== undefined && state.setting && setting !== state.setting) return true;
  return state.hide.includes(labelOf(header));
}

function hideColumns() {
  if (!table) return;
  const headers = headersOf(table);
  const places = headers.map(isHidden);
  for (const row of [...table.tBodies].flatMap((body) => [...body.rows])) {
    for (const cell of row.cells) cell.hidden = Boolean(places[cell.cellIndex]);
  }
  headers.forEach((header, place) => (header.hidden = places[place]));
  if (table.tHead.rows.length === 1) return;
  // The upper row has one cell for each column without a family, in the same order.
  for (const [place, cell] of [...table.tHead.rows[0].cells].entries()) {
    const under = headers.filter((one) => one.dataset.family === cell.dataset.family);
    const shown = under.filter((one) => !one.hidden).length;
    cell.hidden = cell.dataset.family === undefined ? Boolean(places[place]) : shown === 0;
    if (cell.dataset.family !== undefined) cell.colSpan = Math.max(1, shown);
  }
}

function writeAddress() {
  const chosen = new URLSearchParams();
  for (const key of [...CHOICES, "sort"]) if (state[key]) chosen.set(key, state[key]);
  for (const label of state.hide) chosen.append("hide", label);
  const text = chosen.toString();
  if (text === location.hash.slice(1)) return;
  // With nothing chosen there is no fragment; "#" alone would scroll to the top of the page.
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

function readAddress() {
  const chosen = new URLSearchParams(location.hash.slice(1));
  const known = [...CHOICES, "sort", "hide"];
  if (location.hash && !known.some((key) => chosen.has(key))) return;
  for (const key of [...CHOICES, "sort"]) state[key] = chosen.get(key) ?? "";
  state.hide = chosen.getAll("hide");
  for (const key of CHOICES) {
    const control = controls[key];
    if (control?.type === "checkbox") control.checked = Boolean(state[key]);
    else if (control) control.value = state[key];
  }
  for (const box of document.querySelectorAll("#columns input")) {
    box.checked = !state.hide.includes(box.value);
  }
  if (state.sort && table) {
    const [direction, label] = [state.sort[0] === "-" ? "descending" : "ascending", state.sort.slice(1)];
    const header = headersOf(table).find((one) => one.querySelector("button") && labelOf(one) === label);
    if (header) sortBy(header, direction);
  }
  apply();
}

function apply() {
  filterRows();
  hideColumns();
}

function choose(change) {
  Object.assign(state, change);
  apply();
  writeAddress();
}

for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => {
    const header = button.closest("th");
    const opposite = { ascending: "descending", descending: "ascending" };
    const direction = opposite[header.getAttribute("aria-sort")] ?? button.dataset.first;
    sortBy(header, direction);
    if (header.closest("table") !== table) return;
    state.sort = (direction === "descending" ? "-" : "+") + labelOf(header);
    writeAddress();
  });
}

function offerColumns() {
  const place = byId("columns")?.querySelector(".choices");
  if (!place || !table) return;
  for (const header of headersOf(table)) {
    if (header.classList.contains("rank") || header.classList.contains("name")) continue;
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.value = labelOf(header);
    box.addEventListener("change", () => {
      const others = state.hide.filter((label) => label !== box.value);
      choose({ hide: box.checked ? others : [...others, box.value] });
    });
    const label = document.createElement("label");
    label.append(box, ` ${box.value}`);
    place.append(label);
  }
}

// A phone has no room for the columns of facts: they are shown below the names.
function tellFacts() {
  const facts = table ? headersOf(table).filter((header) => header.dataset.words) : [];
  for (const row of facts.length ? table.tBodies[0].rows : []) {
    const told = facts.map((header) => [header.dataset.words, row.cells[header.cellIndex].textContent]);
    const known = told.filter(([, value]) => value !== "");
    row.cells[0].dataset.brief = known.map(([words, value]) => words.replace("{}", value)).join(" · ");
  }
}

offerColumns();
tellFacts();
document.querySelector(".to-tools")?.addEventListener("click", (event) => {
  event.preventDefault();
  controls.q.focus();
});
window.addEventListener("load", () => setTimeout(() => table?.classList.add("whole")));
const chosenIn = (control) => (control.type === "checkbox" ? (control.checked ? "1" : "") : control.value);
const chosenNow = () =>
  Object.fromEntries(CHOICES.filter((key) => controls[key]).map((key) => [key, chosenIn(controls[key])]));
for (const key of CHOICES) controls[key]?.addEventListener("input", () => choose(chosenNow()));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && byId("columns")?.open) {
    byId("columns").open = false;
    byId("columns").querySelector("summary").focus();
  }
});
window.addEventListener("hashchange", readAddress);
// The page says which family comes first, and a browser may restore the text of the boxes.
if (location.hash) readAddress();
else if (Object.values(chosenNow()).some(Boolean)) {
  Object.assign(state, chosenNow());
  apply();
}
