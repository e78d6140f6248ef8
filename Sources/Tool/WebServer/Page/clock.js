// SPDX-License-Identifier: MIT
// The time of the server, whose records are drawn: the clock of the browser may be another one.

let ahead = 0;

/// Takes a time that the server has just sent, in seconds since 1970.
export function setClock(time) { if (Number.isFinite(time)) ahead = time - Date.now() / 1000; }

/// The time of the server, in seconds since 1970.
export function now() { return Date.now() / 1000 + ahead; }
