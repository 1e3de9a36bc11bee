// A button with data-copy="<id>" copies the text of that element. Where the browser does not let
// us (a page by plain HTTP), the text is selected, so that Ctrl+C does.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const text = "value" in source ? source.value : source.textContent;
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    select(source);
    said = "Selected: press Ctrl+C";
  }
  const before = button.dataset.label || button.textContent;
  button.dataset.label = before;
  button.textContent = said;
  setTimeout(() => { button.textContent = before; }, 2000);
});

function select(element) {
  if ("select" in element) {
    element.focus();
    element.select();
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = window.getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}
