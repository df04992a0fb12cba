// SPDX-License-Identifier: GPL-2.0
// The search of the flame graph page: which functions match, how much of the time they have.
// An invalid expression is searched as text; bad: the browser's reason.
function expression(typed) {
  try {
    return { pattern: new RegExp(typed, "i"), bad: "" };
  } catch (e) {
    return { pattern: new RegExp(typed.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i"), bad: e.message.split(": ").pop() };
  }
}
// A match inside a match is not counted twice.
function matchedShare() {
  const sum = [0, 0], n = [0, 0];
  for (let i = 1; i < count;) {
    if (!matches[entry[i]]) { i++; continue; }
    for (let side = 0; side < 2; side++) { sum[side] += total[side][i]; n[side] += samples[side][i]; }
    i = end[i];
  }
  return DIFF ? `${percent(sum[0], all[0])} before, ${percent(sum[1], all[1])} after` :
    TWO ? `${percent(sum[0] + sum[1], all[0] + all[1])} (${time(sum[0])} on, ${time(sum[1])} off the CPU)` :
      `${percent(sum[0], all[0])} (${sides[0].ns ? time(sum[0]) : grouped.format(n[0]) + " samples"})`;
}
function find() {
  const typed = search.value ? expression(search.value) : { pattern: null, bad: "" };
  pattern = typed.pattern;
  matches = pattern && data.entries.map((e) => pattern.test(e[0]));
  search.setAttribute("aria-invalid", typed.bad !== "");
  matched.textContent = !pattern ? "" : "Matched: " + matchedShare() +
    (typed.bad && `; searched as text, because it is no regular expression: ${typed.bad}`);
  draw();
  if (!table.hidden) list();
  remember();
}
function nextMatch(step) {
  if (!matches) return;
  const found = [];
  for (let level = 0; level < rows.length; level++)
    for (const i of rows[level].node) if (i >= 0 && tree.entry[i] >= 0 && matches[tree.entry[i]]) found.push(i);
  if (found.length) move(found[(found.indexOf(focused) + step + found.length + (step < 0 && found.indexOf(focused) < 0 ? 1 : 0)) % found.length]);
}
