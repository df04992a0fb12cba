// SPDX-License-Identifier: GPL-2.0
// The flame graph page: layout, painting, search, pointer and keys. Frames are painted on a
// canvas and are no elements: there may be millions of nodes, and those narrower than a pixel are
// skipped. For screen readers, the frame in focus and its neighbours are elements of a tree beside
// the canvas.
const graph = byId("graph"), view = byId("view"), canvas = byId("canvas"), paint = canvas.getContext("2d");
const search = byId("search"), matched = byId("matched"), tip = byId("tip"), table = byId("table");
const ROW = 18, NEAR = 60, TABLE_ROWS = 300;
const KINDS = ["user", "kernel", "JIT", "inlined", "inferred", "process", "frames missing"];
const LOOKS = [[32, 92, 66], [211, 74, 72], [128, 44, 64], [176, 42, 64], [276, 50, 76], [40, 10, 80], [40, 4, 66]];

// ---- state
let tree = callers, inverted = null, icicle = false, zoom = 0, focused = 0, pattern = null;
let widths = DIFF ? 1 : 2;	// side 0, side 1, or both
let matches = null;		// by entry: whether it matches the search

function width(t, i) {
  if (!TWO) return t.total[0][i];
  if (widths === 2) return t.total[0][i] + t.total[1][i];
  return t.total[widths][i];
}

// ---- numbers for people
const grouped = new Intl.NumberFormat("en");
const percent = (part, whole) => (whole ? 100 * part / whole : 0).toFixed(2) + " %";
function time(ns) {
  return ns >= 1e9 ? (ns / 1e9).toFixed(3) + " s" : ns >= 1e6 ? (ns / 1e6).toFixed(2) + " ms" : (ns / 1e3).toFixed(1) + " µs";
}
function amount(side, i, t) {
  const n = grouped.format(t.samples[side][i]) + (t.samples[side][i] === 1 ? " sample" : " samples");
  return sides[side].ns ? `${time(t.total[side][i])} (${n})` : n;
}

// Shares as in base/confidence.c: the inverted tree is made here, with its shares.
const Z = 1.959963984540054;
const share = (t, side, i) => all[side] ? t.total[side][i] / all[side] : 0;
function worth(t, side, i) {
  const p = share(t, side, i), square = all[side] * all[side], whole = allSquares[side] ? square / allSquares[side] : 0;
  const variance = ((1 - 2 * p) * t.squares[side][i] + p * p * allSquares[side]) / square;
  return p > 1e-12 && p < 1 - 1e-12 && variance > 0 ? p * (1 - p) / variance : whole;
}
function interval(t, i) {
  const p = share(t, 0, i), n = worth(t, 0, i), mid = p + Z * Z / (2 * n), bottom = 1 + Z * Z / n;
  const half = Z * Math.sqrt(p * (1 - p) / n + Z * Z / (4 * n * n));
  return `${(100 * Math.max(0, mid - half) / bottom).toFixed(2)}–${(100 * Math.min(bottom, mid + half) / bottom).toFixed(2)} %`;
}

// The change of a share: the binary logarithm of the ratio, and whether it is significant
// (two proportions, 95 %).
function change(t, i) {
  const a = share(t, 0, i), b = share(t, 1, i), m = worth(t, 0, i), n = worth(t, 1, i);
  const p = (a * m + b * n) / (m + n), error = Math.sqrt(p * (1 - p) * (1 / m + 1 / n));
  return { a, b, log: Math.log2((b + 1e-9) / (a + 1e-9)), sure: error > 0 && Math.abs(b - a) > Z * error };
}

