// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
internal import DBus
internal import Logging
internal import TestSupport

/// Lets bluetoothd ask a peripheral for anything, as hostile centrals make it do: any method, offset, length and option, of
/// any type.
///
/// Nothing may crash or hang; each call has one answer, and no value is longer than 512 bytes.
func fuzzRequests(_ input: UnsafeRawBufferPointer) {
  var feeder = ByteFeeder(input)
  guard !feeder.isEmpty else { return }
  service.play(&feeder)
}

/// Made once for all inputs.
nonisolated(unsafe) private let service: HauntedService = {
  do { return try HauntedService() } catch { preconditionFailure("no bus: \(error)") }
}()

/// A published service, and a bluetoothd whose every call is the fuzzer's.
final class HauntedService {
  private static let name = ":1.1"
  private static let root = "/blectl/peripheral/app1"
  private static let attributes = [
    "\(root)/service0/char0", "\(root)/service0/char1", "\(root)/service0/char2", "\(root)/service0/char3",
    "\(root)/service0/char0/desc0",
  ]
  private static let devices = [
    "/org/bluez/hci0/dev_C0_00_00_00_00_01", "/org/bluez/hci0/dev_C0_00_00_00_00_02", "/org/bluez/hci0/dev_",
    "/org/bluez/hci0", "/", "/dev_C0_00_00_00_00_0G",
  ]

  private let bus: ScriptedBus
  private let loop = EventLoop(name: "fuzz")
  private let service: PublishedService

