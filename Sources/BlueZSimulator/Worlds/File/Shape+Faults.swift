// SPDX-License-Identifier: MIT

extension Shape<FaultSpec> {
  static let faults = Shape(
    "faults", "faults", blank: FaultSpec(),
    [
      Key(
        "connect_failures", \.connectFailures, .integer(0...1_000_000),
        "How many attempts to connect fail first. Default: 0."),
      Key(
        "connect_failure_text", \.connectFailureText, .text("a text", atMost: 1000),
        "What BlueZ says of them. Default: \"le-connection-abort-by-local\"."),
      Key(
        "drops_after_operations", \.dropsAfterOperations, .integer(1...1_000_000),
        "It closes the link after so many reads and writes. Default: it does not."),
      Key(
        "service_delivery", \.serviceDelivery, .serviceDelivery,
        "In which order BlueZ tells of services and of their being resolved. Default: \"objects_first\"."),
      Key(
        "discovery_delay", \.discoveryDelay, .duration,
        "How much longer than usual the discovery of the services takes. Default: \"0s\"."),
    ])
}

extension Form<FaultSpec.ServiceDelivery> {
  private static let late = Choice<FaultSpec.ServiceDelivery>.Variant(
    Shape<Duration>(
      "objects_late", "an order of delivery", blank: .zero,
      [
        .required(
          "objects_late", \.self, .duration, "The services come this much later than their being resolved.")
      ])
  ) {
    .objectsLate($0)
  } take: {
    if case .objectsLate(let delay) = $0 { delay } else { nil }
  }

  /// In which order the daemon tells of services.
  static let serviceDelivery = Choice<FaultSpec.ServiceDelivery>(
    words: [("objects_first", .objectsFirst), ("resolved_first", .resolvedFirst)], [late]
  ).form
}
