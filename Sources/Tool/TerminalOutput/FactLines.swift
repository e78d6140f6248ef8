// SPDX-License-Identifier: MIT

/// Lays out facts, each with its name before it.
package enum FactLines {
  /// Safe lines of a terminal, which are wrapped if it has a `width`; `style` draws the names.
  package static func lines(
    _ facts: [(name: String, value: String)], width: Int?, style: Style
  ) -> [String] {
    let facts = facts.map { (name: TerminalSafe.escaped($0.name), value: TerminalSafe.escaped($0.value)) }
    let indent = (facts.map { DisplayWidth.of($0.name) }.max() ?? 0) + 2
    return facts.flatMap { fact in
      let padding = String(repeating: " ", count: indent - DisplayWidth.of(fact.name))
      let line = style.apply(.bold, to: fact.name) + padding + fact.value
      return TextWrap.lines(line, width: width, hanging: indent)
    }
  }
}
