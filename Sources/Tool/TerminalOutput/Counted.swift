// SPDX-License-Identifier: MIT

/// Returns a number with its noun, in the plural where needed: `1 device`, `2 devices`.
package func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
