// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus

/// The calls of ReadValue and WriteValue for one attribute; concurrent reads share an answer.
final class AttributeCalls {
  private let handle: UInt16
  /// The value that the daemon keeps.
  var kept = KeptValue()
  private var reads: [MethodCall] = []
  private var offset = 0
  private var isWriting = false

  init(handle: UInt16) { self.handle = handle }

  /// Answers a ReadValue call; calls `onValue` when ``kept`` has the value, before it sends the replies.
  func read(_ call: MethodCall, over link: CentralLink, onValue: @escaping () -> Void) {
    let options: ValueOptions
    do { options = try ValueOptions(call.argument(0), forWriting: false) } catch { return call.fail(error) }
    guard reads.isEmpty else {
      if options.offset == offset { reads.append(call) } else { call.fail(.inProgress) }
      return
    }
    reads = [call]
    offset = options.offset
    link.read(handle, offset: options.offset) { [weak self] outcome in
      guard let self else { return }
      let waiting = reads
      reads = []
      switch outcome {
      case .success(let bytes):
        kept.store(bytes, at: offset)
        onValue()
        for call in waiting { answer(call) }
      case .failure(let error):
        for call in waiting { call.fail(error) }
      }
    }
  }

  private func answer(_ call: MethodCall) {
    switch kept.rest(from: offset) {
    case .success(let bytes?): call.reply { $0.bytes(bytes) }
    case .success(nil): call.reply()
    case .failure(let error): call.fail(error)
    }
  }

  /// Returns the arguments of a call of WriteValue, or fails the call and returns nil.
  func arguments(of call: MethodCall, isClaimed: Bool) -> (bytes: [UInt8], options: ValueOptions)? {
    do throws(BlueZError) {
      guard !isWriting else { throw .inProgress }
      guard case .bytes(let bytes) = call.argument(0) else { throw .invalidArguments }
      let options = try ValueOptions(call.argument(1), forWriting: true)
      guard !isClaimed else { throw .notAuthorized }
      return (bytes, options)
    } catch {
      call.fail(error)
      return nil
    }
  }

  func write(_ bytes: [UInt8], at offset: Int, for call: MethodCall, over link: CentralLink) {
    isWriting = true
    link.write(handle, bytes, offset: offset) { [weak self] outcome in
      self?.isWriting = false
      switch outcome {
      case .success: call.reply()
      case .failure(let error): call.fail(error)
      }
    }
  }
}
