// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
internal import Foundation

/// Requests of centrals, which the delegate answers.
extension ServingSession {
  /// What BLEPeripheral asks.
  var answering: RequestAnswering {
    RequestAnswering(
      read: { [weak self] characteristic, request in
        guard let self else { return .failure(.unlikelyError) }
        let central = heard(request.central, mtu: request.mtu)
        let outcome = await ask(central, characteristic, offset: request.offset, value: nil) {
          $1?.peripheralManager($0, didReceiveRead: $2)
        }
        // The program has cut the value already; the library below cuts it again.
        return outcome.map { [UInt8](repeating: 0, count: request.offset) + $0 }
      },
      write: { [weak self] characteristic, request in
        guard let self else { return .failure(.unlikelyError) }
        let central = heard(request.central, mtu: request.mtu)
        return await ask(central, characteristic, offset: request.offset, value: Data(request.value)) {
          $1?.peripheralManager($0, didReceiveWrite: [$2])
        }
      },
      take: { [weak self] characteristic, request in
        guard let self else { return }
        let object = CBATTRequest(
          heard(request.central, mtu: request.mtu), characteristic, offset: request.offset,
          value: Data(request.value), answer: nil)
        report { manager, delegate in delegate?.peripheralManager(manager, didReceiveWrite: [object]) }
      })
  }

  /// Asks the delegate, and waits for its answer.
  private func ask(
    _ central: CBCentral, _ characteristic: CBCharacteristic, offset: Int, value: Data?,
    _ call:
      @escaping @Sendable (CBPeripheralManager, (any CBPeripheralManagerDelegate)?, CBATTRequest) -> Void
  ) async -> Result<[UInt8], ATTError> {
    let answer = Promise<Result<[UInt8], ATTError>>()
    let request = CBATTRequest(central, characteristic, offset: offset, value: value, answer: answer)
    report { manager, delegate in
      guard delegate != nil else { return answer.fulfil(.failure(.unlikelyError)) }
      call(manager, delegate, request)
    }
    return await withTaskCancellationHandler {
      await answer.value
    } onCancel: {
      // The library below has answered already.
      if request.respond(.unlikelyError) {
        Misuse.notice(
          """
          \(request) of \(characteristic.uuid) was not answered within 500 ms: the central got ATT error 0x0e.           bluetoothd would not survive a central that leaves meanwhile
          """)
      }
    }
  }
}
