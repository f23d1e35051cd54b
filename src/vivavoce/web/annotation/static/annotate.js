"use strict";
// Keys for buttons, links and questions, and one submit a click.
// Every page works without it.

document.documentElement.classList.add("js");

function answer(radio) {
  radio.checked = true;
  const all = [...document.querySelectorAll(".question")];
  const next = all.find((question) => !question.querySelector(":checked"));
  (next ? next.querySelector("input") : document.querySelector("button.main")).focus();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  // Enter does what it always does on links and buttons.
  if (event.key === "Enter" && event.target.matches("a, button, summary")) return;
  const found = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!found) return;
  if (found.matches("[type=radio]")) answer(found);
  else if (found.matches("textarea")) {
    found.closest("details").open = true;
    found.focus();
  }
  else if (found.matches("details")) {
    found.open = !found.open;
    for (const inner of found.querySelectorAll("details")) inner.open = found.open;
  }
  else found.click();
  event.preventDefault();
});

let isSent = false;
document.addEventListener("submit", (event) => {
  // Nothing is disabled: a disabled button would not say what was chosen.
  if (isSent) event.preventDefault();
  isSent = true;
});
addEventListener("pageshow", () => { isSent = false; });
