// SPDX-License-Identifier: MIT
internal import BLECentral
public import Foundation

extension CBPeripheral {
  /// Reads a value; BlueZ asks the peripheral regardless of the properties.
  public func readValue(for characteristic: CBCharacteristic) {
    guard let open = requireLink("readValue"), let node = requireNode(characteristic, over: open) else {
      return
    }
    command(over: open) { peripheral in
      do throws(BLEError) {
        let value = Data(try await open.device.readValue(for: node))
        peripheral.report(over: open) { peripheral, delegate in
          characteristic.setValue(value)
          delegate?.peripheral(peripheral, didUpdateValueFor: characteristic, error: nil)
        }
      } catch {
        peripheral.report(over: open) { peripheral, delegate in
          delegate?.peripheral(
            peripheral, didUpdateValueFor: characteristic, error: error.asCoreBluetooth())
        }
      }
    }
  }

  /// Writes a value after earlier writes.
  ///
  /// A write without response does not wait for the answers to earlier requests.
  ///
  /// A write without response that is longer than ``maximumWriteValueLength(for:)`` permits is dropped, with
  /// a report on standard error.
  public func writeValue(
    _ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType
  ) {
    guard let open = requireLink("writeValue"), let node = requireNode(characteristic, over: open) else {
      return
    }
    if type == .withoutResponse {
      guard data.count <= maximumWriteValueLength(for: type) else {
        Misuse.report("a write without response of \(data.count) bytes to \(characteristic) does not fit")
        return
      }
      takeCredit(over: open)
    }
    command(over: open, type == .withResponse ? .requestWrite : .commandWrite) { peripheral in
      var failure: (any Error)?
      do throws(BLEError) {
        try await open.device.writeValue(
          Array(data), for: node, type: type == .withResponse ? .withResponse : .withoutResponse)
      } catch {
        failure = error.asCoreBluetooth(isWrite: true)
        // Otherwise the delegate is called, or the link has ended.
        if type == .withoutResponse, ![.disconnected, .cancelled].contains(error.code), !error.isOutage {
          Misuse.notice("a write without response to \(characteristic.uuid) was not sent: \(error)")
        }
      }
      let error = failure
      if type == .withResponse {
        peripheral.report(over: open) { peripheral, delegate in
          delegate?.peripheral(peripheral, didWriteValueFor: characteristic, error: error)
        }
      } else if peripheral.returnCredit(over: open) {
        peripheral.report(over: open) { peripheral, delegate in
          delegate?.peripheralIsReady(toSendWriteWithoutResponse: peripheral)
        }
      }
    }
  }

