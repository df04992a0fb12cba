// SPDX-License-Identifier: GPL-2.0
// The time line of the flame graph page: when the samples of each CPU or thread were taken, times
// off the CPU, losses, actions for the budget. The span that is dragged there is the choice's.
const timeLine = byId("line"), overview = byId("overview"), laneBox = byId("lanes"), laneCanvas = byId("lane-canvas");
const TALL = 58, STRIP = 8, LANE = 15, MOST_LANES = 200;
let laneKind = "cpu", lanes = [], shownFrom = 0, shownTo = finish;
const gutter = () => Math.min(150, Math.floor(timeLine.clientWidth / 4));
const timeAt = (x) => shownFrom + (x - gutter()) / Math.max(1, timeLine.clientWidth - gutter()) * (shownTo - shownFrom);
const xOf = (t) => gutter() + (t - shownFrom) / (shownTo - shownFrom) * (timeLine.clientWidth - gutter());
const short = (us) => (us / 1e6).toFixed(shownTo - shownFrom < 1e5 ? 6 : shownTo - shownFrom < 1e7 ? 4 : 2);
const threadName = (n) => `${page.threads[n][2]} ${page.threads[n][1]}`;
const laneName = (kind, key) => kind === "cpu" ? `CPU ${key}` : kind === "thread" ? threadName(key) : page.verdicts[key];

// Times off the CPU are another event of the capture, which the lanes of its threads show as well.
let others = null;
function offSides() {
  if (!others) others = TWO ? [] : graphs.filter((g) => g !== data && g.sides[0].off).map((g) => readSide(g.sides[0]));
  return others;
}

// ---- how much of each lane falls on each pixel column
function bins(wide) {
  const made = new Map();
  return { made, of(key) {
    if (!made.has(key)) made.set(key, { on: new Float32Array(wide), off: new Float32Array(wide), sum: 0 });
    return made.get(key);
  } };
}
// A sample off the CPU stands for the time before it.
function countSide(side, wide, sum, by, kind) {
  const c = side.cells, traces = side.traces, pass = passing(traces, kind), scale = wide / (shownTo - shownFrom), keys = traces[kind];
  for (let i = side.off ? 0 : cellAt(c, shownFrom), last = side.off ? c.count : cellAt(c, shownTo); i < last; i++) {
    const t = c.trace[i], weight = c.weight ? c.weight[i] : (c.samples ? c.samples[i] : 1) * c.each, at = Math.floor((c.time[i] - shownFrom) * scale);
    if (!pass[t]) continue;
    const lane = by.of(keys[t]);
    if (!side.off) {
      lane.on[at] += weight; lane.sum += weight;
      if (choice[kind].size === 0 || choice[kind].has(keys[t])) sum.on[at] += weight;
      continue;
    }
    const from = Math.max(0, Math.floor((c.time[i] - weight / 1e3 - shownFrom) * scale));
    for (let x = from; x <= at && x < wide; x++) { lane.off[x] += 1; sum.off[x] += 1; }
    if (sides.includes(side)) lane.sum += weight;
  }
}
function countLanes(wide) {
  const by = bins(wide), sum = { on: new Float32Array(wide), off: new Float32Array(wide) };
  for (const side of sides) countSide(side, wide, sum, by, laneKind);
  if (laneKind === "thread") for (const side of offSides()) countSide(side, wide, { on: sum.on, off: new Float32Array(wide) }, by, laneKind);
  const keys = [...by.made.keys()];
  keys.sort(laneKind === "cpu" ? (a, b) => a - b : (a, b) => by.made.get(b).sum - by.made.get(a).sum || a - b);
  lanes = keys.slice(0, MOST_LANES).map((key) => ({ key, bins: by.made.get(key) }));
  lanes.more = keys.length - lanes.length;
  return sum;
}

