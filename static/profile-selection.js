"use strict";

// select2 tells its changes to jQuery alone; htmx listens to the events of the browser.
window.addEventListener("DOMContentLoaded", () => {
  const { jQuery } = window.django;
  jQuery(document).on("select2:select select2:unselect select2:clear", (event) => {
    event.target.dispatchEvent(new Event("input", { bubbles: true }));
  });
});