  /// Reads the value of a descriptor.
  public func readValue(for descriptor: CBDescriptor) {
    guard let open = requireLink("readValue"), let node = requireNode(descriptor, over: open) else { return }
    command(over: open) { peripheral in
      do throws(BLEError) {
        let value = try await open.device.readValue(for: node)
        peripheral.report(over: open) { peripheral, delegate in
          descriptor.setValue(value)
          delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: nil)
        }
      } catch {
        peripheral.report(over: open) { peripheral, delegate in
          delegate?.peripheral(peripheral, didUpdateValueFor: descriptor, error: error.asCoreBluetooth())
        }
      }
    }
  }

  /// Writes the value of a descriptor; only ``setNotifyValue(_:for:)`` writes 2902.
  public func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    guard let open = requireLink("writeValue"), let node = requireNode(descriptor, over: open) else { return }
    if node.uuid == .clientCharacteristicConfiguration {
      Misuse.report(
        "Client Characteristic Configuration descriptors must be configured using setNotifyValue:forCharacteristic:"
      )
    }
    command(over: open) { peripheral in
      var failure: (any Error)?
      do throws(BLEError) {
        try await open.device.writeValue(Array(data), for: node)
      } catch {
        failure = error.asCoreBluetooth(isWrite: true)
      }
      let error = failure
      peripheral.report(over: open) { peripheral, delegate in
        delegate?.peripheral(peripheral, didWriteValueFor: descriptor, error: error)
      }
    }
  }

  /// Requests the signal strength of the link; reports an error, since BlueZ does not know it.
  public func readRSSI() {
    guard let open = requireLink("readRSSI") else { return }
    command(over: open) { peripheral in
      peripheral.report(over: open) { peripheral, delegate in
        delegate?.peripheral(
          peripheral, didReadRSSI: NSNumber(value: 127), error: CBError(.operationNotSupported))
      }
    }
  }

  /// Opens an L2CAP channel; `didOpen` follows.
  ///
  /// BlueZ: none of its calls. The channel is a socket of the kernel over the link, which needs no rights.
  public func openL2CAPChannel(_ PSM: CBL2CAPPSM) {
    guard let open = requireLink("openL2CAPChannel") else { return }
    command(over: open) { peripheral in
      do throws(BLEError) {
        let channel = try await open.device.openChannel(psm: PSM)
        peripheral.report(over: open) { peripheral, delegate in
          delegate?.peripheral(peripheral, didOpen: CBL2CAPChannel(channel, to: peripheral), error: nil)
        }
      } catch {
        let code = error.cbCode
        peripheral.report(over: open) { peripheral, delegate in
          delegate?.peripheral(peripheral, didOpen: nil, error: CBError(code))
        }
      }
    }
  }

  // MARK: Attributes of this link

  /// Returns the characteristic in BlueZ; nil, with a report, if it is not of this peripheral and link.
  func requireNode(_ characteristic: CBCharacteristic, over open: OpenLink) -> GATTCharacteristic? {
    if owns(characteristic.service, over: open), let node = characteristic.node { return node }
    Misuse.report("\(characteristic) is not a valid characteristic for peripheral \(self)")
    return nil
  }

  private func requireNode(_ descriptor: CBDescriptor, over open: OpenLink) -> GATTDescriptor? {
    if owns(descriptor.characteristic?.service, over: open), let node = descriptor.node { return node }
    Misuse.report("\(descriptor) is not a valid descriptor for peripheral \(self)")
    return nil
  }
}

extension CBPeripheral {
  /// Subscribes to the values of a characteristic, or unsubscribes.
  ///
  /// BlueZ: StartNotify and StopNotify. All managers of a process share one subscription.
  public func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    guard let open = requireLink("setNotifyValue"), let node = requireNode(characteristic, over: open) else {
      return
    }
    command(over: open) { peripheral in
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
    if open.isSubscribed(characteristic, to: node.id) {
      return reportNotifying(true, characteristic, over: open)
    }
    // Of an object of an invalidated service, at whose place there is another one by now.
    await open.unsubscribe(from: node.id)
    do throws(BLEError) {
      let notifications = try await open.device.notifications(for: node)
      reportNotifying(true, characteristic, over: open)
      open.read(notifications, of: node.id, for: characteristic) { [weak self] values in
        self?.received(values, of: characteristic, over: open)
      } ended: { [weak self] reason in
        self?.subscriptionEnded(reason, characteristic, over: open)
      }
    } catch {
      reportNotifying(nil, characteristic, error.asCoreBluetooth(), over: open)
    }
  }

  /// Reports whether the program is subscribed; nil means no change.
  private func reportNotifying(
    _ isNotifying: Bool?, _ characteristic: CBCharacteristic, _ error: (any Error)? = nil,
    over open: OpenLink
  ) {
    report(over: open) { peripheral, delegate in
      if let isNotifying { peripheral.setNotifying(isNotifying, characteristic) }
      delegate?.peripheral(peripheral, didUpdateNotificationStateFor: characteristic, error: error)
    }
  }

  /// Reports that a subscription ended by itself; the loss of the link is reported elsewhere.
  private func subscriptionEnded(
    _ reason: BLEError?, _ characteristic: CBCharacteristic, over open: OpenLink
  ) {
    report(over: open) { peripheral, delegate in
      // The program may know already that the service is gone.
      guard characteristic.isNotifying else { return }
      peripheral.setNotifying(false, characteristic)
      guard let reason else { return }
      delegate?.peripheral(
        peripheral, didUpdateNotificationStateFor: characteristic, error: reason.asCoreBluetooth())
    }
  }

  /// Reports values that arrived together one by one, in one block.
  private func received(
    _ values: [ReceivedValue], of characteristic: CBCharacteristic, over open: OpenLink
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
