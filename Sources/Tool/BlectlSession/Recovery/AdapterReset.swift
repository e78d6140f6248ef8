// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BlectlArguments
internal import Glibc

/// Resets adapters, as a user would by hand.
package struct AdapterReset: Sendable {
  private let central: CentralManager
  private let context: CommandContext

  package init(_ central: CentralManager, in context: CommandContext) {
    (self.central, self.context) = (central, context)
  }

  /// Switches an adapter off and on; the links and scans of all programs end.
  package func powerCycle(_ adapter: Adapter) async throws {
    try await central.setPowered(false, adapter: adapter, timeout: context.timeout)
    try await central.setPowered(true, adapter: adapter, timeout: context.timeout)
  }

  /// Resets the USB device of an adapter, and waits until it is back and on.
  ///
  /// - Throws: ``RadioFailure`` if it is not on USB, or that is not permitted; ``BLEError`` if it does not come back.
  package func resetUSB(_ adapter: Adapter) async throws {
    // Proves that it is an adapter of this machine.
    try LinkRadio(under: adapter, in: context).close()
    let path = try Self.usbDevice(of: adapter.id)
    let outcome = await WorkerThread.result { () throws(ErrorNumber) in try USBDevice.reset(path) }
    if case .failure(let error) = outcome {
      throw RadioFailure.system("cannot reset \(path): \(error)")
    }
    try Task.checkCancellation()
    try await waitUntilBack(adapter)
  }

  private func waitUntilBack(_ adapter: Adapter) async throws {
    let limit = Deadline(after: context.timeout)
    while !limit.isOver {
      try await context.loop.sleep(for: .milliseconds(200))
      guard let back = await central.adapters.first(where: { $0.address == adapter.address }) else {
        continue
      }
      return try await central.setPowered(true, adapter: back, timeout: limit.remaining)
    }
    throw RadioFailure.system("the adapter did not come back")
  }

  /// The file of the USB device under an adapter.
  static func usbDevice(of adapter: String, root: String = "/sys") throws(RadioFailure) -> String {
    guard let path = realpath("\(root)/class/bluetooth/\(adapter)/device", nil) else {
      throw .system("the adapter has no device")
    }
    defer { free(path) }
    // The adapter is an interface of the device.
    let device = String(cString: path).split(separator: "/").dropLast().joined(separator: "/")
    func number(_ name: String) -> Int? {
      WholeFile.text("/\(device)/\(name)").flatMap { Int($0.prefix { $0.isNumber }) }
    }
    guard let bus = number("busnum"), let device = number("devnum") else {
      throw .system("it is not a USB device")
    }
    return "/dev/bus/usb/\(threeDigits(bus))/\(threeDigits(device))"
  }

  private static func threeDigits(_ number: Int) -> String {
    String(repeating: "0", count: max(0, 3 - "\(number)".count)) + "\(number)"
  }
}
