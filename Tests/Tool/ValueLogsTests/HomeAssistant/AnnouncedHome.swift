// SPDX-License-Identifier: MIT
import TestSupport

@testable import BLECentral
@testable import BLEFormats
@testable import JSON
@testable import ValueLogs
@testable import ValueStreams

/// What a log has published to Home Assistant, at a time that the test sets.
final class AnnouncedHome {
  private var assistant: HomeAssistant
  let sightings: DeviceSightings
  var now = ContinuousClock.now
  /// What the broker keeps, by topic.
  private(set) var kept: [String: String] = [:]
  /// All that was published, in order.
  private(set) var published: [BrokerMessage] = []

  static let config = "homeassistant/device/blectl_attic_f0f1f2f3f4f5/config"
  static let state = "ble/attic/F0:F1:F2:F3:F4:F5/state"

  /// All devices are named by the user, or none is.
  init(
    topic: String = "ble/attic", areChosen: Bool = true,
    _ change: (inout HomeAssistantSettings) -> Void = { _ in }
  ) {
    sightings = DeviceSightings { _ in areChosen }
    var settings = HomeAssistantSettings(version: "1.0", sightings: sightings)
    change(&settings)
    assistant = HomeAssistant(settings, topic: topic)
    assistant.greet(at: now)
  }

  /// A device was heard, which may have values.
  func hear(
    _ events: StreamEvent..., from address: BluetoothAddress = SampleStream.address, name: String? = nil,
    isPrivate: Bool = false
  ) {
    sightings.note(HeardDevice(address: address, name: name, isPrivate: isPrivate), at: now)
    for event in events { assistant.take(event, at: now) }
  }

  func receive(_ topic: String, _ payload: String, isRetained: Bool = true) {
    assistant.receive(
      ReceivedMessage(topic: topic, payload: Array(payload.utf8), isRetained: isRetained), at: now)
  }

  func greet() { assistant.greet(at: now) }

  /// Another process may have overwritten everything.
  func renew() { assistant.renew(at: now) }

  /// Ends the log; returns whether something should have been removed, and was not.
  func end(isToldBack: Bool) -> Bool {
    keep(assistant.messages(at: now, everything: true))
    if isToldBack { keep(assistant.cleanAtEnd()) }
    return assistant.isCleaningDue
  }

  /// The time until something is to be published; nil if nothing is.
  var due: Duration? { assistant.due.map { $0 - now } }

  /// Lets time pass; returns what is published then.
  @discardableResult
  func wait(_ time: Duration = .seconds(5)) -> [BrokerMessage] {
    now += time
    let messages = assistant.messages(at: now)
    keep(messages)
    return messages
  }

  private func keep(_ messages: [BrokerMessage]) {
    published += messages
    for message in messages where message.isRetained {
      kept[message.topic] = String(decoding: message.payload, as: UTF8.self)
    }
  }

  private func node(_ topic: String) -> JSONNode? {
    kept[topic].flatMap { try? JSONReader.read(Array($0.utf8)) }
  }

  /// The announcement of a device.
  func announcement(_ topic: String = config) -> JSONNode? { node(topic) }

  /// The components of an announcement, by their names in it.
  func components(_ topic: String = config) -> [String: JSONNode] {
    Dictionary(uniqueKeysWithValues: (node(topic)?["cmps"]?.members ?? []).map { ($0.key, $0.value) })
  }

  func names(_ topic: String = config) -> Set<String> {
    Set(components(topic).values.compactMap { $0["name"]?.string })
  }

  /// A value in the state of a place.
  func value(_ key: String, at place: String) -> String? {
    guard let value = node("\(Self.state)/\(place)")?["decoded"]?[key] else { return nil }
    var json = JSONWriter()
    json.value(value)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// The state of the device.
  func state() -> String? { kept[Self.state] }
}
