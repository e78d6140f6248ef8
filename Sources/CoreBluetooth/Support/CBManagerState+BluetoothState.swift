// SPDX-License-Identifier: MIT
internal import BLECore

extension CBManagerState {
  /// - Parameters:
  ///   - state: the state of the library below.
  ///   - isFirst: whether nothing was known before: without bluetoothd there is nothing that could be reset.
  init(_ state: BluetoothState, isFirst: Bool) {
    self =
      switch state {
      case .busUnavailable: .resetting
      case .serviceUnavailable: isFirst ? .unsupported : .resetting
      case .unsupported: .unsupported
      case .poweredOff, .blocked: .poweredOff
      case .poweredOn: .poweredOn
      }
  }
}
