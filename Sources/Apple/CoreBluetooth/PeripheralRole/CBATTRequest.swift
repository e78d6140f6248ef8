// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
public import Foundation

/// A central's read or write, which the program must answer.
///
/// It is Sendable because its state is locked.
open class CBATTRequest: NSObject, @unchecked Sendable {
  private let sender: CBCentral
  private let attribute: CBCharacteristic
  private let start: Int
  private let bytes: Lock<Data?>
  /// Takes the answer; returns whether it was the first, and in time.
  private let answer: @Sendable (Result<Data, ATTError>) -> Bool

  init(
    _ central: CBCentral, _ characteristic: CBCharacteristic, offset: Int, value: Data?,
    answer: @escaping @Sendable (Result<Data, ATTError>) -> Bool
  ) {
    (sender, attribute, start, self.answer) = (central, characteristic, offset, answer)
    bytes = Lock(value)
  }

  /// The central that sent the request.
  open var central: CBCentral { sender }

  /// The characteristic that is read or written.
  open var characteristic: CBCharacteristic { attribute }

  /// The position in the value where the read or write starts.
  open var offset: Int { start }

  /// The written value; or, for the answer to a read, the value from the offset on.
  open var value: Data? {
    get { bytes.withLock { $0 } }
    set { bytes.exchange(newValue) }
  }

  /// Answers; returns whether that was the first answer, and in time.
  func respond(_ result: CBATTError.Code) -> Bool {
    answer(
      result == .success
        ? .success(value ?? Data()) : .failure(ATTError(code: UInt8(truncatingIfNeeded: result.rawValue))))
  }

  /// Reports that the library answered on behalf of the program.
  func noticeExpiry() {
    Misuse.notice(
      "\(self) of \(characteristic.uuid) was not answered within 500 ms: the central got ATT error 0x0e. "
        + "bluetoothd would not survive a central that leaves meanwhile")
  }
}
