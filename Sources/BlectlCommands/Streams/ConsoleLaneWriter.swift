// SPDX-License-Identifier: MIT
/// Writes a stream to the output: JSON, lines, or the bytes themselves.
final class ConsoleLaneWriter: LaneWriter {
  let name = "the output"
  /// Nobody sees it; a stream as fast as that costs one system call for many values.
  let interval = Duration.milliseconds(2)
  let batchCost = 64 * 1024
  private let output: ValueOutput
  private var json: StreamJSON
  private var lines: ValueTexts
  private var bytes: [UInt8] = []

  init(_ output: ValueOutput) {
    self.output = output
    json = StreamJSON(format: output.format)
    lines = ValueTexts(output)
  }

  func write(_ events: [StreamEvent]) throws(LaneFailure) {
    do throws(ConsoleError) {
      bytes.removeAll(keepingCapacity: true)
      for event in events {
        // Where it is not JSON, what happened to the links is told on stderr, when it happens.
        if output.isJSON {
          json.append(event, to: &bytes)
        } else if case .values(let batch) = event {
          lines.append(batch, to: &bytes)
        }
      }
      try output.console.write(bytes: bytes)
    } catch {
      throw .final(error)
    }
  }

  func close() {}
}
