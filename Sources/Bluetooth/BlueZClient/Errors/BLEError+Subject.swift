// SPDX-License-Identifier: MIT
public import BLEFormats

extension BLEError {
  /// An attribute of a device.
  public struct Attribute: Sendable, Hashable, CustomStringConvertible {
    /// The kinds of attributes.
    public enum Kind: Sendable, Hashable {
      /// The value of a characteristic.
      case characteristic
      /// A descriptor of a characteristic.
      case descriptor
    }

    /// The kind of the attribute.
    public let kind: Kind
    /// Its UUID.
    public let uuid: BluetoothUUID
    /// Its handle (for a characteristic, that of its declaration); 0 if BlueZ does not provide it.
    public let handle: UInt16
    /// The device that contains it.
    public let device: BluetoothAddress

    package init(_ kind: Kind, _ uuid: BluetoothUUID, handle: UInt16, of device: BluetoothAddress) {
      self.kind = kind
      self.uuid = uuid
      self.handle = handle
      self.device = device
    }

    /// The UUID and the device: `2a19 of F0:F1:F2:F3:F4:F5`.
    public var description: String { "\(kind == .descriptor ? "descriptor " : "")\(uuid) of \(device)" }
  }

  /// The subject of an action.
  public enum Subject: Sendable, Hashable {
    /// A bus.
    case bus(Bus)
    /// An adapter, such as `hci0`.
    case adapter(String)
    /// A device: a peripheral, or a central that uses the services of this machine.
    case device(BluetoothAddress)
    /// An attribute of a device.
    case attribute(Attribute)
    /// A service or characteristic of this machine, or one whose device the action does not name.
    case uuid(BluetoothUUID)
  }

  /// The subject of the failed action; nil if it concerns Bluetooth as a whole.
  public var subject: Subject? { action.subject }

  /// The device that the failed action concerns; nil if there is none.
  public var device: BluetoothAddress? {
    switch subject {
    case .device(let device): device
    case .attribute(let attribute): attribute.device
    case .bus, .adapter, .uuid, nil: nil
    }
  }
}

extension BLEError.Action {
  /// The subject of the action; nil if it concerns Bluetooth as a whole.
  public var subject: BLEError.Subject? {
    switch self {
    case .reachBus(let bus): .bus(bus)
    case .setPower(let adapter, _): .adapter(adapter)
    case .lookFor(let device), .inspect(let device), .connect(let device), .reconnect(let device),
      .disconnect(let device), .awaitDisconnection(let device), .pair(let device),
      .cancelPairing(let device?), .unpair(let device), .setTrusted(let device, _),
      .setBlocked(let device, _), .discoverServices(let device), .find(_, let device),
      .confirmWrites(let device?), .update(_, let device?), .openChannel(_, let device),
      .useChannel(_, let device?):
      .device(device)
    case .read(let attribute), .write(let attribute), .subscribe(let attribute): .attribute(attribute)
    case .receiveReply(let uuid), .publish(let uuid), .unpublish(let uuid), .update(let uuid, nil):
      .uuid(uuid)
    case .queryService, .continue, .useAdapter, .listDevices, .findDevice, .scan, .scanPassively, .keepLink,
      .releaseLink, .cancelPairing(nil), .registerAgent, .unregisterAgent, .answerPairings,
      .receiveNotifications, .confirmWrites(nil), .advertise, .stopAdvertising,
      .useChannel(_, nil), .publishChannel:
      nil
    }
  }
}
