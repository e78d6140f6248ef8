// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON
internal import TerminalOutput

/// An adapter as JSON.
struct AdapterRecord: Record {
  let adapter: Adapter

  func write(to json: inout JSONWriter) {
    json.field("adapter", adapter.id)
    json.field("address", adapter.address)
    json.field("name", adapter.name)
    json.field("powered", adapter.isPowered)
    json.field("discovering", adapter.isDiscovering)
    json.field("blocked", adapter.isBlocked)
    json.field("modalias", adapter.modalias)
  }
}
