// SPDX-License-Identifier: MIT

/// The last reported state of each device and adapter; differences from it are the events.
///
/// States are compared because no signal reports what was lost while bluetoothd was away.
struct EventTracker {
  private var devices: [String: PeripheralInfo]
  private var adapters: [String: Adapter]
  private var state: BluetoothState

  init(devices: [String: PeripheralInfo], adapters: [String: Adapter], state: BluetoothState) {
    self.devices = devices
    self.adapters = adapters
    self.state = state
  }

  /// Returns the events of a device that is now `info`; nil when it is gone.
  mutating func device(_ path: String, is info: PeripheralInfo?) -> [CentralEvent.Kind] {
    let before = devices[path]
    devices[path] = info
    guard let info else {
      guard let before else { return [] }
      return (before.isConnected ? [.disconnected(before)] : []) + [.lost(before)]
    }
    var kinds: [CentralEvent.Kind] = before == nil ? [.found(info)] : []
    if info.isConnected != before?.isConnected ?? false {
      kinds.append(info.isConnected ? .connected(info) : .disconnected(info))
    }
    if let before {
      let fields = info.differences(from: before)
      if !fields.isEmpty { kinds.append(.changed(info, fields)) }
    }
    return kinds
  }

  /// Returns the events of an adapter that is now `adapter`; nil when it is gone.
  mutating func adapter(_ path: String, is adapter: Adapter?) -> [CentralEvent.Kind] {
    let before = adapters[path]
    adapters[path] = adapter
    switch (before, adapter) {
    case (nil, let adapter?): return [.adapterAdded(adapter)]
    case (let before?, nil): return [.adapterRemoved(before)]
    case (let before?, let adapter?): return before == adapter ? [] : [.adapterChanged(adapter)]
    case (nil, nil): return []
    }
  }

  mutating func state(is state: BluetoothState) -> [CentralEvent.Kind] {
    defer { self.state = state }
    return state == self.state ? [] : [.state(state)]
  }

  /// Returns the events of all objects: adapters first, devices by path.
  mutating func everything(
    devices: [String: PeripheralInfo], adapters: [String: Adapter], state: BluetoothState
  ) -> [CentralEvent.Kind] {
    var kinds: [CentralEvent.Kind] = []
    for path in Set(self.devices.keys).subtracting(devices.keys).sorted() {
      kinds += device(path, is: nil)
    }
    for path in Set(self.adapters.keys).union(adapters.keys).sorted() {
      kinds += adapter(path, is: adapters[path])
    }
    kinds += self.state(is: state)
    for (path, info) in devices.sorted(by: { $0.key < $1.key }) { kinds += device(path, is: info) }
    return kinds
  }
}
