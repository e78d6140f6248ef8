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
  /// Takes the answer; nil where none is expected.
  private let answer: Promise<Result<[UInt8], ATTError>>?
  private let isAnswered = Lock(false)

  init(
    _ central: CBCentral, _ characteristic: CBCharacteristic, offset: Int, value: Data?,
    answer: Promise<Result<[UInt8], ATTError>>?
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
  /// - Returns: whether that was the first answer.
  func respond(_ result: CBATTError.Code) -> Bool {
    guard
      isAnswered.withLock({ isAnswered in
        defer { isAnswered = true }
        return !isAnswered
      })
    else { return false }
    if result == .success {
      answer?.fulfil(.success(Array(value ?? Data())))
    } else {
      answer?.fulfil(.failure(ATTError(code: UInt8(truncatingIfNeeded: result.rawValue))))
    }
    return true
  }
}
