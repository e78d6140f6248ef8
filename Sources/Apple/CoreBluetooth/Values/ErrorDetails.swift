// SPDX-License-Identifier: MIT

/// Further information of an error, under keys of `NSError`.
///
/// It is Sendable because nobody changes it after the error was made, as with Apple's errors.
struct ErrorDetails: @unchecked Sendable {
  let values: [String: Any]
}
