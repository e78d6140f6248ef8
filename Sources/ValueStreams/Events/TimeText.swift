// SPDX-License-Identifier: MIT
package import BLECentral

/// Writes times in UTC; values that were read together have the same, which is then written from memory.
package struct TimeText {
  private var time: Timestamp?
  private var text: [UInt8] = []

  package init() {}

  package mutating func append(_ time: Timestamp, to bytes: inout [UInt8]) {
    if time != self.time {
      text.removeAll(keepingCapacity: true)
      time.appendUTC(to: &text)
      self.time = time
    }
    bytes += text
  }
}
