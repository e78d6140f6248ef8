// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import TerminalOutput

/// Writes alarms and absences as lines of text.
package struct NoticeLines {
  private let isTerminal: Bool

  package init(isTerminal: Bool) { self.isTerminal = isTerminal }

  /// The line of an alarm or an absence, with its end; nil for other events.
  package func line(_ event: StreamEvent) -> String? {
    switch event {
    case .alarm(let alarm):
      let fields = TerminalValue.text(of: alarm.decoded)
      if isTerminal {
        let device = name(alarm.name, "\(alarm.address)")
        let what = alarm.event == .alarm ? "ALARM" : "cleared"
        let condition = TerminalSafe.escaped(alarm.condition)
        return "\(alarm.time.local) \(device): \(what): \(condition) (\(fields))\n"
      }
      return TabSeparated.line([
        alarm.time.utc, "\(alarm.address)", alarm.event.rawValue, alarm.condition, alarm.decoded.text,
        alarm.name ?? "",
      ]) + "\n"
    case .absence(let absence):
      let address = absence.address.map { "\($0)" } ?? ""
      if isTerminal {
        let device = name(absence.name, address)
        let silence = DurationText.text(.seconds(absence.silence.rounded()), downTo: "s")
        let words =
          switch (absence.event, absence.last) {
          case (.returned, _): "returned after \(silence)"
          case (.absent, nil): "absent: not heard for \(silence)"
          case (.absent, let last?): "absent: last heard \(silence) ago, at \(last.local)"
          }
        return "\(absence.time.local) \(device): \(words)\n"
      }
      return TabSeparated.line([
        absence.time.utc, address, absence.event.rawValue, "\(absence.silence)", absence.name ?? "",
      ]) + "\n"
    case .values, .average, .link, .reception, .dropped, .written, .served, .record, .line: return nil
    }
  }

  private func name(_ name: String?, _ address: String) -> String {
    guard let name, !name.isEmpty else { return address }
    return TerminalSafe.escaped(name) + (address.isEmpty ? "" : " (\(address))")
  }
}
