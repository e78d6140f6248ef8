// SPDX-License-Identifier: MIT
internal import BLEFormats

extension ServerMessage {
  /// The number of the type, and the body: the same for all clients, whose frames differ.
  typealias Encoded = (type: UInt16, body: [UInt8])

  var encoded: Encoded {
    var body = ProtobufWriter()
    let type = write(to: &body)
    return (type, body.bytes)
  }

  /// Writes the body, and returns the number of the type.
  private func write(to body: inout ProtobufWriter) -> UInt16 {
    switch self {
    case .hello(let version, let serverInfo, let name):
      body.number(1, version.major)
      body.number(2, version.minor)
      body.string(3, serverInfo)
      body.string(4, name)
      return 2
    case .authentication: return 4
    case .disconnect: return 5
    case .disconnected: return 6
    case .ping: return 7
    case .pong: return 8
    case .deviceInfo(let info):
      info.write(to: &body)
      return 10
    case .listEntitiesDone: return 19
    case .advertisements(let list):
      for advertisement in list { body.message(1, advertisement.encoded) }
      return 93
    case .scannerState(let state, let mode, let configured):
      body.number(1, state.rawValue)
      body.number(2, mode.rawValue)
      body.number(3, configured.rawValue)
      return 126
    case .services(let address, let services, let usesShortUUIDs):
      body.number(1, address.number)
      for service in services { body.message(2, service.encoded(usesShortUUIDs)) }
      return 71
    case .servicesDone(let address):
      body.number(1, address.number)
      return 72
    case .capabilities(let features, let address):
      var proxy = ProtobufWriter()
      proxy.number(1, features.rawValue)
      proxy.string(2, address.description)
      body.message(1, proxy.bytes)
      return 150
    case .keySet(let isDone):
      body.bool(1, isDone)
      return 125
    case .read(let attribute, let value): return body.attribute(attribute, value, 74)
    case .written(let attribute): return body.attribute(attribute, [], 83)
    case .notifying(let attribute): return body.attribute(attribute, [], 84)
    case .notification(let attribute, let value): return body.attribute(attribute, value, 79)
    case .failed(let attribute, let error):
      _ = body.attribute(attribute, [], 82)
      body.signed(3, error)
      return 82
    case .connection(let address, let isConnected, let mtu, let error):
      body.number(1, address.number)
      body.bool(2, isConnected)
      body.number(3, mtu)
      body.signed(4, error)
      return 69
    case .connectionsFree(let free, let limit, let allocated):
      body.number(1, free)
      body.number(2, limit)
      for address in allocated { body.element(3, address.number) }
      return 81
    case .paired(let address, let isPaired, let error): return body.outcome(address, isPaired, error, 85)
    case .unpaired(let address, let isDone, let error): return body.outcome(address, isDone, error, 86)
    case .cacheCleared(let address, let isDone, let error): return body.outcome(address, isDone, error, 88)
    case .connectionParameters(let address, let error):
      body.number(1, address.number)
      body.signed(2, error)
      return 146
    case .impossible(let request): return request.write(to: &body)
    }
  }
}

extension ImpossibleRequest {
  /// Writes the answer, and returns the number of its type.
  fileprivate func write(to body: inout ProtobufWriter) -> UInt16 {
    body.number(1, address)
    switch answer {
    case .connection:
      body.signed(4, error)
      return 69
    case .paired:
      body.signed(3, error)
      return 85
    case .unpaired:
      body.signed(3, error)
      return 86
    case .cacheCleared:
      body.signed(3, error)
      return 88
    case .connectionParameters:
      body.signed(2, error)
      return 146
    case .attribute(let handle):
      body.number(2, handle)
      body.signed(3, error)
      return 82
    }
  }
}

extension ProtobufWriter {
  /// Writes an attribute and its value, and returns the type.
  fileprivate mutating func attribute(
    _ attribute: RemoteAttribute, _ value: [UInt8], _ type: UInt16
  ) -> UInt16 {
    number(1, attribute.device.number)
    number(2, attribute.handle)
    data(3, value)
    return type
  }

  /// Writes how a request about a device ended, and returns the type.
  fileprivate mutating func outcome(
    _ address: BluetoothAddress, _ isDone: Bool, _ error: Int32, _ type: UInt16
  ) -> UInt16 {
    number(1, address.number)
    bool(2, isDone)
    signed(3, error)
    return type
  }

  /// Writes a UUID: its short form into a field of its own if the client reads that, else two numbers, the higher one
  /// first.
  fileprivate mutating func uuid(_ uuid: BluetoothUUID, shortField: UInt64, _ usesShortUUIDs: Bool) {
    if usesShortUUIDs, let number = uuid.shortForm, number != 0 {
      self.number(shortField, number)
      return
    }
    var packed = ProtobufWriter()
    let bytes = uuid.bytes
    for half in [bytes.prefix(8), bytes.suffix(8)] {
      packed.varint(half.reduce(0) { $0 << 8 | UInt64($1) })
    }
    message(1, packed.bytes)
  }
}

extension DeviceInfo {
  fileprivate func write(to body: inout ProtobufWriter) {
    body.string(2, name.text)
    body.string(3, address.description)
    body.string(4, esphomeVersion)
    body.string(6, model)
    body.string(8, projectName)
    body.string(9, projectVersion)
    body.string(12, manufacturer)
    body.string(13, friendlyName)
    body.number(15, features.rawValue)
    body.string(18, bluetoothAddress.description)
    body.bool(19, isEncrypted)
  }
}

extension ForwardedAdvertisement {
  fileprivate var encoded: [UInt8] {
    var body = ProtobufWriter()
    body.number(1, address.number)
    body.zigzag(2, Int32(rssi))
    body.number(3, addressType == .random ? 1 : 0)
    body.data(4, data)
    return body.bytes
  }
}

extension ForwardedService {
  fileprivate func encoded(_ usesShortUUIDs: Bool) -> [UInt8] {
    var body = ProtobufWriter()
    body.uuid(uuid, shortField: 4, usesShortUUIDs)
    body.number(2, handle)
    for characteristic in characteristics { body.message(3, characteristic.encoded(usesShortUUIDs)) }
    return body.bytes
  }
}

extension ForwardedCharacteristic {
  fileprivate func encoded(_ usesShortUUIDs: Bool) -> [UInt8] {
    var body = ProtobufWriter()
    body.uuid(uuid, shortField: 5, usesShortUUIDs)
    body.number(2, handle)
    body.number(3, properties)
    for descriptor in descriptors { body.message(4, descriptor.encoded(usesShortUUIDs)) }
    return body.bytes
  }
}

extension ForwardedDescriptor {
  fileprivate func encoded(_ usesShortUUIDs: Bool) -> [UInt8] {
    var body = ProtobufWriter()
    body.uuid(uuid, shortField: 3, usesShortUUIDs)
    body.number(2, handle)
    return body.bytes
  }
}
