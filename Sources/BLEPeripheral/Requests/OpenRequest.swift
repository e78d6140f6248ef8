// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// A call of bluetoothd that an asynchronous handler is to answer.
///
/// Confined to the manager.
final class OpenRequest {
  /// How long a handler may take: a central that disconnects meanwhile ends bluetoothd.
  static let time = PeripheralManager.answerTime

  private let call: Message
  private let conclude: (Result<[UInt8], ATTError>) -> Message
  var task: Task<Void, Never>?
  var timer: TimerID?
  private var isOpen = true

  /// - Parameters:
  ///   - call: the call.
  ///   - conclude: makes the reply of what the handler returns.
  init(_ call: Message, conclude: @escaping (Result<[UInt8], ATTError>) -> Message) {
    self.call = call
    self.conclude = conclude
  }

  func finish(_ outcome: Result<[UInt8], ATTError>, in manager: isolated PeripheralManager) {
    guard isOpen else { return }
    abandon(on: manager.loop)
    let reply = conclude(outcome)
    guard call.wantsReply else { return }
    manager.client.connection.assumeIsolated { _ = try? $0.send(reply) }
  }

  func finish(with error: ATTError, in manager: isolated PeripheralManager) {
    finish(.failure(error), in: manager)
  }

  /// Ends it without an answer: nobody waits for one.
  func abandon(on loop: EventLoop) {
    isOpen = false
    if let timer { loop.cancel(timer) }
    timer = nil
    task?.cancel()
  }
}

extension PeripheralManager {
  /// How long a deferred handler may take.
  package static let answerTime = Duration.milliseconds(500)
}
