"use strict";
// Sorts the ranked rows of a table by its header buttons and filters rows by name.
// The page is complete without it.

document.documentElement.classList.add("js");

function compare(kind, direction, column) {
  const sign = direction === "ascending" ? 1 : -1;
  return (a, b) => {
    const left = a.cells[column].dataset.v;
    const right = b.cells[column].dataset.v;
    // Rows without a value stay last in both directions.
    if (left === undefined || right === undefined) {
      return (left === undefined) - (right === undefined);
    }
    const order = kind === "number" ? Number(left) - Number(right) : left.localeCompare(right, "en");
    return sign * order;
  };
}

function sortBy(button) {
  const header = button.closest("th");
  const opposite = { ascending: "descending", descending: "ascending" };
  const direction = opposite[header.getAttribute("aria-sort")] || button.dataset.first;
  for (const other of header.parentElement.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", direction);
  const body = header.closest("table").querySelector("tbody.ranked");
  const rows = [...body.rows];
  rows.sort(compare(button.dataset.kind, direction, header.cellIndex));
  body.append(...rows);
}

for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => sortBy(button));
}

function applyFilter(text) {
  const wanted = text.trim().toLowerCase();
  let shown = 0;
  let total = 0;
  for (const board of document.querySelectorAll("section.board")) {
    let here = 0;
    for (const row of board.querySelectorAll("tbody tr")) {
      row.hidden = !row.dataset.name.toLowerCase().includes(wanted);
      total += 1;
      here += row.hidden ? 0 : 1;
    }
    board.querySelector(".scroll").hidden = here === 0;
    board.querySelector(".nothing").hidden = here !== 0;
    shown += here;
  }
  document.getElementById("status").textContent = wanted ? `${shown} of ${total} rows` : "";
}

const filter = document.getElementById("filter");
if (filter) {
  filter.addEventListener("input", () => applyFilter(filter.value));
  // A browser may restore the text of the box when it comes back to the page.
  if (filter.value) applyFilter(filter.value);
}
