// The table of ratings on a cell's page. Data come as script files that call retrial.add, because
// a page opened from disk may load scripts but not fetch files. Texts only ever become text nodes.
"use strict";
const retrial = (() => {
  const root = new URL("..", document.currentScript.src);
  const arrived = new Map();
  const loads = new Map();
  const PAGE = 50;
  const EVERY = "all";

  const add = (key, value) => arrived.set(key, value);

  function load(key) {
    if (!loads.has(key)) {
      loads.set(key, new Promise((done, fail) => {
        if (arrived.has(key)) return done(arrived.get(key));
        const script = document.createElement("script");
        script.src = new URL(`data/${key}.js`, root);
        script.onload = () => done(arrived.get(key));
        script.onerror = () => fail(new Error(`data/${key}.js can't be read`));
        document.head.append(script);
      }));
    }
    return loads.get(key);
  }

  // A column of a chunk: one constant, a dictionary and places in it, or plain values.
  const value = (column, row) =>
    "c" in column ? column.c : "d" in column ? column.d[column.i[row]] : column.v[row];

  async function entry(store, number) {
    if (!store || number === null || number === undefined) return null;
    let file = store.starts.length - 1;
    while (file > 0 && store.starts[file] > number) file -= 1;
    const chunk = await load(`${store.id}/${file}`);
    return { pool: chunk.pool, ...chunk.entries[number - store.starts[file]] };
  }

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

  class Viewer {
    constructor(place) {
      this.place = place;
      this.table = place.querySelector("table");
      this.body = this.table.tBodies[0];
      this.status = place.querySelector("[role=status]");
      this.controls = place.querySelector("form");
      this.chunks = [];
      this.order = null; // null: the order of the files, unfiltered
      this.page = 0;
      this.sort = { column: null, down: false };
      this.query = 0;
    }

    async start() {
      this.head = await load(`rows/${this.place.dataset.rows}/head`);
      this.controls.addEventListener("submit", (event) => event.preventDefault());
      this.controls.addEventListener("input", () => {
        clearTimeout(this.wait);
        this.wait = setTimeout(() => this.told(this.refresh()), 200);
      });
      this.table.tHead.addEventListener("click", (event) => this.sortBy(event.target.closest("button")));
      this.body.addEventListener("click", (event) => this.toggle(event.target.closest("tr.row")));
      this.place.querySelector(".earlier").addEventListener("click", () => this.turn(-1));
      this.place.querySelector(".later").addEventListener("click", () => this.turn(1));
      const out = this.place.querySelector(".only-left-out");
      if (out) out.addEventListener("click", () => {
        this.controls.elements.status.value = "-";
        this.told(this.refresh());
      });
      await (this.isFiltered ? this.refresh() : this.draw());
    }

    // A failure is told where the count stands.
    told(work) {
      return work.catch((error) => { this.status.textContent = error.message; });
    }

    get isFiltered() {
      const { search, status } = this.controls.elements;
      return search.value.trim() !== "" || status.value !== "";
    }

    async row(number) {
      const chunk = Math.floor(number / this.head.chunk);
      this.chunks[chunk] ??= (await load(`rows/${this.head.name}/${chunk}`)).columns;
      const columns = this.chunks[chunk];
      const found = { number };
      for (const name in columns) found[name] = value(columns[name], number % this.head.chunk);
      return found;
    }

    // Whether a row's texts hold the searched text, in small letters.
    async holds(row, sought, scope) {
      const short = [row.label, row.text, row.reason, row.status, row.rater, row.place];
      if (short.some((part) => part && part.toLowerCase().includes(sought))) return true;
      const answer = await entry(this.head.answers, row.answer);
      if (answer && text(answer, answer.answer).toLowerCase().includes(sought)) return true;
      if (scope !== EVERY) return false;
      if (answer && promptOf(answer).toLowerCase().includes(sought)) return true;
      const item = await entry(this.head.items[row.dataset], row.item);
      return Boolean(item) && itemText(item).toLowerCase().includes(sought);
    }

    async refresh() {
      const query = (this.query += 1);
      const { search, status, scope } = this.controls.elements;
      const sought = search.value.trim().toLowerCase();
      const wanted = (row) => status.value === "" || (status.value === "-" ? row.score === null : row.status === status.value);
      const { column, down } = this.sort;
      const kept = [];
      const total = this.head.rows;
      for (let number = 0; number < total; number += 1) {
        if (number % this.head.chunk === 0) {
          this.status.textContent = `Reading ${number.toLocaleString("en")} of ${total.toLocaleString("en")} …`;
          await new Promise((done) => setTimeout(done));
          if (query !== this.query) return;
        }
        const row = await this.row(number);
        if (wanted(row) && (sought === "" || await this.holds(row, sought, scope.value))) kept.push([number, row[column]]);
      }
      if (query !== this.query) return;
      if (column) kept.sort(([, a], [, b]) => compare(a, b) * (down && a !== null && b !== null ? -1 : 1));
      this.order = kept.map(([number]) => number);
      this.page = 0;
      await this.draw();
    }

    sortBy(button) {
      if (!button) return;
      const column = button.dataset.column;
      this.sort = { column, down: this.sort.column === column && !this.sort.down };
      for (const head of this.table.querySelectorAll("th[aria-sort]")) head.setAttribute("aria-sort", "none");
      button.closest("th").setAttribute("aria-sort", this.sort.down ? "descending" : "ascending");
      this.told(this.refresh());
    }

    turn(step) {
      this.page += step;
      this.told(this.draw()).then(() => this.table.parentElement.scrollTo(0, 0));
    }

    async draw() {
      const total = this.order ? this.order.length : this.head.rows;
      const first = this.page * PAGE;
      const last = Math.min(first + PAGE, total);
      const rows = [];
      for (let at = first; at < last; at += 1) rows.push(await this.row(this.order ? this.order[at] : at));
      this.body.replaceChildren(...rows.map((row) => this.line(row)));
      const of = total === this.head.rows ? "" : ` of ${this.head.rows.toLocaleString("en")}`;
      this.status.textContent = total
        ? `${(first + 1).toLocaleString("en")}–${last.toLocaleString("en")} of ${total.toLocaleString("en")} ratings${of && ` (${total.toLocaleString("en")}${of} match)`}`
        : "No rating matches.";
      this.place.querySelector(".earlier").disabled = this.page === 0;
      this.place.querySelector(".later").disabled = last >= total;
    }

    line(row) {
      const cells = this.head.columns.map(([name]) => {
        if (name !== "label") return element("td", { className: `c-${name}` }, shown(row[name]));
        const open = element("button", { type: "button", className: "open", "aria-expanded": "false" }, row.label);
        return element("th", { scope: "row" }, open);
      });
      const made = element("tr", { className: row.score === null ? "row left-out" : "row" }, ...cells);
      made.record = row;
      return made;
    }

    async toggle(line) {
      if (!line) return;
      const button = line.querySelector("button.open");
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (open) return line.nextElementSibling.remove();
      const room = element("td", { colSpan: this.head.columns.length });
      line.after(element("tr", { className: "detail" }, room));
      await this.told(this.detail(line.record).then((parts) => room.append(element("div", {}, ...parts))));
    }

    async detail(row) {
      const answer = await entry(this.head.answers, row.answer);
      const item = await entry(this.head.items[row.dataset], row.item);
      const read = list([["rating", shown(row.score)], ["scale", row.scale], ["status", row.status], ["why", row.reason],
        ["reading", row.reading], ["probability on rating tokens", row.mass], ["place in the source", row.place],
        ...(answer ? factsOf(answer) : [])]);
      return [...answerPart(row, answer), ...itemPart(item), box("On record", read)];
    }
  }

  const shown = (found) =>
    found === null || found === undefined ? "–" : typeof found === "number" ? String(Number(found.toFixed(4))) : String(found);

  // What is missing goes last, whichever way the column is sorted.
  function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  }

  addEventListener("DOMContentLoaded", () => {
    for (const place of document.querySelectorAll(".viewer")) {
      const viewer = new Viewer(place);
      viewer.told(viewer.start());
    }
  });

  return { add };
})();
