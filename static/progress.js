"use strict";

// On a fleet of many clusters: sends the forms of this page so that the server tells how far it has
// come, and shows that. Without this script they are sent as usual, and the browser shows a wheel.

// A page that has nothing but this to do.
const WORKING = document.querySelector("#fleet-working");

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || !form.closest("#content, main")) return;
  event.preventDefault();
  const body = new FormData(form, event.submitter);
  ask(form.getAttribute("action") ? form.action : location.href, { method: "POST", body }, body.has("_plan"));
});

if (WORKING) ask(location.href, {}, false);

async function ask(address, options, applies) {
  const panel = open_panel(applies);
  const stop = new AbortController();
  panel.addEventListener("close", () => stop.abort());
  try {
    const answer = await fetch(address, {
      ...options,
      headers: { "X-Progress": "lines" },
      credentials: "same-origin",
      signal: stop.signal,
    });
    if (!answer.ok) throw new Error(answer.statusText);
    for await (const news of lines_of(answer.body)) {
      if (news.location === "") break;
      if (news.location && WORKING) return location.replace(news.location);
      if (news.location) return location.assign(news.location);
      show(panel, news);
    }
    throw new Error("The work has failed.");
  } catch {
    if (stop.signal.aborted) {
      panel.remove();
      if (WORKING) history.back();
      return;
    }
    fail(panel, applies);
  }
}

async function* lines_of(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    yield* lines.map((line) => JSON.parse(line));
  }
}

function open_panel(applies) {
  const panel = document.createElement("dialog");
  panel.className = "fleet-progress";
  panel.setAttribute("aria-labelledby", "fleet-progress-title");
  panel.append(
    element("h2", applies ? "Applying it" : "Finding out what it would do", { id: "fleet-progress-title" }),
    element("progress", "", { ariaLabel: "Progress" }),
    element("p", "…", { className: "fleet-progress-news", role: "status" }),
    element("p", applies
      ? "It is done as a whole or not at all. You may close this page: it goes on, and shows up under Revisions."
      : "Nothing is changed by this. You may stop it, or leave this page, at any time."),
  );
  if (applies) panel.addEventListener("cancel", (event) => event.preventDefault());
  else {
    const stop = element("button", "Stop", { type: "button" });
    stop.addEventListener("click", () => panel.close());
    panel.append(stop);
  }
  document.body.append(panel);
  panel.showModal();
  return panel;
}

function show(panel, { what, done, of }) {
  const bar = panel.querySelector("progress");
  if (of) {
    bar.max = of;
    bar.value = done;
  } else bar.removeAttribute("value");
  panel.querySelector(".fleet-progress-news").textContent =
    of ? `${done.toLocaleString()} of ${of.toLocaleString()} ${what}` : `${what || "Working"}…`;
}

function fail(panel, applies) {
  panel.querySelector("progress").remove();
  panel.querySelector("#fleet-progress-title").textContent = "This did not work";
  panel.querySelector(".fleet-progress-news").textContent = applies
    ? "Whether it was applied, the page Revisions tells."
    : "Nothing was changed. Try it again.";
  if (!panel.querySelector("button")) {
    const close = element("button", "Close", { type: "button" });
    close.addEventListener("click", () => panel.close());
    panel.append(close);
  }
}

function element(name, text, properties = {}) {
  return Object.assign(document.createElement(name), { textContent: text }, properties);
}
