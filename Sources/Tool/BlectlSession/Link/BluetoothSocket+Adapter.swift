// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Glibc

extension BluetoothSocket {
  /// The number of the controller of an adapter, unless that belongs to another machine.
  static func controller(of adapter: Adapter, on loop: EventLoop) throws(RadioFailure) -> UInt16 {
    guard adapter.id.hasPrefix("hci"), let number = UInt16(adapter.id.dropFirst(3)) else { throw .elsewhere }
    do throws(ErrorNumber) {
      let socket = try BluetoothSocket(.controller(number), on: loop) { _ in }
      defer { socket.close() }
      let own = try socket.address(of: number)
      if BluetoothAddress(bytes: own) != BluetoothAddress(adapter.address) { throw ErrorNumber(code: ENODEV) }
    } catch {
      throw RadioFailure(opening: error)
    }
    return number
  }
}

extension RadioFailure {
  /// Creates the failure for a socket of the kernel's Bluetooth that could not be opened.
  init(opening error: ErrorNumber) {
    self = error.code == ENODEV ? .elsewhere : .noKernel(error.description)
  }
}
