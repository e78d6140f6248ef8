// SPDX-License-Identifier: MIT
internal import JSON

/// Writes a stream to the output: JSON, lines, or the bytes themselves.
final class ConsoleLaneWriter: LaneWriter {
  let name = "the output"
  let gatheringTime = Duration.zero
  let batchCost = 64 * 1024
  private let output: ValueOutput
  private var json = JSONWriter(reservingCapacity: 64 * 1024)

  init(_ output: ValueOutput) { self.output = output }

  func write(_ events: [StreamEvent]) throws(LaneFailure) {
    do throws(ConsoleError) {
      if output.isJSON {
        json.removeAll()
        for event in events { event.append(to: &json) }
        try output.console.write(bytes: json.bytes)
      } else {
        // What happened to the links is told on stderr, when it happens.
        var records: [ValueRecord] = []
        for case .values(let batch) in events { records += batch.notifications.map { batch.record($0) } }
        try output.write(records)
      }
    } catch {
      throw .final(error)
    }
  }

  func sync() {}
  func close() {}
}
