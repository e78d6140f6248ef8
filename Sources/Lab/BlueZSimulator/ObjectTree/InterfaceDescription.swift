// SPDX-License-Identifier: MIT
internal import BLEWorld

/// The members of an interface: for introspection, the order of properties and the check of arguments.
struct InterfaceDescription: Sendable {
  /// One argument or result, written `name:signature`.
  struct Argument: Sendable, ExpressibleByStringLiteral {
    let name: String
    let signature: String

    init(stringLiteral text: String) {
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      name = parts.first ?? ""
      signature = parts.count > 1 ? parts[1] : ""
    }
  }

  struct Method: Sendable {
    let name: String
    let arguments: [Argument]
    let results: [Argument]
    var signature: String { arguments.map(\.signature).joined() }

    init(_ name: String, _ arguments: [Argument] = [], returns results: [Argument] = []) {
      self.name = name
      self.arguments = arguments
      self.results = results
    }
  }

  struct Property: Sendable {
    let name: String
    let signature: String
    let isWritable: Bool
    let since: BlueZRelease

    init(_ name: String, _ signature: String, isWritable: Bool = false, since: BlueZRelease = .v5_66) {
      self.name = name
      self.signature = signature
      self.isWritable = isWritable
      self.since = since
    }
  }

  struct Signal: Sendable {
    let name: String
    let arguments: [Argument]
    let since: BlueZRelease

    init(_ name: String, _ arguments: [Argument], since: BlueZRelease = .v5_66) {
      self.name = name
      self.arguments = arguments
      self.since = since
    }
  }

  let name: String
  var methods: [Method] = []
  var signals: [Signal] = []
  var properties: [Property] = []

  func property(_ name: String) -> Property? { properties.first { $0.name == name } }
}

/// The description of an interface that gained members in newer releases of bluetoothd.
struct VersionedDescription: Sendable {
  private let descriptions: [BlueZRelease: InterfaceDescription]
  private let newest: InterfaceDescription

  /// - Parameter newest: all members of any release.
  init(_ newest: InterfaceDescription) {
    self.newest = newest
    descriptions = Dictionary(
      uniqueKeysWithValues: BlueZRelease.allCases.map { version in
        var description = newest
        description.properties.removeAll { $0.since > version }
        description.signals.removeAll { $0.since > version }
        return (version, description)
      })
  }

  subscript(version: BlueZRelease) -> InterfaceDescription { descriptions[version] ?? newest }
}
