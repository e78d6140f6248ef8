// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation

/// The domain of ``CBError``.
public let CBErrorDomain: String = "CBErrorDomain"

/// Why an operation of CoreBluetooth failed.
public struct CBError: CustomNSError, LocalizedError, Hashable, @unchecked Sendable {
  /// What went wrong.
  public let code: Code
  /// More about it, under keys of `NSError`.
  public let userInfo: [String: Any]

  /// Makes an error.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    self.userInfo = userInfo
  }

  /// The domain: `CBErrorDomain`.
  public static var errorDomain: String { CBErrorDomain }
  /// The number of the code.
  public var errorCode: Int { code.rawValue }
  /// What was given, and the text.
  public var errorUserInfo: [String: Any] {
    userInfo.merging([NSLocalizedDescriptionKey: localizedDescription]) { given, _ in given }
  }
  /// The text of the code.
  public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String ?? code.text }
  /// The text of the code.
  public var localizedDescription: String { errorDescription ?? code.text }

  /// Whether the codes are equal.
  public static func == (left: CBError, right: CBError) -> Bool { left.code == right.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension CBError: CustomStringConvertible {
  /// The error as `NSError` prints itself, with domain, code and text.
  public var description: String {
    let text = localizedDescription
    return
      "Error Domain=\(CBErrorDomain) Code=\(errorCode) \"\(text)\" UserInfo={NSLocalizedDescription=\(text)}"
  }
}
