// SPDX-License-Identifier: MIT
// Uses every declaration once: what Apple's compiler accepts, ours has to accept. It is compiled in
// both language modes, and, by hand, on a Mac.
import CoreBluetooth
import Foundation

/// Implements every method of the delegates of the central role.
final class SurfaceDelegate: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    switch central.state {
    case .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn: break
    @unknown default: break
    }
  }
  func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {}
  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {}
  func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
  func centralManager(
    _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
  ) {}
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
  ) {}
  func centralManager(
    _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
    isReconnecting: Bool, error: (any Error)?
  ) {}
  func centralManager(
    _ central: CBCentralManager, connectionEventDidOccur event: CBConnectionEvent,
    for peripheral: CBPeripheral
  ) {}
  func centralManager(_ central: CBCentralManager, didUpdateANCSAuthorizationFor peripheral: CBPeripheral) {}

  func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}
  func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}
  func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}
  func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {}
  func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  func peripheral(
    _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic,
    error: (any Error)?
  ) {}
  func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)
  {}
  func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)
  {}
  func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}
  func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {
    let parts: (CBPeer?, InputStream?, OutputStream?, CBL2CAPPSM?) = (
      channel?.peer, channel?.inputStream, channel?.outputStream, channel?.psm
    )
    _ = parts
  }
}

/// The values of the central role.
func surfaceOfValues() -> [Any] {
  let uuid = CBUUID(string: "180D")
  return [
    CBUUID(data: Data([0x18, 0x0d])), CBUUID(nsuuid: UUID()), uuid.data, uuid.uuidString,
    CBManagerState.poweredOn.rawValue,
    [CBManagerAuthorization.notDetermined, .restricted, .denied, .allowedAlways],
    [CBPeripheralState.disconnected, .connecting, .connected, .disconnecting],
    [CBCharacteristicWriteType.withResponse, .withoutResponse],
    [CBConnectionEvent.peerDisconnected, .peerConnected],
    [
      CBCharacteristicProperties.broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate,
      .authenticatedSignedWrites, .extendedProperties, .notifyEncryptionRequired,
      .indicateEncryptionRequired,
    ],
    CFAbsoluteTimeGetCurrent() as CFAbsoluteTime, 1 as CFTimeInterval,
    [
      CBAdvertisementDataLocalNameKey, CBAdvertisementDataManufacturerDataKey,
      CBAdvertisementDataServiceDataKey, CBAdvertisementDataServiceUUIDsKey,
      CBAdvertisementDataOverflowServiceUUIDsKey, CBAdvertisementDataTxPowerLevelKey,
      CBAdvertisementDataIsConnectable, CBAdvertisementDataSolicitedServiceUUIDsKey,
      CBCentralManagerOptionShowPowerAlertKey, CBCentralManagerOptionRestoreIdentifierKey,
      CBCentralManagerScanOptionAllowDuplicatesKey, CBCentralManagerScanOptionSolicitedServiceUUIDsKey,
      CBConnectPeripheralOptionNotifyOnConnectionKey, CBConnectPeripheralOptionNotifyOnDisconnectionKey,
      CBConnectPeripheralOptionNotifyOnNotificationKey, CBConnectPeripheralOptionStartDelayKey,
      CBConnectPeripheralOptionEnableAutoReconnect, CBCentralManagerRestoredStatePeripheralsKey,
      CBConnectPeripheralOptionEnableTransportBridgingKey, CBConnectPeripheralOptionRequiresANCS,
      CBCentralManagerOptionDeviceAccessForMedia,
      CBCentralManagerRestoredStateScanServicesKey, CBCentralManagerRestoredStateScanOptionsKey,
      CBUUIDCharacteristicExtendedPropertiesString, CBUUIDCharacteristicUserDescriptionString,
      CBUUIDClientCharacteristicConfigurationString, CBUUIDServerCharacteristicConfigurationString,
      CBUUIDCharacteristicFormatString, CBUUIDCharacteristicAggregateFormatString,
      CBUUIDCharacteristicValidRangeString, CBUUIDCharacteristicObservationScheduleString,
      CBUUIDL2CAPPSMCharacteristicString, CBErrorDomain, CBATTErrorDomain,
    ],
    [CBConnectionEventMatchingOption.serviceUUIDs, .peripheralUUIDs],
  ]
}

