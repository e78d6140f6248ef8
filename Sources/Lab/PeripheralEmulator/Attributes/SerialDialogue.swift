// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld

/// The answers of a peripheral's serial port to what it receives, while a central is subscribed.
struct SerialDialogue {
  private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

  private let spec: SerialPortSpec
  private let answers: [[UInt8]: [UInt8]]
  private var line: [UInt8] = []
  private var isAfterReturn = false

  init(_ spec: SerialPortSpec) {
    self.spec = spec
    let answers = spec.answers.map { (Array($0.line.utf8), Array($0.text.utf8)) }
    self.answers = Dictionary(answers) { first, _ in first }
  }

  /// Forgets the line that has begun, and returns what a central gets when it subscribes.
  mutating func begin() -> [UInt8] {
    (line, isAfterReturn) = ([], false)
    return Array(spec.greeting.utf8)
  }

  /// Returns what is sent for received bytes.
  mutating func output(for bytes: [UInt8]) -> [UInt8] {
    guard spec.answersLines else { return spec.echoes ? bytes : [] }
    var output: [UInt8] = []
    for byte in bytes {
      if spec.echoes { output.append(byte) }
      output += answer(to: byte)
    }
    return output
  }

  /// Returns the answer if the byte ends a line; CR LF is one end.
  private mutating func answer(to byte: UInt8) -> [UInt8] {
    let isSecond = byte == Self.lineFeed && isAfterReturn
    isAfterReturn = byte == Self.carriageReturn
    if isSecond { return [] }
    guard byte == Self.lineFeed || byte == Self.carriageReturn else {
      // One byte more than an answer can have, and the line is another one.
      if line.count <= SerialPortSpec.longestLine { line.append(byte) }
      return []
    }
    defer { line = [] }
    if let answer = answers[line] { return answer }
    return line.isEmpty ? [] : Array(spec.otherAnswer.utf8)
  }
}

/// The serial port of a peripheral: the values that carry its bytes, and what it sends.
struct EmulatedSerialPort {
  /// The handle of the value that is written.
  let rx: UInt16
  /// The handle of the value that is notified.
  let tx: UInt16
  var dialogue: SerialDialogue

  /// Fails if the peripheral has no port.
  init?(_ spec: PeripheralSpec, in layout: AttributeLayout) {
    guard let port = spec.uart,
      let service = layout.services.last(where: { $0.uuid == port.service.uuid }),
      let rx = service.characteristics.first(where: { $0.spec.uuid == port.service.rx }),
      let tx = service.characteristics.first(where: { $0.spec.uuid == port.service.tx })
    else { return nil }
    (self.rx, self.tx) = (rx.valueHandle, tx.valueHandle)
    dialogue = SerialDialogue(port)
  }
}
