// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Foundation

extension CBPeripheral {
  /// Subscribes to the values of a characteristic, or unsubscribes.
  ///
  /// BlueZ: StartNotify and StopNotify. All managers of a process share a subscription.
  public func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    guard let node = requireNode(characteristic) else { return }
    command("setNotifyValue") { peripheral, open in
      if enabled {
        await peripheral.subscribe(to: characteristic, node, over: open)
      } else {
        await open.unsubscribe(from: node.id)
        peripheral.reportNotifying(false, characteristic, over: open)
      }
    }
  }

  private func subscribe(
    to characteristic: CBCharacteristic, _ node: GATTCharacteristic, over open: OpenLink
  ) async {
    if open.isSubscribed(to: node.id) { return reportNotifying(true, characteristic, over: open) }
    do throws(BLEError) {
      let notifications = try await open.device.notifications(for: node)
      reportNotifying(true, characteristic, over: open)
      open.read(notifications, of: node.id) { [weak self] values in
        self?.received(values, of: characteristic, over: open)
      }
    } catch {
      reportNotifying(nil, characteristic, error.asCoreBluetooth(), over: open)
    }
  }

  /// Reports whether the program is subscribed; nil leaves that as it is.
  private func reportNotifying(
    _ isNotifying: Bool?, _ characteristic: CBCharacteristic, _ error: (any Error)? = nil,
    over open: OpenLink
  ) {
    report(over: open) { peripheral, delegate in
      if let isNotifying { characteristic.setNotifying(isNotifying) }
      delegate?.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
    }
  }

  /// Reports values that came together, each by itself, in one block.
  private func received(
    _ values: [ValueNotification], of characteristic: CBCharacteristic, over open: OpenLink
  ) {
    session.callbacks.post { [weak self] in
      for value in values {
        guard let self, isOpen(open) else { return }
        characteristic.setValue(Data(value.value))
        delegate?.peripheral(self, didUpdateValueFor: characteristic, error: nil)
      }
    }
  }
}
