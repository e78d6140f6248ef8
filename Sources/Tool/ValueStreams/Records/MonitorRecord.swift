// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
package import TerminalOutput

/// Something that `monitor` saw: as JSON, and as fields of a line.
package struct MonitorRecord: Record {
  package let event: CentralEvent
  private let decoder: AdvertisementDecoder

  package init(event: CentralEvent, decoder: AdvertisementDecoder) {
    (self.event, self.decoder) = (event, decoder)
  }

  package func write(to json: inout JSONWriter) {
    switch event.kind {
    case .found(let info):
      record(.found, info).write(to: &json)
    case .lost(let info):
      record(.lost, info).write(to: &json)
    case .changed(let info, let fields):
      record(.changed, info).write(to: &json)
      json.array("properties") { list in for field in fields { list.value(field.rawValue) } }
    case .connected(let info), .disconnected(let info):
      let link: LinkRecord.Event = name == .connected ? .connected : .disconnected
      LinkRecord(
        event: link, time: event.time, address: info.lastingAddress,
        linkEnd: link == .disconnected ? info.linkEnd : nil
      ).write(to: &json)
      json.field("adapter", info.adapter)
      json.field("name", info.name)
    case .value(let info, let characteristic, let bytes):
      let origin = ValueOrigin(info, characteristic, via: .signal)
      writeHead(to: &json)
      origin.write(to: &json)
      json.fields(value: bytes, decoded: origin.meaning?.decode(bytes))
      json.field("via", origin.transport.rawValue)
      json.field("adapter", info.adapter)
    case .adapterAdded(let adapter), .adapterRemoved(let adapter), .adapterChanged(let adapter):
      writeHead(to: &json)
      AdapterRecord(adapter: adapter).write(to: &json)
    case .state(let state):
      writeHead(to: &json)
      json.field("state", MonitorRecord.name(of: state))
    case .missed(let count):
      writeHead(to: &json)
      json.field("count", count)
    }
  }

  private func record(_ kind: DeviceRecord.Event, _ info: PeripheralInfo) -> DeviceRecord {
    DeviceRecord(event: kind, time: event.time, info: info, isComplete: true, decoder: decoder)
  }

  private func writeHead(to json: inout JSONWriter) {
    json.event(name.rawValue, at: event.time)
  }

  // MARK: Names

  /// The kind of event: the value of `event`, and of `--event`.
  package enum Name: String, CaseIterable {
    case found
    case lost
    case changed
    case connected
    case disconnected
    case value
    case adapterAdded = "adapter_added"
    case adapterRemoved = "adapter_removed"
    case adapterChanged = "adapter_changed"
    case state
    case missed
  }

  package var name: Name {
    switch event.kind {
    case .found: .found
    case .lost: .lost
    case .changed: .changed
    case .connected: .connected
    case .disconnected: .disconnected
    case .value: .value
    case .adapterAdded: .adapterAdded
    case .adapterRemoved: .adapterRemoved
    case .adapterChanged: .adapterChanged
    case .state: .state
    case .missed: .missed
    }
  }

  private static func name(of state: BluetoothState) -> String {
    switch state {
    case .busUnavailable: "bus_unavailable"
    case .serviceUnavailable: "service_unavailable"
    case .unsupported: "no_adapter"
    case .poweredOff: "off"
    case .blocked: "blocked"
    case .poweredOn: "on"
    }
  }

  // MARK: A line

  package var device: PeripheralInfo? {
    switch event.kind {
    case .found(let info), .lost(let info), .changed(let info, _), .connected(let info),
      .disconnected(let info), .value(let info, _, _):
      info
    case .adapterAdded, .adapterRemoved, .adapterChanged, .state, .missed: nil
    }
  }

  package var adapter: String? {
    switch event.kind {
    case .adapterAdded(let adapter), .adapterRemoved(let adapter), .adapterChanged(let adapter): adapter.id
    default: device?.adapter
    }
  }

  package var logged: LoggedRecord {
    let subject: LoggedRecord.Subject =
      if case .value(let info, let characteristic, let bytes) = event.kind {
        .value(ValueOrigin(info, characteristic, via: .signal), bytes)
      } else if let device {
        .device(device.lastingAddress)
      } else {
        adapter.map { .adapter($0) } ?? .everything
      }
    return LoggedRecord(self, about: subject)
  }

  /// Event, address or adapter, name, and details.
  package var fields: [String] {
    [name.rawValue, device?.address.description ?? adapter ?? "", device?.name ?? "", detail]
  }

  private var detail: String {
    switch event.kind {
    case .found(let info): info.rssi.map { "rssi=\($0)" } ?? ""
    case .changed(let info, let fields):
      fields.map { MonitorRecord.text($0, of: info) }.joined(separator: " ")
    case .value(_, let characteristic, let bytes): "\(characteristic.uuid)=\(Hex.string(bytes))"
    case .adapterAdded(let adapter), .adapterChanged(let adapter):
      "powered=\(adapter.isPowered) discovering=\(adapter.isDiscovering) blocked=\(adapter.isBlocked)"
    case .state(let state): MonitorRecord.name(of: state)
    case .missed(let count): "\(count) events"
    case .disconnected(let info): info.linkEnd.map { "reason=\($0.rawValue)" } ?? ""
    case .lost, .connected, .adapterRemoved: ""
    }
  }

  /// For instance `rssi=-60`; nothing follows the sign if the value is gone.
  private static func text(_ field: PeripheralInfo.Field, of info: PeripheralInfo) -> String {
    let value: String? =
      switch field {
      case .name: info.name
      case .address: info.address.description
      case .addressType: info.addressType?.rawValue
      case .rssi: info.rssi.map(String.init)
      case .txPower: info.advertisement.txPower.map(String.init)
      case .services: DeviceText.services(info)
      case .manufacturerData, .serviceData: DeviceText.data(info)
      case .flags: info.advertisement.flags.map { Hex.string($0) }
      case .appearance: info.advertisement.appearance?.fourDigits
      case .servicesResolved: "\(info.isServicesResolved)"
      case .paired: "\(info.isPaired)"
      case .bonded: "\(info.isBonded)"
      case .trusted: "\(info.isTrusted)"
      case .blocked: "\(info.isBlocked)"
      case .batteryLevel: info.batteryLevel.map(String.init)
      case .deviceClass: info.deviceClass.map { String($0, radix: 16) }
      case .icon: info.icon
      case .modalias: info.modalias
      }
    return "\(field.rawValue)=\(value ?? "")"
  }
}

extension MonitorRecord: HookRecord {
  package var hookEvent: String { name.rawValue }
  package var hookAddress: BluetoothAddress? { device?.address }
  package var hookVariables: [String: String] {
    var variables = ["BLECTL_NAME": device?.name ?? ""]
    variables["BLECTL_ADAPTER"] = adapter
    return variables
  }
}

/// A record that a command can be run for.
package protocol HookRecord: Record, Sendable {
  /// The event: BLECTL_EVENT.
  var hookEvent: String { get }
  /// The device: BLECTL_ADDRESS.
  var hookAddress: BluetoothAddress? { get }
  /// The environment of the command, besides BLECTL_EVENT and BLECTL_ADDRESS; text from the air is unescaped.
  var hookVariables: [String: String] { get }
}