// A caller of the zoomed frame is no part of it.
function inZoom(t, i) {
  while (t.depth[i] > t.depth[zoom]) i = t.parent[i];
  return zoom > 0 && i === zoom;
}
function describe(t, i) {
  const e = t.entry[i], kind = kindOf(e);
  let s = nameOf(e) + (kind === INLINED ? " (inlined)" : kind === INFERRED ? " (inferred: it left by a tail call)" : "") + ": ";
  if (DIFF) {
    const c = change(t, i);
    return s + `${(100 * c.a).toFixed(2)} % before, ${(100 * c.b).toFixed(2)} % after, ${c.b >= c.a ? "+" : "−"}${(100 * Math.abs(c.b - c.a)).toFixed(2)} points` +
      (c.sure ? "" : ", within chance") + `; ${amount(0, i, t)} and ${amount(1, i, t)}`;
  }
  if (TWO) {
    const w = t.total[0][i] + t.total[1][i];
    s += `${percent(w, all[0] + all[1])} of all; on the CPU ${amount(0, i, t)}, off it ${amount(1, i, t)}`;
    return s + (inZoom(t, i) ? `; ${percent(w, t.total[0][zoom] + t.total[1][zoom])} of ${nameOf(t.entry[zoom])}` : "");
  }
  s += `${amount(0, i, t)}, ${percent(t.total[0][i], all[0])} of all`;
  if (i && !sides[0].ns) s += ` (${interval(t, i)})`;
  if (inZoom(t, i)) s += `, ${percent(t.total[0][i], t.total[0][zoom])} of ${nameOf(t.entry[zoom])}`;
  if (t.selfSamples) s += `, ${grouped.format(t.selfSamples[0][i])} in itself`;
  if (t.concluded && t.concluded[i]) s += `; ${percent(t.concluded[i], t.total[0][i])} of it concluded from the recorded stack, a frame pointer or the thread's past`;
  return s;
}

// ---- colours
const dark = matchMedia("(prefers-color-scheme: dark)");
const shades = new Map();
function shade(e) {
  let h = shades.get(e);
  if (h === undefined) {
    const name = nameOf(e);
    h = 7;
    for (let i = 0; i < name.length; i++) h = (h * 31 + name.charCodeAt(i)) | 0;
    h = (Math.imul(h, 0x9E3779B1) >>> 0) / 4294967296;
    shades.set(e, h);
  }
  return h;
}
function look(kind, h) {
  const [hue, saturation, light] = LOOKS[kind];
  const spread = kind === 0 ? 26 : kind >= TASK ? 0 : 16;
  return `hsl(${(hue + spread * (h - .5)).toFixed(0)} ${saturation}% ${(light + (kind >= TASK ? 0 : 9 * (h - .5)) - (dark.matches ? 8 : 0)).toFixed(0)}%)`;
}
function changeColour(t, i) {
  const c = change(t, i), strong = Math.min(1, Math.abs(c.log) / 2);
  if (!i || !c.sure) return dark.matches ? "hsl(40 4% 58%)" : "hsl(40 6% 84%)";
  return c.log > 0 ? `hsl(8 82% ${(82 - 26 * strong).toFixed(0)}%)` : `hsl(215 76% ${(84 - 22 * strong).toFixed(0)}%)`;
}
const HOT = (h) => `hsl(${(14 + 24 * h).toFixed(0)} 90% ${dark.matches ? 56 : 63}%)`;
const COLD = (h) => `hsl(${(206 + 18 * h).toFixed(0)} 62% ${dark.matches ? 62 : 74}%)`;

