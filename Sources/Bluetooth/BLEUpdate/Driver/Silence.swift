// SPDX-License-Identifier: MIT

/// A failure of a device to get on, though its link is there: another link may help.
protocol LackOfProgress: Error {
  /// The failure, as a sentence without a full stop.
  var message: String { get }
  /// The number of links over which it is worth while to try.
  var mostLinks: Int { get }
  /// The error if nothing more is tried.
  var error: UpdateError { get }
}

/// The failure of a device to answer.
struct Silence: LackOfProgress {
  let message: String
  let mostLinks: Int

  init(_ message: String, mostLinks: Int = .max) { (self.message, self.mostLinks) = (message, mostLinks) }

  var error: UpdateError {
    UpdateError(
      .timedOut, message, hint: "see whether the device still runs, or hangs; a reset of the device may help")
  }
}

/// The failure of a device that answers to do what it is asked.
struct Standstill: LackOfProgress {
  let message: String
  let mostLinks: Int

  init(_ message: String, mostLinks: Int = 2) { (self.message, self.mostLinks) = (message, mostLinks) }

  var error: UpdateError {
    UpdateError(
      .deviceError, message,
      hint: "reset the device, and update again; if it stops there again, its flash may be damaged or full")
  }
}
