// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import ValueStreams

/// Saves a file against a power cut, on a thread of its own: a slow disk may take seconds.
///
/// Used by one thread.
package final class FileSaver {
  private struct State {
    var isBusy = false
    var failure: OutputError?
  }

  private let save: @Sendable (Int32) throws(OutputError) -> Void
  private let state = Lock(State())
  private var thread: pthread_t?

  /// - Parameter save: saves what was written through a descriptor.
  init(_ save: @escaping @Sendable (Int32) throws(OutputError) -> Void = LogFile.save) { self.save = save }

  deinit { join() }

  /// Begins to save what was written until now, unless it is still busy with the last.
  ///
  /// - Parameter descriptor: must stay open until ``finish()``.
  /// - Returns: whether it has begun.
  /// - Throws: why it could not save the last time.
  func begin(_ descriptor: Int32) throws(OutputError) -> Bool {
    if state.withLock(\.isBusy) { return false }
    try finish()
    state.withLock { $0.isBusy = true }
    thread = WorkerThread.create { [save, state] in
      let failure: OutputError?
      do throws(OutputError) {
        try save(descriptor)
        failure = nil
      } catch {
        failure = error
      }
      state.withLock { $0 = State(failure: failure) }
    }
    if thread == nil {
      state.withLock { $0.isBusy = false }
      try save(descriptor)
    }
    return true
  }

  /// Waits until what has begun is done.
  ///
  /// - Parameter descriptor: what is then saved, and waited for; nil when nothing more was written.
  /// - Throws: why it could not save, the first time that it could not.
  func finish(_ descriptor: Int32? = nil) throws(OutputError) {
    let earlier = join()
    do throws(OutputError) {
      if let descriptor { try save(descriptor) }
    } catch {
      throw earlier ?? error
    }
    if let earlier { throw earlier }
  }

  /// - Returns: why what has begun could not save.
  @discardableResult
  private func join() -> OutputError? {
    if let thread { pthread_join(thread, nil) }
    thread = nil
    return state.withLock { $0.failure.take() }
  }
}
