// SPDX-License-Identifier: GPL-2.0
// One function of the flame graph page: its callers and callees, merged from all places where it was called, and its
// instructions, if the page has them.
const codes = new Map(page.code.map(([name, object, text]) => [name + "\n" + object, text]));
const codeOf = (e) => codes.get(nameOf(e) + "\n" + objectOf(e));
const weight = (i) => width(callers, i);

// An inlined function's code is in the function that it was inlined into, here where it has most samples. above: the
// function's callers, as neighbours() has them.
function codeAround(e, above) {
  for (let steps = 0; e >= 0 && steps < 30; steps++) {
    if (codeOf(e) || kindOf(e) !== INLINED) return codeOf(e);
    e = above.length ? above[0][0] : -1;
    if (e >= 0) above = neighbours(e)[0];
  }
  return undefined;
}

// The weights of callers and callees by entry. A stack counts once for each, as recursive functions do in the list.
function neighbours(e) {
  const above = new Map(), below = new Map(), path = [], on = new Map();
  let open = 0;
  const pass = (k, step) => on.set(k, (on.get(k) || 0) + step);
  const leave = (i) => { if (entry[i] === e) open--; if (parent[i] >= 0 && entry[parent[i]] === e) pass(entry[i], -1); };
  const add = (to, k, w) => to.set(k, (to.get(k) || 0) + w);
  for (let i = 1; i < count; i++) {
    while (path.length && end[path[path.length - 1]] <= i) leave(path.pop());
    if (entry[parent[i]] === e) {
      if (!on.get(entry[i])) add(below, entry[i], weight(i));
      pass(entry[i], 1);
    }
    if (entry[i] === e && !open++) add(above, entry[parent[i]], weight(i));
    path.push(i);
  }
  return [above, below].map((m) => [...m].filter(([, w]) => w > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]));
}

function neighbourList(title, list) {
  const section = document.createElement("section"), h = document.createElement("h3"), t = document.createElement("table");
  h.textContent = title + (list.length > NEAR ? ` (${NEAR} of ${grouped.format(list.length)})` : "");
  for (const [e, w] of list.slice(0, NEAR)) {
    const tr = document.createElement("tr"), share = document.createElement("td"), td = document.createElement("td");
    share.textContent = percent(w, weight(0));
    if (e >= 0 && kindOf(e) < TASK) {
      const b = document.createElement("button");
      b.type = "button"; b.textContent = nameOf(e);
      b.addEventListener("click", () => showFunction(e));
      td.append(b);
    } else {
      td.textContent = nameOf(e);
    }
    tr.append(share, td);
    t.append(tr);
  }
  if (!list.length) t.textContent = "none";
  section.append(h, t);
  return section;
}

function showFunction(e) {
  const dialog = byId("function"), pre = document.createElement("pre"), [above, below] = neighbours(e), code = codeAround(e, above);
  if (!sums) sums = functions();
  byId("function-name").textContent = nameOf(e);
  byId("function-share").textContent = `${objectOf(e)}: self ${shareOf("self", e).toFixed(2)} %, total ${shareOf("total", e).toFixed(2)} %`;
  byId("function-calls").replaceChildren(neighbourList("Callers", above), neighbourList("Callees", below));
  pre.textContent = code || "The page has the code of the functions with most samples, as far as their files were at hand: lbrctl annotate shows others.";
  byId("function-code").replaceChildren(pre);
  if (!dialog.open) dialog.showModal();
}

// Opens the function of the frame in focus. A process and a mark have none.
function openFunction() {
  const e = tree.entry[focused];
  if (e >= 0 && kindOf(e) < TASK) showFunction(e);
}
