// SPDX-License-Identifier: MIT
package import ValueStreams

/// The choice of what is announced to Home Assistant.
package struct HomeAssistantSettings: Sendable {
  /// A condition that can be an alarm, as the user wrote it.
  package struct Alarm: Sendable {
    package let condition: String
    /// The names of its fields.
    package let names: [String]
    /// Returns whether it is for a device that was heard.
    package let concerns: @Sendable (HeardDevice) -> Bool

    package init(
      _ condition: String, names: [String],
      for concerns: @escaping @Sendable (HeardDevice) -> Bool = { _ in true }
    ) {
      (self.condition, self.names, self.concerns) = (condition, names, concerns)
    }
  }

  package static let defaultLimit = 100

  /// The version of the program.
  package var version: String
  package var alarms: [Alarm] = []
  /// True if devices can be absent.
  package var watchesAbsence = false
  /// The maximum number of announced devices.
  package var limit = defaultLimit
  /// True to remove what was announced before, and is not announced any more.
  package var cleans = false
  /// The devices that have been heard, and those that the user knows.
  package var sightings: DeviceSightings

  package init(version: String, sightings: DeviceSightings) {
    (self.version, self.sightings) = (version, sightings)
  }

  /// An alarm in identifiers.
  static func word(ofAlarm condition: String) -> String {
    "alarm_" + HomeAssistantGateway.identifier(condition)
  }

  /// Returns whether an entity of a device, from an earlier process, belongs to another command line.
  func isOutdated(_ word: String, of device: HeardDevice) -> Bool {
    if word == "presence" { return !watchesAbsence }
    return word.hasPrefix("alarm_")
      && !alarms.contains { Self.word(ofAlarm: $0.condition) == word && $0.concerns(device) }
  }
}
