// SPDX-License-Identifier: MIT

/// The timing of the connection events of a link.
package struct LinkParameters: Sendable, Hashable {
  /// The connection interval in units of 1.25 ms.
  package var interval: UInt16
  /// The number of connection events that the peripheral may miss.
  package var latency: UInt16
  /// The time for which the link may be silent before it is lost, in units of 10 ms.
  package var timeout: UInt16

  package init(interval: UInt16, latency: UInt16, timeout: UInt16) {
    (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
  }

  package var intervalMilliseconds: Double { Double(interval) * 1.25 }
  package var timeoutMilliseconds: Int { Int(timeout) * 10 }
}

/// Parameters that a user wants; nil leaves the choice to blectl.
package struct WantedParameters: Sendable, Hashable {
  package var interval: Duration?
  package var latency: Int?
  package var timeout: Duration?

  package init(interval: Duration? = nil, latency: Int? = nil, timeout: Duration? = nil) {
    (self.interval, self.latency, self.timeout) = (interval, latency, timeout)
  }

  package var isEmpty: Bool { interval == nil && latency == nil && timeout == nil }

  /// The reason why no link can have these parameters, as the rest of a sentence; nil if one can.
  package var problem: String? {
    if let interval, !(.microseconds(7500) ... .seconds(4)).contains(interval) {
      let (seconds, attoseconds) = interval.components
      // A number without a unit is one of seconds, and intervals are milliseconds.
      let advice = seconds > 7 && seconds <= 4000 && attoseconds == 0 ? "; did you mean \(seconds)ms?" : ""
      return "the interval must be between 7.5ms and 4s\(advice)"
    }
    if let latency, !(0...499).contains(latency) { return "the latency must be between 0 and 499" }
    if let timeout, !(.milliseconds(100) ... .seconds(32)).contains(timeout) {
      return "the supervision timeout must be between 100ms and 32s"
    }
    guard let interval, let timeout, timeout <= interval * (1 + (latency ?? 0)) * 2 else { return nil }
    return "the supervision timeout must be longer than 2 × (1 + latency) × interval"
  }

  /// The parameters to ask for; nil if the interval is neither wanted nor known.
  package func parameters(instead former: LinkParameters?) -> LinkParameters? {
    guard let units = interval.map({ UInt16(($0 / .microseconds(1250)).rounded()) }) ?? former?.interval
    else { return nil }
    let latency = latency.map { UInt16($0) } ?? former?.latency ?? 0
    // The specification wants more than twice the longest silence; three times leaves room for lost packets.
    let least = (Double(units) * 1.25 * Double(1 + Int(latency)) * 3 / 10).rounded(.up)
    let chosen =
      timeout.map { ($0 / .milliseconds(10)).rounded() }
      ?? max(Double(former?.timeout ?? 400), least)
    return LinkParameters(interval: units, latency: latency, timeout: UInt16(min(chosen, 3200)))
  }
}

/// The physical layer that transmits the bits of a link.
package enum LinkPHY: String, Sendable, CaseIterable {
  case oneM = "1m"
  case twoM = "2m"
  case coded

  /// Nil for a number that the specification does not have.
  init?(number: UInt8) {
    guard (1...3).contains(number) else { return nil }
    self = Self.allCases[Int(number) - 1]
  }

  /// Its bit in commands to a controller.
  var bit: UInt8 {
    switch self {
    case .oneM: 1
    case .twoM: 2
    case .coded: 4
    }
  }
}
