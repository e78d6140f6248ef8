// SPDX-License-Identifier: MIT

extension InterfaceDescription {
  static let adapter = InterfaceDescription(
    name: BlueZName.adapter,
    methods: [
      Method("StartDiscovery"), Method("SetDiscoveryFilter", ["properties:a{sv}"]), Method("StopDiscovery"),
      Method("RemoveDevice", ["device:o"]), Method("GetDiscoveryFilters", returns: ["filters:as"]),
    ],
    properties: [
      Property("Address", "s"), Property("AddressType", "s"), Property("Name", "s"),
      Property("Alias", "s", isWritable: true), Property("Class", "u"),
      Property("Powered", "b", isWritable: true), Property("Discoverable", "b", isWritable: true),
      Property("DiscoverableTimeout", "u", isWritable: true), Property("Pairable", "b", isWritable: true),
      Property("PairableTimeout", "u", isWritable: true), Property("Discovering", "b"),
      Property("UUIDs", "as"),
      Property("Modalias", "s"), Property("Roles", "as"), Property("ExperimentalFeatures", "as"),
    ])
}
