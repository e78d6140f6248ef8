// SPDX-License-Identifier: MIT
internal import BLECentral

/// The mutable state of a peripheral object, behind the object's lock.
struct PeripheralContents {
  private static let noWrites = Credits(limit: 8)

  weak var delegate: (any CBPeripheralDelegate)?
  var name: String?
  var state = CBPeripheralState.disconnected
  var services: [CBService]?
  /// The peripheral's services at the last comparison.
  private var servicePaths: Set<GATTService.ID> = []
  private(set) var open: OpenLink?
  var mtu: Int?
  /// The writes without response that bluetoothd has not accepted yet.
  private var credits = PeripheralContents.noWrites
  /// The characteristics whose values the program gets.
  private(set) var notifying: [CBCharacteristic] = []
  /// The number of times the program gave up a link whose end has not been reported yet.
  var endsUnderWay = 0

  /// True if there is a link with room for a write without response.
  var hasRoom: Bool { state == .connected && credits.hasRoom }

  /// Replaces the link; returns the objects that belonged to the former one, which are released without the lock.
  mutating func setLink(
    _ open: OpenLink?, _ mtu: Int?, state: (PeripheralContents) -> CBPeripheralState
  ) -> (services: [CBService]?, open: OpenLink?, notifying: [CBCharacteristic]) {
    let old = (services, self.open, notifying)
    (services, notifying) = (nil, [])
    (self.open, self.mtu) = (open, mtu)
    self.state = state(self)
    credits = PeripheralContents.noWrites
    return old
  }

  /// Adds or removes a characteristic; returns the former ones, which are released without the lock.
  mutating func setNotifying(_ isOn: Bool, _ characteristic: CBCharacteristic) -> [CBCharacteristic] {
    let old = notifying
    notifying = old.filter { $0 !== characteristic } + (isOn ? [characteristic] : [])
    return old
  }

  /// Records the peripheral's services; returns whether some are new.
  mutating func noteServices(_ paths: Set<GATTService.ID>) -> Bool {
    defer { servicePaths = paths }
    return !paths.isSubset(of: servicePaths)
  }

  mutating func takeCredit(over open: OpenLink) {
    if self.open === open { credits.takeAlways() }
  }

  mutating func returnCredit(over open: OpenLink) -> Bool { self.open === open && credits.giveBack() }
}
