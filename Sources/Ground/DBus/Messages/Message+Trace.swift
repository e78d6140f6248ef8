// SPDX-License-Identifier: MIT

extension Message {
  package var traceDescription: String { traceDescription(isSecret: false) }

  /// Describes the message in one line, for logs, without the arguments if they are secret.
  func traceDescription(isSecret: Bool) -> String {
    let arguments =
      isSecret
      ? "…"
      : withBody { $0.values(signature) }.map { $0.map(\.traceDescription).joined(separator: ", ") } ?? "?"
    switch kind {
    case .methodCall: return "call \(serial) \(path ?? "") \(interface ?? "").\(member ?? "")(\(arguments))"
    case .methodReturn: return "reply to \(replySerial) (\(arguments))"
    case .error: return "error to \(replySerial) \(errorName ?? "") (\(arguments))"
    case .signal: return "signal \(path ?? "") \(interface ?? "").\(member ?? "")(\(arguments))"
    case .unknown: return "message of an unknown kind"
    }
  }
}

extension DBusValue {
  /// The value as text for logs, truncated if it is long.
  package var traceDescription: String {
    switch self {
    case .byte(let value): return String(value)
    case .boolean(let value): return String(value)
    case .int16(let value): return String(value)
    case .uint16(let value): return String(value)
    case .int32(let value): return String(value)
    case .uint32(let value): return String(value)
    case .int64(let value): return String(value)
    case .uint64(let value): return String(value)
    case .double(let value): return String(value)
    case .string(let text), .objectPath(let text), .signature(let text): return text.debugDescription
    case .descriptor: return "descriptor"
    case .bytes(let bytes):
      let digits = bytes.prefix(64).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      return "<\(digits)\(bytes.count > 64 ? "…" : "")>"
    case .array(_, let elements):
      let shown = elements.prefix(16).map(\.traceDescription).joined(separator: ", ")
      return "[\(shown)\(elements.count > 16 ? ", …" : "")]"
    case .dictionary(_, _, let entries):
      let shown = entries.prefix(16).map { "\($0.key.traceDescription): \($0.value.traceDescription)" }
      return "{\(shown.joined(separator: ", "))\(entries.count > 16 ? ", …" : "")}"
    case .structure(let fields): return "(" + fields.map(\.traceDescription).joined(separator: ", ") + ")"
    case .variant(let inner): return inner.traceDescription
    }
  }
}
