// SPDX-License-Identifier: MIT

extension Task {
  /// The result of the task, which is cancelled with the task that waits for it.
  package var attachedResult: Result<Success, Failure> {
    get async {
      await withTaskCancellationHandler {
        await result
      } onCancel: {
        cancel()
      }
    }
  }
}