// ---- painting
function sized(c, wide, tall) {
  const ratio = devicePixelRatio || 1, p = c.getContext("2d");
  c.width = wide * ratio; c.height = tall * ratio;
  c.style.width = wide + "px"; c.style.height = tall + "px";
  p.setTransform(ratio, 0, 0, ratio, 0, 0);
  p.font = "11px system-ui, 'DejaVu Sans', sans-serif"; p.textBaseline = "middle";
  return p;
}
const ink = () => getComputedStyle(document.body).color;
const ON = () => dark.matches ? "245, 150, 70" : "226, 112, 30", OFF = () => dark.matches ? "120, 170, 235" : "70, 130, 205";
function label(p, text, y, dim) {
  p.globalAlpha = dim ? .45 : 1; p.fillStyle = ink();
  p.fillText(shortened(text, Math.floor((gutter() - 10) / 6.2)), 2, y);
  p.globalAlpha = 1;
}
function shadeRest(p, tall) {
  if (!choice.span) return;
  const a = xOf(choice.span[0]), b = xOf(choice.span[1]), left = gutter(), right = timeLine.clientWidth;
  p.fillStyle = dark.matches ? "rgba(22, 23, 26, .72)" : "rgba(252, 251, 249, .78)";
  p.fillRect(left, 0, Math.max(0, a - left), tall); p.fillRect(b, 0, Math.max(0, right - b), tall);
  p.fillStyle = ink();
  p.fillRect(a, 0, 1, tall); p.fillRect(Math.max(a + 1, b - 1), 0, 1, tall);
}
function paintScale(p, wide) {
  const left = gutter(), room = Math.max(60, (wide - left) / 8), about = (shownTo - shownFrom) * room / (wide - left);
  const ten = 10 ** Math.floor(Math.log10(about)), step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= about);
  p.fillStyle = ink(); p.globalAlpha = .65;
  for (let t = Math.ceil(shownFrom / step) * step; t <= shownTo; t += step) {
    const x = xOf(t), text = +(t / 1e6).toFixed(6) + " s";
    p.fillRect(x, 0, 1, 4);
    if (x + p.measureText(text).width + 4 < wide) p.fillText(text, x + 3, 7);
  }
  p.globalAlpha = 1;
}
function paintOverview(sum, wide) {
  const p = sized(overview, wide, TALL), left = gutter(), room = TALL - 14 - STRIP;
  const values = sides.some((s) => !s.off) ? sum.on : sum.off, most = values.reduce((a, b) => Math.max(a, b), 1e-9);
  paintScale(p, wide);
  label(p, values === sum.on ? data.event : "threads off the CPU", 14 + room / 2);
  p.fillStyle = `rgb(${values === sum.on ? ON() : OFF()})`;
  for (let x = 0; x < values.length; x++) {
    const tall = values[x] / most * room;
    if (tall) p.fillRect(left + x, 14 + room - tall, 1, Math.max(1, tall));
  }
  for (const [list, colour] of [[marks, dark.matches ? "#c9a0ff" : "#7a3fc0"], [losses, dark.matches ? "#ff6b5e" : "#c81e1e"]])
    for (const event of list) {
      const x = xOf(Math.max(0, event.time));
      if (x < left || x > wide) continue;
      p.fillStyle = colour;
      p.fillRect(Math.min(x, wide - 2), TALL - STRIP + 1, 2, STRIP - 1);
    }
  shadeRest(p, TALL);
}
function paintLanes(wide) {
  const tall = lanes.length * LANE, p = sized(laneCanvas, wide, tall), left = gutter();
  const most = lanes.reduce((a, l) => l.bins.on.reduce((b, v) => Math.max(b, v), a), 1e-9);
  lanes.forEach((lane, n) => {
    const y = n * LANE, out = choice[laneKind].size > 0 && !choice[laneKind].has(lane.key);
    label(p, laneName(laneKind, lane.key), y + LANE / 2, out);
    for (let x = 0; x < lane.bins.on.length; x++) {
      const on = lane.bins.on[x], off = lane.bins.off[x];
      if (off) { p.fillStyle = `rgba(${OFF()}, ${out ? .2 : .7})`; p.fillRect(left + x, y + LANE - 6, 1, 4); }
      if (!on) continue;
      p.fillStyle = `rgba(${ON()}, ${(out ? .3 : 1) * (.25 + .75 * Math.sqrt(on / most))})`;
      p.fillRect(left + x, y + 1, 1, off ? LANE - 7 : LANE - 3);
    }
  });
  shadeRest(p, tall);
}
function drawTime() {
  if (!timed) return;
  const wide = timeLine.clientWidth;
  if (wide < 20) return;
  paintOverview(countLanes(Math.max(1, wide - gutter())), wide);
  paintLanes(wide);
  byId("lane-note").textContent = lanes.more > 0 ? `${lanes.more} more threads` : "";
  byId("from").value = choice.span ? (choice.span[0] / 1e6).toFixed(6) : "";
  byId("to").value = choice.span ? (choice.span[1] / 1e6).toFixed(6) : "";
  byId("to").placeholder = short(finish);
  byId("whole").disabled = !choice.span && shownFrom === 0 && shownTo === finish;
  byId("magnify").disabled = !choice.span || (choice.span[0] === shownFrom && choice.span[1] === shownTo);
  timeLine.setAttribute("aria-label", "Time line, " + (choice.span ? `from ${short(choice.span[0])} to ${short(choice.span[1])} s` : "all of it") + " is chosen");
}

