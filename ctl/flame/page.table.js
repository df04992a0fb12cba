// SPDX-License-Identifier: GPL-2.0
// The list of functions of the flame graph page. Recursive functions count once.
let sums = null, by = "self";
function functions() {
  const nr = data.entries.length, on = new Int32Array(nr), path = [];
  const f = { self: [new Float64Array(nr), new Float64Array(nr)], total: [new Float64Array(nr), new Float64Array(nr)] };
  for (let i = 1; i < count; i++) {
    while (path.length && end[path[path.length - 1]] <= i) on[entry[path.pop()]]--;
    for (let side = 0; side < 2; side++) {
      f.self[side][entry[owner[side][i]]] += self[side][i];
      if (!on[entry[i]]) f.total[side][entry[i]] += total[side][i];
    }
    on[entry[i]]++;
    path.push(i);
  }
  return f;
}
function shareOf(what, e) {
  const f = sums[what];
  if (!TWO || widths < 2) { const side = TWO ? widths : 0; return all[side] ? 100 * f[side][e] / all[side] : 0; }
  return 100 * (f[0][e] + f[1][e]) / (all[0] + all[1] || 1);
}
const changeOf = (e) => 100 * (sums.self[1][e] / (all[1] || 1) - sums.self[0][e] / (all[0] || 1));
function head(text, key) {
  const th = document.createElement("th"), b = document.createElement("button");
  th.scope = "col";
  b.type = "button"; b.textContent = text;
  if (key === by) th.setAttribute("aria-sort", "descending");
  if (key) b.addEventListener("click", () => { by = key; list(); }); else b.disabled = true;
  th.append(b);
  return th;
}
function line(e) {
  const tr = document.createElement("tr"), b = document.createElement("button"), object = document.createElement("span");
  const cells = [shareOf("self", e).toFixed(2) + " %", shareOf("total", e).toFixed(2) + " %"];
  if (DIFF) cells.push((changeOf(e) >= 0 ? "+" : "−") + Math.abs(changeOf(e)).toFixed(2));
  for (const c of cells) { const td = document.createElement("td"); td.textContent = c; tr.append(td); }
  const td = document.createElement("td");
  b.type = "button"; b.textContent = nameOf(e); b.title = "Search for it";
  b.addEventListener("click", () => { search.value = "^" + nameOf(e).replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$"; find(); });
  object.textContent = " " + objectOf(e);
  const open = document.createElement("button");
  open.type = "button"; open.textContent = codeOf(e) ? "code" : "calls"; open.className = "open"; open.title = "Callers, callees, instructions";
  open.addEventListener("click", () => showFunction(e));
  td.append(b, object, open);
  tr.append(td);
  return tr;
}
function list() {
  if (!sums) sums = functions();
  const worth = by === "change" ? (e) => Math.abs(changeOf(e)) : (e) => shareOf(by, e);
  const rest = by === "self" ? "total" : "self";
  let shown = data.entries.map((x, e) => e).filter((e) => kindOf(e) < TASK && sums.total.some((of) => of[e] > 0) && (!matches || matches[e]));
  shown.sort((x, y) => worth(y) - worth(x) || shareOf(rest, y) - shareOf(rest, x) || x - y);
  const t = document.createElement("table"), top = document.createElement("tr");
  top.append(head("Self", "self"), head("Total", "total"));
  if (DIFF) top.append(head("Change", "change"));
  top.append(head(`Function${shown.length > TABLE_ROWS ? ` (${TABLE_ROWS} of ${grouped.format(shown.length)})` : ""}`, null));
  t.append(top, ...shown.slice(0, TABLE_ROWS).map(line));
  table.replaceChildren(t);
}
function showTable() {
  table.hidden = !table.hidden;
  turn("functions", !table.hidden);
  if (!table.hidden) list();
  refresh();
  remember();
}
