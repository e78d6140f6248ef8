// SPDX-License-Identifier: MIT
internal import BLEFormats

extension ClientMessage {
  /// Decodes the body of a message of a type.
  init(type: UInt16, body: ArraySlice<UInt8>) throws(MalformedMessage) {
    let fields = try ProtobufFields(body)
    if let request = fields.impossibleRequest(ofType: type) {
      self = .impossible(request)
      return
    }
    switch type {
    case 1:
      let version = APIVersion(major: fields.number32(2), minor: fields.number32(3))
      self = .hello(client: fields.string(1), version: version)
    case 3: self = .authentication
    case 5: self = .disconnect
    case 6: self = .disconnected
    case 7: self = .ping
    case 8: self = .pong
    case 9: self = .deviceInfo
    case 11: self = .listEntities
    case 66: self = .subscribeAdvertisements(isRaw: fields.number(1) & 1 != 0)
    case 68: self = try .device(fields.address, fields.deviceRequest, fields.addressType)
    case 70: self = .services(try fields.address)
    case 73: self = .read(try fields.attribute)
    case 75: self = .write(try fields.attribute, Array(fields.data(4)), withResponse: fields.bool(3))
    case 76: self = .readDescriptor(try fields.attribute)
    case 77: self = .writeDescriptor(try fields.attribute, Array(fields.data(3)))
    case 78: self = .notify(try fields.attribute, isEnabled: fields.bool(3))
    case 80: self = .subscribeConnectionsFree
    case 87: self = .unsubscribeAdvertisements
    case 124: self = .setKey
    case 127:
      guard let mode = ScannerMode(rawValue: fields.number32(1)) else { throw MalformedMessage() }
      self = .setScannerMode(mode)
    case 145:
      let parameters = ConnectionParameters(
        minInterval: fields.number32(2), maxInterval: fields.number32(3), latency: fields.number32(4),
        timeout: fields.number32(5))
      self = .setConnectionParameters(try fields.address, parameters)
    case 149: self = .capabilities
    default: self = .unknown(type: type)
    }
  }
}

extension ProtobufFields {
  /// Field 1, in messages about a device.
  fileprivate var address: BluetoothAddress {
    get throws(MalformedMessage) {
      guard let address = BluetoothAddress(number: number(1)) else { throw MalformedMessage() }
      return address
    }
  }

  /// The request, if there can be no such device, no such attribute, or no such request.
  fileprivate func impossibleRequest(ofType type: UInt16) -> ImpossibleRequest? {
    let isAddress = BluetoothAddress(number: number(1)) != nil
    func request(_ answer: ImpossibleRequest.Answer, _ error: Int32) -> ImpossibleRequest {
      ImpossibleRequest(answer, number(1), error: error)
    }
    switch type {
    case 68:
      // 0 is a way to connect of clients of 2022.
      let kind = ClientMessage.DeviceRequest(rawValue: number32(2))
      if isAddress, kind != nil || number32(2) == 0 { return nil }
      return switch kind {
      case .pair: request(.paired, LinkFailure.notConnected)
      case .unpair: request(.unpaired, LinkFailure.notConnected)
      case .clearCache: request(.cacheCleared, LinkFailure.notConnected)
      case .connectWithCache, .connectWithoutCache, .disconnect, nil: request(.connection, LinkFailure.other)
      }
    case 70: return isAddress ? nil : request(.attribute(handle: 0), LinkFailure.notConnected)
    case 73, 75, 76, 77, 78:
      let handle = number(2)
      if UInt16(exactly: handle) == nil {
        return request(.attribute(handle: handle), LinkFailure.invalidHandle)
      }
      return isAddress ? nil : request(.attribute(handle: handle), LinkFailure.notConnected)
    case 145: return isAddress ? nil : request(.connectionParameters, LinkFailure.notConnected)
    default: return nil
    }
  }

  /// Fields 1 and 2, in messages about an attribute.
  fileprivate var attribute: RemoteAttribute {
    get throws(MalformedMessage) {
      guard let handle = UInt16(exactly: number(2)) else { throw MalformedMessage() }
      return RemoteAttribute(device: try address, handle: handle)
    }
  }

  fileprivate var deviceRequest: ClientMessage.DeviceRequest {
    get throws(MalformedMessage) {
      // The way to connect of clients of 2022, which proxies answer as they answer a disconnect.
      if number32(2) == 0 { return .disconnect }
      guard let request = ClientMessage.DeviceRequest(rawValue: number32(2)) else { throw MalformedMessage() }
      return request
    }
  }

  /// Nil if the client does not say it.
  fileprivate var addressType: AddressType? { bool(3) ? number32(4) == 0 ? .public : .random : nil }
}
