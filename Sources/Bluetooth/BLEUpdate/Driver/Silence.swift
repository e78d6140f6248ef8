// SPDX-License-Identifier: MIT

/// The failure of a device to answer, though its link is there: another link may help.
struct Silence: Error {
  /// The unanswered request, as a sentence without a full stop.
  let message: String

  init(_ message: String) { self.message = message }

  /// The error if nothing more is tried.
  var error: UpdateError {
    UpdateError(
      .timedOut, message, hint: "see whether the device still runs, or hangs; a reset of the device may help")
  }
}