  init() throws {
    bus = try ScriptedBus()
    let (loop, address) = (loop, bus.address)
    let made = Handover<PublishedService>()
    Task(executorPreference: loop) {
      let manager = try await PeripheralManager(
        bus: .address(address), adapter: nil, timeout: nil,
        logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }, loop: loop)
      made.give(try await manager.add(HauntedService.definition, timeout: nil))
    }
    guard bus.welcome() else { preconditionFailure("no client") }
    HauntedService.answer("GetManagedObjects", on: bus) { writer in
      writer.array(of: "{oa{sa{sv}}}") { writer in
        writer.entry { writer in
          writer.objectPath("/org/bluez/hci0")
          writer.array(of: "{sa{sv}}") { writer in
            for interface in ["org.bluez.Adapter1", "org.bluez.GattManager1"] {
              writer.entry { writer in
                writer.string(interface)
                writer.properties([("Powered", .boolean(true))])
              }
            }
          }
        }
      }
    }
    HauntedService.answer("RegisterApplication", on: bus) { _ in }
    service = made.take()
  }

  /// One characteristic for each kind of handler.
  private static var definition: LocalService {
    let immediate = LocalCharacteristic(
      BluetoothUUID(0xFFF2), [.read, .write],
      reading: .immediate { request throws(ATTError) in
        guard request.offset < 600 else { throw .invalidOffset }
        return [UInt8](repeating: 1, count: request.mtu % 700)
      },
      writing: .immediate { request throws(ATTError) in
        if let first = request.value.first { throw ATTError(code: first) }
      })
    let deferred = LocalCharacteristic(
      BluetoothUUID(0xFFF3), [.read, .write],
      reading: .deferred { request async throws(ATTError) in
        await Task.yield()
        return [UInt8](repeating: 2, count: request.offset % 700)
      },
      writing: .deferred { _ async throws(ATTError) in await Task.yield() })
    return LocalService(
      BluetoothUUID(0xFFF0),
      [
        LocalCharacteristic(
          BluetoothUUID(0xFFF1), [.read, .write, .reliableWrite, .notify],
          descriptors: [LocalDescriptor(BluetoothUUID(0xFFF5), value: [], isWritable: true)],
          updateTransport: .acquireNotify),
        immediate, deferred, LocalCharacteristic(BluetoothUUID(0xFFF4), [.read, .indicate]),
      ])
  }

  /// Waits for a call, and answers it.
  private static func answer(
    _ member: String, on bus: ScriptedBus, _ body: @escaping (inout MessageWriter) -> Void
  ) {
    while let call = bus.next() {
      guard call.kind == .methodCall, call.wantsReply else { continue }
      guard call.member == member else {
        bus.send(Message(replyTo: call), from: BusDriver.name)
        continue
      }
      return bus.send(Message(replyTo: call, body), from: name)
    }
    preconditionFailure("the manager has left the bus")
  }

  // MARK: Playing

  /// Plays what some bytes say.
  func play(_ feeder: inout ByteFeeder) {
    var calls = 0
    while !feeder.isEmpty, calls < 400 {
      bus.send(call(&feeder))
      calls += 1
      if calls % 16 == 0 { update(feeder.raw(feeder.number(below: 32))) }
    }
    for path in HauntedService.attributes {
      send("StopNotify", to: path) { _ in }
      calls += 1
    }
    settle(calls)
    let (service, loop) = (service, loop)
    let checked = Handover<Void>()
    Task(executorPreference: loop) {
      for characteristic in service.characteristics {
        let count = await characteristic.value.count
        precondition(count <= LocalCharacteristic.maximumLength)
      }
      checked.give(())
    }
    checked.take()
  }

  private func update(_ value: [UInt8]) {
    let service = service
    Task(executorPreference: loop) {
      for characteristic in service.characteristics { _ = try? await characteristic.update(value) }
    }
  }

  private func send(_ member: String, to path: String, _ body: (inout MessageWriter) -> Void) {
    bus.send(delivery(of: member, to: path, body))
  }

  private func delivery(
    of member: String, to path: String, interface: String = "org.bluez.GattCharacteristic1",
    _ body: (inout MessageWriter) -> Void
  ) -> Delivery {
    var delivery = Delivery(
      Message(call: member, of: interface, at: path, to: ScriptedBus.clientName, body),
      from: HauntedService.name)
    delivery.destination = ScriptedBus.clientName
    return delivery
  }

  /// A call: mostly one that bluetoothd could make.
  private func call(_ feeder: inout ByteFeeder) -> Delivery {
    let choice = feeder.byte()
    let path = feeder.pick(HauntedService.attributes)
    let interface = path.hasSuffix("desc0") ? "org.bluez.GattDescriptor1" : "org.bluez.GattCharacteristic1"
    switch choice % 8 {
    case 0, 1:
      return delivery(of: "ReadValue", to: path, interface: interface) { $0.properties(options(&feeder)) }
    case 2, 3, 4:
      let count = Int(feeder.byte()) * (choice & 0x10 == 0 ? 1 : 3)
      let bytes = [UInt8](repeating: feeder.byte(), count: count)
      return delivery(of: "WriteValue", to: path, interface: interface) {
        $0.bytes(bytes)
        $0.properties(options(&feeder))
      }
    case 5:
      let member = feeder.pick(["StartNotify", "StopNotify", "Confirm", "ReadValue", "AcquireNotify"])
      return delivery(of: member, to: path) {
        if member == "AcquireNotify" { $0.properties(options(&feeder)) }
      }
    case 6:
      let member = feeder.pick(["ReadValue", "WriteValue", "StartNotify", "Set", "GetAll", "Introspect"])
      return delivery(of: member, to: path) { $0.value(feeder.anyValue(depth: 0)) }
    default:
      let path = feeder.pick([HauntedService.root, "/", "/blectl", "\(HauntedService.root)/service0"])
      let member = feeder.pick(["GetManagedObjects", "ReadValue", "Nothing"])
      return delivery(of: member, to: path) { _ in }
    }
  }

  /// The options of a request; any of them may be missing, or of a wrong type.
  private func options(_ feeder: inout ByteFeeder) -> [(String, DBusValue)] {
    let kinds = feeder.byte()
    var options: [(String, DBusValue)] = []
    if kinds & 1 == 0 { options.append(("device", .objectPath(feeder.pick(HauntedService.devices)))) }
    if kinds & 2 == 0 { options.append(("mtu", .uint16(word(&feeder)))) }
    if kinds & 4 != 0 { options.append(("offset", .uint16(word(&feeder)))) }
    if kinds & 8 != 0 { options.append(("prepare-authorize", .boolean(kinds & 16 != 0))) }
    if kinds & 32 != 0 {
      options.append((feeder.pick(["device", "mtu", "offset", "link"]), feeder.anyValue(depth: 0)))
    }
    return options
  }

  private func word(_ feeder: inout ByteFeeder) -> UInt16 {
    UInt16(feeder.byte()) << 8 | UInt16(feeder.byte())
  }

  /// Waits until each call has its answer.
  private func settle(_ calls: Int) {
    var open = calls
    while open > 0, let message = bus.next() {
      switch message.kind {
      case .methodReturn:
        open -= 1
        if case .bytes(let value)? = message.values.first {
          precondition(value.count <= LocalCharacteristic.maximumLength)
        }
      case .error: open -= 1
      // The round trips of updates.
      case .methodCall where message.wantsReply:
        bus.send(Message(replyTo: message), from: HauntedService.name)
      default: break
      }
    }
    precondition(open == 0, "\(open) calls have no answer")
  }
}
