// SPDX-License-Identifier: MIT

/// The answer to a request.
struct PageAnswer {
  enum Body {
    case bytes([UInt8])
    case values(ValuesText)
    /// The records behind a place, as long as the client may have them.
    case records(after: Int, isAllowed: () -> Bool)
  }

  var status: Int
  var headers: [(name: String, value: String)] = []
  var body: Body

  init(_ status: Int, _ type: String, _ body: Body) {
    (self.status, self.body) = (status, body)
    headers = [("Content-Type", type)]
  }

  /// An answer that leads to another path, relative to the one that was asked for.
  static func leading(to place: String, status: Int = 303) -> PageAnswer {
    var answer = PageAnswer(status, "text/plain; charset=utf-8", .bytes([]))
    answer.headers = [("Location", place)]
    return answer
  }

  /// Says why there is nothing else.
  static func refusal(_ status: Int, _ reason: String, _ headers: [(String, String)] = []) -> PageAnswer {
    var answer = PageAnswer(status, "text/plain; charset=utf-8", .bytes(Array("\(status): \(reason)\n".utf8)))
    for (name, value) in headers { answer.headers.append((name, value)) }
    return answer
  }

  /// Headers of every answer: nothing is loaded from elsewhere, framed elsewhere, or kept.
  ///
  /// Without a referrer at all, browsers would not name the origin of a form.
  static let common: [(name: String, value: String)] = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]
}
