// SPDX-License-Identifier: MIT
// What a picture of the page shows, as a tree: pictures.py runs this in the page.
//
// The tree has no pixels that depend on fonts: boxes that the width of the window determines have a place on a grid, all
// others only a place beside or below the one before. Texts that lie over each other, or reach out of the window, are named.
//
// boxes: the selector of the former. live: that of texts whose numbers and times change. rows: the devices whose rows are
// shown, by name. samples: for lists whose length changes, the selector of the item that stands for all; without one, the
// list is left out.
(({ boxes, live, rows, samples, grid }) => {
  const roles = {
    A: "link", BUTTON: "button", DD: "definition", DL: "group", DT: "term", FIGURE: "figure", FOOTER: "contentinfo", FORM: "form",
    H1: "heading", H2: "heading", H3: "heading", HEADER: "banner", LABEL: "label", LI: "listitem", MAIN: "main", OL: "list",
    P: "paragraph", SECTION: "region", SELECT: "combobox", SVG: "img", TABLE: "table", TD: "cell", TH: "columnheader", TR: "row",
    UL: "list", NAV: "navigation",
  };
  const controls = "button, input, select, svg";
  const round = number => Math.round(number / grid) * grid;
  const style = (element, part) => getComputedStyle(element, part);

  function isVisible(element) {
    if (style(element).display === "contents") return true;
    const { width, height, right } = element.getBoundingClientRect();
    return element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && width > 1 && height > 1 && right + scrollX > 0;
  }

  const shown = element => [...element.children].filter(isVisible);

  function ownText(element) {
    const own = [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data).join(" ");
    const made = part => (/^"(.*)"$/.exec(style(element, part).content)?.[1] ?? "");
    return (made("::before") + own + made("::after")).replace(/\s+/g, " ").trim();
  }

  function hex(color) {
    const parts = color.match(/[\d.]+/g).map(Number);
    return "#" + parts.slice(0, 3).map(part => Math.round(part).toString(16).padStart(2, "0")).join("");
  }

  const isClear = color => /^rgba\(.*, 0\)$/.test(color);

  function ink(element) {
    let behind = element;
    while (behind && isClear(style(behind).backgroundColor)) behind = behind.parentElement;
    return `${hex(style(element).color)} on ${behind ? hex(style(behind).backgroundColor) : "nothing"}`;
  }

  function role(element) {
    const given = element.getAttribute("role");
    if (given) return given;
    if (element.tagName === "INPUT") return { checkbox: "checkbox", search: "searchbox" }[element.type] ?? "textbox";
    return roles[element.tagName.toUpperCase()] ?? "group";
  }

  function name(element) {
    const by = document.getElementById(element.getAttribute("aria-labelledby"))?.firstChild?.data;
    const of = element.tagName === "SELECT" ? element.selectedOptions[0]?.text
      : element.type === "checkbox" ? (element.checked ? "on" : "off") : element.value || element.placeholder;
    return (element.getAttribute("aria-label") ?? by ?? (element.matches("input, select") ? of : "") ?? "").trim();
  }

  // Where an element stands: beside or below the one before, or over it.
  function after(element, before) {
    const around = style(element.parentElement);
    if (!before || around.flexWrap !== "nowrap" && around.display.includes("flex")) return undefined;
    if ([element, before].some(one => style(one).display.startsWith("inline"))) return undefined;
    const [one, other] = [before.getBoundingClientRect(), element.getBoundingClientRect()];
    if (other.top >= one.bottom - 2) return "below";
    return other.left >= one.right - 2 ? "beside" : "over";
  }

  // What a chart has: its lines with their colours, its grid, the numbers and times beside it.
  function drawn(picture) {
    const has = (selector, count) => picture.querySelectorAll(selector).length >= count;
    const parts = [];
    if (has(".grid[d*=H]", 2)) parts.push("grid across");
    if (has(".grid[d*=V]", 1)) parts.push("grid down");
    if (has(".tick[text-anchor=end]", 2)) parts.push("numbers");
    if (has(".tick[text-anchor=middle]", 1)) parts.push("times");
    for (const line of picture.querySelectorAll(".line, .spark")) {
      const { stroke, strokeWidth } = style(line);
      if ((line.getAttribute("d") ?? "").split("L").length >= 3 && stroke !== "none") parts.push(`line ${hex(stroke)} ${strokeWidth}`);
    }
    return parts;
  }

  const sampled = element => Object.keys(samples).find(list => element.matches(list));
  const isLeftOut = element => sampled(element) && !element.querySelector(samples[sampled(element)]);

  // What the picture has of the things in an element: all of them, unless their number changes.
  function chosen(element, all) {
    if (element.matches("#rows")) {
      const of = row => row.querySelector("button").textContent;
      return all.filter(row => rows.includes(of(row))).sort((one, other) => rows.indexOf(of(one)) - rows.indexOf(of(other)));
    }
    return sampled(element) ? all.filter(one => one.matches(samples[sampled(element)])).slice(0, 1) : all;
  }

  function tree(element) {
    const node = { role: role(element) };
    const box = element.getBoundingClientRect();
    const [called, text] = [name(element), ownText(element)];
    if (called) node.name = called;
    if (text) Object.assign(node, { text, ink: ink(element) });
    if (element.closest(live)) node.live = true;
    if (element.matches(boxes)) node.across = [round(box.left + scrollX), round(box.right + scrollX)];
    if (element.matches("svg")) return Object.assign(node, { tall: round(box.height), drawn: drawn(element) });
    if (element.matches("select")) return node;
    const all = shown(element).filter(child => !isLeftOut(child));
    const isWhole = !element.matches("#rows") && !sampled(element);
    if (element.matches("#rows")) node.count = all.length;
    node.children = chosen(element, all).map(child => {
      const place = isWhole ? after(child, all[all.indexOf(child) - 1]) : undefined;
      return place ? { ...tree(child), after: place } : tree(child);
    });
    return node;
  }

  // Texts and controls as far as they can be seen, with the elements that they belong to.
  function leaves(element, clip, found) {
    const cut = box => ({
      left: Math.max(box.left, clip.left), right: Math.min(box.right, clip.right),
      top: Math.max(box.top, clip.top), bottom: Math.min(box.bottom, clip.bottom),
    });
    const add = (box, text) => {
      const { left, right, top, bottom } = cut(box);
      if (right - left > 2 && bottom - top > 2) found.push({ element, text, left, right, top, bottom });
    };
    if (element.matches(controls)) add(element.getBoundingClientRect(), name(element) || ownText(element) || element.tagName);
    if (element.matches("svg, select")) return found;
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) add(box, node.data.trim());
    }
    if (style(element).overflow !== "visible" && element !== document.body) clip = cut(element.getBoundingClientRect());
    for (const child of shown(element)) leaves(child, clip, found);
    return found;
  }

  function overlaps(found) {
    const pairs = new Set();
    // Letters seldom fill their lines.
    const inner = found.map(({ element, text, left, right, top, bottom }) => {
      const [x, y] = [Math.min(2, (right - left) / 4), (bottom - top) / 4];
      return { element, text, left: left + x, right: right - x, top: top + y, bottom: bottom - y };
    });
    inner.forEach((one, index) => {
      for (const other of inner.slice(index + 1)) {
        if (one.left >= other.right || other.left >= one.right || one.top >= other.bottom || other.top >= one.bottom) continue;
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
        pairs.add(`${one.text} | ${other.text}`);
      }
    });
    return [...pairs].slice(0, 20);
  }

  for (const animation of document.getAnimations()) animation.finish();
  const everywhere = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
  const found = leaves(document.body, everywhere, []);
  const outside = found.filter(one => one.left < -1 || one.right > innerWidth + 1).map(one => one.text);
  return { title: document.title, width: innerWidth, outside, overlaps: overlaps(found), page: tree(document.body) };
})
