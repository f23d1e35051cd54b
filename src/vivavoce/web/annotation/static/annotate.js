"use strict";
// Keys for the buttons, drafts that save themselves, and one submit a click.
// Every page works without it.

document.documentElement.classList.add("js");

const form = document.getElementById("work");
const AFTER_TYPING = 700;

function isTyping(target) {
  return target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
}

function answer(radio) {
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  const all = [...document.querySelectorAll(".question")];
  const next = all.find((question) => !question.querySelector(":checked"));
  (next ? next.querySelector("input") : form.querySelector("button.main")).focus();
}

document.addEventListener("keydown", (event) => {
  if (!form || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  // Enter does what it always does on links and buttons.
  if (event.key === "Enter" && event.target.matches("a, button, summary")) return;
  const found = form.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
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
  clearTimeout(waiting);
});
addEventListener("pageshow", () => { isSent = false; });

let waiting;
let isChanged = false;

async function saveDraft() {
  clearTimeout(waiting);
  if (!isChanged || isSent) return;
  isChanged = false;
  const status = document.querySelector(".saved");
  try {
    const reply = await fetch(form.dataset.draft, {
      method: "POST",
      body: new URLSearchParams(new FormData(form)),
      keepalive: true,
    });
    isChanged ||= !reply.ok;
    status.textContent = reply.ok ? "Draft saved" : "The draft is not saved yet. It will be tried again.";
    if (reply.status >= 500) waiting = setTimeout(saveDraft, 4 * AFTER_TYPING);
  } catch {
    isChanged = true;
    status.textContent = "The server does not answer. What you typed stays on this page.";
    waiting = setTimeout(saveDraft, 4 * AFTER_TYPING);
  }
}

if (form && form.dataset.draft) {
  form.addEventListener("input", () => {
    isChanged = true;
    clearTimeout(waiting);
    waiting = setTimeout(saveDraft, AFTER_TYPING);
  });
  addEventListener("pagehide", saveDraft);
}
