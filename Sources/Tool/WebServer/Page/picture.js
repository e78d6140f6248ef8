// SPDX-License-Identifier: MIT
// The charts as a file: one picture with their colours, and a legend.
import { drawing } from "./elements.js";
import { frame } from "./panel.js";
import { brief, isolated } from "./text.js";

const head = 38, row = 16, column = 190;
const properties = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "paint-order", "opacity", "font-size"];

/// All panels, one below the other.
export function picture(panels, width) {
  const style = getComputedStyle(document.body);
  const color = style.color;
  const whole = drawing("svg", { xmlns: "http://www.w3.org/2000/svg", width, "font-family": "sans-serif" });
  whole.append(drawing("rect", { width: "100%", height: "100%", fill: style.getPropertyValue("--card") }));
  let y = 0;
  for (const panel of panels) {
    const text = (words, x, place, size, fill = color) => drawing("text", { x, y: place, "font-size": size, fill }, words);
    const group = drawing("g", { transform: `translate(0 ${y + head})` });
    group.append(text(panel.title, frame.left, -22, 14), text(panel.facts.textContent, frame.left, -6, 11));
    for (const part of panel.picture.children) if (part !== panel.over) group.append(copy(part));
    const columns = Math.max(1, Math.floor((width - frame.left) / column));
    const entries = panel.lines.length < 2 ? [] : panel.shown ?? [];
    entries.forEach((line, index) => {
      const [x, place] = [frame.left + index % columns * column, frame.height + 12 + Math.floor(index / columns) * row];
      const look = getComputedStyle(line.entry);
      const dashes = look.getPropertyValue("stroke-dasharray");
      group.append(drawing("path", { d: `M${x} ${place - 4}h14`, stroke: look.getPropertyValue("--look"), "stroke-width": 2, "stroke-dasharray": dashes }));
      group.append(text(isolated(brief(line.label, 26)), x + 18, place, 11));
    });
    whole.append(group);
    y += head + frame.height + Math.ceil(entries.length / columns) * row + 10;
  }
  whole.setAttribute("height", y);
  return new XMLSerializer().serializeToString(whole);
}

/// A part with its colours, which the style sheet gives it.
function copy(part) {
  const made = part.cloneNode(false);
  const style = getComputedStyle(part);
  if (part.localName !== "g" && part.localName !== "svg") for (const name of properties) made.setAttribute(name, style.getPropertyValue(name));
  made.removeAttribute("class");
  for (const child of part.childNodes) made.append(child.nodeType === Node.TEXT_NODE ? child.cloneNode() : copy(child));
  return made;
}