// ---- layout: for each row the frames from left to right, row by row. -1 stands for several
// frames that are narrower than a pixel.
let rows = [], high = 0;
function put(level, node, x, w) {
  while (rows.length <= level) rows.push({ node: [], x: [], w: [] });
  rows[level].node.push(node); rows[level].x.push(x); rows[level].w.push(w);
}
function putKids(t, i, x, scale, queue) {
  let from = x, small = 0;
  const level = t.depth[i] + 1;
  for (const kid of t.kids(i)) {
    const w = width(t, kid) * scale;
    if (w >= 1) {
      if (small >= 1) put(level, -1, from, small);
      from += small; small = 0;
      put(level, kid, from, w);
      queue.push(kid, from);
      from += w;
    } else {
      small += w;
    }
  }
  if (small >= 1) put(level, -1, from, small);
}
function layout() {
  const full = view.clientWidth - 10, t = tree, queue = [zoom, 0], above = [];
  rows = [];
  for (let i = zoom; i >= 0; i = t.parent[i]) above.push(i);
  while (above.length) { const i = above.pop(); put(t.depth[i], i, 0, full); }
  const scale = width(t, zoom) ? full / width(t, zoom) : 0;
  for (let q = 0; q < queue.length; q += 2) putKids(t, queue[q], queue[q + 1], scale, queue);
  high = Math.max(rows.length * ROW, view.clientHeight);
  graph.style.height = high + "px";
}
const topOf = (level) => icicle ? level * ROW : high - (level + 1) * ROW;

// ---- painting the visible part
const isHit = (e) => matches && e >= 0 && matches[e];
// The colours of a frame, from left to right: where each begins and how much it takes, of 1.
function fillOf(t, i) {
  const e = t.entry[i], h = shade(e);
  if (isHit(e)) return [[0, 1, dark.matches ? "#d63fa3" : "#c2168a"]];
  if (DIFF) return [[0, 1, changeColour(t, i)]];
  if (!TWO) return [[0, 1, look(kindOf(e), h)]];
  const cold = widths === 1 ? 1 : widths === 0 ? 0 : t.total[1][i] / (width(t, i) || 1);
  return [[0, 1, HOT(h)], [1 - cold, cold, COLD(h)]];
}
// The name as far as it fits into so much room; empty if the room is too small to be read.
function labelOf(i, w, letter) {
  return w < 3 * letter + 6 ? "" : shortened(nameOf(tree.entry[i]), Math.floor((w - 7) / letter));
}
function paintFrame(t, i, x, y, w, letter) {
  const e = t.entry[i], kind = kindOf(e), wide = Math.max(1, w - 1), label = labelOf(i, w, letter);
  paint.globalAlpha = matches && !isHit(e) ? .38 : i !== zoom && t.depth[i] < t.depth[zoom] ? .55 : 1;
  for (const [from, part, colour] of fillOf(t, i)) {
    paint.fillStyle = colour;
    paint.fillRect(x + wide * from, y, wide * part, ROW - 1);
  }
  if (kind === MARK && wide > 4) hatch(x, y, wide);
  if (kind === INFERRED && wide > 4) dashes(x, y, wide);
  if (!label) return;
  paint.fillStyle = isHit(e) ? "#fff" : "#17130b";
  paint.globalAlpha = Math.max(paint.globalAlpha, .7);
  paint.fillText(label, x + 4, y + ROW / 2);
}
function hatch(x, y, w) {
  paint.save();
  paint.beginPath(); paint.rect(x, y, w, ROW - 1); paint.clip();
  paint.strokeStyle = "rgba(0,0,0,.22)"; paint.lineWidth = 3;
  paint.beginPath();
  for (let s = x - ROW; s < x + w; s += 10) { paint.moveTo(s, y + ROW); paint.lineTo(s + ROW, y); }
  paint.stroke();
  paint.restore();
}
function dashes(x, y, w) {
  paint.save();
  paint.strokeStyle = "#4a1d78"; paint.setLineDash([4, 3]); paint.strokeRect(x + .5, y + .5, w - 1, ROW - 2);
  paint.restore();
}
function draw() {
  const full = view.clientWidth - 10, tall = view.clientHeight, ratio = devicePixelRatio || 1, top = view.scrollTop;
  canvas.width = full * ratio; canvas.height = tall * ratio;
  canvas.style.width = full + "px"; canvas.style.height = tall + "px";
  paint.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint.font = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
  paint.textBaseline = "middle";
  const letter = paint.measureText("mmmmmmmmmm").width / 10;
  for (let level = 0; level < rows.length; level++) {
    const y = topOf(level) - top, row = rows[level];
    if (y < -ROW || y > tall) continue;
    for (let k = 0; k < row.node.length; k++) {
      if (row.node[k] >= 0) {
        paintFrame(tree, row.node[k], row.x[k], y, row.w[k], letter);
      } else {
        paint.globalAlpha = matches ? .3 : .6;
        paint.fillStyle = dark.matches ? "#56585f" : "#cbc8c2";
        paint.fillRect(row.x[k], y + 2, Math.max(1, row.w[k] - 1), ROW - 5);
      }
    }
  }
  paint.globalAlpha = 1;
  byId("reset").disabled = zoom === 0;
  frameBox(byId("focus"), focused);
}

