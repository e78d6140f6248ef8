// SPDX-License-Identifier: MIT
package import BLEFormats
internal import DBus

/// The devices by path, each decoded from BlueZ's answer on first use.
///
/// Decoding costs twenty times as much as skipping, and a command usually needs one device of thousands.
package struct DeviceStore: Sendable {
  private var records: [String: DeviceState] = [:]
  /// The position of the device that was changed last, since it is usually read next; nil after the devices
  /// have changed.
  private var last: (path: String, index: Dictionary<String, DeviceState>.Index)?
  /// For each device that was not needed yet, where its interfaces begin in the answer.
  private var unread: [String: Int] = [:]
  /// The answer of GetManagedObjects, kept while anything in it is unread.
  private var answer: MessageBody?
  private var mismatches: [PropertyTypeMismatch] = []

  init() {}

  init(readingFrom answer: MessageBody) { self.answer = answer }

  /// Records a device of the answer, whose `a{sa{sv}}` begins at an offset in the body.
  mutating func note(_ path: String, at offset: Int) { unread[path] = offset }

  /// Returns and clears the mismatches.
  mutating func takeMismatches() -> [PropertyTypeMismatch] {
    if mismatches.isEmpty { return [] }
    defer { mismatches = [] }
    return mismatches
  }

  // MARK: One device

  package subscript(path: String) -> DeviceState? {
    get { records[path] ?? unread[path].flatMap { record(path, at: $0).record } }
    _modify {
      load(path)
      last = nil
      yield &records[path]
    }
  }

  /// Changes a device in place, since a copy takes long for one that is heard a thousand times a second; nil if there is none.
  mutating func change<Result>(_ path: String, _ body: (inout DeviceState) -> Result) -> Result? {
    load(path)
    if let last, last.path == path { return body(&records.values[last.index]) }
    guard let index = records.index(forKey: path) else { return nil }
    last = (path, index)
    return body(&records.values[index])
  }

  package func contains(_ path: String) -> Bool { records[path] != nil || unread[path] != nil }

  mutating func removeValue(forKey path: String) -> DeviceState? {
    load(path)
    last = nil
    return records.removeValue(forKey: path)
  }

  /// Decodes a device permanently, because it will be needed more than once.
  package mutating func load(_ path: String) {
    guard !unread.isEmpty, let offset = unread.removeValue(forKey: path) else { return }
    let device = record(path, at: offset)
    last = nil
    records[path] = device.record
    mismatches += device.mismatches
    if unread.isEmpty { answer = nil }
  }

  private func record(
    _ path: String, at offset: Int
  ) -> (record: DeviceState, mismatches: [PropertyTypeMismatch]) {
    var record = DeviceState(path: path)
    var mismatches: [PropertyTypeMismatch] = []
    answer?.read { reader in
      reader.jump(to: offset)
      reader.forEachInterface { interface, reader in
        guard interface == "org.bluez.Device1" || interface == "org.bluez.Battery1" else { return }
        reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      }
    }
    return (record, mismatches)
  }

  // MARK: All devices

  package var isEmpty: Bool { records.isEmpty && unread.isEmpty }

  /// The devices with a link, by path; other devices are not decoded.
  package var connected: [DeviceState] {
    var devices = records.values.filter(\.isConnected)
    answer?.read { reader in
      for (path, offset) in unread {
        reader.jump(to: offset)
        if reader.isConnected() { devices.append(record(path, at: offset).record) }
      }
    }
    return devices.sorted { $0.path < $1.path }
  }

  /// Calls `body` with every device, in no order, without storing decoded ones.
  package mutating func forEach(_ body: (DeviceState) -> Void) {
    for record in records.values { body(record) }
    for (path, offset) in unread {
      let device = record(path, at: offset)
      mismatches += device.mismatches
      body(device.record)
    }
  }

  /// Returns the paths of the devices with an address: one for each adapter that knows it.
  package func paths(of address: BluetoothAddress) -> [String] {
    var paths = records.values.filter { $0.address == address }.map(\.path)
    guard !unread.isEmpty else { return paths }
    answer?.read { reader in
      for (path, offset) in unread {
        reader.jump(to: offset)
        if reader.deviceAddress() == address { paths.append(path) }
      }
    }
    return paths
  }
}

extension WireReader {
  /// Returns the address in a device's interfaces, `a{sa{sv}}`; nil if there is none.
  fileprivate mutating func deviceAddress() -> BluetoothAddress? {
    var address: BluetoothAddress?
    findDeviceProperty("Address", ofType: "s") { address = BluetoothAddress(utf8: $0.text().utf8) }
    return address
  }

  /// Returns whether a device's interfaces, `a{sa{sv}}`, show that it has a link.
  fileprivate mutating func isConnected() -> Bool {
    var isConnected = false
    findDeviceProperty("Connected", ofType: "b") { isConnected = $0.boolean() }
    return isConnected
  }

  private mutating func findDeviceProperty(
    _ name: StaticString, ofType type: StaticString, _ read: (inout WireReader) -> Void
  ) {
    forEachInterface { interface, reader in
      guard interface == "org.bluez.Device1", let signature = reader.findProperty(name), signature == type
      else { return }
      read(&reader)
    }
  }
}
