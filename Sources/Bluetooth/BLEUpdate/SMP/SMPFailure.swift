// SPDX-License-Identifier: MIT
internal import BLEFormats

/// An error with which a device answers a request of SMP.
struct SMPFailure: Error, Equatable {
  /// The number, other than 0.
  let code: Int
  /// The group that the number belongs to; nil for the numbers of SMP itself.
  let group: Int?
  /// The reason in the words of the device, if it gave any.
  let reason: String?

  init(_ code: Int, group: Int? = nil, reason: String? = nil) {
    (self.code, self.group, self.reason) = (code, group, reason)
  }

  /// The error in a response; nil if it is a success.
  init?(in payload: CBORMap) {
    let reason = payload["rsn"]?.text
    let (error, plain) = (payload["err"], payload["rc"])
    // Something that is not a number is not a success either.
    if let error {
      let code = error.map?["rc"]?.int ?? Self.unknown
      if code == 0 { return nil }
      self.init(code, group: error.map?["group"]?.int, reason: reason)
    } else if let plain {
      let code = plain.int ?? Self.unknown
      if code == 0 { return nil }
      self.init(code, reason: reason)
    } else {
      return nil
    }
  }

  /// The numbers of SMP itself that decide about more than the request.
  static let unknown = 1
  static let noMemory = 2
  static let noEntry = 5
  static let badState = 6
  static let notSupported = 8
  static let busy = 10
  static let tooNew = 13

  /// The numbers with which the group of images says that it does not take the image.
  private static let refusals: Set<Int> = [22, 23, 24, 25, 27, 29, 30, 31, 32, 33]
  /// Those with which it says that another image is in the way.
  private static let obstacles: Set<Int> = [9, 28]
  /// The numbers of groups that say that something does not exist.
  private static let absences: [Int: Set<Int>] = [1: [14], 2: [2, 3], 3: [3, 5], 8: [3], 10: [4]]

  /// True if the device does not support the request.
  var isNotSupported: Bool { group == nil && code == Self.notSupported }
  /// True if the device asks to send the request again.
  var isBusy: Bool { group == nil && code == Self.busy }

  /// True if the device does not take an image because another one is in the way.
  var isObstacle: Bool { group == 1 && Self.obstacles.contains(code) }

  /// The meaning of the number, and the words of the device: `bad state (6)`.
  var words: String {
    let meaning = SMPWords.error(code, group: group)
    let number = meaning.contains("\(code)") ? "" : " (\(code))"
    return meaning + number + (reason.map { ": \($0)" } ?? "")
  }

  /// The error for a program that asked the device to do this: `echo`.
  func error(of request: String) -> UpdateError {
    let kind: UpdateError.Code =
      switch (group, code) {
      case (nil, Self.notSupported): .notSupported
      case (nil, Self.noEntry): .notFound
      case (1, _) where Self.refusals.contains(code): .refused
      case (let group?, _) where Self.absences[group]?.contains(code) == true: .notFound
      default: .deviceError
      }
    return UpdateError(kind, "the device refuses to \(request): \(words)", deviceCode: code)
  }
}