/// The errors.
func surfaceOfErrors(_ error: any Error) -> Bool {
  let codes: [CBError.Code] = [
    .unknown, .invalidParameters, .invalidHandle, .notConnected, .outOfSpace, .operationCancelled,
    .connectionTimeout, .peripheralDisconnected, .uuidNotAllowed, .alreadyAdvertising, .connectionFailed,
    .connectionLimitReached, .unknownDevice, .operationNotSupported, .peerRemovedPairingInformation,
    .encryptionTimedOut, .tooManyLEPairedDevices, .leGattExceededBackgroundNotificationLimit,
    .leGattNearBackgroundNotificationLimit,
  ]
  let attCodes: [CBATTError.Code] = [
    .success, .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPdu,
    .insufficientAuthentication, .requestNotSupported, .invalidOffset, .insufficientAuthorization,
    .prepareQueueFull, .attributeNotFound, .attributeNotLong, .insufficientEncryptionKeySize,
    .invalidAttributeValueLength, .unlikelyError, .insufficientEncryption, .unsupportedGroupType,
    .insufficientResources,
  ]
  do { throw error } catch CBError.connectionFailed { return true } catch CBATTError.invalidOffset {
    return true
  } catch {}
  let code = (error as? CBError)?.code ?? CBError.unknown
  switch code {
  case .connectionFailed: return true
  default: break
  }
  let made = CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "text"])
  return codes.map(\.rawValue).contains(made.errorCode) || attCodes.contains(CBATTError(.success).code)
}

/// The classes of the central role.
func surfaceOfCentral(_ delegate: SurfaceDelegate) -> CBCentralManager {
  _ = CBCentralManager()
  _ = CBCentralManager(delegate: delegate, queue: nil)
  let manager = CBCentralManager(
    delegate: delegate, queue: .main, options: [CBCentralManagerOptionShowPowerAlertKey: false])
  manager.delegate = delegate
  _ = (manager.state, manager.isScanning, CBCentralManager.authorization)
  _ = CBCentralManager.supports(.extendedScanAndConnect)
  manager.scanForPeripherals(withServices: nil)
  manager.scanForPeripherals(
    withServices: [CBUUID(string: "180D")], options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
  manager.stopScan()
  for peripheral in manager.retrievePeripherals(withIdentifiers: []) {
    manager.connect(peripheral)
    manager.connect(peripheral, options: nil)
    manager.cancelPeripheralConnection(peripheral)
    surface(of: peripheral, delegate)
  }
  _ = manager.retrieveConnectedPeripherals(withServices: [])
  manager.registerForConnectionEvents(options: [.serviceUUIDs: [CBUUID(string: "180D")]])
  return manager
}

private func surface(of peripheral: CBPeripheral, _ delegate: SurfaceDelegate) {
  peripheral.delegate = delegate
  let facts: (UUID, String?, CBPeripheralState, [CBService]?, Bool) = (
    peripheral.identifier, peripheral.name, peripheral.state, peripheral.services,
    peripheral.canSendWriteWithoutResponse
  )
  _ = (facts, peripheral.maximumWriteValueLength(for: .withoutResponse), peripheral.copy())
  peripheral.readRSSI()
  peripheral.discoverServices(nil)
  peripheral.openL2CAPChannel(0x80)
  for service in peripheral.services ?? [] {
    peripheral.discoverIncludedServices(nil, for: service)
    peripheral.discoverCharacteristics(nil, for: service)
    let parts: (CBPeripheral?, Bool, [CBService]?, CBUUID) = (
      service.peripheral, service.isPrimary, service.includedServices, service.uuid
    )
    _ = parts
    for characteristic in service.characteristics ?? [] {
      peripheral.readValue(for: characteristic)
      peripheral.writeValue(Data(), for: characteristic, type: .withResponse)
      peripheral.setNotifyValue(true, for: characteristic)
      peripheral.discoverDescriptors(for: characteristic)
      let parts: (CBService?, CBCharacteristicProperties, Data?, Bool) = (
        characteristic.service, characteristic.properties, characteristic.value, characteristic.isNotifying
      )
      _ = parts
      for descriptor in characteristic.descriptors ?? [] {
        peripheral.readValue(for: descriptor)
        peripheral.writeValue(Data(), for: descriptor)
        let parts: (CBCharacteristic?, Any?) = (descriptor.characteristic, descriptor.value)
        _ = parts
      }
    }
  }
}

/// Uses of key paths and of other threads.
func surfaceOfSharing(_ manager: CBCentralManager, _ peripheral: CBPeripheral) {
  let names = [peripheral].map(\.name)
  DispatchQueue.global().async { _ = (manager.isScanning, peripheral.state, names) }
  Task { _ = (manager.state, peripheral.services?.compactMap(\.characteristics).joined().map(\.uuid)) }
}

/// Implements every method of the delegate of the peripheral role.
final class SurfacePeripheralDelegate: NSObject, CBPeripheralManagerDelegate {
  func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
  func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {}
  func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?
  ) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
  ) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, central: CBCentral,
    didUnsubscribeFrom characteristic: CBCharacteristic
  ) {}
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
    let parts: (CBCentral, CBCharacteristic, Int) = (request.central, request.characteristic, request.offset)
    _ = parts
    request.value = Data()
    peripheral.respond(to: request, withResult: .success)
  }
  func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {}
  func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didPublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didUnpublishL2CAPChannel PSM: CBL2CAPPSM, error: (any Error)?
  ) {}
  func peripheralManager(
    _ peripheral: CBPeripheralManager, didOpen channel: CBL2CAPChannel?, error: (any Error)?
  ) {}
}

