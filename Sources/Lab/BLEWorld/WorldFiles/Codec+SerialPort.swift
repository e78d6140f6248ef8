// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension Codec<SerialPortSpec?> {
  private static let expectedPort = "true, false or an object"

  /// A port with every default is `true`; none is `false`.
  static let serialPort: Codec<SerialPortSpec?> = Codec(
    expectedPort, .any([.flag, ObjectCodec<SerialPortSpec>.serialPort.codec.schema])
  ) { node throws(JSONError) in
    if case .bool(let isThere) = node.content { return isThere ? SerialPortSpec() : nil }
    guard node.members != nil else { throw node.mismatch(expectedPort) }
    return try ObjectCodec<SerialPortSpec>.serialPort.read(node)
  } write: { port, json in
    if let port, port != SerialPortSpec() {
      ObjectCodec<SerialPortSpec>.serialPort.codec.write(port, &json)
    } else {
      json.value(port != nil)
    }
  }
}

extension ObjectCodec<SerialPortSpec> {
  static let serialPort = ObjectCodec(
    "uart", "a serial port", defaults: SerialPortSpec(),
    [
      Field(
        "service", \.service, .serialService, "The service that carries its bytes. Default: \"nordic\"."),
      Field(
        "echo", \.echo, .flag,
        "Whether it sends back what it receives. Default: true, or false if it answers lines."),
      Field("greeting", \.greeting, .serialText, "What a central gets when it subscribes. Default: nothing."),
      Field(
        "answers", \.answers, .serialAnswers,
        "What it sends for each of these lines, which end with CR, LF or both. Default: none."),
      Field(
        "otherwise", \.otherAnswer, .serialText,
        "What it sends for every other line that is not empty. Default: nothing."),
    ])
}

extension Codec<SerialService> {
  fileprivate static let serialService: Codec<SerialService> = {
    let known = OneOf(words: SerialPortSpec.services.map { ($0.word, $0) }).codec
    return Codec(known.expected, known.schema) { node throws(JSONError) in
      let other = SerialService.all.first { $0.word == node.string }
      if let other, other.credits != nil {
        throw JSONError(
          node,
          "expected a service without flow control, found \(JSONText.quoted(other.word)), which has credits")
      }
      return try known.read(node)
    } write: { service, json in
      known.write(service, &json)
    }
  }()
}

extension Codec<String> {
  fileprivate static let serialText = text("a text", atMost: 4096)
}

extension Codec<[SerialPortSpec.Answer]> {
  fileprivate static let serialAnswers: Codec<[SerialPortSpec.Answer]> = members(
    "an object of answers by their lines, such as {\"AT\": \"OK\\r\\n\"}", keys: "^[^\\r\\n]*$",
    of: Codec<String>.serialText
  ) { member, text throws(JSONError) in
    let line = member.key.utf8
    let hasEnd = line.contains { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    guard !hasEnd, line.count <= SerialPortSpec.longestLine else {
      throw JSONError(
        member.place, member.value.pointer,
        "expected a line of at most \(SerialPortSpec.longestLine) bytes without its end (\\r, \\n)")
    }
    return SerialPortSpec.Answer(member.key, text)
  } write: {
    ($0.line, $0.text)
  }
}
