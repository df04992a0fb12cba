// SPDX-License-Identifier: GPL-2.0
// What leaves the flame graph page: the view as the page's address, the view as a picture, a
// frame's name in the clipboard.

// ---- the view in the address: "#search=read&zoom=3.17&icicle=1". A frame is named by the
// entries on its path, because nodes of the inverted tree are numbered as they are met.
function pathOf(node) {
  const path = [];
  for (let i = node; i > 0; i = tree.parent[i]) path.push(tree.entry[i]);
  return path.reverse().join(".");
}
function address() {
  const p = new URLSearchParams(), path = pathOf(zoom);
  if (chosen) p.set("event", chosen);
  if (widths !== (DIFF ? 1 : 2)) p.set("side", widths);
  if (tree !== callers) p.set("inverted", 1);
  if (icicle) p.set("icicle", 1);
  if (!table.hidden) p.set("functions", 1);
  if (search.value) p.set("search", search.value);
  if (!filters.hidden) p.set("filters", 1);
  if (laneKind !== "cpu") p.set("lanes", laneKind);
  if (choice.span) p.set("time", choice.span.join("-"));
  for (const what of FILTERS) if (choice[what].size) p.set(what, [...choice[what]].join("."));
  if (path) p.set("zoom", path);
  return p;
}
function remember() {
  const p = address().toString();
  history.replaceState(null, "", p ? "#" + p : location.href.split("#")[0]);
}
function nodeOf(path) {
  let node = 0;
  for (const e of path ? path.split(".") : []) {
    const kid = tree.kids(node).find((k) => tree.entry[k] === Number(e));
    if (kid === undefined) break;
    node = kid;
  }
  return node;
}
function recallChoice(p) {
  const [from, to] = (p.get("time") || "").split("-").map(Number);
  for (const what of FILTERS) {
    const there = new Set(sides.flatMap((s) => [...s.traces[what]]));
    for (const key of (p.get(what) || "").split(".").filter(Boolean).map(Number)) if (there.has(key)) choice[what].add(key);
  }
  if (timed && from < to) setSpan(from, to); else if (chosenAny()) changed();
}
function recall() {
  const p = new URLSearchParams(location.hash.slice(1)), side = Number(p.get("side"));
  recallChoice(p);
  if (p.get("lanes") === "thread") showLanes("thread");
  if (p.has("side") && TWO && [...byId("sides").children].some((b) => +b.value === side)) showSide(side);
  if (p.has("inverted")) turnOver();
  if (p.has("icicle")) flip();
  if (p.has("functions")) showTable();
  if (p.has("filters")) showFilters();
  search.value = p.get("search") || "";
  find();
  if (p.has("zoom")) zoomTo(nodeOf(p.get("zoom")));
}

// ---- a name in less room, as base/shortname.c has it: without template arguments and parameters, then without the outer
// namespaces, then without its middle, because names differ most at their ends
const STRINGS = ["std::__cxx11::basic_string<char,", "std::basic_string<char,", "std::__1::basic_string<char,"];
function withStrings(name) {
  for (const begin of STRINGS) {
    let at;
    while ((at = name.indexOf(begin)) >= 0) {
      let open = 0, last = at;
      while (last < name.length && !(name[last] === ">" && !--open)) open += name[last++] === "<";
      if (last === name.length) return name;
      name = name.slice(0, at) + "std::string" + name.slice(last + 1);
    }
  }
  return name;
}
function withoutArguments(name) {
  let open = 0, s = "";
  // These are names, and no brackets of arguments.
  for (const part of name.split(/(operator(?:<=>|<<=?|>>=?|<=?|>=?|->\*?|\(\))|->|\(anonymous namespace\)|[<>])/)) {
    if (part === ">" && open) { open--; continue; }
    if (part === "<" && !open++) s += "<…>";
    if (!open) s += part;
  }
  s = open ? name : s;
  return s.replace(/(?<!operator|^)\((?!anonymous namespace\))[^()]*\)(?: const)?(?=$|[ .@])/, "");
}
function shortened(name, fits) {
  if (name.length <= fits) return name;
  let s = withoutArguments(withStrings(name));
  while (s.length > fits) {
    const outer = s.indexOf("::");
    if (outer < 0) break;
    s = s.slice(outer + 2);
  }
  if (s.length <= fits) return s;
  const last = Math.floor((fits - 1) / 2);
  return s.slice(0, fits - 1 - last) + "…" + s.slice(s.length - last);
}

// ---- the view as a picture, in the layout of the screen
const LETTER = 7.25;		// of 12 px monospace
const quoted = (s) => s.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd")
  .replace(/[<>&"']/g, (c) => `&#${c.charCodeAt(0)};`);
function frameOfPicture(i, x, y, w) {
  const wide = Math.max(1, w - 1), label = labelOf(i, w, LETTER);
  let s = `<g><title>${quoted(describe(tree, i))}</title>`;
  for (const [from, part, colour] of fillOf(tree, i))
    s += `<rect x="${(x + wide * from).toFixed(2)}" y="${y}" width="${(wide * part).toFixed(2)}" height="${ROW - 1}" fill="${colour}"/>`;
  if (label) s += `<text x="${(x + 4).toFixed(2)}" y="${y + 13}">${quoted(label)}</text>`;
  return s + "</g>\n";
}
function picture() {
  const full = view.clientWidth - 10, tall = rows.length * ROW;
  let s = `<svg xmlns="http://www.w3.org/2000/svg" width="${full}" height="${tall + 30}" viewBox="0 0 ${full} ${tall + 30}" ` +
    `font-family="monospace" font-size="12">\n<rect width="100%" height="100%" fill="${dark.matches ? "#16171a" : "#fcfbf9"}"/>\n` +
    `<text x="4" y="18" fill="${dark.matches ? "#ececef" : "#1c1d21"}">${quoted(document.title)}</text>\n`;
  rows.forEach((row, level) => {
    const y = 30 + (icicle ? level : rows.length - 1 - level) * ROW;
    row.node.forEach((i, k) => {
      s += i >= 0 ? frameOfPicture(i, row.x[k], y, row.w[k]) :
        `<rect x="${row.x[k].toFixed(2)}" y="${y + 2}" width="${Math.max(1, row.w[k] - 1).toFixed(2)}" height="${ROW - 5}" fill="#cbc8c2"/>\n`;
    });
  });
  return s + "</svg>\n";
}
function save() {
  const a = document.createElement("a");
  a.href = URL.createObjectURL(new Blob([picture()], { type: "image/svg+xml" }));
  a.download = "flame.svg";
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 60000);
}

// ---- a frame's name in the clipboard. A page from a file may lack navigator.clipboard.
const copy = () => copyText(nameOf(tree.entry[focused]));
function copyText(name) {
  const done = () => { byId("status").textContent = "Copied: " + name; };
  const byHand = () => {
    const field = document.createElement("textarea"), had = document.activeElement;
    field.value = name;
    document.body.append(field);
    field.select();
    if (document.execCommand("copy")) done();
    field.remove();
    had.focus({ preventScroll: true });
  };
  if (navigator.clipboard) navigator.clipboard.writeText(name).then(done, byHand); else byHand();
}
