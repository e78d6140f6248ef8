// SPDX-License-Identifier: MIT
internal import BLECentral

/// The advertisements that a scan heard of one device, and of those around it.
package struct Hearing: Sendable {
  /// The duration of the scan.
  package var duration = Duration.zero
  /// The number of advertisements that BlueZ reported; not every one that was sent.
  package private(set) var count = 0
  /// The addresses of the device, in the order in which they were heard.
  package private(set) var addresses: [BluetoothAddress] = []
  /// The other devices that were heard.
  package private(set) var others: Set<BluetoothAddress> = []
  /// Those of them with the name of the device.
  package private(set) var namesakes: Set<BluetoothAddress> = []
  /// The names of all devices that were heard, if the device was not known before.
  package var names: Set<String> = []
  private var strengths: [Int] = []

  /// The median signal strength below which connections fail, in dBm.
  package static let weak = -85

  package init() {}

  package var isHeard: Bool { count > 0 }
  /// True if nothing was heard at all: the adapter itself may be deaf.
  package var isSilence: Bool { !isHeard && others.isEmpty }
  package var weakest: Int? { strengths.min() }
  package var strongest: Int? { strengths.max() }

  /// The median signal strength in dBm; nil without one.
  package var strength: Int? { strengths.isEmpty ? nil : strengths.sorted()[strengths.count / 2] }

  package var isWeak: Bool { strength.map { $0 <= Hearing.weak } ?? false }

  /// Records an advertisement of the device.
  package mutating func heard(from address: BluetoothAddress, rssi: Int?) {
    count += 1
    if !addresses.contains(address) { addresses.append(address) }
    if let rssi { strengths.append(rssi) }
  }

  /// Records an advertisement of another device.
  package mutating func heardOther(_ address: BluetoothAddress, hasSameName: Bool) {
    others.insert(address)
    if hasSameName { namesakes.insert(address) }
  }
}

extension Hearing {
  /// `heard 12 times in 3.0 s, -60 dBm (-64 to -56)`.
  package var text: String {
    guard isHeard else { return "not heard in \(duration.inSeconds), \(surroundings)" }
    var text = "heard \(count) time\(count == 1 ? "" : "s") in \(duration.inSeconds)"
    if let strength, let weakest, let strongest {
      text += ", \(strength) dBm" + (weakest < strongest ? " (\(weakest) to \(strongest))" : "")
    }
    if addresses.count > 1 { text += "; its address changed \(addresses.count - 1) times" }
    return text
  }

  /// The devices around it: proof that the adapter hears.
  package var surroundings: String {
    switch others.count {
    case 0: "nor was any other device"
    case 1: "though 1 other device was"
    case let count: "though \(count) other devices were"
    }
  }
}

extension Duration {
  /// The duration in seconds, for people: `0.34 s`, `12.0 s`.
  var inSeconds: String {
    let hundredths = Int((self / .milliseconds(10)).rounded())
    let (whole, rest) = (hundredths / 100, hundredths % 100)
    return whole >= 10 ? "\(whole).\(rest / 10) s" : "\(whole).\(rest / 10)\(rest % 10) s"
  }

  /// The duration in seconds, with milliseconds, for records.
  var secondCount: Double { (self / .milliseconds(1)).rounded() / 1000 }
}
