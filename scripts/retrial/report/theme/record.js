// What one rating opens to: the answer with the place where it was read, the prompt, the item, and
// what is on record. Texts only ever become text nodes, so nothing in them can act on the page.
"use strict";
const record = (() => {
  const text = (found, place) => (place === null ? "" : found.pool[place]);
  const promptOf = (found) => (found.prompt ? found.prompt.map((p) => text(found, p)).join("\n") : "");
  const itemText = (found) =>
    [found.context, found.text, found.text_b, ...found.turns.flat()].map((p) => text(found, p)).join("\n");

  function element(name, props = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, set] of Object.entries(props)) {
      if (key in made) made[key] = set;
      else made.setAttribute(key, set);
    }
    made.append(...children);
    return made;
  }

  // Spans count code points; strings here count UTF-16 units.
  function marked(whole, from, to) {
    if (from === null || to === null) return [whole];
    const letters = Array.from(whole);
    const cut = (a, b) => letters.slice(a, b).join("");
    return [cut(0, from), element("mark", {}, cut(from, to)), cut(to)];
  }

  const box = (title, ...children) =>
    element("section", { className: "part" }, element("h4", {}, title), ...children);

  const quoted = (label, ...children) =>
    element("div", { className: "quote", tabIndex: 0, role: "region", "aria-label": label }, ...children);

  function list(pairs) {
    const kept = pairs.filter(([, shown]) => shown !== "" && shown !== null && shown !== undefined);
    return element("dl", { className: "facts" },
      ...kept.flatMap(([label, shown]) => [element("dt", {}, label), element("dd", {}, String(shown))]));
  }

  const factsOf = (found) => found.facts.map(([label, shown]) => [text(found, label), text(found, shown)]);

  function chances(found) {
    const rows = found.chances.map(([token, p]) =>
      element("tr", {}, element("th", { scope: "row" }, text(found, token)), element("td", {}, p.toFixed(4)),
        element("td", {}, element("meter", { min: 0, max: 1, value: p, "aria-hidden": "true" }))));
    return element("table", { className: "chances" },
      element("caption", {}, "Probability of each rating token"), element("tbody", {}, ...rows));
  }

  function answerPart(row, found) {
    if (!found) return [];
    const whole = text(found, found.answer);
    const parts = [];
    if (found.answer !== null) parts.push(box("Answer", quoted("Answer", ...marked(whole, row.from, row.to))));
    if (found.chances.length) parts.push(box("Answer", chances(found)));
    if (found.prompt) parts.push(box("Prompt, as the model read it", quoted("Prompt", promptOf(found))));
    else if (found.note !== null) parts.push(box("Prompt", element("p", {}, text(found, found.note))));
    return parts;
  }

  function itemPart(found) {
    if (!found) return [];
    const title = found.inferred ? "Item, inferred from the answers" : "Item";
    const kept = [found.context, found.text, found.text_b].filter((p) => p !== null);
    const parts = kept.map((p) => element("p", {}, text(found, p)));
    if (found.turns.length) {
      parts.push(element("ol", { className: "turns" }, ...found.turns.map(([speaker, said]) =>
        element("li", {}, element("b", {}, text(found, speaker)), " ", text(found, said)))));
    }
    return [box(title, parts.length ? quoted(title, ...parts) : element("p", {}, "The source holds no text."),
      list(factsOf(found)))];
  }

  const shown = (found) =>
    found === null || found === undefined ? "–" : typeof found === "number" ? String(Number(found.toFixed(4))) : String(found);

  function parts(row, answer, item) {
    const read = list([["rating", shown(row.score)], ["scale", row.scale], ["status", row.status], ["why", row.reason],
      ["reading", row.reading], ["probability on rating tokens", row.mass], ["place in the source", row.place],
      ...(answer ? factsOf(answer) : [])]);
    return [...answerPart(row, answer), ...itemPart(item), box("On record", read)];
  }

  return { text, promptOf, itemText, element, shown, parts };
})();