/// The classes of the peripheral role.
func surfaceOfPeripheral(_ delegate: SurfacePeripheralDelegate) {
  _ = CBPeripheralManager()
  _ = CBPeripheralManager(delegate: delegate, queue: nil)
  let manager = CBPeripheralManager(
    delegate: delegate, queue: .main, options: [CBPeripheralManagerOptionShowPowerAlertKey: false])
  manager.delegate = delegate
  _ = (manager.state, manager.isAdvertising, CBPeripheralManager.authorization)
  let characteristic = CBMutableCharacteristic(
    type: CBUUID(string: "2A37"), properties: [.read, .notify], value: nil,
    permissions: [.readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired])
  characteristic.permissions = .readable
  characteristic.properties = .notify
  characteristic.value = Data()
  characteristic.descriptors = [
    CBMutableDescriptor(type: CBUUID(string: CBUUIDCharacteristicUserDescriptionString), value: "text")
  ]
  let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
  service.includedServices = []
  service.characteristics = [characteristic]
  manager.add(service)
  manager.remove(service)
  manager.removeAllServices()
  manager.startAdvertising(nil)
  manager.stopAdvertising()
  let centrals: [CBCentral]? = characteristic.subscribedCentrals
  manager.updateValue(Data(), for: characteristic, onSubscribedCentrals: nil)
  if manager.updateValue(Data(), for: characteristic, onSubscribedCentrals: centrals) {}
  for central in centrals ?? [] {
    _ = (central.maximumUpdateValueLength, central.identifier)
    manager.setDesiredConnectionLatency(.low, for: central)
  }
  _ = [CBPeripheralManagerConnectionLatency.low, .medium, .high]
  manager.publishL2CAPChannel(withEncryption: true)
  manager.unpublishL2CAPChannel(0x80)
  _ = [
    CBPeripheralManagerOptionRestoreIdentifierKey, CBPeripheralManagerRestoredStateServicesKey,
    CBPeripheralManagerRestoredStateAdvertisementDataKey,
  ]
}

/// Deprecated methods that programs still call.
@available(*, deprecated)
func surfaceOfOldNames(
  _ manager: CBCentralManager, _ peripheral: CBPeripheral, _ characteristic: CBCharacteristic
) -> [Any?] {
  [
    CBPeripheralManager.authorizationStatus() == CBPeripheralManagerAuthorizationStatus.authorized,
    CBCentralManagerState.poweredOn.rawValue, CBPeripheralManagerState.poweredOn.rawValue,
    manager.authorization, peripheral.rssi, characteristic.isBroadcasted, CBError.unkownDevice,
  ]
}
