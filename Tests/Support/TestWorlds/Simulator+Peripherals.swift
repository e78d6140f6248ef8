// SPDX-License-Identifier: MIT
internal import BLEWorld
package import BlueZSimulator

/// Commands for peripherals, by their addresses. Devices that do not exist are ignored.
extension Simulator {
  /// Closes the link of a peripheral from its side.
  package func dropLink(_ address: String) async { await perform(.dropLink, on: address) }

  /// Takes a peripheral out of range: its link breaks and its advertisements stop.
  package func vanish(_ address: String) async { await perform(.vanish, on: address) }

  /// Brings a peripheral back into range.
  package func appear(_ address: String) async { await perform(.appear, on: address) }

  /// Lets a peripheral send another private address from its next advertisement on; nil is its own.
  package func changeAddress(_ address: String, to privateAddress: String?) async {
    await perform(.changeAddress(privateAddress), on: address)
  }

  /// Makes the next attempts to connect fail.
  package func connectFailures(
    _ address: String, count: Int, error: String = "org.bluez.Error.Failed",
    text: String = "le-connection-abort-by-local"
  ) async {
    await perform(.refuseConnect(times: count, BlueZError(error, text)), on: address)
  }

  /// Lets a peripheral lose its bonds; its link stays.
  package func forgetBonds(_ address: String) async { await perform(.forgetBonds, on: address) }

  /// Types a passkey into a peripheral: for the question that waits, or for the next.
  package func typePasskey(_ address: String, _ passkey: UInt32) async {
    await perform(.typePasskey(passkey), on: address)
  }

  /// Lets a connected peripheral ask for an encrypted link.
  package func askForSecurity(_ address: String) async { await perform(.askForSecurity, on: address) }

  private func perform(_ action: PeripheralAction, on address: String) async {
    try? await perform(.peripheral(address, action))
  }
}
