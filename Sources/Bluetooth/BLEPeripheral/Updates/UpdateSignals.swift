// SPDX-License-Identifier: MIT
internal import DBus

/// The signals that carry the values of a characteristic; only one signal of each length is marshalled.
struct UpdateSignals {
  private let path: String
  private var template: SignalTemplate?
  private var lastCount: Int?

  init(_ path: String) { self.path = path }

  mutating func signal(of value: [UInt8]) -> Message {
    if template?.count != value.count {
      template = value.count == lastCount ? SignalTemplate(count: value.count, makeSignal) : nil
      lastCount = value.count
    }
    return template?.signal(with: value) ?? makeSignal(of: value)
  }

  private func makeSignal(of value: [UInt8]) -> Message {
    Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
      writer.string(BlueZ.gattCharacteristic)
      writer.properties([("Value", .bytes(value))])
      writer.value(.strings([]))
    }
  }
}
