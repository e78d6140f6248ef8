// SPDX-License-Identifier: MIT
internal import BlueZClient

extension BLEError {
  /// The corresponding CoreBluetooth error of an attribute; BlueZ does not tell reads from writes
  /// (`isWrite`).
  func asCoreBluetooth(isWrite: Bool = false) -> any Error {
    if let attError { return CBATTError(CBATTError.Code(rawValue: Int(attError.code)) ?? .unlikelyError) }
    switch code {
    case .notPermitted: return CBATTError(isWrite ? .writeNotPermitted : .readNotPermitted)
    case .notPaired where advice == .pairWithPasskey: return CBATTError(.insufficientAuthentication)
    case .notPaired, .bondLost: return CBATTError(.insufficientEncryption)
    case .pairingTooWeak: return CBATTError(.insufficientAuthentication)
    case .notAuthorized: return CBATTError(.insufficientAuthorization)
    case .invalidLength: return CBATTError(.invalidAttributeValueLength)
    case .attributeError: return CBATTError(.unlikelyError)
    case .notSupported: return CBATTError(.requestNotSupported)
    case .notFound: return CBError(.invalidHandle)
    default: return CBError(cbCode)
    }
  }

  /// The code for an error of a link or of the machine.
  var cbCode: CBError.Code {
    switch code {
    case .disconnected: linkEnd == .timeout ? .connectionTimeout : .peripheralDisconnected
    case .timedOut: .connectionTimeout
    case .cancelled: .operationCancelled
    case .notFound: .unknownDevice
    case .bondLostByPeer: .peerRemovedPairingInformation
    case .connectionFailed, .deviceBlocked, .busUnavailable, .serviceUnavailable: .connectionFailed
    case .notSupported: .operationNotSupported
    case .invalidLength, .invalidDefinition: .invalidParameters
    default: .unknown
    }
  }
}

extension CBManagerState {
  /// Without a bus or bluetoothd, the first state is not `resetting`: nothing could be reset.
  init(_ state: BluetoothState, isFirst: Bool) {
    self =
      switch state {
      case .busUnavailable, .serviceUnavailable: isFirst ? .unsupported : .resetting
      case .unsupported: .unsupported
      case .poweredOff, .blocked: .poweredOff
      case .poweredOn: .poweredOn
      }
  }
}
