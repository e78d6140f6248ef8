// SPDX-License-Identifier: MIT

/// Returns a number with its noun, which has an `s` if there is not just one: `1 device`, `2 devices`.
package func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
