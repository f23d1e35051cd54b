"use strict";
// Sorts, searches and filters tables and hides their columns. What was chosen stands in the
// address, so that it can be shared. Every page is complete without this script.

document.documentElement.classList.add("js");

const byId = (id) => document.getElementById(id);
const table = document.querySelector("table.board, table.heat");
const controls = { q: byId("filter"), kind: byId("kind"), complete: byId("complete") };
const state = { q: "", kind: "", complete: "", sort: "", hide: [] };

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

const labelOf = (header) => (header.querySelector("button") ?? header).textContent.trim();
const headersOf = (of) => [...of.tHead.rows[0].cells];

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
  const name = row.cells ? (row.querySelector("th") ?? row).textContent : row.textContent;
  const text = row.closest("table.grid") ? row.textContent : name;
  if (wanted && !text.toLowerCase().includes(wanted)) return false;
  if (state.complete && "gaps" in row.dataset) return false;
  return !state.kind || row.classList.contains(state.kind);
}

function filterRows() {
  const rows = table?.classList.contains("board")
    ? [...table.querySelectorAll("tbody tr")]
    : [...document.querySelectorAll(".found")];
  let shown = 0;
  for (const row of rows) {
    row.hidden = !matches(row);
    shown += row.hidden ? 0 : 1;
  }
  for (const group of document.querySelectorAll(".family")) {
    group.hidden = !group.querySelector(".found:not([hidden])");
  }
  for (const body of document.querySelectorAll("table.heat, table.grid")) {
    body.closest("section").hidden = !body.querySelector("tbody tr:not([hidden])");
  }
  if (table?.classList.contains("board")) table.closest(".scroll").hidden = shown === 0;
  const nothing = document.querySelector(".nothing");
  if (nothing) nothing.hidden = shown !== 0;
  const isChosen = state.q.trim() || state.kind || state.complete;
  const status = byId("status");
  if (status) status.textContent = isChosen ? `${shown} of ${rows.length} rows` : "";
}

function hideColumns() {
  if (!table) return;
  const hidden = new Set(state.hide);
  const places = headersOf(table).map((header) => hidden.has(labelOf(header)));
  for (const row of table.rows) {
    for (const cell of row.cells) cell.hidden = Boolean(places[cell.cellIndex]);
  }
}

function writeAddress() {
  const chosen = new URLSearchParams();
  for (const key of ["q", "kind", "complete", "sort"]) if (state[key]) chosen.set(key, state[key]);
  for (const label of state.hide) chosen.append("hide", label);
  const text = chosen.toString();
  if (text === location.hash.slice(1)) return;
  // With nothing chosen there is no fragment; "#" alone would scroll to the top of the page.
  history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
}

function readAddress() {
  const chosen = new URLSearchParams(location.hash.slice(1));
  const known = ["q", "kind", "complete", "sort", "hide"];
  if (location.hash && !known.some((key) => chosen.has(key))) return;
  for (const key of ["q", "kind", "complete", "sort"]) state[key] = chosen.get(key) ?? "";
  state.hide = chosen.getAll("hide");
  if (controls.q) controls.q.value = state.q;
  if (controls.kind) controls.kind.value = state.kind;
  if (controls.complete) controls.complete.checked = Boolean(state.complete);
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

offerColumns();
controls.q?.addEventListener("input", () => choose({ q: controls.q.value }));
controls.kind?.addEventListener("change", () => choose({ kind: controls.kind.value }));
controls.complete?.addEventListener("change", () => choose({ complete: controls.complete.checked ? "1" : "" }));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && byId("columns")?.open) {
    byId("columns").open = false;
    byId("columns").querySelector("summary").focus();
  }
});
window.addEventListener("hashchange", readAddress);
// A browser may restore the text of the boxes when it comes back to the page.
if (location.hash) readAddress();
else if (controls.q?.value || controls.kind?.value || controls.complete?.checked) {
  choose({ q: controls.q?.value ?? "", kind: controls.kind?.value ?? "", complete: controls.complete?.checked ? "1" : "" });
}
