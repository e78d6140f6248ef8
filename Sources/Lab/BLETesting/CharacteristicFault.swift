// SPDX-License-Identifier: MIT
internal import BLEWorld

/// A fault of a characteristic, which lasts until its peripheral is healed.
///
/// `operation` limits it to one kind of request, and `times` to a number of requests; nil sets no limit.
public struct CharacteristicFault: Sendable, Equatable {
  /// A kind of request.
  public enum Operation: Sendable, Equatable {
    /// Reads of the value.
    case read
    /// Writes of the value.
    case write
    /// Subscribing and unsubscribing.
    case subscribe
  }

  let action: CharacteristicAction

  private init(_ answer: AnswerFault.Answer, _ operation: Operation?, _ times: Int?) {
    let kind: AnswerFault.Operation? =
      switch operation {
      case .read: .read
      case .write: .write
      case .subscribe: .subscribe
      case nil: nil
      }
    action = .answer(AnswerFault(answer, to: kind, times: times))
  }

  /// Answers requests with an error of the attribute protocol, such as 0x80.
  public static func error(
    _ code: UInt8, operation: Operation? = nil, times: Int? = nil
  ) -> CharacteristicFault { CharacteristicFault(.error(code), operation, times) }

  /// Answers requests late.
  public static func late(
    by delay: Duration, operation: Operation? = nil, times: Int? = nil
  ) -> CharacteristicFault { CharacteristicFault(.late(delay), operation, times) }

  /// Never answers requests: after 30 seconds, bluetoothd closes the link.
  public static func noAnswer(operation: Operation? = nil, times: Int? = nil) -> CharacteristicFault {
    CharacteristicFault(.never, operation, times)
  }
}
