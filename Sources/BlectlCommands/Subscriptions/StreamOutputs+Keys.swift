// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Charts
internal import TerminalOutput

extension StreamOutputs {
  /// Runs what brings the events, until it ends or a person presses `q`; other keys are for the live chart.
  ///
  /// - Parameters:
  ///   - chart: where the keys go; nil without a keyboard.
  ///   - body: what brings the events; `q` cancels it.
  /// - Throws: what `body` throws.
  func takeKeys(for chart: PlotKeys?, _ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let chart else { return try await body() }
    let loop = loop
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: loop) { try await body() }
      group.addTask(executorPreference: loop) {
        let end = Promise<Void>()
        await Keyboard.read(on: loop, until: end) { keys in
          chart.add(keys)
          self.redraw()
          if keys.contains(.character("q")) { end.fulfil(()) }
        }
      }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}