// ---- positions of frames
function place(i) {
  const row = rows[tree.depth[i]], k = row ? row.node.indexOf(i) : -1;
  return k < 0 ? null : [row.x[k], row.w[k]];
}
function frameAt(x, y) {
  const row = rows[Math.floor((icicle ? y : high - y) / ROW)];
  if (!row) return -1;
  let low = 0, top = row.x.length - 1;
  while (low < top) {
    const mid = (low + top + 1) >> 1;
    if (row.x[mid] <= x) low = mid; else top = mid - 1;
  }
  return x >= row.x[low] && x < row.x[low] + row.w[low] ? row.node[low] : -1;
}
function frameBox(box, i) {
  const p = i >= 0 && place(i);
  box.hidden = !p;
  if (!p) return;
  box.style.left = p[0] + "px"; box.style.top = topOf(tree.depth[i]) + "px";
  box.style.width = Math.max(3, p[1] - 1) + "px"; box.style.height = ROW - 1 + "px";
}

// ---- elements for screen readers: callers, siblings and callees of the frame in focus
function item(i, place, of, kids) {
  const e = document.createElement("div");
  e.id = "n" + i;
  e.setAttribute("role", "treeitem");
  e.setAttribute("aria-level", tree.depth[i] + 1);
  e.setAttribute("aria-posinset", place);
  e.setAttribute("aria-setsize", of);
  if (kids) e.setAttribute("aria-expanded", "true");
  if (i === focused) e.setAttribute("aria-selected", "true");
  e.textContent = describe(tree, i);
  return e;
}
function near() {
  const items = document.createDocumentFragment(), path = [];
  for (let i = tree.parent[focused]; i >= 0; i = tree.parent[i]) path.push(i);
  for (const i of path.reverse()) {
    const beside = i ? tree.kids(tree.parent[i]) : [i];
    items.append(item(i, beside.indexOf(i) + 1, beside.length, true));
  }
  const beside = focused ? tree.kids(tree.parent[focused]) : [focused], k = beside.indexOf(focused), called = tree.kids(focused);
  for (let s = Math.max(0, k - NEAR); s < Math.min(beside.length, k + NEAR); s++) {
    items.append(item(beside[s], s + 1, beside.length, beside[s] === focused && called.length));
    if (s === k) for (let c = 0; c < Math.min(called.length, NEAR); c++) items.append(item(called[c], c + 1, called.length, false));
  }
  byId("items").replaceChildren(items);
  graph.setAttribute("aria-activedescendant", "n" + focused);
}

function say(i) {
  const b = document.createElement("b"), s = document.createElement("span"), status = byId("status");
  b.textContent = describe(tree, i);
  s.textContent = "  " + objectOf(tree.entry[i]);
  status.replaceChildren(b, s);
}
function hint() {
  byId("status").innerHTML = "<span>Click or <kbd>Enter</kbd> zooms, <kbd>Esc</kbd> resets, arrow keys move, <kbd>/</kbd> searches, <kbd>?</kbd> shows all keys.</span>";
}
function moveTip(x, y) {
  tip.hidden = false;
  const r = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - r.width - 8)) + "px";
  tip.style.top = (y + 20 + r.height > innerHeight ? y - r.height - 12 : y + 18) + "px";
}
function showTip(i, x, y) {
  const b = document.createElement("b"), d = describe(tree, i), name = nameOf(tree.entry[i]);
  b.textContent = name;
  tip.replaceChildren(b, d.slice(name.length).replace(/^: /, ""), document.createElement("br"), objectOf(tree.entry[i]));
  moveTip(x, y);
}

