// SPDX-License-Identifier: GPL-2.0
// The tree of the flame graph page: decodes the data of the page, and makes the inverted tree.
// All page*.js are one script, in one function of page.html.
const byId = (id) => document.getElementById(id);
const graphs = JSON.parse(byId("data").textContent);
// One graph for each event. The page's address selects one: "#event=1".
const chosen = Math.min(Number((/event=(\d+)/.exec(location.hash) || [])[1] || 0), graphs.length - 1), data = graphs[chosen];
const TWO = data.mode !== "single", DIFF = data.mode === "diff";
// As enum flame_kind.
const INLINED = 3, INFERRED = 4, THREAD = 5, MARK = 6;

// ---- decoding: numbers of 7 bits a byte, lowest first. For each node, in the order of the tree:
// the distance up from the node before it, its entry, then the columns that html.c describes.
const text = atob(data.tree);
let at = 0;
function number() {
  let byte = text.charCodeAt(at++), value = byte & 127;
  for (let unit = 128; byte > 127; unit *= 128) {
    byte = text.charCodeAt(at++);
    value += (byte & 127) * unit;
  }
  return value;
}

const count = data.nodes;
const entry = new Int32Array(count), depth = new Int32Array(count), parent = new Int32Array(count), end = new Int32Array(count);
const self = [new Float64Array(count), new Float64Array(count)], total = [new Float64Array(count), new Float64Array(count)];
const selfSamples = [new Float64Array(count), new Float64Array(count)], samples = [new Float64Array(count), new Float64Array(count)];
const selfSquares = [new Float64Array(count), new Float64Array(count)], squares = [new Float64Array(count), new Float64Array(count)];
const concluded = new Float64Array(count);

function readNode(i) {
  entry[i] = number() - 1;
  for (let side = 0; side < (TWO ? 2 : 1); side++) {
    selfSamples[side][i] = samples[side][i] = number();
    const each = data.sides[side].each;
    total[side][i] = self[side][i] = each ? selfSamples[side][i] * each : number();
    squares[side][i] = selfSquares[side][i] = each ? self[side][i] * each : number() * data.sides[side].square;
  }
  if (data.concluded) concluded[i] = number();
}

(function read() {
  const path = [];
  for (let i = 0; i < count; i++) {
    for (let up = number(); up > 0; up--) end[path.pop()] = i;
    depth[i] = path.length;
    parent[i] = path.length ? path[path.length - 1] : -1;
    readNode(i);
    path.push(i);
  }
  while (path.length) end[path.pop()] = count;
  for (let i = count - 1; i > 0; i--) {
    for (let side = 0; side < 2; side++) {
      total[side][parent[i]] += total[side][i];
      samples[side][parent[i]] += samples[side][i];
      squares[side][parent[i]] += squares[side][i];
    }
  }
})();

const all = [total[0][0], total[1][0]], allSamples = [samples[0][0], samples[1][0]], allSquares = [squares[0][0], squares[1][0]];

// ---- entries
const nameOf = (e) => e < 0 ? "all" : data.entries[e][0];
const objectOf = (e) => e < 0 ? "" : data.objects[data.entries[e][1]];
const kindOf = (e) => e < 0 ? THREAD : data.entries[e][2];

// Both trees have the same form: the callers' tree, and the inverted one. The first level of the
// inverted tree has the functions that ran; its children are made on demand.
const callers = {
  entry, depth, parent, total, samples, squares, selfSamples, concluded,
  kids(i) {
    const list = [];
    for (let c = i + 1; c < end[i]; c = end[c]) list.push(c);
    return list;
  },
};

function invert() {
  const t = { entry: [-1], depth: [0], parent: [-1], total: [[all[0]], [all[1]]], samples: [[allSamples[0]], [allSamples[1]]],
    squares: [[allSquares[0]], [allSquares[1]]], selfSamples: null, concluded: null };
  const known = [null], members = [];
  const first = [];
  for (let i = 1; i < count; i++) if (selfSamples[0][i] || selfSamples[1][i]) first.push(i, i);
  members[0] = first;

  // Members are pairs: a node that ran, and its caller that this node stands for.
  t.kids = function (i) {
    if (known[i]) return known[i];
    const kids = new Map(), list = members[i];
    for (let m = 0; m < list.length; m += 2) {
      const leaf = list[m], here = i ? parent[list[m + 1]] : leaf;
      if (here <= 0) continue;
      let kid = kids.get(entry[here]);
      if (kid === undefined) {
        kid = t.entry.length;
        kids.set(entry[here], kid);
        t.entry.push(entry[here]); t.depth.push(t.depth[i] + 1); t.parent.push(i);
        for (let side = 0; side < 2; side++) for (const sum of [t.total, t.samples, t.squares]) sum[side].push(0);
        members[kid] = []; known[kid] = null;
      }
      members[kid].push(leaf, here);
      for (let side = 0; side < 2; side++) {
        t.total[side][kid] += self[side][leaf];
        t.samples[side][kid] += selfSamples[side][leaf];
        t.squares[side][kid] += selfSquares[side][leaf];
      }
    }
    members[i] = null;
    known[i] = [...kids.values()].sort((a, b) => width(t, b) - width(t, a) || a - b);
    return known[i];
  };
  return t;
}
