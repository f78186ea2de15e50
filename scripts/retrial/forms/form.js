// The pages of the form, its keys, and the download of the export.
"use strict";
(() => {
  const find = (selector, place = document) => place.querySelector(selector);
  const all = (selector, place = document) => [...place.querySelectorAll(selector)];
  const views = all(".view");
  const items = all(".item");
  const [back, next, rater] = ["#back", "#next", "#rater"].map((id) => find(id));
  const EXPORT = views.length - 1;

  const itemOf = (place) => place.closest(".item").dataset.item;
  const attributeOf = (place) => place.closest("fieldset").dataset.attribute;
  const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  function save() {
    const kept = progress.keep();
    const said = find("#kept");
    said.classList.toggle("failed", !kept);
    said.textContent = kept ? "Kept in this browser" : "Not kept: export before you close this page";
    count();
  }

  function count() {
    const done = progress.count();
    find("#count").textContent = `${done} of ${plural(progress.total, "rating")}`;
    Object.assign(find("#progress"), { max: progress.total, value: done });
  }

  // The controls as the ratings are.
  function draw() {
    rater.value = progress.state.rater;
    for (const item of items) {
      for (const fieldset of all("fieldset", item)) drawQuestion(fieldset);
      const text = progress.state.comments[item.dataset.item] || "";
      find("textarea", item).value = text;
      find(".comment", item).open = text !== "";
    }
    count();
  }

  function drawQuestion(fieldset) {
    const found = progress.given(itemOf(fieldset), fieldset.dataset.attribute);
    for (const radio of all("input", fieldset)) radio.checked = Boolean(found) && Number(radio.value) === found.rating;
    fieldset.classList.toggle("rated", Boolean(found));
    find(".clear", fieldset).hidden = !found;
  }

  function rate(fieldset, value) {
    progress.rate(itemOf(fieldset), attributeOf(fieldset), value);
    drawQuestion(fieldset);
    save();
  }

  function show(number, { focus = true } = {}) {
    const wanted = Math.min(Math.max(number, 0), EXPORT);
    progress.state.view = wanted;
    views.forEach((view, place) => { view.hidden = place !== wanted; });
    back.disabled = wanted === 0;
    next.disabled = wanted === EXPORT;
    next.textContent = wanted === EXPORT - 1 ? "Finish" : "Next";
    if (wanted === EXPORT) listMissing();
    if (!focus) return;
    scrollTo(0, 0);
    find("h1", views[wanted]).focus({ preventScroll: true });
  }

  function go(number) {
    show(number);
    save();
  }

  function listMissing() {
    const missing = progress.missing();
    const left = progress.total - progress.count();
    find("#missing").textContent = left
      ? `${plural(left, "rating")} of ${progress.total} ${left === 1 ? "is" : "are"} missing. You may export all the same: what is missing stays missing.`
      : `All ${progress.total} ratings are there.`;
    find("#missing-list").replaceChildren(...missing.map(([item, attributes]) => {
      const place = progress.data.about.items.indexOf(item);
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "go" });
      const numbers = attributes.map((attribute) => progress.data.asked[item].indexOf(attribute) + 1);
      button.textContent = `Text ${place + 1}: question${numbers.length === 1 ? "" : "s"} ${numbers.join(", ")}`;
      button.addEventListener("click", () => go(place + 1));
      const line = document.createElement("li");
      line.append(button);
      return line;
    }));
    find("#export").textContent = left ? `Export ${plural(progress.count(), "rating")}, ${left} missing` : "Export";
    refuse("");
  }

  function refuse(text) {
    Object.assign(find("#refused"), { textContent: text, hidden: !text });
  }

  function exportRatings() {
    if (!rater.value.trim()) return refuse("Your name is missing: go back to the first page and enter it.");
    if (!progress.count()) return refuse("There is nothing to export: no text has a rating.");
    const link = document.createElement("a");
    const text = `${JSON.stringify(progress.written(), null, 1)}\n`;
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = progress.fileName();
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    progress.state.changed = false;
    save();
    refuse("");
    find("#exported").textContent = `Written as ${link.download}, where this browser puts downloads. Send that file to whoever asked you.`;
  }

  // The question that a key is meant for: the focused one, or else the first without a rating.
  function questionOf(target) {
    return target.closest("fieldset") || find("fieldset:not(.rated)", views[progress.state.view]);
  }

  function goOn(fieldset) {
    const questions = all("fieldset", views[progress.state.view]);
    const after = questions[questions.indexOf(fieldset) + 1];
    const to = after ? find("input:checked", after) || find("input", after) : next;
    to.focus({ preventScroll: true });
    if (after) after.scrollIntoView({ block: "nearest" });
  }

  function onKey(event) {
    const { target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("textarea, #rater")) return;
    const fieldset = questionOf(target);
    if (!fieldset) return;
    if (["Delete", "Backspace"].includes(event.key) && target.closest("fieldset")) {
      event.preventDefault();
      return rate(fieldset, null);
    }
    const radio = all("input", fieldset).find((input) => input.value === event.key);
    if (!radio) return;
    event.preventDefault();
    rate(fieldset, radio.value);
    goOn(fieldset);
  }

  function listen() {
    document.addEventListener("keydown", onKey);
    document.addEventListener("change", ({ target }) => {
      if (target.type === "radio") rate(target.closest("fieldset"), target.value);
    });
    document.addEventListener("click", ({ target }) => {
      if (!target.classList.contains("clear")) return;
      const fieldset = target.closest("fieldset");
      rate(fieldset, null);
      find("input", fieldset).focus();
    });
    for (const item of items) {
      find("textarea", item).addEventListener("input", ({ target }) => {
        progress.comment(item.dataset.item, target.value);
        save();
      });
    }
    rater.addEventListener("input", () => {
      progress.state.rater = rater.value;
      if (progress.count()) progress.touch();
      save();
    });
    rater.addEventListener("keydown", (event) => { if (event.key === "Enter") go(1); });
    back.addEventListener("click", () => go(progress.state.view - 1));
    next.addEventListener("click", () => go(progress.state.view + 1));
    find("#export").addEventListener("click", exportRatings);
    find("#clear-all").addEventListener("click", () => {
      if (!confirm("Take back every rating of this form?")) return;
      progress.clear();
      find("#exported").textContent = "";
      draw();
      go(0);
    });
    addEventListener("beforeunload", (event) => { if (progress.state.changed) event.preventDefault(); });
    // The same form in another tab: what was rated last counts in both.
    addEventListener("storage", (event) => {
      if (event.key !== progress.key) return;
      const { view } = progress.state;
      progress.restore();
      progress.state.view = view;
      draw();
      show(view, { focus: false });
    });
  }

  progress.restore();
  draw();
  show(progress.state.view, { focus: false });
  save();
  listen();
})();
