// SPDX-License-Identifier: MIT
internal import JSON

/// The answers on a control channel, each a line of JSON.
package enum ControlAnswer {
  /// The answer to a command that has run.
  package static let done = line { $0.field("ok", true) }

  package static func failure(_ error: ControlError) -> [UInt8] {
    line { json in
      json.field("ok", false)
      json.field("error", error.description)
      json.field("pointer", error.pointer)
    }
  }

  package static func state(_ state: WorldState) -> [UInt8] {
    line { json in
      json.field("ok", true)
      json.field("daemon", state.daemon.rawValue)
      json.array("adapters") { json in
        for adapter in state.adapters { json.object { write(adapter, to: &$0) } }
      }
      json.array("peripherals") { json in
        for peripheral in state.peripherals { json.object { write(peripheral, to: &$0) } }
      }
    }
  }

  private static func write(_ adapter: WorldState.Adapter, to json: inout JSONWriter) {
    json.field("name", adapter.name)
    json.field("address", adapter.address)
    json.field("powered", adapter.isPowered)
    json.field("blocked", adapter.isBlocked)
    json.field("discovering", adapter.isDiscovering)
  }

  private static func write(_ peripheral: WorldState.Peripheral, to json: inout JSONWriter) {
    json.field("address", peripheral.address)
    json.field("name", peripheral.name)
    json.field("present", peripheral.isPresent)
    json.field("connected", peripheral.isConnected)
    json.field("subscribed", peripheral.subscribed)
    json.field("bonds", peripheral.bonds)
    json.field("passkey", peripheral.passkey)
    if let firmware = peripheral.firmware { json.object("firmware") { write(firmware, to: &$0) } }
  }

  private static func write(_ firmware: FirmwareState, to json: inout JSONWriter) {
    json.field("protocol", firmware.updateProtocol)
    json.field("version", firmware.version)
    json.field("in_bootloader", firmware.isInBootloader)
    json.array("slots") { json in
      for slot in firmware.slots {
        json.object { json in
          json.field("slot", slot.name)
          json.field("version", slot.version)
          json.field("flags", slot.flags)
          json.field("bytes", slot.bytes.count)
          json.field("sha256", slot.digest)
        }
      }
    }
  }

  private static func line(_ fields: (inout JSONWriter) -> Void) -> [UInt8] {
    var json = JSONWriter()
    json.object(fields)
    json.endRecord()
    return json.bytes
  }
}
