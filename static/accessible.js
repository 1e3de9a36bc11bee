"use strict";

// What the theme leaves to the mouse and to the eye, for the keyboard and for screen readers.
(() => {
  const NAMES = { close: "Close the menu", dock_to_right: "Menu", more_horiz: "More" };
  const ICON = ".material-symbols-outlined:not([role=img])";
  const CLICKED = "[x-on\\:click]:not([href], button, input, select, [tabindex], #changelist-filter-close)";
  const FOCUSABLE = "a[href], button, input:not([type=hidden]), select, textarea, [tabindex='0']:not(.simplebar-content-wrapper)";
  let opener = null;

  const isShown = (element) => element.getClientRects().length > 0;
  const first = (root) => [...root.querySelectorAll(FOCUSABLE)].find(isShown);
  const all = (root, selector) => [
    ...(root.matches(selector) ? [root] : []), ...root.querySelectorAll(selector),
  ];

  // An icon is a word in a font of icons: read aloud, it is “dock to right”.
  function nameIcon(icon) {
    const control = icon.closest("a, button, [role=button]");
    const word = icon.textContent.trim();
    if (control && control.textContent.trim() === word && !control.ariaLabel) {
      control.ariaLabel = control.title || NAMES[word] || word.replaceAll("_", " ");
    }
    if (control !== icon) icon.setAttribute("aria-hidden", "true");
  }

  function makeButton(element) {
    element.setAttribute("role", "button");
    element.tabIndex = 0;
  }

  // select2 puts its own elements in place of a select, and none of them has the name of its label.
  function nameSelect2(select) {
    const box = select.nextElementSibling?.querySelector(".select2-selection");
    const name = select.labels[0]?.textContent.trim() || select.ariaLabel
      || select.closest("[data-label]")?.dataset.label;
    const chosen = box?.querySelector(".select2-selection__rendered");
    if (!chosen?.id || !name) return;
    chosen.removeAttribute("role"); // a text box without a name, inside of the combobox
    chosen.removeAttribute("aria-readonly");
    box.id = `${chosen.id}-box`;
    box.ariaLabel = name;
    box.setAttribute("aria-labelledby", `${box.id} ${chosen.id}`);
  }

  // Of a row of a table, whose columns alone are named.
  function nameField(field) {
    if (!field.labels?.length && !field.ariaLabel && field.type !== "hidden") {
      field.ariaLabel = field.closest("[data-label]").dataset.label;
    }
  }

  // The theme's scroll bars would be regions of the page, each as “scrollable content”.
  function unname(scrolled) {
    scrolled.removeAttribute("role");
    scrolled.removeAttribute("aria-label");
  }

  function improve(root) {
    all(root, CLICKED).forEach(makeButton);
    all(root, ICON).forEach(nameIcon);
    all(root, "[data-label] :is(input, select, textarea)").forEach(nameField);
    all(root, "#changelist-filter h3").forEach((heading) => heading.setAttribute("aria-level", "2"));
    all(root, ".simplebar-content-wrapper[role=region]").forEach(unname);
    const selects = all(root, "select.select2-hidden-accessible");
    if (root.matches(".select2") && root.previousElementSibling) selects.push(root.previousElementSibling);
    selects.forEach(nameSelect2);
  }

  // What covers the page and is to be left before the rest can be used.
  const search = () => document.getElementById("search-input-command")?.closest("[x-data]");
  function cover() {
    const filters = document.getElementById("changelist-filter");
    return [search(), filters].find(
      (each) => each && isShown(each) && getComputedStyle(each).position === "fixed",
    );
  }

  // The theme shows and hides a little later than it is told to.
  function soon(attempt, times = 60) {
    if (!attempt() && times) requestAnimationFrame(() => soon(attempt, times - 1));
  }

  function enter(pressed) {
    const menu = cover() || [...pressed.parentElement.querySelectorAll("nav")].find(isShown);
    if (menu) first(menu)?.focus();
    return menu;
  }

  function back() {
    if (cover()) return false;
    if (opener?.isConnected) opener.focus();
    opener = null;
    return true;
  }

  document.addEventListener("keydown", (event) => {
    const pressed = event.target.closest?.("[role=button][x-on\\:click]");
    if (pressed && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      opener = pressed;
      pressed.click();
      soon(() => enter(pressed));
    } else if ((event.ctrlKey || event.metaKey) && event.key === "k") {
      opener = document.activeElement;
    } else if (event.key === "Escape") {
      leave(event);
    }
  }, true);

  function leave(event) {
    if (cover() && cover() === search()) {
      event.stopPropagation();
      window.Alpine.$data(search()).handleOutsideClick();
      soon(back);
    } else if (opener) {
      document.body.click(); // closes the theme's menus; it hides the filters by itself
      soon(back);
    }
  }

  document.addEventListener("focusin", (event) => {
    const covering = cover();
    if (covering && !covering.contains(event.target)) first(covering)?.focus();
  });

  document.addEventListener("DOMContentLoaded", () => {
    improve(document.body);
    document.getElementById("command-submit")?.setAttribute("aria-label", "Search");
    document.getElementById("nav-sidebar-inner")?.setAttribute("aria-label", "Main");
    const dialog = search();
    dialog?.setAttribute("role", "dialog");
    dialog?.setAttribute("aria-modal", "true");
    dialog?.setAttribute("aria-label", "Search the fleet");
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) if (node instanceof Element) improve(node);
      }
    }).observe(document.body, { childList: true, subtree: true });
  });

  // After a refusal, reading goes on where it is told what was wrong.
  window.addEventListener("load", () => {
    const wrong = [...document.querySelectorAll(".errornote"), ...document.querySelectorAll("[aria-invalid=true]")];
    const told = wrong.find(isShown);
    if (!told) return;
    if (told.matches(".errornote")) {
      told.setAttribute("role", "alert");
      told.tabIndex = -1;
    }
    told.focus();
  });
})();
