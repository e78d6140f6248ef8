// SPDX-License-Identifier: MIT

/// The limits for the clients of a proxy.
struct ProxyLimits {
  /// The most clients: Home Assistant has short connections beside its long one.
  var clients = 8
  /// The most that have not greeted.
  var strangers = 8
  /// The time to greet: as long as Home Assistant's client waits for the answer.
  ///
  /// When Home Assistant starts on a slow machine, many seconds can pass between its connection and its first byte.
  var greetingTime = Duration.seconds(60)
  /// Of these without a byte from a client, two bring a ping, and five the end: while advertisements come, clients send
  /// nothing for hours.
  var silence = Duration.seconds(30)
  /// While more bytes than this wait for a client, it gets no advertisements, which would be old when they arrive.
  var bytesWithAdvertisements = 256 << 10
  /// With more than this, a client is closed: it must not lack any other message.
  var bytes = 1 << 20
  /// The time for the last messages to a client.
  var farewellTime = Duration.seconds(1)
}
