// SPDX-License-Identifier: MIT
internal import DBus

/// An object that BlueZ reads when a service is registered.
struct PublishedObject {
  /// The property that makes bluetoothd request a socket, whatever its value.
  static let notifyAcquired = "NotifyAcquired"

  let path: String
  let interface: String
  let properties: [(String, DBusValue)]

  init(_ service: LocalService, path: String, includes: [String]) {
    self.path = path
    interface = BlueZ.gattService
    var properties: [(String, DBusValue)] = [
      ("UUID", .string(service.uuid.longForm)), ("Primary", .boolean(service.isPrimary)),
    ]
    if !includes.isEmpty { properties.append(("Includes", .objectPaths(includes))) }
    if let handle = service.handle { properties.append(("Handle", .uint16(handle))) }
    self.properties = properties
  }

  /// A handle of 0 asks BlueZ to set the handle that it chooses.
  init(_ characteristic: LocalCharacteristic, path: String, service: String) {
    self.path = path
    interface = BlueZ.gattCharacteristic
    var properties: [(String, DBusValue)] = [
      ("UUID", .string(characteristic.uuid.longForm)), ("Service", .objectPath(service)),
      ("Flags", .strings(characteristic.flags)), ("Handle", .uint16(characteristic.handle ?? 0)),
    ]
    if characteristic.updateTransport == .acquireNotify {
      properties.append((PublishedObject.notifyAcquired, .boolean(false)))
    }
    self.properties = properties
  }

  init(_ descriptor: LocalDescriptor, path: String, characteristic: String) {
    self.path = path
    interface = BlueZ.gattDescriptor
    properties = [
      ("UUID", .string(descriptor.uuid.longForm)), ("Characteristic", .objectPath(characteristic)),
      ("Flags", .strings(descriptor.flags)), ("Handle", .uint16(0)),
    ]
  }
}

extension LocalCharacteristic {
  /// BlueZ's flags for its operations and their security.
  fileprivate var flags: [String] {
    var flags = properties.names
    if properties.contains(.read), let flag = security.read.flag("read") { flags.append(flag) }
    let isWritable = !properties.isDisjoint(with: [
      .write, .writeWithoutResponse, .reliableWrite, .authenticatedSignedWrites,
    ])
    if isWritable, let flag = security.write.flag("write") { flags.append(flag) }
    if properties.contains(.notify), let flag = security.subscribe.flag("notify") { flags.append(flag) }
    if properties.contains(.indicate), let flag = security.subscribe.flag("indicate") { flags.append(flag) }
    return flags
  }
}

extension LocalDescriptor {
  fileprivate var flags: [String] {
    ["read"] + [security.read.flag("read")].compactMap(\.self)
      + (isWritable ? ["write"] + [security.write.flag("write")].compactMap(\.self) : [])
  }
}
