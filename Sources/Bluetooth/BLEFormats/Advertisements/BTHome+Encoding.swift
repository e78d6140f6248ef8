// SPDX-License-Identifier: MIT

extension BTHome: EncodableFormat {
  /// The service of the data.
  public static let service = BluetoothUUID(short: 0xfcd2)

  /// Creates an unencrypted advertisement of version 2; sorts the objects by kind, as the format requires.
  public init(objects: [Object], isTriggered: Bool = false) {
    self.init(
      version: 2, isEncrypted: false, isTriggered: isTriggered,
      objects: objects.sorted { $0.identifier < $1.identifier }, rest: [])
  }

  /// Parses `KEY=VALUE,…` as ``Object/init(_:_:)`` takes them: `temperature=21.5,battery=80`.
  ///
  /// `triggered=yes` marks a device that sends only on events. A comma within the object `text` continues it.
  ///
  /// - Throws: an error about the first invalid value.
  public init(parsing text: String) throws(FormatError) {
    var pairs: [(name: String, text: String)] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      if let equals = part.firstIndex(of: "="), equals > part.startIndex,
        pairs.last?.name != "text" || Self.isKey(part[..<equals])
      {
        let value = part[part.index(after: equals)...]
        pairs.append((String(part[..<equals]), String(value)))
      } else if let last = pairs.last, last.name == "text" {
        pairs[pairs.count - 1].text += "," + part
      } else {
        throw FormatError(part, "is not KEY=VALUE, such as temperature=21.5")
      }
    }
    let (objects, isTriggered) = try NamedValues(pairs).objects()
    self.init(objects: objects, isTriggered: isTriggered)
  }

  /// Returns whether a text names a kind, so that it does not continue a text with a comma.
  private static func isKey(_ text: Substring) -> Bool {
    text == triggeredKey || BTHomeKind.all.contains { $0.kind.key == text || $0.kind.name == text }
  }

  /// The bytes after the UUID.
  public var data: [UInt8] { [information] + objects.flatMap { [$0.identifier] + $0.bytes } + rest }

  /// The service data.
  public func encoded() -> AdvertisedData { .service(Self.service, data) }
}
