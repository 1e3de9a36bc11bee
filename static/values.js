"use strict";

// Asks about a row of patches while it is typed: what it inherits, and what is wrong with it. Without
// this script the form works all the same, and says so when it is saved.
(() => {
  const WAIT = 350;
  const pending = new WeakMap();
  const suggestions = new Map();

  const field = (group, name) => group.querySelector(`[name$="-${name}"]`);
  const text = (group, name) => field(group, name)?.value ?? "";
  const panelOf = (group) => group.closest("form").querySelector("[data-patch-url]");
  const isTemplate = (group) => group.classList.contains("empty-form");

  function patchGroups(group) {
    const editors = group.closest("table").querySelectorAll("[data-value-editor]");
    return [...editors].map((editor) => editor.closest(".form-group")).filter((each) => !isTemplate(each));
  }

  function question(group) {
    const form = group.closest("form");
    const body = new FormData();
    body.set("csrfmiddlewaretoken", form.elements.csrfmiddlewaretoken.value);
    body.set("owner", panelOf(group).dataset.owner);
    for (const name of ["environment", "labels"]) {
      if (form.elements[name]) body.set(name, form.elements[name].value);
    }
    body.set("component", text(group, "component"));
    if (!group.querySelector("[data-value-editor]")) return body;
    body.set("id", text(group, "id"));
    body.set("key", text(group, "key"));
    for (const name of ["kind", "text", "truth"]) body.set(name, text(group, `value_${name}`));
    for (const other of patchGroups(group)) {
      if (text(other, "id")) body.append("here", text(other, "id"));
      const counts = other !== group && !field(other, "DELETE")?.checked && text(other, "value_kind") !== "unset";
      if (counts && text(other, "component") === text(group, "component")) body.append("other", text(other, "key"));
    }
    if (!suggestions.has(text(group, "component"))) body.set("suggest", "on");
    return body;
  }

  async function ask(group) {
    pending.get(group)?.abort();
    const control = new AbortController();
    pending.set(group, control);
    try {
      const answer = await fetch(panelOf(group).dataset.patchUrl, {
        method: "POST",
        body: question(group),
        signal: control.signal,
      });
      if (answer.ok) show(group, await answer.json());
    } catch (error) {
      // An older question, or the network: saving tells what is wrong.
      if (error.name !== "AbortError" && !(error instanceof TypeError)) throw error;
    }
  }

  function soon(group) {
    pending.get(group)?.abort();
    const control = new AbortController();
    pending.set(group, control);
    setTimeout(() => control.signal.aborted || ask(group), WAIT);
  }

  function show(group, answer) {
    if (!group.querySelector("[data-value-editor]")) return showAssignment(group, answer);
    group.querySelector(".value-inherited").textContent = answer.inherited;
    propose(field(group, "value_kind"), answer.kind);
    describe(group);
    tell(group, field(group, "key"), answer.problems.key);
    for (const name of ["value_text", "value_truth"]) tell(group, field(group, name), answer.problems.value);
    suggest(group, answer.keys);
  }

  // Until somebody chooses, the likely kind follows the key.
  function propose(kind, likely) {
    if (!likely || (kind.value && kind.value !== kind.dataset.proposed)) return;
    kind.value = kind.dataset.proposed = likely;
  }

  function tell(group, input, problem) {
    const place = problemOf(input);
    if (place.textContent !== problem) place.textContent = problem;
    if (problem) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    // What the server said of it when it was saved is out of date by now.
    input.closest("td").querySelector(".text-red-600")?.remove();
    input.closest("td").classList.toggle("errors", Boolean(problem));
  }

  function problemOf(input) {
    const cell = input.closest("td");
    const place = cell.querySelector(".value-problem");
    if (place) return place;
    const made = document.createElement("p");
    made.className = "value-problem";
    made.setAttribute("aria-live", "polite");
    input.after(made);
    return made;
  }

  // Adding and removing rows renumbers their ids, but not what refers to them.
  function describe(group) {
    const editor = group.querySelector("[data-value-editor]");
    const key = field(group, "key");
    if (!editor || !key) return;
    const place = problemOf(key);
    place.id = `${key.id}_problem`;
    key.setAttribute("aria-describedby", place.id);
    const about = [editor.querySelector(".value-inherited").id, editor.querySelector(".value-problem").id];
    for (const input of editor.querySelectorAll("select, textarea")) {
      input.setAttribute("aria-describedby", about.join(" "));
    }
    const known = suggestions.get(text(group, "component"));
    if (known) key.setAttribute("list", known);
    else key.removeAttribute("list");
  }

  function suggest(group, keys) {
    const component = text(group, "component");
    if (!keys.length || suggestions.has(component)) return;
    const list = document.createElement("datalist");
    list.id = `keys-of-${component || "this"}`;
    list.append(...keys.map((key) => Object.assign(document.createElement("option"), { value: key })));
    document.body.append(list);
    suggestions.set(component, list.id);
    describe(group);
  }

  function showAssignment(group, { fields, enabled }) {
    for (const [name, inherited] of Object.entries(fields)) field(group, name).placeholder = inherited;
    field(group, "enabled").querySelector("[value=unknown]").textContent = enabled;
  }

  function groupOf(target) {
    const group = target.closest?.(".form-group");
    return group && !isTemplate(group) && panelOf(group) ? group : null;
  }

  function changed(event) {
    const group = groupOf(event.target);
    if (!group) return;
    delete event.target.dataset.proposed;
    if (group.querySelector("[data-value-editor]")) soon(group);
    else if (event.target.name?.endsWith("-component") && field(group, "component_version")) ask(group);
  }

  window.addEventListener("DOMContentLoaded", () => {
    if (!document.querySelector("[data-patch-url]")) return;
    document.addEventListener("input", changed);
    document.addEventListener("change", changed);
    // select2 tells its changes to jQuery alone.
    window.django.jQuery(document).on("select2:select select2:clear", changed);
    document.addEventListener("focusin", (event) => {
      const group = groupOf(event.target);
      if (!group?.querySelector("[data-value-editor]")) return;
      describe(group);
      if (!suggestions.has(text(group, "component")) && event.target === field(group, "key")) soon(group);
    });
  });
})();
