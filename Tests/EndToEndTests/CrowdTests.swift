// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("A crowd")
struct CrowdTests {
  /// In a process of its own: the simulations of the tests share a thread, which it would keep busy.
  @Test("Ten thousand devices are heard in a scan, listed, and let go")
  func crowd() async throws {
    let count = 10_000
    var world = World.crowd(devices: count)
    for index in world.peripherals.indices { world.peripherals[index].advertisement.isConnectable = true }
    var template = Array("/tmp/blectl-crowd-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    let path = template.withUnsafeBytes { String(decoding: $0.dropLast(), as: UTF8.self) }
    defer { unlink(path) }
    var rest = world.json[...]
    while !rest.isEmpty { rest = rest.dropFirst(max(0, write(file, Array(rest), rest.count))) }
    close(file)
    let script = """
      list() {
        dbus-send --bus="$DBUS_SYSTEM_BUS_ADDRESS" --print-reply --reply-timeout=300000 --dest=org.bluez / \
          org.freedesktop.DBus.ObjectManager.GetManagedObjects | grep -c '"org.bluez.Device1"'
      }
      "$0" scan --count \(count) --duration 0 | wc -l
      list
      "$0" adapter off --timeout 0 >/dev/null
      list
      """
    let result = try await Blectl().run(
      "simulate", path, "--", "sh", "-c", script, Blectl.path, limit: .seconds(300))
    #expect(result.lines == ["\(count)", "\(count)", "0"], "\(result.errorText)")
  }
}
