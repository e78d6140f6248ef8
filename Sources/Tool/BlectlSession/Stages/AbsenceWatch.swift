// SPDX-License-Identifier: MIT
package import BLECentral
internal import BLEFormats
package import BlectlArguments
package import ValueStreams

/// Watches which devices are silent: those that were heard, and those that are expected and never were.
package struct AbsenceWatch {
  private struct Device {
    var name: String?
    /// Nil while it was never heard.
    var last: Moment?
    /// The time when it was last heard, or when the watch began.
    var start: ContinuousClock.Instant
    var isAbsent = false
    /// True if it is one of those that should be there.
    var isExpected = false
    /// The identity under which it was last known.
    var known: HeardDevice?
  }

  private enum Key: Hashable {
    case heard(BluetoothAddress)
    case expected(Int)
  }

  private let limit: Duration
  private let expected: [DeviceArgument]
  /// The expected devices that were never heard, by their index.
  private var awaited: [Int: Device] = [:]
  private var devices = RecentMemory<BluetoothAddress, Device> { $0.isExpected ? 1 : 0 }
  /// The time when the next device becomes absent, or an earlier one, since hearing a device only postpones
  /// it.
  private var due: ContinuousClock.Instant?
  private var isPaused: Bool

  /// The time of the next check; nil if no device can become absent.
  var deadline: ContinuousClock.Instant? { isPaused ? nil : due }

  /// `limit` is the silence after which a device is absent; `expected` are those that should be there from the beginning.
  ///
  /// If it `isPaused`, the silence counts from ``resume(at:)`` on.
  package init(
    limit: Duration, expecting expected: [DeviceArgument], isPaused: Bool = false, from now: Moment
  ) {
    (self.limit, self.expected, self.isPaused) = (limit, expected, isPaused)
    for index in expected.indices { awaited[index] = Device(name: nil, last: nil, start: now.instant) }
    if !expected.isEmpty { due = now.instant + limit }
  }

  /// A device was heard; returns that it is back, if it was absent.
  package mutating func heard(
    _ device: HeardDevice, at time: Timestamp, _ now: Moment
  ) -> AbsenceRecord? {
    let (address, name) = (device.lastingAddress, device.name)
    var earlier = devices[address]
    // The event of a link may have its address only, and a value later its name.
    if earlier?.known != device, let awaited = arrived(device) { earlier = awaited }
    devices[address] = Device(
      name: name ?? earlier?.name, last: Moment(time: time, instant: now.instant), start: now.instant,
      isExpected: earlier?.isExpected ?? false, known: device)
    if due == nil { due = now.instant + limit }
    guard let earlier, earlier.isAbsent else { return nil }
    return AbsenceRecord(
      .returned, time: time, address: address, name: name ?? earlier.name, last: earlier.last?.time,
      silence: DurationText.seconds(now.instant - earlier.start))
  }

  /// A device that was expected, and has not been heard before; those are no longer waited for.
  private mutating func arrived(_ device: HeardDevice) -> Device? {
    var found: Device?
    for index in Array(awaited.keys) where expected[index].rank(of: device) != nil {
      found = awaited.removeValue(forKey: index) ?? found
    }
    found?.isExpected = true
    return found
  }

  /// Nothing can be heard for the moment: silence means nothing.
  package mutating func pause() { isPaused = true }

  /// Devices can be heard again, and have the whole time again.
  package mutating func resume(at now: Moment) {
    isPaused = false
    change { if !$0.isAbsent { $0.start = now.instant } }
    due = all.contains { !$0.1.isAbsent } ? now.instant + limit : nil
  }

  /// Returns the devices that are absent since now.
  package mutating func advance(to now: Moment) -> [AbsenceRecord] {
    guard let deadline, deadline <= now.instant else { return [] }
    let absent = all.filter { !$0.1.isAbsent && $0.1.start + limit <= now.instant }
      .map { key, device in
        let moment = device.start + limit
        return (
          moment, record(of: key, device, time: now.time.before(now.instant - moment), silence: limit)
        )
      }
    change { [limit] in if $0.start + limit <= now.instant { $0.isAbsent = true } }
    due = all.compactMap { $0.1.isAbsent ? nil : $0.1.start + limit }.min()
    return absent.sorted { ($0.0, $0.1.order) < ($1.0, $1.1.order) }.map(\.1)
  }

  /// The devices that are absent now, with the silence until now.
  package func missing(at now: Moment) -> [AbsenceRecord] {
    all.filter { $0.1.isAbsent || $0.1.last == nil }
      .map { record(of: $0.0, $0.1, time: now.time, silence: now.instant - $0.1.start) }
      .sorted { $0.order < $1.order }
  }

  /// All devices, in no order.
  private var all: [(Key, Device)] {
    awaited.map { (.expected($0.key), $0.value) }
      + devices.keys.compactMap { address in devices[address].map { (.heard(address), $0) } }
  }

  private mutating func change(_ body: (inout Device) -> Void) {
    awaited = awaited.mapValues { device in
      var device = device
      body(&device)
      return device
    }
    devices.change(body)
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

extension HeardDevice: DeviceCandidate {
  package var rssi: Int? { nil }
}

extension AbsenceRecord {
  /// Sorts those of one moment.
  fileprivate var order: String { "\(name ?? "") \(address.map { "\($0)" } ?? "")" }
}
