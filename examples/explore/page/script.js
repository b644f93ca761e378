
"use strict";
(() => {
  const box = document.getElementById("search"), found = document.getElementById("found");
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
  box.addEventListener("input", filter);
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && document.activeElement !== box && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault();
      box.focus();
    } else if (e.key === "Escape" && document.activeElement === box) {
      box.value = "";
      filter();
    }
  });
  filter();
})();
