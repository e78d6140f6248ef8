// SPDX-License-Identifier: MIT
package import BLECentral
internal import BLEFormats
package import TerminalOutput

/// The style of values in the output.
package struct ValueStyle: Sendable {
  package let isJSON: Bool
  /// Nil for what suits the reader: meaning and digits on a terminal, digits in a pipe.
  package let view: ValueView?
  /// True if a line has the time, as with subscriptions.
  let showsTime: Bool
  /// True if a line has the characteristic, as when there are several.
  let showsCharacteristic: Bool
  /// True if a line has the device, as when there may be several.
  let showsAddress: Bool
  /// The word that a person gave a device, which a terminal shows instead of the address; nil for none.
  let word: @Sendable (HeardDevice) -> String?

  package init(
    isJSON: Bool, view: ValueView? = nil, showsTime: Bool = false, showsCharacteristic: Bool = false,
    showsAddress: Bool = false, word: @escaping @Sendable (HeardDevice) -> String? = { _ in nil }
  ) {
    self.isJSON = isJSON
    self.view = view
    self.showsTime = showsTime
    self.showsCharacteristic = showsCharacteristic
    self.showsAddress = showsAddress
    self.word = word
  }

  /// The format of the text; nil without a view.
  package var format: ValueFormat? { view?.format }
}

/// Writes events to the output: JSON, lines, or the bytes themselves.
package final class ConsoleOutputSink: ConsoleSink {
  package let style: ValueStyle
  package let console: Console
  private var json: EventJSON
  private var lines: ValueLines
  private let notices: NoticeLines
  private var bytes: [UInt8] = []

  package init(_ console: Console, _ style: ValueStyle) {
    self.console = console
    self.style = style
    json = EventJSON(format: style.format)
    lines = ValueLines(style, isTerminal: console.output.isTerminal)
    notices = NoticeLines(isTerminal: console.output.isTerminal)
  }

  /// Writes events of a command without a stream at once.
  package func print(_ events: [StreamEvent]) throws(ConsoleError) {
    bytes.removeAll(keepingCapacity: true)
    append(events, to: &bytes)
    try console.write(bytes: bytes)
  }

  package func append(_ events: [StreamEvent], to bytes: inout [UInt8]) {
    // In place: to iterate copies each.
    events.withUnsafeBufferPointer { events in
      for index in events.indices { append(events[index], to: &bytes) }
    }
  }

  private func append(_ event: StreamEvent, to bytes: inout [UInt8]) {
    if style.isJSON { return json.append(event, to: &bytes) }
    // Lines have no link events, which go to stderr when they happen.
    switch event {
    case .values(let batch): lines.append(batch, to: &bytes)
    case .average(let average): lines.append(average, to: &bytes)
    default: if let line = notices.line(event) { bytes += line.utf8 }
    }
  }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    do throws(ConsoleError) { try print(events) } catch { throw .final(error) }
  }
}

/// Writes values as lines of text, or as the bytes themselves.
struct ValueLines {
  let style: ValueStyle
  let isTerminal: Bool
  private var times = TimeText()

  init(_ style: ValueStyle, isTerminal: Bool) {
    self.style = style
    self.isTerminal = isTerminal
  }

  /// Appends bytes as a terminal may have them: it is the device that has written them.
  private func appendLines(_ value: [UInt8], to bytes: inout [UInt8]) {
    let end = UInt8(ascii: "\n")
    for (index, line) in value.split(separator: end, omittingEmptySubsequences: false).enumerated() {
      if index > 0 { bytes.append(end) }
      let start = bytes.count
      bytes += line
      TerminalSafe.escape(&bytes, from: start)
    }
  }

