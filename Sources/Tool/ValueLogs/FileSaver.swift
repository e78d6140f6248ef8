// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc
internal import ValueStreams

/// Saves a file against a power cut on its own thread, since disks may take seconds; used by one thread.
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

  /// Begins to save a descriptor, which stays open until ``finish()``; false if busy; throws earlier errors.
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

  /// Waits for the last request, then saves `descriptor`, if any, and waits for that; throws the first error.
  func finish(_ descriptor: Int32? = nil) throws(OutputError) {
    let earlier = join()
    do throws(OutputError) {
      if let descriptor { try save(descriptor) }
    } catch {
      throw earlier ?? error
    }
    if let earlier { throw earlier }
  }

  /// - Returns: the error of the last request.
  @discardableResult
  private func join() -> OutputError? {
    if let thread { pthread_join(thread, nil) }
    thread = nil
    return state.withLock { $0.failure.take() }
  }
}
