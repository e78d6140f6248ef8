// SPDX-License-Identifier: MIT

/// The faults of a device while it receives firmware; each byte is counted from the beginning of the firmware.
package struct TransferFaults: Sendable, Equatable {
  /// The bytes at whose arrival the device closes the link, each once; they are not stored then.
  package var hangsUpAt: [Int]
  /// The bytes whose packet is lost, each once.
  package var losesAt: [Int]
  /// The byte that the flash stores wrongly.
  package var corruptsAt: Int?
  /// The byte at whose arrival the device falls silent, once.
  package var silentAt: Int?
  /// The time for which it then answers nothing.
  package var silence: Duration

  package init(
    hangsUpAt: [Int] = [], losesAt: [Int] = [], corruptsAt: Int? = nil, silentAt: Int? = nil,
    silence: Duration = .seconds(5)
  ) {
    (self.hangsUpAt, self.losesAt, self.corruptsAt) = (hangsUpAt, losesAt, corruptsAt)
    (self.silentAt, self.silence) = (silentAt, silence)
  }
}

/// A text by its name.
package struct NamedText: Sendable, Equatable {
  package var name: String
  package var text: String

  package init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
}

/// Bytes by their name.
package struct NamedBytes: Sendable, Equatable {
  package var name: String
  package var bytes: [UInt8]

  package init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }
}

/// A group of counters by its name.
package struct NamedCounters: Sendable, Equatable {
  package struct Counter: Sendable, Equatable {
    package var name: String
    package var value: Int

    package init(_ name: String, _ value: Int) { (self.name, self.value) = (name, value) }
  }

  package var name: String
  package var counters: [Counter]

  package init(_ name: String, _ counters: [Counter]) { (self.name, self.counters) = (name, counters) }
}