  mutating func append(_ batch: ValueBatch, to bytes: inout [UInt8]) {
    if style.format == .raw {
      for value in batch.values {
        if isTerminal { appendLines(value.value, to: &bytes) } else { bytes += value.value }
      }
      return
    }
    // Advertised values come alone.
    let source = batch.values.count == 1 ? nil : source(of: batch.origin)
    let isAdvertised = batch.origin.isAdvertised
    // Only these lines need the meaning of the value.
    let isDecoded = isAdvertised || style.format == .auto || style.format == nil && isTerminal
    let decoded = isDecoded ? batch.decoded : nil
    for index in batch.values.indices {
      let value = batch.values[index]
      appendTime(value.time, to: &bytes)
      if let source { bytes += source } else { appendSource(of: batch.origin, to: &bytes) }
      if isAdvertised {
        append(value.value, decoded?[index], of: batch.origin, to: &bytes)
      } else if let decoded {
        let text = text(of: value.value, decoded[index])
        let isBare = isTerminal && batch.origin.meaning == nil && style.showsTime
        bytes += (isBare ? "<\(text)>" : text).utf8
      } else if let format = style.format {
        bytes += TerminalSafe.escaped(format.text(of: value.value)).utf8
      } else {
        Hex.append(value.value, to: &bytes)
      }
      bytes.append(UInt8(ascii: "\n"))
    }
  }

  /// Appends the means of a window, which have no bytes.
  mutating func append(_ average: AverageRecord, to bytes: inout [UInt8]) {
    appendTime(average.time, to: &bytes)
    bytes += source(of: average.origin)
    bytes += TerminalValue.text(of: average.decoded).utf8
    bytes += (isTerminal ? ", \(average.count) values" : "\t\(average.count)").utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func appendTime(_ time: Timestamp, to bytes: inout [UInt8]) {
    guard style.showsTime else { return }
    if isTerminal { bytes += time.local.utf8 } else { times.append(time, to: &bytes) }
    bytes.append(separator)
  }

  private var separator: UInt8 { UInt8(ascii: isTerminal ? " " : "\t") }

  private func source(of origin: ValueOrigin) -> [UInt8] {
    var bytes: [UInt8] = []
    appendSource(of: origin, to: &bytes)
    return bytes
  }

  /// Appends the device and the attribute, if the line has them; for advertised values, also the name.
  private func appendSource(of origin: ValueOrigin, to bytes: inout [UInt8]) {
    let isAdvertised = origin.isAdvertised
    let blanks = isAdvertised && isTerminal ? 2 : 1
    func separate(by blanks: Int) {
      for _ in 0..<blanks { bytes.append(separator) }
    }
    func append(_ text: String, blanks: Int) {
      bytes.append(utf8: text)
      separate(by: blanks)
    }
    if isAdvertised || style.showsAddress {
      if isTerminal, let word = style.word(origin.device) {
        bytes.append(utf8: TerminalSafe.escaped(word))
      } else {
        origin.address.append(to: &bytes)
      }
      separate(by: blanks)
    }
    if isAdvertised {
      let name = TerminalSafe.escaped(origin.name ?? "")
      if !name.isEmpty || !isTerminal { append(name, blanks: blanks) }
    }
    if isAdvertised || style.showsCharacteristic {
      let title = isAdvertised ? origin.title : TerminalSafe.escaped(origin.ownTitle)
      append(isTerminal ? title : origin.word, blanks: 1)
    }
  }

  /// Appends what was advertised: the values, and before them the digits of data in an unknown format.
  private func append(
    _ value: [UInt8], _ decoded: DecodedFields?, of origin: ValueOrigin, to bytes: inout [UInt8]
  ) {
    if origin.format == nil {
      Hex.append(value, to: &bytes)
      bytes.append(UInt8(ascii: " "))
    }
    let start = bytes.count
    decoded?.append(to: &bytes)
    TerminalSafe.escape(&bytes, from: start)
  }

  /// The meaning, if known, and the digits; a pipe has a tab between them.
  private func text(of bytes: [UInt8], _ decoded: DecodedFields?) -> String {
    if isTerminal { return TerminalValue.text(of: bytes, decoded) }
    return (decoded.map { TerminalValue.text(of: $0) } ?? "") + "\t" + Hex.string(bytes)
  }
}

/// Writes records to the output as JSON, or as given lines.
package final class RecordOutput: ConsoleSink {
  package let console: Console
  private let isJSON: Bool

  package init(_ console: Console, isJSON: Bool) {
    self.console = console
    self.isJSON = isJSON
  }

  package func append(_ events: [StreamEvent], to bytes: inout [UInt8]) {
    var json = EventJSON()
    for event in events {
      if case .line(let line) = event { bytes += line } else if isJSON { json.append(event, to: &bytes) }
    }
  }
}
