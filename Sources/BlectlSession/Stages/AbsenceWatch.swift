// SPDX-License-Identifier: MIT
package import BLECentral
internal import BLEMeaning
package import BlectlArguments
package import ValueStreams

/// Watches which devices are silent: those that were heard, and those that are expected and never were.
package struct AbsenceWatch {
  private struct Device {
    var name: String?
    /// Nil while it was never heard.
    var last: Moment?
    /// When it was last heard, or the watch began.
    var start: ContinuousClock.Instant
    var isAbsent = false
  }

  private enum Key: Hashable {
    case heard(BluetoothAddress)
    case expected(Int)
  }

  private let limit: Duration
  private let expected: [DeviceArgument]
  private var devices: [Key: Device] = [:]
  /// When the next device is absent, or earlier: hearing one only makes it later.
  private var due: ContinuousClock.Instant?
  private var isPaused = false

  /// When to look again; nil if no device can become absent.
  var deadline: ContinuousClock.Instant? { isPaused ? nil : due }

  /// `limit` is the silence after which a device is absent; `expected` are those that should be there from the beginning.
  package init(limit: Duration, expecting expected: [DeviceArgument], from now: Moment) {
    (self.limit, self.expected) = (limit, expected)
    for index in expected.indices {
      devices[.expected(index)] = Device(name: nil, last: nil, start: now.instant)
    }
    if !expected.isEmpty { due = now.instant + limit }
  }

  /// A device was heard; returns that it is back, if it was absent.
  package mutating func heard(
    _ address: BluetoothAddress, name: String?, at time: Timestamp, _ now: Moment
  ) -> AbsenceRecord? {
    let key = Key.heard(address)
    var earlier = devices[key]
    // The event of a link may have its address only, and a value later its name.
    if earlier == nil || earlier?.name != name { earlier = arrived(address, name) ?? earlier }
    devices[key] = Device(
      name: name ?? earlier?.name, last: Moment(time: time, instant: now.instant), start: now.instant)
    if due == nil { due = now.instant + limit }
    guard let earlier, earlier.isAbsent else { return nil }
    return AbsenceRecord(
      .returned, time: time, address: address, name: name ?? earlier.name, last: earlier.last?.time,
      silence: DurationText.seconds(now.instant - earlier.start))
  }

  /// A device that was expected, and has not been heard before; those are no longer waited for.
  private mutating func arrived(_ address: BluetoothAddress, _ name: String?) -> Device? {
    let candidate = HeardDevice(address: address, name: name)
    var device: Device?
    for index in expected.indices where expected[index].rank(of: candidate) != nil {
      device = devices.removeValue(forKey: .expected(index)) ?? device
    }
    return device
  }

  /// Nothing can be heard for the moment: silence means nothing.
  package mutating func pause() { isPaused = true }

  /// Devices can be heard again, and have the whole time again.
  package mutating func resume(at now: Moment) {
    isPaused = false
    for key in devices.keys where devices[key]?.isAbsent == false { devices[key]?.start = now.instant }
    due = devices.values.contains { !$0.isAbsent } ? now.instant + limit : nil
  }

  /// Returns the devices that are absent since now.
  package mutating func advance(to now: Moment) -> [AbsenceRecord] {
    guard let deadline, deadline <= now.instant else { return [] }
    var absent: [(ContinuousClock.Instant, AbsenceRecord)] = []
    for (key, device) in devices where !device.isAbsent && device.start + limit <= now.instant {
      devices[key]?.isAbsent = true
      let moment = device.start + limit
      absent.append(
        (moment, record(of: key, device, time: now.time.before(now.instant - moment), silence: limit)))
    }
    due = devices.values.compactMap { $0.isAbsent ? nil : $0.start + limit }.min()
    return absent.sorted { ($0.0, $0.1.order) < ($1.0, $1.1.order) }.map(\.1)
  }

  /// The devices that are absent now, with the silence until now.
  package func missing(at now: Moment) -> [AbsenceRecord] {
    devices.filter { $0.value.isAbsent || $0.value.last == nil }
      .map { record(of: $0.key, $0.value, time: now.time, silence: now.instant - $0.value.start) }
      .sorted { $0.order < $1.order }
  }

  private func record(
    of key: Key, _ device: Device, time: Timestamp, silence: Duration
  ) -> AbsenceRecord {
    var (address, name) = (nil as BluetoothAddress?, device.name)
    switch key {
    case .heard(let heard): address = heard
    case .expected(let index):
      switch expected[index] {
      case .address(let wanted): address = wanted
      case .name(let pattern): name = pattern.text
      case .resolved(let identity): (address, name) = (identity.address, identity.name)
      }
    }
    return AbsenceRecord(
      .absent, time: time, address: address, name: name, last: device.last?.time,
      silence: DurationText.seconds(silence))
  }
}

/// A device, as far as a value identifies it.
private struct HeardDevice: DeviceCandidate {
  let address: BluetoothAddress
  let name: String?
  var rssi: Int? { nil }
}

extension AbsenceRecord {
  /// Sorts those of one moment.
  fileprivate var order: String { "\(name ?? "") \(address.map { "\($0)" } ?? "")" }
}
