// SPDX-License-Identifier: MIT
package import BLEFormats

/// A message from a client of the proxy.
package enum ClientMessage: Sendable, Hashable {
  /// The client's name, which is any text, and the version of the API that it knows.
  case hello(client: String, version: APIVersion)
  /// A password, which is not read; old clients wait for the answer.
  case authentication
  /// The client wants the connection to end.
  case disconnect
  /// The client has taken our wish that the connection end.
  case disconnected
  case ping
  /// The answer to our ping.
  case pong
  case deviceInfo
  case listEntities
  case subscribeAdvertisements(isRaw: Bool)
  case unsubscribeAdvertisements
  /// A request about a device; the type of its address, if the client knows it.
  case device(BluetoothAddress, DeviceRequest, AddressType?)
  case services(BluetoothAddress)
  case read(RemoteAttribute)
  case write(RemoteAttribute, [UInt8], withResponse: Bool)
  case readDescriptor(RemoteAttribute)
  case writeDescriptor(RemoteAttribute, [UInt8])
  case notify(RemoteAttribute, isEnabled: Bool)
  case subscribeConnectionsFree
  case setScannerMode(ScannerMode)
  case setConnectionParameters(BluetoothAddress, ConnectionParameters)
  case capabilities
  /// A new key, which is not read: keys come from the file only.
  case setKey
  /// A request with numbers out of range.
  case impossible(ImpossibleRequest)
  /// A type that the proxy does not serve; to be ignored.
  case unknown(type: UInt16)

  /// A wish of a client about a device.
  package enum DeviceRequest: UInt32, Sendable, Hashable, CaseIterable {
    case disconnect = 1
    case pair = 2
    case unpair = 3
    /// To connect; the client has the services of last time, and the handles in them.
    case connectWithCache = 4
    /// To connect; the client asks for the services next.
    case connectWithoutCache = 5
    case clearCache = 6
  }

  /// The parameters of a link: intervals in 1.25 ms, the timeout in 10 ms.
  package struct ConnectionParameters: Sendable, Hashable {
    package let minInterval: UInt32
    package let maxInterval: UInt32
    package let latency: UInt32
    package let timeout: UInt32
  }
}