// ---- actions
function see(i) {
  const y = topOf(tree.depth[i]);
  if (y < view.scrollTop) view.scrollTop = y;
  else if (y + ROW > view.scrollTop + view.clientHeight) view.scrollTop = y + ROW - view.clientHeight;
}
function refresh() {
  byId("hover").hidden = tip.hidden = true;
  layout();
  if (!place(focused)) focused = zoom;
  draw();
  near();
}
function zoomTo(i) {
  zoom = focused = i;
  refresh();
  see(i);
  draw();
  say(i);
  remember();
}
function home() { view.scrollTop = icicle ? 0 : view.scrollHeight; }
function move(i) {
  if (i === undefined || i < 0 || !place(i)) return;
  focused = i;
  see(i);
  draw();
  near();
  say(i);
}
function beside(step) {
  const row = tree.parent[focused] < 0 ? [focused] : tree.kids(tree.parent[focused]);
  return row[row.indexOf(focused) + step];
}
function turn(button, on) { byId(button).setAttribute("aria-pressed", on); }
function restart() {
  zoom = focused = 0;
  refresh();
  home();
  draw();
  legend();
  if (!table.hidden) list();
  say(0);
  remember();
}
// The choice has changed: the zoomed frame stays where it still has samples.
function follow() {
  const path = pathOf(zoom);
  if (tree === callers) inverted = null; else tree = inverted = invert();
  zoom = focused = nodeOf(path);
  if (!width(tree, zoom)) zoom = focused = 0;
  sums = null;
  if (pattern) matched.textContent = "Matched: " + matchedShare();
  refresh();
  legend();
  if (!table.hidden) list();
  remember();
}
function flip() {
  icicle = !icicle;
  turn("flip", icicle);
  refresh();
  if (zoom || focused) see(focused); else home();
  draw();
  remember();
}
function turnOver() {
  if (!inverted) inverted = invert();
  tree = tree === callers ? inverted : callers;
  turn("invert", tree === inverted);
  restart();
}
function showSide(side) {
  widths = side;
  inverted = null;
  if (tree !== callers) tree = inverted = invert();
  for (const b of byId("sides").children) b.setAttribute("aria-pressed", +b.value === widths);
  restart();
}

// ---- the legend, with each colour's share of self
function swatch(colour, words) {
  const s = document.createElement("span"), i = document.createElement("i");
  i.style.background = colour;
  s.append(i, words);
  return s;
}
function legend() {
  const l = byId("legend");
  if (DIFF) {
    l.replaceChildren(swatch("hsl(8 82% 62%)", "grown"), swatch("hsl(215 76% 68%)", "shrunk"), swatch(dark.matches ? "hsl(40 4% 58%)" : "hsl(40 6% 84%)", "within chance"));
    return;
  }
  if (TWO) {
    l.replaceChildren(swatch(HOT(.5), "on the CPU " + time(all[0])), swatch(COLD(.5), "off the CPU " + time(all[1])));
    return;
  }
  const sum = KINDS.map(() => 0), there = new Set(data.entries.map((e) => e[2]));
  for (let i = 1; i < count; i++) sum[kindOf(entry[i])] += self[0][i];
  l.replaceChildren(...KINDS.map((k, n) => [k, n]).filter(([, n]) => there.has(n) && n !== TASK)
    .map(([k, n]) => swatch(look(n, .5), k + (n < 4 ? " " + percent(sum[n], all[0]) : ""))));
}

