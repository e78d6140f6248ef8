// SPDX-License-Identifier: MIT
public import BLEFormats

extension BLEError {
  /// An attempted action, and its subject.
  ///
  /// Its ``description`` follows "cannot" in a sentence: `read 2a19 of F0:F1:F2:F3:F4:F5`.
  ///
  /// New actions may be added: give each `switch` a `default`.
  public enum Action: Sendable, Hashable {
    /// To open a connection to a bus.
    case reachBus(Bus)
    /// To read bluetoothd's objects.
    case queryService
    /// To continue after the bus or bluetoothd is gone, or the manager is closed.
    case `continue`
    /// To find a usable adapter.
    case useAdapter
    /// To switch an adapter on or off.
    case setPower(adapter: String, isOn: Bool)

    /// To list the devices that BlueZ knows.
    case listDevices
    /// To look for a device by its address.
    case lookFor(BluetoothAddress)
    /// To find a device that meets the conditions.
    case findDevice
    /// To report what is known of a device.
    case inspect(BluetoothAddress)
    /// To scan for devices.
    case scan
    /// To scan without sending scan requests.
    case scanPassively

    /// To open or join a link.
    case connect(BluetoothAddress)
    /// To reopen a lost link.
    case reconnect(BluetoothAddress)
    /// To keep a link open.
    case keepLink
    /// To stop using a link, for an error that names no device.
    case releaseLink
    /// To close a link.
    case disconnect(BluetoothAddress)
    /// To wait until a link ends.
    case awaitDisconnection(BluetoothAddress)

    /// To pair with a device.
    case pair(BluetoothAddress)
    /// To cancel a pairing; nil means the current one.
    case cancelPairing(BluetoothAddress?)
    /// To delete the bond with a device.
    case unpair(BluetoothAddress)
    /// To trust a device, or to revoke the trust.
    case setTrusted(BluetoothAddress, Bool)
    /// To block or unblock a device.
    case setBlocked(BluetoothAddress, Bool)
    /// To register a pairing agent.
    case registerAgent
    /// To unregister a pairing agent.
    case unregisterAgent
    /// To answer pairings that others begin.
    case answerPairings

    /// To list the services of a device.
    case discoverServices(of: BluetoothAddress)
    /// To find a characteristic of a device.
    case find(BluetoothUUID, on: BluetoothAddress)
    /// To open an L2CAP channel of a device.
    case openChannel(psm: UInt16, of: BluetoothAddress)
    /// To use an open L2CAP channel; nil for a device whose address is not known.
    case useChannel(psm: UInt16, of: BluetoothAddress?)
    /// To offer an L2CAP channel; 0 for any number.
    case publishChannel(psm: UInt16)
    /// To read a value.
    case read(Attribute)
    /// To write a value.
    case write(Attribute)
    /// To subscribe to the values of a characteristic.
    case subscribe(Attribute)
    /// To receive the values of a subscription.
    case receiveNotifications
    /// To get the notification that answers a write.
    case receiveReply(from: BluetoothUUID)
    /// To confirm that writes without response arrived; nil while their link is being released.
    case confirmWrites(BluetoothAddress?)

    /// To publish a service of this machine.
    case publish(BluetoothUUID)
    /// To remove a published service.
    case unpublish(BluetoothUUID)
    /// To send a value of this machine to all subscribers, or to one of them.
    case update(BluetoothUUID, for: BluetoothAddress?)
    /// To advertise.
    case advertise
    /// To stop advertising.
    case stopAdvertising
  }
}

extension BLEError.Action: CustomStringConvertible {
  /// The words that follow "cannot": `read 2a19 of F0:F1:F2:F3:F4:F5`.
  public var description: String {
    switch self {
    case .reachBus(.system): "reach the system bus"
    case .reachBus(let bus): "reach the bus \(bus.busAddress)"
    case .queryService: "talk to the Bluetooth service"
    case .continue: "continue"
    case .useAdapter: "use Bluetooth"
    case .setPower(let adapter, let isOn): "switch \(adapter) \(isOn ? "on" : "off")"
    case .listDevices: "list devices"
    case .lookFor(let device): "look for \(device)"
    case .findDevice: "find a device"
    case .inspect(let device): "look at \(device)"
    case .scan: "scan"
    case .scanPassively: "scan passively"
    case .connect(let device): "connect to \(device)"
    case .reconnect(let device): "connect to \(device) again"
    case .keepLink: "keep the link"
    case .releaseLink: "disconnect"
    case .disconnect(let device): "disconnect from \(device)"
    case .awaitDisconnection(let device): "wait for the end of the link to \(device)"
    case .pair(let device): "pair with \(device)"
    case .cancelPairing(let device?): "cancel the pairing with \(device)"
    case .cancelPairing(nil): "cancel the pairing"
    case .unpair(let device): "unpair \(device)"
    case .setTrusted(let device, let isTrusted): "\(isTrusted ? "trust" : "stop trusting") \(device)"
    case .setBlocked(let device, let isBlocked): "\(isBlocked ? "block" : "unblock") \(device)"
    case .registerAgent: "register a pairing agent"
    case .unregisterAgent: "unregister the pairing agent"
    case .answerPairings: "answer pairings"
    case .discoverServices(let device): "list the services of \(device)"
    case .find(let uuid, let device): "find \(uuid) on \(device)"
    case .openChannel(let psm, let device): "open the L2CAP channel \(psm) of \(device)"
    case .useChannel(let psm, let device):
      "use the L2CAP channel \(psm)" + (device.map { " of \($0)" } ?? "")
    case .publishChannel(let psm): psm == 0 ? "offer an L2CAP channel" : "offer the L2CAP channel \(psm)"
    case .read(let attribute): "read \(attribute)"
    case .write(let attribute): "write \(attribute)"
    case .subscribe(let attribute): "subscribe to \(attribute)"
    case .receiveNotifications: "receive notifications"
    case .receiveReply(let uuid): "get a reply of \(uuid)"
    case .confirmWrites(let device?): "confirm the writes to \(device)"
    case .confirmWrites(nil): "finish the writes"
    case .publish(let service): "publish \(service)"
    case .unpublish(let service): "remove \(service)"
    case .update(let uuid, let central?): "update \(uuid) for \(central)"
    case .update(let uuid, nil): "update \(uuid)"
    case .advertise: "advertise"
    case .stopAdvertising: "stop advertising"
    }
  }
}
