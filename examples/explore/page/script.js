
"use strict";
(() => {
  const form = document.getElementById("form"), box = document.getElementById("search"), found = document.getElementById("found");
  const rows = Array.from(document.querySelectorAll("[data-row]"), (row) => ({ row, text: row.textContent.toLowerCase() }));
  const filter = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const { row, text } of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      if (!row.hidden) n++;
    }
    found.textContent = words.length ? n + " of " + rows.length : "";
  };
  const clear = () => {
    box.value = "";
    filter();
  };
  form.hidden = rows.length === 0;
  form.addEventListener("submit", (e) => e.preventDefault());
  box.addEventListener("input", filter);
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && document.activeElement !== box && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault();
      box.focus();
    } else if (e.key === "Escape" && document.activeElement === box) {
      clear();
    }
  });
  // A link leads to its record, also when a search has hidden it.
  addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.hidden) {
      clear();
      target.scrollIntoView();
    }
  });
  const graph = document.getElementById("graph");
  if (graph) graph.scrollLeft = graph.scrollWidth; // the newest are on the right
  filter();
})();
