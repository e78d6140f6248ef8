// SPDX-License-Identifier: MIT
internal import BlueZClient

/// The readers of a manager's events; confined to the thread of the manager's loop.
final class EventHub {
  private weak var manager: PeripheralManager?
  private var readers: [BatchSource<PeripheralEvent>] = []

  func begin(for manager: PeripheralManager) { self.manager = manager }

  func add(_ reader: BatchSource<PeripheralEvent>) { readers.append(reader) }

  func remove(_ reader: BatchSource<PeripheralEvent>) { readers.removeAll { $0 === reader } }

  func report(_ kind: @autoclosure () -> PeripheralEvent.Kind) {
    guard !readers.isEmpty else { return }
    let event = PeripheralEvent(kind: kind(), time: .now)
    for reader in readers { reader.send(event) }
  }

  func report(
    _ kind: (PublishedCharacteristic) -> PeripheralEvent.Kind, of characteristic: NotifyingAttribute
  ) {
    guard let manager else { return }
    report(kind(PublishedCharacteristic(characteristic, of: manager)))
  }

  func end(_ error: BLEError) {
    for reader in readers { reader.end(error) }
    readers = []
  }
}
