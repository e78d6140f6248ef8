// SPDX-License-Identifier: MIT

extension InterfaceDescription {
  static let adapter = VersionedDescription(
    InterfaceDescription(
      name: BlueZName.adapter,
      methods: [
        Method("StartDiscovery"), Method("SetDiscoveryFilter", ["properties:a{sv}"]), Method("StopDiscovery"),
        Method("RemoveDevice", ["device:o"]), Method("GetDiscoveryFilters", returns: ["filters:as"]),
      ],
      properties: [
        Property("Address", "s"), Property("AddressType", "s"), Property("Name", "s"),
        Property("Alias", "s", isWritable: true), Property("Class", "u"),
        Property("Connectable", "b", isWritable: true, since: .v5_82),
        Property("Powered", "b", isWritable: true), Property("PowerState", "s", since: .v5_82),
        Property("Discoverable", "b", isWritable: true),
        Property("DiscoverableTimeout", "u", isWritable: true), Property("Pairable", "b", isWritable: true),
        Property("PairableTimeout", "u", isWritable: true), Property("Discovering", "b"),
        Property("UUIDs", "as"),
        Property("Modalias", "s"), Property("Roles", "as"), Property("ExperimentalFeatures", "as"),
        Property("Manufacturer", "q", since: .v5_82), Property("Version", "y", since: .v5_82),
      ]))
}
