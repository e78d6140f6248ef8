// SPDX-License-Identifier: MIT
// Text from the air and from users: made harmless, shortened, sorted, written to files.

/// Controls, and what is invisible or changes the direction of a text.
const harmful = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const escapes = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
/// More marks on one letter paint over the lines around it.
const marks = /(?:^|(?<=\p{M}{4}))\p{M}+/gu;

/// The text with what cannot be seen in words, as in a terminal: `Freezer\u{202e}`.
export function visible(text) {
  // Most texts are plain.
  if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text)) return text;
  const escaped = character => escapes[character] ?? `\\u{${character.codePointAt(0).toString(16)}}`;
  const shown = text.replace(harmful, (character, place) => joinsEmoji(character, text, place) ? character : escaped(character))
    .replace(marks, found => [...found].map(escaped).join(""));
  // A name of nothing but spaces could not be clicked.
  return /^[\s\u2800]*$/u.test(shown) ? [...shown].map(() => "␣").join("") : shown;
}

/// True for the invisible characters that an emoji consists of.
function joinsEmoji(character, text, place) {
  const before = text.slice(0, place), after = text.slice(place + character.length);
  if (character === "\ufe0f") return /\p{Emoji}$/u.test(before);
  return character === "\u200d" && /(\p{Emoji}|\ufe0f)$/u.test(before) && /^\p{Extended_Pictographic}/u.test(after);
}

/// At most so many letters of a visible text.
export function brief(text, most = 60) {
  const letters = [...visible(text)];
  return letters.length > most ? letters.slice(0, most - 1).join("") + "…" : letters.join("");
}

/// Where `<bdi>` is not possible: the text cannot turn what stands around it.
export function isolated(text) { return `\u2068${text}\u2069`; }

const order = new Intl.Collator(undefined, { numeric: true });
/// Sensor 2 comes before Sensor 10.
export function natural(one, other) { return order.compare(one, other); }

/// A CSV file for a spreadsheet, in which no text becomes a formula.
export function csv(rows) {
  const cell = value => {
    let text = value === undefined || value === null ? "" : String(value);
    if (typeof value === "string" && /^[=+\-@\t\r\n]/.test(text)) text = "'" + text;
    return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map(row => row.map(cell).join(",")).join("\r\n") + "\r\n";
}
