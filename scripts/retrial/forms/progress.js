// What a rater has done so far: kept in this browser, and written out as an export.
"use strict";
const progress = (() => {
  const data = JSON.parse(document.getElementById("form-data").textContent);
  const key = `retrial-form-${data.sha256}`;
  const empty = () => ({ rater: "", view: 0, started: null, changed: false, ratings: {}, comments: {} });
  let state = empty();

  const now = () => new Date().toISOString();
  const total = data.about.asked;
  const given = (item, attribute) => (state.ratings[item] || {})[attribute];

  // Whether the browser kept it: private windows and full disks refuse.
  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify(state));
      return true;
    } catch {
      return false;
    }
  }

  function restore() {
    try {
      const kept = JSON.parse(localStorage.getItem(key));
      state = kept && typeof kept === "object" ? { ...empty(), ...kept } : empty();
    } catch {
      state = empty();
    }
  }

  function rate(item, attribute, value) {
    const ratings = (state.ratings[item] ??= {});
    if (value === null) delete ratings[attribute];
    else ratings[attribute] = { rating: Number(value), at: now() };
    touch();
  }

  function comment(item, text) {
    if (text.trim()) state.comments[item] = text;
    else delete state.comments[item];
    touch();
  }

  function touch() {
    state.started ??= now();
    state.changed = true;
  }

  // Items with unanswered questions: [item, attributes without a rating].
  function missing() {
    return data.about.items
      .map((item) => [item, data.asked[item].filter((attribute) => !given(item, attribute))])
      .filter(([, left]) => left.length);
  }

  function ratings() {
    return data.about.items.flatMap((item) =>
      data.asked[item]
        .map((attribute) => [attribute, given(item, attribute)])
        .filter(([, found]) => found)
        .map(([attribute, found]) => ({ item_id: item, attribute, rating: found.rating, at: found.at })));
  }

  const written = () => ({
    format: data.format,
    form: data.about,
    form_sha256: data.sha256,
    rater: state.rater.trim(),
    started: state.started,
    exported: now(),
    ratings: ratings(),
    comments: data.about.items
      .filter((item) => item in state.comments)
      .map((item) => ({ item_id: item, text: state.comments[item] })),
  });

  function fileName() {
    const rater = state.rater.trim().toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    return `${data.about.form}-${data.about.number}-${rater || "rater"}.ratings.json`;
  }

  return {
    data, key, total, given, keep, restore, rate, comment, missing, written, fileName, touch,
    count: () => ratings().length,
    clear: () => { state = empty(); },
    get state() { return state; },
  };
})();
