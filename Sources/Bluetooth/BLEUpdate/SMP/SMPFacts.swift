// SPDX-License-Identifier: MIT
package import BLEFormats

/// The buffers of a device, which limit the packets of SMP.
public struct SMPParameters: Sendable, Hashable {
  /// The largest packet, in bytes.
  public var bufferSize: Int
  /// The number of packets that the device holds.
  public var bufferCount: Int

  init?(_ answer: CBORMap) {
    guard let size = answer["buf_size"]?.int, let count = answer["buf_count"]?.int, size > 0 else {
      return nil
    }
    (bufferSize, bufferCount) = (size, count)
  }
}

/// The bootloader of a device.
public struct SMPBootloader: Sendable, Hashable {
  /// The name: `MCUboot`.
  public var name: String
  /// The number of its mode; nil if it does not report one, -1 if it reports that the mode is unknown.
  public var modeNumber: Int?
  /// True if it does not start an image with a lower version.
  public var refusesDowngrades = false

  /// The way in which it starts images; nil if that is unknown.
  public var mode: SMPMode? { modeNumber.flatMap { SMPMode(rawValue: $0) } }

  init(name: String) { self.name = name }
}

/// A task of a device's operating system.
public struct SMPTask: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The priority.
  public var priority: Int?
  /// The state, as a number of the system.
  public var state: Int?
  /// The largest use of the stack so far, in units of the system.
  public var stackUsed: Int?
  /// The size of the stack, in units of the system.
  public var stackSize: Int?
  /// The number of times that the task was continued.
  public var switches: Int?
  /// The time for which the task ran, in units of the system.
  public var runtime: Int?

  init(name: String, _ map: CBORMap) {
    self.name = name
    (priority, state) = (map["prio"]?.int, map["state"]?.int)
    (stackUsed, stackSize) = (map["stkuse"]?.int, map["stksiz"]?.int)
    (switches, runtime) = (map["cswcnt"]?.int, map["runtime"]?.int)
  }
}

/// A number in a group of statistics.
public struct SMPStatistic: Sendable, Equatable {
  /// The name.
  public var name: String
  /// The value as the device sent it, which may also be a large counter, a fraction or a text.
  package var value: CBORValue
  /// The number; nil if the value is not an integer, or is too large.
  public var number: Int? { value.int }

  /// Reads the answer to the question for a group; nil if it is something else.
  static func all(in answer: CBORMap) -> [SMPStatistic]? {
    guard let fields = answer["fields"]?.map else { return nil }
    let statistics = fields.entries.compactMap { entry in
      entry.key.text.map { SMPStatistic(name: $0, value: entry.value) }
    }
    return statistics.count == fields.entries.count ? statistics : nil
  }
}
