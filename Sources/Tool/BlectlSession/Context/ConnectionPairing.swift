// SPDX-License-Identifier: MIT
package import BLECentral

/// Pairs with the device of a connection when the device requires it.
package protocol ConnectionPairing: Sendable {
  /// Registers an agent with the BlueZ of a manager, unless it already has.
  func begin(with central: CentralManager) async throws
  /// Lets a device pair from now on.
  func permit(_ device: PeripheralInfo)
  /// Sends requests to a device; if it requires pairing, pairs and sends them again.
  func run<Result>(over peripheral: Peripheral, _ body: () async throws -> Result) async throws -> Result
  /// Pairs with a device that is not paired.
  func pairBeforehand(over peripheral: Peripheral) async throws
  /// Deletes a bond that the device has lost; the device must then be found again.
  func forget(_ peripheral: Peripheral) async throws
}
