// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEMeaning

/// Writes batches of values as ``ValueOutput`` writes single ones; in a pipe, where they come by the thousand, without
/// making a record of each.
struct ValueTexts {
  private let output: ValueOutput
  private var times = TimeText()

  init(_ output: ValueOutput) { self.output = output }

  mutating func append(_ batch: ValueBatch, to bytes: inout [UInt8]) {
    if output.format == .raw {
      for notification in batch.notifications { bytes += notification.value }
    } else if output.format == nil, !output.console.output.isTerminal {
      let source = Array(output.source(batch.address, batch.characteristic.uuid).utf8)
      for notification in batch.notifications {
        if output.showsTime {
          times.append(notification.time, to: &bytes)
          bytes.append(UInt8(ascii: "\t"))
        }
        bytes += source
        Hex.append(notification.value, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
      }
    } else {
      for notification in batch.notifications { output.append(batch.record(notification), to: &bytes) }
    }
  }
}
