// SPDX-License-Identifier: GPL-2.0
// The data of the flame graph page, decoded: data.h has the format. All page*.js are one script, in
// one function of page.html.
const byId = (id) => document.getElementById(id);
async function unpacked(text) {
  if (!window.DecompressionStream)
    byId("status").textContent = "This page needs a later browser: from Chromium 80, Firefox 113, Safari 16.4 on.";
  const packed = new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]);
  return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
const page = JSON.parse(await unpacked(byId("data").textContent));
const graphs = page.graphs;
// One graph for each event. The page's address selects one: "#event=1".
const chosen = Math.min(Number((/event=(\d+)/.exec(location.hash) || [])[1] || 0), graphs.length - 1), data = graphs[chosen];
const TWO = page.mode !== "single", DIFF = page.mode === "diff", SIDES = TWO ? [0, 1] : [0];
// As enum flame_kind.
const INLINED = 3, INFERRED = 4, TASK = 5, MARK = 6;

// ---- numbers in text: letters of base64 with 5 bits each, lowest first, and a bit for more
const LETTER_VALUES = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((c, i) => { LETTER_VALUES[c.charCodeAt(0)] = i; });
function numbersOf(text) {
  let at = 0;
  return function () {
    let letter = LETTER_VALUES[text.charCodeAt(at++)], value = letter & 31;
    for (let unit = 32; letter > 31; unit *= 32) {
      letter = LETTER_VALUES[text.charCodeAt(at++)];
      value += (letter & 31) * unit;
    }
    return value;
  };
}
const difference = (coded) => coded % 2 ? -Math.floor(coded / 2) : coded / 2;

// ---- the tree: for each node its entry, its depth, its caller, and where its callees end
const count = data.nodes;
const entry = new Int32Array(count), depth = new Int32Array(count), parent = new Int32Array(count), end = new Int32Array(count);
(function readTree() {
  const number = numbersOf(data.tree), path = [];
  for (let i = 0; i < count; i++) {
    for (let up = number(); up > 0; up--) end[path.pop()] = i;
    depth[i] = path.length;
    parent[i] = path.length ? path[path.length - 1] : -1;
    entry[i] = number() - 1;
    path.push(i);
  }
  while (path.length) end[path.pop()] = count;
})();
const nameOf = (e) => e < 0 ? "all" : data.entries[e][0];
const objectOf = (e) => e < 0 ? "" : data.objects[data.entries[e][1]];
const kindOf = (e) => e < 0 ? TASK : data.entries[e][2];

// ---- traces: by number, where they end, whose they are, and the sums of their samples. A time off the CPU is
// the self of the node that waits; owner has it, by side and by the node in which the trace ends.
const owner = [Int32Array.from({ length: count }, (_, i) => i), Int32Array.from({ length: count }, (_, i) => i)];
function readTraces(side, s) {
  const n = side.traces, number = numbersOf(side.trace), ints = () => new Int32Array(n), reals = () => new Float64Array(n);
  const t = { count: n, node: ints(), thread: ints(), cpu: ints(), verdict: ints(), concluded: ints(), samples: reals(), weight: reals(), squares: reals() };
  for (let i = 0; i < n; i++) {
    t.node[i] = number(); t.thread[i] = number(); t.cpu[i] = number(); t.verdict[i] = number(); t.concluded[i] = number();
    for (let up = side.off ? number() : 0, node = t.node[i]; up > 0; up--) owner[s][t.node[i]] = node = parent[node];
    if (side.cells) continue;
    t.samples[i] = number();
    t.weight[i] = side.each ? t.samples[i] * side.each : number();
    t.squares[i] = side.each ? t.weight[i] * side.each : number() * side.square;
  }
  return t;
}

// ---- cells: by number, time (µs since the start), trace, number of samples, weight, squares. A side
// without slices has one sample in each, and a side of equal samples has no column of weights.
function readCells(side, traces) {
  const n = side.cells, number = numbersOf(side.cell), unit = side.slice || 1;
  const c = { count: n, slice: side.slice, each: side.each, time: new Float64Array(n), trace: new Int32Array(n),
    samples: side.slice ? new Float64Array(n) : null, weight: side.each ? null : new Float64Array(n),
    squares: side.slice && !side.each ? new Float64Array(n) : null };
  for (let i = 0, time = 0, weight = 0; i < n; i++) {
    c.time[i] = time += number() * unit;
    c.trace[i] = number();
    if (c.samples) c.samples[i] = number();
    if (c.weight) c.weight[i] = weight += difference(number());
    if (c.squares) c.squares[i] = number() * side.square;
  }
  addCells(c, 0, n, traces);
  return c;
}
// Adds the cells from first to before last to the sums of their traces.
function addCells(c, first, last, to) {
  for (let i = first; i < last; i++) {
    const t = c.trace[i], samples = c.samples ? c.samples[i] : 1, weight = c.weight ? c.weight[i] : samples * c.each;
    to.samples[t] += samples;
    to.weight[t] += weight;
    to.squares[t] += c.squares ? c.squares[i] : c.each ? weight * c.each : weight * weight;
  }
}
function readSide(side, s) {
  const traces = readTraces(side, s);
  return { ns: side.ns, off: side.off, cpus: side.cpus, traces, cells: readCells(side, traces) };
}
const sides = data.sides.map(readSide);

// ---- what happened besides: losses, and actions for the budget, each with its time
function readEvents(text, names) {
  // The last letter of a number is one without the bit for more.
  const list = [], number = numbersOf(text || ""), numbers = (text || "").replace(/[^A-Za-f]/g, "").length;
  for (let read = 0, time = 0; read < numbers; read += 1 + names.length) {
    const event = { time: time += difference(number()) };
    for (const name of names) event[name] = number();
    list.push(event);
  }
  return list;
}
const losses = readEvents(page.losses, ["samples", "records"]), marks = readEvents(page.marks, ["cpu", "stretch"]);