// ---- choosing a span: by the pointer, by keys, by numbers
let dragged = null;
function laneUnder(ev) {
  const r = laneCanvas.getBoundingClientRect();
  return ev.clientY >= r.top ? lanes[Math.floor((ev.clientY - r.top) / LANE)] : undefined;
}
timeLine.addEventListener("pointerdown", (ev) => {
  const x = ev.clientX - timeLine.getBoundingClientRect().left;
  if (x < gutter()) {
    const lane = laneUnder(ev);
    if (lane) toggle(laneKind, lane.key);
    return;
  }
  dragged = { x, moved: false };
  try { timeLine.setPointerCapture(ev.pointerId); } catch (e) { /* a pointer that a script made */ }
});
timeLine.addEventListener("pointermove", (ev) => {
  const x = Math.max(gutter(), ev.clientX - timeLine.getBoundingClientRect().left);
  tellTime(ev, x);
  if (!dragged || (!dragged.moved && Math.abs(x - dragged.x) < 4)) return;
  dragged.moved = true;
  if (!dragged.waits) requestAnimationFrame(() => { if (dragged) { dragged.waits = false; setSpan(timeAt(dragged.x), timeAt(dragged.to)); } });
  dragged.waits = true;
  dragged.to = x;
});
timeLine.addEventListener("pointerup", (ev) => {
  const x = Math.max(gutter(), ev.clientX - timeLine.getBoundingClientRect().left), d = dragged;
  dragged = null;
  if (d && d.moved) setSpan(timeAt(d.x), timeAt(x)); else if (d && choice.span) clearSpan();
});
timeLine.addEventListener("pointerleave", () => { tip.hidden = true; });
const near_ = (list, x) => list.filter((e) => Math.abs(xOf(Math.max(0, e.time)) - x) < 4);
function tellTime(ev, x) {
  const lane = laneUnder(ev), words = [];
  if (lane) words.push(laneName(laneKind, lane.key));
  for (const l of near_(losses, x)) words.push(`lost: ${grouped.format(l.samples)} samples${l.records ? `, ${grouped.format(l.records)} records` : ""}`);
  for (const m of near_(marks, x).slice(0, 3)) words.push(`budget: CPU ${m.cpu}, periods ${(m.stretch / 1000).toFixed(1)} times as long`);
  const b = document.createElement("b");
  b.textContent = short(Math.max(0, timeAt(x))) + " s";
  tip.replaceChildren(b, words.join("; "));
  moveTip(ev.clientX, ev.clientY);
}
function stepSpan(by, grow) {
  const [from, to] = choice.span || [shownFrom, shownFrom + (shownTo - shownFrom) / 10], step = Math.max(slice, (shownTo - shownFrom) / 50);
  if (!choice.span) setSpan(from, to);
  else if (grow) setSpan(from, Math.max(from + slice, to + by * step));
  else { const by_ = Math.max(-from, Math.min(finish - to, by * step)); setSpan(from + by_, to + by_); }
}
function magnify() {
  if (!choice.span) return;
  [shownFrom, shownTo] = choice.span;
  drawTime();
}
function wholeTime() { shownFrom = 0; shownTo = finish; clearSpan(); }
const timeKeys = {
  ArrowLeft: (ev) => stepSpan(-1, ev.shiftKey), ArrowRight: (ev) => stepSpan(1, ev.shiftKey), z: magnify, Escape: wholeTime,
};
timeLine.addEventListener("keydown", (ev) => {
  if (!timeKeys[ev.key] || ev.ctrlKey || ev.altKey || ev.metaKey) return;
  timeKeys[ev.key](ev);
  ev.preventDefault(); ev.stopPropagation();
});
function typedSpan() {
  const from = byId("from").value.trim(), to = byId("to").value.trim(), a = from ? Number(from) * 1e6 : 0, b = to ? Number(to) * 1e6 : finish;
  const good = Number.isFinite(a) && Number.isFinite(b) && a < b;
  for (const field of ["from", "to"]) byId(field).setAttribute("aria-invalid", !good);
  if (good) setSpan(Math.round(a), Math.round(b));
}
byId("from").addEventListener("change", typedSpan);
byId("to").addEventListener("change", typedSpan);
byId("whole").addEventListener("click", wholeTime);
byId("magnify").addEventListener("click", magnify);
function showLanes(kind) {
  laneKind = kind;
  for (const b of byId("lane-kinds").children) b.setAttribute("aria-pressed", b.value === kind);
  drawTime();
}
for (const b of byId("lane-kinds").children) b.addEventListener("click", () => { showLanes(b.value); remember(); });
byId("time").hidden = !timed;
followers.push(drawTime);
