// SPDX-License-Identifier: GPL-2.0
// The two trees of the flame graph page: from the callers down to what ran, and the other way
// round.

// Both trees have the same form: the callers' tree, and the inverted one. The first level of the
// inverted tree has the functions that ran; its children are made on demand. Both have the
// sums of the choice; the inverted one is made anew for each.
const callers = {
  entry, depth, parent, total, samples, squares, selfSamples, concluded,
  kids(i) {
    const list = [];
    for (let c = i + 1; c < end[i]; c = end[c]) if (samples[0][c] || samples[1][c]) list.push(c);
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
