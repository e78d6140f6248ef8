// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator

/// A peripheral of a running simulation, to change it and to see what centrals write to it.
public struct RunningPeripheral: Sendable {
  /// Its address, such as `F0:F1:F2:F3:F4:F5`.
  public let address: String
  /// The name that it advertises; nil if it advertises none.
  public let name: String?
  private let simulator: Simulator

  init(_ spec: PeripheralSpec, in simulator: Simulator) {
    address = spec.address
    name = spec.advertisement.name
    self.simulator = simulator
  }

  /// True if a central is connected to it.
  public var isConnected: Bool {
    get async { await simulator.isConnected(address) }
  }

  // MARK: What happens to it

  /// Closes its link.
  ///
  /// - Throws: ``SimulationError``, but not for a peripheral without a link.
  public func dropLink() async throws(SimulationError) { try await perform(.dropLink) }

  /// Takes it out of range until ``appear()``: its link breaks and its advertisements stop.
  ///
  /// - Throws: ``SimulationError``, but not for a peripheral that is out of range.
  public func vanish() async throws(SimulationError) { try await perform(.vanish) }

  /// Brings it into range.
  ///
  /// - Throws: ``SimulationError``, but not for a peripheral that is in range.
  public func appear() async throws(SimulationError) { try await perform(.appear) }

  /// Changes its signal strength.
  ///
  /// - Parameter rssi: the average, from -127 to 20 dBm.
  /// - Throws: ``SimulationError`` if it is out of range.
  public func setRSSI(_ rssi: Int) async throws(SimulationError) {
    try await perform(.setRSSI(Int16(clamping: rssi)))
  }

  /// Starts a fault.
  ///
  /// - Parameters:
  ///   - fault: the fault.
  ///   - duration: the time after which it ends, at least a millisecond; nil until ``heal()``.
  /// - Throws: ``SimulationError`` if a number or a time is out of range.
  public func apply(_ fault: PeripheralFault, for duration: Duration? = nil) async throws(SimulationError) {
    try await perform(fault.action, for: duration)
  }

  /// Ends its faults and those of its characteristics.
  ///
  /// - Throws: ``SimulationError``, never for a peripheral of the world.
  public func heal() async throws(SimulationError) { try await perform(.heal) }

  // MARK: Its characteristics

  /// Sets the value of a characteristic, and notifies or indicates it to subscribed centrals.
  ///
  /// - Parameters:
  ///   - value: at most 512 bytes.
  ///   - characteristic: the first characteristic with this UUID.
  /// - Throws: ``SimulationError`` if it has no such characteristic, or the value is too long.
  public func setValue(
    _ value: [UInt8], of characteristic: BluetoothUUID
  ) async throws(SimulationError) { try await perform(.setValue(value), on: characteristic) }

  /// Starts a fault of a characteristic.
  ///
  /// - Parameters:
  ///   - fault: the fault.
  ///   - characteristic: the first characteristic with this UUID.
  ///   - duration: the time after which it ends, at least a millisecond; nil until ``heal()``.
  /// - Throws: ``SimulationError`` if it has no such characteristic, or a number or a time is out of range.
  public func apply(
    _ fault: CharacteristicFault, to characteristic: BluetoothUUID, for duration: Duration? = nil
  ) async throws(SimulationError) { try await perform(fault.action, on: characteristic, for: duration) }

  /// Returns the values that centrals have written to a characteristic, in the order of their arrival.
  ///
  /// A write without response arrives some time after the central's call has returned.
  ///
  /// - Parameter characteristic: the first characteristic with this UUID.
  /// - Returns: the values since the start of the simulation, including refused ones.
  public func values(writtenTo characteristic: BluetoothUUID) async -> [[UInt8]] {
    await simulator.received(address, characteristic)
  }

  private func perform(
    _ action: PeripheralAction, for duration: Duration? = nil
  ) async throws(SimulationError) { try await perform(.peripheral(address, action, for: duration)) }

  private func perform(
    _ action: CharacteristicAction, on uuid: BluetoothUUID, for duration: Duration? = nil
  ) async throws(SimulationError) {
    try await perform(.characteristic(uuid, of: address, action, for: duration))
  }

  private func perform(_ command: ControlCommand) async throws(SimulationError) {
    try await simulator.performValid(command)
  }
}
