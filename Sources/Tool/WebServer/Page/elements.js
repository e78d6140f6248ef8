// SPDX-License-Identifier: MIT
// Elements of the page, and files that it saves.

/// An element with text, which is never HTML: names come from the air.
export function element(tag, { text, name, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/// A name in a sentence, which it cannot turn around.
export function named(text) { return element("bdi", { text }); }

const space = "http://www.w3.org/2000/svg";
export function drawing(tag, attributes = {}, text) {
  const made = document.createElementNS(space, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/// Changes a text, if it is another one.
export function set(node, text) { if (node.textContent !== text) node.textContent = text; }

/// Changes an attribute, if it is another one.
export function mark(node, name, value) { if (node.getAttribute(name) !== value) node.setAttribute(name, value); }

/// Scrolls to an element until it stays: rows get their heights as they come into sight, and move what is below them.
export function reach(node, block = "start") {
  let top, still = 0;
  const step = () => {
    node.scrollIntoView({ block });
    const next = node.getBoundingClientRect().top;
    still = next === top ? still + 1 : 0;
    top = next;
    if (still < 3) requestAnimationFrame(step);
  };
  step();
}

export function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
