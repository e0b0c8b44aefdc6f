"use strict";
(() => {
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];

  // Tables: a click on a column's name sorts by it; numbers largest first, names in their order; again turns it round.
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    // A name may have a remark behind it, which does not count.
    return "sort" in cell.dataset ? Number(cell.dataset.sort) : (cell.firstChild?.textContent ?? "");
  };
  for (const button of all("table.sortable th button")) {
    button.addEventListener("click", () => {
      const header = button.closest("th"), table = header.closest("table"), column = header.cellIndex;
      const rows = all("tbody tr", table);
      const byNumber = rows.length > 0 && typeof valueOf(rows[0], column) === "number";
      const was = header.getAttribute("aria-sort");
      const falls = was ? was === "ascending" : byNumber;
      for (const other of all("th", table)) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", falls ? "descending" : "ascending");
      const compare = (a, b) => (byNumber ? a - b : a.localeCompare(b, undefined, { numeric: true }));
      rows.sort((one, other) => (falls ? -1 : 1) * compare(valueOf(one, column), valueOf(other, column)));
      table.tBodies[0].append(...rows);
    });
  }

  for (const input of all("input[data-filters]")) {
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const row of all(`#${input.dataset.filters} tbody tr`)) {
        row.hidden = !row.textContent.toLowerCase().includes(wanted);
      }
    });
  }

  for (const button of all("button[data-opens]")) {
    button.addEventListener("click", () => {
      const items = all(`#${button.dataset.opens} details`);
      const open = items.some((item) => !item.open);
      for (const item of items) item.open = open;
    });
  }

  // Paper cannot be clicked.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = all("details:not([open])");
    for (const item of opened) item.open = true;
  });
  addEventListener("afterprint", () => {
    for (const item of opened) item.open = false;
  });

  for (const button of all(".theme")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const root = document.documentElement;
      const isDark = root.dataset.theme
        ? root.dataset.theme === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = isDark ? "light" : "dark";
    });
  }
})();
