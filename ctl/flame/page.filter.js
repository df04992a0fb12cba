// SPDX-License-Identifier: GPL-2.0
// The filters of the flame graph page: threads, CPUs and verdicts with their samples, and what is
// chosen in words.
const MOST_ROWS = 200, TITLES = { thread: "Threads", cpu: "CPUs", verdict: "Verdicts" };
const filters = byId("filters");

function weightOf(sum) { return DIFF ? sum.weight[1] / (all[1] || 1) + sum.weight[0] / (all[0] || 1) : sum.weight[0] + sum.weight[1]; }
function filterRow(what, key, sum, whole) {
  const row = document.createElement("label"), box = document.createElement("input"), name = document.createElement("span"), share = document.createElement("i");
  box.type = "checkbox"; box.value = key; box.checked = choice[what].has(key);
  box.addEventListener("change", () => toggle(what, key));
  name.textContent = laneName(what, key);
  share.textContent = percent(weightOf(sum), whole);
  row.title = what === "thread" ? `process ${page.threads[key][0]}, thread ${page.threads[key][1]}` : "";
  row.style.setProperty("--share", whole ? 100 * weightOf(sum) / whole + "%" : "0");
  row.append(box, name, share);
  return row;
}
function filterList(what) {
  const set = document.createElement("fieldset"), title = document.createElement("legend"), sums = sumsBy(what);
  for (const key of choice[what]) if (!sums.has(key)) sums.set(key, { samples: [0, 0], weight: [0, 0] });
  const keys = [...sums.keys()], whole = keys.reduce((n, key) => n + weightOf(sums.get(key)), 0);
  keys.sort(what === "cpu" ? (a, b) => a - b : (a, b) => choice[what].has(b) - choice[what].has(a) || weightOf(sums.get(b)) - weightOf(sums.get(a)) || a - b);
  title.textContent = TITLES[what] + (keys.length > MOST_ROWS ? ` (${MOST_ROWS} of ${keys.length})` : "");
  set.append(title, ...keys.slice(0, MOST_ROWS).map((key) => filterRow(what, key, sums.get(key), whole)));
  set.hidden = what === "cpu" && !sides.every((s) => s.cpus);
  return set;
}
// The box that was ticked keeps the focus.
function drawFilters() {
  if (filters.hidden) return;
  const at = document.activeElement, where = at && filters.contains(at) ? [at.closest("fieldset"), at.value] : null;
  const index = where ? [...filters.children].indexOf(where[0]) : -1, top = filters.scrollTop;
  filters.replaceChildren(...FILTERS.map(filterList));
  if (index >= 0) for (const box of filters.children[index].querySelectorAll("input")) if (box.value === where[1]) box.focus();
  filters.scrollTop = top;
}
function showFilters() {
  filters.hidden = !filters.hidden;
  turn("filter", !filters.hidden);
  drawFilters();
  refresh(); draw();
  remember();
}

// ---- the choice in words
function names(what) {
  const list = [...choice[what]].map((key) => laneName(what, key));
  return list.length > 3 ? `${list.slice(0, 3).join(", ")} and ${list.length - 3} more` : list.join(", ");
}
function drawChoice() {
  const words = [], options = reportOptions();
  if (choice.span) words.push(`${(choice.span[0] / 1e6).toFixed(6)} to ${(choice.span[1] / 1e6).toFixed(6)} s`);
  for (const what of FILTERS) if (choice[what].size) words.push(names(what));
  byId("choice").hidden = !chosenAny();
  byId("chosen").textContent = `${grouped.format(allSamples[0] + allSamples[1])} of ${grouped.format(whole[0] + whole[1])} samples: ${words.join("; ")}`;
  byId("options").textContent = options && !TWO ? "lbrctl report " + options : "";
  byId("options").parentElement.hidden = !options || TWO;
}
byId("everything").addEventListener("click", chooseAll);
byId("options").addEventListener("click", () => copyText(byId("options").textContent));
followers.push(drawFilters, drawChoice);
