/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* Status codes in the search, and fields that filter long tables. */
"use strict";

/* Sphinx drops numbers from what is asked; conf.py has them in the index. */
if (typeof Search !== "undefined") {
  const parse = Search._parseQuery;
  Search._parseQuery = (query) => {
    const parsed = parse(query);
    for (const number of query.match(/(?<![\w.])\d+(?![\w.])/g) ?? [])
      parsed[1].add(number), parsed[3].add(number);
    return parsed;
  };
}

/* Rows that do not have all the words are hidden. */
function filterTable(table) {
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, text: row.textContent.toLowerCase() }));
  const field = document.createElement("input");
  const count = document.createElement("span");
  field.type = "search";
  field.placeholder = `Filter ${rows.length} rows`;
  field.setAttribute("aria-label", "Show the rows with these words");
  count.setAttribute("role", "status");
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { row, text } of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = words.length ? `${shown} of ${rows.length}` : "";
  };
  field.addEventListener("input", show);
  const bar = document.createElement("p");
  bar.className = "table-filter";
  bar.append(field, count);
  (table.closest(".table-wrapper") ?? table).before(bar);
  /* A link to a row shows it, whatever the filter says. */
  addEventListener("hashchange", () => {
    field.value = "";
    show();
  });
}
document.querySelectorAll("table.long-table").forEach(filterTable);
for (const row of document.querySelectorAll("table.long-table tr[id]")) {
  const link = document.createElement("a");
  link.className = "headerlink";
  link.href = "#" + row.id;
  link.title = "Link to this row";
  link.textContent = "#";
  row.cells[0].querySelector("p")?.append(link);
}