// ---- pointer and keys
function under(ev) {
  const r = graph.getBoundingClientRect();
  return frameAt(ev.clientX - r.left, ev.clientY - r.top);
}
graph.addEventListener("click", (ev) => {
  const i = under(ev);
  graph.focus({ preventScroll: true });
  tip.hidden = true;
  if (i >= 0) zoomTo(i);
});
graph.addEventListener("mousemove", (ev) => {
  const i = under(ev);
  frameBox(byId("hover"), i);
  tip.hidden = i < 0;
  if (i >= 0) { say(i); showTip(i, ev.clientX, ev.clientY); }
});
graph.addEventListener("mouseleave", () => { tip.hidden = byId("hover").hidden = true; hint(); });

const keys = {
  Enter: () => zoomTo(focused), " ": () => zoomTo(focused), Backspace: () => zoomTo(Math.max(0, tree.parent[zoom])), Home: () => move(0),
  ArrowLeft: () => move(beside(-1)), ArrowRight: () => move(beside(1)),
  ArrowUp: () => move(icicle ? tree.parent[focused] : tree.kids(focused)[0]),
  ArrowDown: () => move(icicle ? tree.kids(focused)[0] : tree.parent[focused]),
};
const anywhere = {
  "/": () => search.focus(), "?": () => byId("help").showModal(), n: () => nextMatch(1), N: () => nextMatch(-1), i: flip, v: turnOver, f: showTable,
  s: save, c: copy, t: showFilters, a: chooseAll, o: openFunction,
};
// Keys of the graph work as long as nothing else has the focus.
function press(ev) {
  const plain = !ev.ctrlKey && !ev.altKey && !ev.metaKey && !document.querySelector("dialog[open]"), at = document.activeElement;
  if (!plain) return false;
  if (ev.key === "Escape") {
    if (search.value) { search.value = ""; find(); } else zoomTo(0);
    if (at === search) graph.focus();
  } else if (at === search) {
    if (ev.key === "Enter") { graph.focus(); nextMatch(1); }
  } else if (keys[ev.key] && (at === graph || at === document.body)) {
    tip.hidden = true;
    keys[ev.key]();
    return true;
  } else if (anywhere[ev.key]) {
    anywhere[ev.key]();
    return true;
  }
  return false;
}
document.addEventListener("keydown", (ev) => { if (press(ev)) ev.preventDefault(); });
search.addEventListener("input", find);
byId("reset").addEventListener("click", () => zoomTo(0));
byId("flip").addEventListener("click", flip);
byId("invert").addEventListener("click", turnOver);
byId("functions").addEventListener("click", showTable);
byId("filter").addEventListener("click", showFilters);
byId("save").addEventListener("click", save);
byId("keys").addEventListener("click", anywhere["?"]);
for (const [words, side] of !TWO ? [] : DIFF ? [["Before", 0], ["After", 1]] : [["On-CPU", 0], ["Off-CPU", 1], ["Both", 2]]) {
  const b = document.createElement("button");
  b.type = "button"; b.value = side; b.textContent = words;
  b.setAttribute("aria-pressed", side === widths);
  b.addEventListener("click", () => showSide(side));
  byId("sides").append(b);
}
byId("sides").hidden = !TWO;
graphs.forEach((graph, i) => {
  const b = document.createElement("button");
  b.type = "button"; b.textContent = graph.event;
  b.setAttribute("aria-pressed", i === chosen);
  b.addEventListener("click", () => {
    const p = address();
    p.delete("zoom");
    p.set("event", i);
    location.hash = p;
  });
  byId("events").append(b);
});
byId("events").hidden = graphs.length < 2;
view.addEventListener("scroll", draw);
dark.addEventListener("change", () => { draw(); legend(); drawTime(); });
followers.unshift(follow);

refresh();
legend();
home();
draw();
hint();
recall();
drawTime();
window.addEventListener("hashchange", () => location.reload());
new ResizeObserver(drawTime).observe(timeLine);
new ResizeObserver(() => { const low = view.scrollHeight - view.scrollTop; refresh(); if (!icicle) view.scrollTop = view.scrollHeight - low; draw(); }).observe(view);
