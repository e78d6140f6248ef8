// SPDX-License-Identifier: MIT
internal import NIOHTTP1

/// A request as the page understands it.
struct PageRequest {
  let method: String
  /// The path as it was sent, without the query.
  let path: String
  /// The query as it was sent, with its question mark; empty for none.
  let queryText: String
  /// The fields of the query, decoded.
  let query: [String: String]
  private let headers: HTTPHeaders
  /// The name of the server, as the client calls it.
  let host: String?
  var body: [UInt8] = []

  /// A malformed message: RFC 9112 demands status 400.
  struct Malformed: Error {
    let reason: String
  }

  /// Reads the head of a request that the parser has accepted.
  init(_ head: HTTPRequestHead) throws(Malformed) {
    method = head.method.rawValue
    headers = head.headers
    try Self.check(head)
    var target = Substring(head.uri)
    var authority: Substring?
    for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
      target = target.dropFirst(scheme.count)
      authority = target.prefix { $0 != "/" && $0 != "?" }
      target = target.dropFirst(authority?.count ?? 0)
      if target.first != "/" { target = "/" + target }
    }
    guard target.first == "/" else { throw Malformed(reason: "the target of the request is no path") }
    host = authority.map(String.init) ?? headers.first(name: "Host")
    let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts[0])
    queryText = parts.count > 1 ? "?" + parts[1] : ""
    query = parts.count > 1 ? FormText.fields(of: Array(parts[1].utf8)) : [:]
  }

  /// Refuses what servers could understand in different ways.
  private static func check(_ head: HTTPRequestHead) throws(Malformed) {
    guard head.version == .http1_1 || head.version == .http1_0 else {
      throw Malformed(reason: "the version of HTTP is neither 1.0 nor 1.1")
    }
    let hosts = head.headers[canonicalForm: "Host"].count
    if hosts > 1 || hosts == 0 && head.version == .http1_1 {
      throw Malformed(reason: "a request has one header Host")
    }
    let (lengths, codings) = (head.headers["Content-Length"], head.headers["Transfer-Encoding"])
    if lengths.count + codings.count > 1 || codings.contains(where: { $0.lowercased() != "chunked" })
      || head.version == .http1_0 && !codings.isEmpty
    {
      throw Malformed(reason: "the length of the body is not clear")
    }
  }

  /// The value of a header that comes once; nil otherwise.
  func header(_ name: String) -> String? {
    let values = values(of: name)
    return values.count == 1 ? values[0] : nil
  }

  /// All values of a header.
  func values(of name: String) -> [String] { headers[name] }
}
