# SPDX-License-Identifier: GPL-2.0
"""The flame graph page in a browser, and what a test does there."""
import base64
import gzip
import json
import re
import subprocess
import urllib.parse

# Runs in the page: does what a user does, and notes what the page then shows. Frames are
# found as the pointer finds them, by what the status line says of each place.
DRIVER = """
<script>
(async function () {
  // The page has drawn itself once it has unpacked its data.
  while (!document.querySelector("[role=treeitem]")) await new Promise((then) => setTimeout(then, 10));
  const id = (name) => document.getElementById(name), graph = id("graph"), search = id("search");
  const click = (name) => id(name).click(), status = () => id("status").textContent;
  const fire = (kind, x, y) => graph.dispatchEvent(new MouseEvent(kind, { bubbles: true, clientX: x, clientY: y }));
  const key = (name) => (document.activeElement || document.body).dispatchEvent(
    new KeyboardEvent("keydown", { key: name, bubbles: true }));
  const items = () => [...document.querySelectorAll("[role=treeitem]")];
  const active = () => id(graph.getAttribute("aria-activedescendant"));
  function find(text) {
    search.value = text;
    search.dispatchEvent(new Event("input"));
    return id("matched").textContent;
  }
  /* The frames in sight, lowest first: name, what is said of it, left, width, middle. */
  function frames() {
    const r = graph.getBoundingClientRect(), list = [];
    for (let y = r.bottom - 9; y > r.top; y -= 18) {
      let last = null;
      for (let x = r.left + 2; x < r.right; x += 4) {
        fire("mousemove", x, y);
        const said = id("tip").hidden ? "" : status();
        if (!said) { last = null; continue; }
        if (!last || last.said !== said) {
          last = { said, name: id("tip").firstChild.textContent, x, w: 0, y };
          list.push(last);
        }
        last.w = x - last.x + 4;
      }
    }
    return list;
  }
  const named = (name) => frames().find((f) => f.name === name);
  const out = {}, press = (f) => fire("click", f.x + f.w / 2, f.y);
%s
  const pre = document.createElement("pre");
  pre.id = "result";
  pre.textContent = "@@" + encodeURIComponent(JSON.stringify(out)) + "@@";
  document.body.append(pre);
})();
</script>
"""


def data(html):
    """The data in the page's text."""
    return json.loads(gzip.decompress(base64.b64decode(re.search(r'id="data">(.*?)</script>', html, re.S)[1])))


def chromium(page):
    """The page's elements, once it has loaded."""
    return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,800",
                           "--virtual-time-budget=4000", "--dump-dom", f"file://{page}"],
                          capture_output=True, text=True, timeout=600, check=False).stdout


def browse(page, steps, address=""):
    """What the driver noted in the page, opened at an address, which these steps were taken in."""
    with open(page, encoding="utf-8") as text:
        html = text.read()
    driven = page + ".driven.html"
    with open(driven, "w", encoding="utf-8") as text:
        text.write(html.replace("</body>", DRIVER % steps + "</body>"))
    parts = chromium(driven + address).split("@@")
    # The driver's own text holds the mark as well; the result is the last pair.
    return json.loads(urllib.parse.unquote(parts[-2])) if len(parts) > 2 else None
