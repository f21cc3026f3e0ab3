"use strict";
// The page is whole without this script, which adds a filter, keys, and buttons that copy. In large reports it also makes elements of what
// stands in each finding's `noscript`, once the finding is opened.
(() => {
  const find = (selector) => document.querySelector(selector);
  const findings = Array.from(document.querySelectorAll(".finding"));
  const form = find("#filter");
  if (findings.length === 0) return;
  form.hidden = false;
  const query = find("#query"), rule = find("#rule"), rests = find("#rests"), assumed = find("#assumed");
  const severities = Array.from(document.querySelectorAll("[name=severity]"));
  // More findings than these are not opened at once.
  const MOST_OPENED = 500;
  let assumption = null;

  const files = Array.from(document.querySelectorAll(".file"));
  // What the filter looks at; read once somebody filters.
  let texts = null;

  function complete(finding) {
    const deferred = Array.from(finding.children).find((child) => child.localName === "noscript");
    if (deferred) {
      const template = document.createElement("template");
      template.innerHTML = deferred.textContent;
      deferred.replaceWith(template.content);
    }
    addButtons(finding);
  }

  function addButtons(root) {
    for (const place of root.querySelectorAll(".answer, .copied")) {
      if (place.querySelector("button")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "copy";
      button.setAttribute("aria-label", "copy " + place.textContent.trim().slice(0, 80));
      place.append(" ", button);
    }
  }

  async function copy(button) {
    const text = button.parentElement.firstElementChild.textContent;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(button.parentElement.firstElementChild);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      done = document.execCommand("copy");
    }
    button.textContent = done ? "copied" : "press Ctrl+C";
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  }

  function apply() {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const allowed = new Set(severities.filter((box) => box.checked).map((box) => box.value));
    const kind = rests ? rests.value : "";
    const withSome = new Set();
    let shown = 0;
    if (words.length > 0 && texts === null) {
      texts = findings.map((finding) => finding.firstElementChild.textContent.toLowerCase());
    }
    findings.forEach((finding, index) => {
      const data = finding.dataset;
      const fits = allowed.has(data.severity)
        && (rule.value === "" || rule.value === data.rule)
        && (kind === "" || (kind === "-" ? "certain" in data : (data.kinds || "").split(" ").includes(kind)))
        && (assumption === null || (data.rests || "").split(" ").includes(assumption))
        && words.every((word) => texts[index].includes(word));
      if (finding.hidden === fits) finding.hidden = !fits;
      if (fits) {
        shown += 1;
        withSome.add(finding.parentElement);
      }
    });
    for (const file of files) file.hidden = !withSome.has(file);
    assumed.hidden = assumption === null;
    find("#nothing").hidden = shown > 0;
    find("#shown").textContent = shown === findings.length ? `${shown} findings` : `${shown} of ${findings.length} findings`;
  }

  function showAll() {
    query.value = "";
    rule.value = "";
    if (rests) rests.value = "";
    assumption = null;
    severities.forEach((box) => { box.checked = true; });
    apply();
  }

  const visible = () => findings.filter((finding) => !finding.hidden);

  function setOpen(isOpen) {
    for (const finding of visible().slice(0, isOpen ? MOST_OPENED : findings.length)) {
      if (isOpen) complete(finding);
      finding.open = isOpen;
    }
  }

  function move(step) {
    const list = visible();
    if (list.length === 0) return;
    const current = list.indexOf(document.activeElement ? document.activeElement.closest(".finding") : null);
    const next = current < 0 ? (step > 0 ? 0 : list.length - 1) : Math.min(Math.max(current + step, 0), list.length - 1);
    list[next].firstElementChild.focus({ preventScroll: true });
    list[next].scrollIntoView({ block: "nearest" });
  }

  function openTarget() {
    const name = decodeURIComponent(location.hash.slice(1));
    const target = name ? document.getElementById(name) : null;
    if (!target || !target.classList.contains("finding")) return;
    if (target.hidden) showAll();
    complete(target);
    target.open = true;
    target.scrollIntoView();
    target.firstElementChild.focus({ preventScroll: true });
  }

  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", apply);
  assumed.querySelector("button").addEventListener("click", () => { assumption = null; apply(); });
  find("#unfold").addEventListener("click", () => setOpen(true));
  find("#fold").addEventListener("click", () => setOpen(false));
  // It does not bubble.
  document.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.classList.contains("finding")) complete(event.target);
  }, true);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a"), button = event.target.closest(".answer button, .copied button");
    if (button) {
      copy(button);
    } else if (link && "rule" in link.dataset) {
      event.preventDefault();
      rule.value = link.dataset.rule;
      apply();
      find("#findings").scrollIntoView();
    } else if (link && "assumption" in link.dataset) {
      assumption = link.dataset.assumption;
      apply();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target.matches("input[type=search], select, textarea");
    if (event.key === "Escape") {
      showAll();
      if (isTyping) event.target.blur();
    } else if (isTyping) {
      if (event.key === "Enter") move(1);
    } else if (event.key === "/") {
      event.preventDefault();
      query.focus();
      query.select();
    } else if (event.key === "j") {
      move(1);
    } else if (event.key === "k") {
      move(-1);
    }
  });
  addEventListener("hashchange", openTarget);
  addEventListener("beforeprint", () => visible().slice(0, MOST_OPENED).forEach(complete));
  findings.filter((finding) => finding.open).forEach(complete);
  addButtons(find("main > section"));
  apply();
  // Once the browser has gone to the target, which takes the focus from it.
  addEventListener("load", openTarget);
})();
