// The table of ratings on a cell's page. Data come as script files that call retrial.add, because
// a page opened from disk may load scripts but not fetch files. record.js draws what a row opens to.
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

  class Viewer {
    chunks = [];
    order = null; // null: the order of the files, unfiltered
    page = 0;
    sort = { column: null, down: false };
    query = 0;

    constructor(place) {
      this.place = place;
      this.table = place.querySelector("table");
      this.body = this.table.tBodies[0];
      this.status = place.querySelector("[role=status]");
      this.controls = place.querySelector("form");
    }

    async start() {
      this.head = await load(`rows/${this.place.dataset.rows}/head`);
      this.controls.addEventListener("submit", (event) => event.preventDefault());
      for (const kind of ["input", "change"]) this.controls.addEventListener(kind, () => this.ask());
      this.table.tHead.addEventListener("click", (event) => this.sortBy(event.target.closest("button")));
      this.body.addEventListener("click", (event) => this.toggle(event.target.closest("tr.row")));
      this.place.querySelector(".earlier").addEventListener("click", () => this.turn(-1));
      this.place.querySelector(".later").addEventListener("click", () => this.turn(1));
      const out = this.place.querySelector(".only-left-out");
      if (out) out.addEventListener("click", () => {
        this.controls.elements.status.value = "-";
        this.ask();
      });
      this.wanted = Array.from(this.controls.elements, (control) => control.value).join("\n");
      await (this.isFiltered ? this.refresh() : this.draw());
    }

    // Refresh a little after the last change of the controls; leaving a field changes nothing.
    ask() {
      const wanted = Array.from(this.controls.elements, (control) => control.value).join("\n");
      if (wanted === this.wanted) return;
      this.wanted = wanted;
      clearTimeout(this.wait);
      this.wait = setTimeout(() => this.told(this.refresh()), 200);
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
      if (answer && record.text(answer, answer.answer).toLowerCase().includes(sought)) return true;
      if (scope !== EVERY) return false;
      if (answer && record.promptOf(answer).toLowerCase().includes(sought)) return true;
      const item = await entry(this.head.items[row.dataset], row.item);
      return Boolean(item) && record.itemText(item).toLowerCase().includes(sought);
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
        if (name !== "label") return record.element("td", { className: `c-${name}` }, record.shown(row[name]));
        const open = record.element("button", { type: "button", className: "open", "aria-expanded": "false" }, row.label);
        return record.element("th", { scope: "row" }, open);
      });
      const made = record.element("tr", { className: row.score === null ? "row left-out" : "row" }, ...cells);
      made.record = row;
      return made;
    }

    async toggle(line) {
      if (!line) return;
      const button = line.querySelector("button.open");
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (open) return line.nextElementSibling.remove();
      const room = record.element("td", { colSpan: this.head.columns.length });
      line.after(record.element("tr", { className: "detail" }, room));
      await this.told(this.detail(line.record).then((parts) => room.append(record.element("div", {}, ...parts))));
    }

    async detail(row) {
      const answer = await entry(this.head.answers, row.answer);
      const item = await entry(this.head.items[row.dataset], row.item);
      return record.parts(row, answer, item);
    }
  }

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
