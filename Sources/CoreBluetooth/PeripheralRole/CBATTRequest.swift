// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECore
public import Foundation

/// A read or a write of a central, which the program has to answer.
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

  /// Who asks.
  open var central: CBCentral { sender }

  /// What is read or written.
  open var characteristic: CBCharacteristic { attribute }

  /// Where in the value the central begins to read or to write.
  open var offset: Int { start }

  /// What is written; or, for the answer to a read, the value from the offset on.
  open var value: Data? {
    get { bytes.withLock { $0 } }
    set { bytes.exchange(newValue) }
  }

  /// Answers.
  ///
  /// - Returns: whether that was the first answer, and in time.
  func respond(_ result: CBATTError.Code) -> Bool {
    answer(
      result == .success
        ? .success(value ?? Data()) : .failure(ATTError(code: UInt8(truncatingIfNeeded: result.rawValue))))
  }

  /// Tells the program that the library has answered in its place.
  func noticeExpiry() {
    Misuse.notice(
      "\(self) of \(characteristic.uuid) was not answered within 500 ms: the central got ATT error 0x0e. "
        + "bluetoothd would not survive a central that leaves meanwhile")
  }
}
