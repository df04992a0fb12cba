// SPDX-License-Identifier: GPL-2.0
// What of the data is chosen, and its sums. The page has one choice: a span of time, and threads,
// CPUs and verdicts. All views show the sums below and follow when they change.
const choice = { span: null, thread: new Set(), cpu: new Set(), verdict: new Set() };	// an empty set: all
const FILTERS = ["thread", "cpu", "verdict"];
const followers = [];

// ---- sums of the choice by node and side: in the node itself, and with all that it called
const columns = () => [new Float64Array(count), new Float64Array(count)];
const self = columns(), total = columns(), selfSamples = columns(), samples = columns(), selfSquares = columns(), squares = columns();
const concluded = new Float64Array(count);
const all = [0, 0], allSamples = [0, 0], allSquares = [0, 0];

// ---- time. All sides have one clock, or none.
const timed = sides.some((s) => s.cells.count);
const slice = Math.max(1, ...sides.map((s) => s.cells.slice));
const finish = Math.max(1, ...sides.map((s) => s.cells.count ? s.cells.time[s.cells.count - 1] + Math.max(1, s.cells.slice) : 0));
// The first cell at a time or later.
function cellAt(cells, time) {
  let low = 0, top = cells.count;
  while (low < top) {
    const mid = (low + top) >> 1;
    if (cells.time[mid] < time) low = mid + 1; else top = mid;
  }
  return low;
}

// ---- which traces are chosen
function passing(traces, except) {
  const pass = new Uint8Array(traces.count).fill(1);
  for (const what of FILTERS) {
    const set = choice[what], of = traces[what];
    if (what === except || !set.size) continue;
    for (let t = 0; t < traces.count; t++) if (!set.has(of[t])) pass[t] = 0;
  }
  return pass;
}
// The sums of the traces of a side in the span, whatever the filters.
function inSpan(side) {
  if (!choice.span || !side.cells.count) return side.traces;
  const n = side.traces.count, sums = { samples: new Float64Array(n), weight: new Float64Array(n), squares: new Float64Array(n) };
  addCells(side.cells, cellAt(side.cells, choice.span[0]), cellAt(side.cells, choice.span[1]), sums);
  return sums;
}
// The sums of the chosen samples by thread, CPU or verdict, as if that filter were not set.
function sumsBy(what) {
  const sums = new Map();
  sides.forEach((side, s) => {
    const pass = passing(side.traces, what), in_ = inSpan(side);
    for (let t = 0; t < side.traces.count; t++) {
      if (!pass[t] || !in_.samples[t]) continue;
      const key = side.traces[what][t];
      if (!sums.has(key)) sums.set(key, { samples: [0, 0], weight: [0, 0] });
      sums.get(key).samples[s] += in_.samples[t];
      sums.get(key).weight[s] += in_.weight[t];
    }
  });
  return sums;
}

// The innermost node of a trace that is concluded: its callers are, too.
function concludedNode(traces, t) {
  let node = traces.node[t];
  while (depth[node] > traces.concluded[t]) node = parent[node];
  return node;
}
function sumSide(side, s) {
  const traces = side.traces, pass = passing(traces), sums = inSpan(side);
  for (let t = 0; t < traces.count; t++) {
    if (!pass[t] || !sums.samples[t]) continue;
    const node = traces.node[t];
    selfSamples[s][node] += sums.samples[t];
    self[s][node] += sums.weight[t];
    selfSquares[s][node] += sums.squares[t];
    if (traces.concluded[t]) concluded[concludedNode(traces, t)] += sums.weight[t];
  }
}
function sum() {
  for (const list of [self, selfSamples, selfSquares]) for (const s of list) s.fill(0);
  concluded.fill(0);
  sides.forEach(sumSide);
  for (const s of SIDES) {
    total[s].set(self[s]); samples[s].set(selfSamples[s]); squares[s].set(selfSquares[s]);
    for (let i = count - 1; i > 0; i--) {
      total[s][parent[i]] += total[s][i];
      samples[s][parent[i]] += samples[s][i];
      squares[s][parent[i]] += squares[s][i];
    }
    all[s] = total[s][0]; allSamples[s] = samples[s][0]; allSquares[s] = squares[s][0];
  }
  // Threads and marks are not frames, and the stack does not show inferred frames.
  for (let i = count - 1; i > 0; i--) {
    concluded[parent[i]] += concluded[i];
    if (kindOf(entry[i]) >= INFERRED) concluded[i] = 0;
  }
  concluded[0] = 0;
}
const whole = (() => { sum(); return allSamples.slice(); })();

// ---- changing the choice
function chosenAny() { return choice.span !== null || FILTERS.some((what) => choice[what].size > 0); }
function changed() {
  sum();
  for (const follow of followers) follow();
}
// Spans are whole slices, and not empty.
function setSpan(from, to) {
  from = Math.max(0, Math.floor(Math.min(from, to) / slice) * slice);
  to = Math.min(finish, Math.max(from + slice, Math.ceil(Math.max(from, to) / slice) * slice));
  choice.span = from >= finish || (from === 0 && to >= finish) ? null : [from, to];
  changed();
}
function clearSpan() { choice.span = null; changed(); }
function toggle(what, key) {
  if (!choice[what].delete(key)) choice[what].add(key);
  changed();
}
function chooseAll() {
  choice.span = null;
  for (const what of FILTERS) choice[what].clear();
  changed();
}

// ---- the same samples in a terminal: the options of lbrctl report, or null if it has none for them
const seconds = (us, ns) => {
  const s = Math.floor(us / 1e6);
  return s + "." + String(us - s * 1e6).padStart(6, "0") + ns;
};
function threadOptions() {
  if (!choice.thread.size) return [];
  const kept = [...choice.thread].map((n) => page.threads[n]), tids = [...new Set(kept.map((t) => t[1]))], names = [...new Set(kept.map((t) => t[2]))];
  const meant = page.threads.filter((t) => tids.includes(t[1]));
  if (meant.length === kept.length) return ["--tid " + tids.join(",")];
  if (meant.filter((t) => names.includes(t[2])).length !== kept.length || names.some((n) => /[^\w.:/-]/.test(n))) return null;
  return ["--tid " + tids.join(","), "--comms " + names.join(",")];
}
function reportOptions() {
  const threads = threadOptions(), options = [];
  if (!threads) return null;
  if (choice.span) options.push(`--time ${seconds(page.start + choice.span[0], "")},${seconds(page.start + choice.span[1] - 1, "999")}`);
  if (choice.cpu.size) options.push("-C " + [...choice.cpu].sort((a, b) => a - b).join(","));
  if (choice.verdict.size) options.push(`--verdict '${[...choice.verdict].sort((a, b) => a - b).map((n) => page.verdicts[n]).join(",")}'`);
  return options.concat(threads).join(" ");
}
