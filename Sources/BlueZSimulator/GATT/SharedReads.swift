// SPDX-License-Identifier: MIT
internal import DBus

/// The reads of one attribute: concurrent ones share an answer.
final class SharedReads {
  private let handle: UInt16
  private var calls: [MethodCall] = []
  private var offset = 0

  init(handle: UInt16) { self.handle = handle }

  /// Answers a call of ReadValue; calls `onValue` before it sends the replies.
  func read(_ call: MethodCall, over link: CentralLink, onValue: @escaping ([UInt8]) -> Void) {
    let options: ValueOptions
    do { options = try ValueOptions(call.argument(0), forWriting: false) } catch { return call.fail(error) }
    guard calls.isEmpty else {
      if options.offset == offset { calls.append(call) } else { call.fail(.inProgress) }
      return
    }
    calls = [call]
    offset = options.offset
    link.read(handle, offset: options.offset) { [weak self] outcome in
      guard let self else { return }
      let waiting = calls
      calls = []
      switch outcome {
      case .success(let value):
        onValue(value)
        for call in waiting { call.reply { $0.bytes(value) } }
      case .failure(let error):
        for call in waiting { call.fail(error) }
      }
    }
  }
}
