// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// What a socket needs that listens for channels.
enum ChannelListening {
  static func close(_ descriptor: Int32) { Glibc.close(descriptor) }

  /// Ends the listening, and wakes who waits for it.
  static func end(_ descriptor: Int32) { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Waits until a channel may be there, or the listening has ended; returns false if the task is cancelled.
  static func wait(
    for descriptor: Int32, on loop: EventLoop, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    let promise = Promise<Bool>()
    let source = loop.watch(descriptor, for: .readable) { _ in promise.fulfil(true) }
    defer { loop.unwatch(source) }
    return await promise.value(ifCancelled: false)
  }
}
