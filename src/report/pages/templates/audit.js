"use strict";
// The pages of an audit are whole without this script, which adds a filter for the rows of a page.
(() => {
  const find = (selector) => document.querySelector(selector);
  const form = find("#filter");
  if (!form) return;
  const rows = Array.from(form.parentElement.querySelectorAll(".row"));
  const query = find("#query"), status = find("#status"), certain = find("#certain"), nothing = find("#nothing");
  const severities = Array.from(document.querySelectorAll("[name=severity]"));
  // Rows of a repository stand below its name.
  const groups = Array.from(document.querySelectorAll("tbody")).filter((group) => group.querySelector("th"));
  const nameOf = new Map(groups.map((group) => [group, group.querySelector("th").textContent]));
  // What the filter looks at; read once somebody filters.
  let texts = null;

  const count = (number) => number.toLocaleString("en") + " " + (number === 1 ? form.dataset.one : form.dataset.many);

  function apply() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const allowed = new Set(severities.filter((box) => box.checked).map((box) => box.value));
    if (words.length > 0 && texts === null) {
      texts = rows.map((row) => (row.textContent + " " + (nameOf.get(row.parentElement) || "")).toLowerCase());
    }
    const withSome = new Set();
    let shown = 0;
    rows.forEach((row, index) => {
      const data = row.dataset;
      const fits = (severities.length === 0 || allowed.has(data.severity))
        && (!status || status.value === "" || status.value === data.status)
        && (!certain || !certain.checked || "certain" in data)
        && words.every((word) => texts[index].includes(word));
      if (row.hidden === fits) row.hidden = !fits;
      if (fits) {
        shown += 1;
        withSome.add(row.parentElement);
      }
    });
    for (const group of groups) group.hidden = !withSome.has(group);
    nothing.hidden = shown > 0;
    find("#shown").textContent = shown === rows.length ? count(shown) : `${shown.toLocaleString("en")} of ${count(rows.length)}`;
  }

  function showAll() {
    query.value = "";
    if (status) status.value = "";
    if (certain) certain.checked = false;
    severities.forEach((box) => { box.checked = true; });
    apply();
  }

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target.matches("input[type=search], select");
    if (event.key === "Escape") {
      showAll();
      if (isTyping) event.target.blur();
    } else if (event.key === "/" && !isTyping) {
      event.preventDefault();
      query.focus();
      query.select();
    }
  });
  apply();
})();
