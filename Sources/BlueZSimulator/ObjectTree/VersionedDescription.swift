// SPDX-License-Identifier: MIT

/// The description of an interface that has more members in newer versions of bluetoothd.
struct VersionedDescription: Sendable {
  private let descriptions: [BlueZRelease: InterfaceDescription]
  private let newest: InterfaceDescription

  /// - Parameter newest: all members that any version has.
  init(_ newest: InterfaceDescription) {
    self.newest = newest
    descriptions = Dictionary(
      uniqueKeysWithValues: BlueZRelease.allCases.map { version in
        var description = newest
        description.properties.removeAll { $0.since > version }
        return (version, description)
      })
  }

  subscript(version: BlueZRelease) -> InterfaceDescription { descriptions[version] ?? newest }
}
