// SPDX-License-Identifier: MIT
package import BLEPeripheral
package import JSON
internal import TerminalOutput

/// The start or the end of an advertisement.
package struct AdvertisingRecord: Record {
  package enum Event {
    case started(Advertisement)
    case ended(AdvertisingEnd)
  }

  package let event: Event
  package let time = Timestamp.now
  package let adapter: String

  package init(event: Event, adapter: String) {
    self.event = event
    self.adapter = adapter
  }

  package func write(to json: inout JSONWriter) {
    switch event {
    case .started(let advertisement):
      json.event("started", at: time)
      json.field("adapter", adapter)
      json.field("name", advertisement.name)
      json.advertised(advertisement.context)
      json.field("connectable", advertisement.isConnectable)
    case .ended(let reason):
      json.event("ended", at: time)
      json.field("adapter", adapter)
      json.field("reason", reason.rawValue)
    }
  }
}

/// The reason for the end of an advertisement.
package enum AdvertisingEnd: String {
  /// The time of `--duration` is over.
  case duration
  /// By a signal, such as Ctrl-C.
  case interrupted
  /// bluetoothd ended.
  case serviceUnavailable = "service-unavailable"
  case poweredOff = "powered-off"
  case blocked
  case adapterRemoved = "adapter-removed"
  case busUnavailable = "bus-unavailable"
  /// BlueZ refuses to advertise again.
  case refused

  /// Nil if Bluetooth can be used.
  package init?(_ state: BluetoothState) {
    switch state {
    case .serviceUnavailable: self = .serviceUnavailable
    case .poweredOff: self = .poweredOff
    case .blocked: self = .blocked
    case .unsupported: self = .adapterRemoved
    case .busUnavailable: self = .busUnavailable
    case .poweredOn: return nil
    }
  }

  /// The event, for people.
  package var text: String {
    switch self {
    case .duration: "the time is over"
    case .interrupted: "interrupted"
    case .serviceUnavailable: "bluetoothd has ended"
    case .poweredOff: "the adapter is off"
    case .blocked: "the radio is blocked (rfkill)"
    case .adapterRemoved: "the adapter is gone"
    case .busUnavailable: "the bus is gone"
    case .refused: "BlueZ refuses it"
    }
  }
}
