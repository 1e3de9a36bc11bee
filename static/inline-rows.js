"use strict";

// Where a new row is removed, the theme writes those after it anew from their HTML, to renumber them.
// What was typed is not in there, and what made a select search is lost.
(() => {
  function keepTyped(formset) {
    for (const input of formset.querySelectorAll("input, textarea")) {
      input.defaultValue = input.value;
      if (input.type === "checkbox") input.defaultChecked = input.checked;
    }
    for (const option of formset.querySelectorAll("option")) option.defaultSelected = option.selected;
  }

  function reviveSelects(formset, jQuery) {
    for (const select of formset.querySelectorAll(".form-group:not(.empty-form) select.admin-autocomplete")) {
      if (jQuery(select).data("select2")) continue;
      select.parentElement.querySelectorAll(".select2-container").forEach((dead) => dead.remove());
      for (const element of [select, ...select.options]) element.removeAttribute("data-select2-id");
      select.classList.remove("select2-hidden-accessible");
      jQuery(select).djangoAdminSelect2();
    }
  }

  document.addEventListener(
    "click",
    (event) => {
      const button = event.target.closest?.(".delete-template");
      if (button) keepTyped(button.closest(".formset"));
    },
    true,
  );
  document.addEventListener("formset:removed", (event) => {
    const formset = document.getElementById(`${event.detail.formsetName}-data`);
    if (formset) reviveSelects(formset, window.django.jQuery);
  });
})();
