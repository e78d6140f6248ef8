// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
import Testing

@testable import BlectlSession

/// What is done about an adapter that has stopped working.
@Suite("Recovery")
struct RecoveryTests {
  private let start = ContinuousClock.now
  private let silence = RecoveryPlan.Symptom.silent(.seconds(60))

  @Test("The steps of a round get stronger, and there is one round in ten minutes")
  func rounds() {
    var plan = RecoveryPlan()
    var taken: [(minute: Int, step: RecoveryPlan.Step)] = []
    for minute in 0..<24 {
      if let step = plan.next(against: silence, at: start + .seconds(60 * minute)) {
        taken.append((minute, step))
      }
    }
    #expect(taken.map(\.minute) == [0, 1, 2, 10, 11, 12, 20, 21, 22])
    #expect(taken.prefix(3).map(\.step) == [.restartDiscovery, .powerCycle, .resetUSB])
    #expect(taken.suffix(3).map(\.step) == [.restartDiscovery, .powerCycle, .resetUSB])
  }

  @Test(
    "What has helped is said once, and an adapter that fails again soon is left alone until the ten minutes are over"
  )
  func healed() {
    var plan = RecoveryPlan()
    #expect(plan.works() == nil)
    #expect(plan.next(against: silence, at: start) == .restartDiscovery)
    #expect(plan.works() == .restartDiscovery)
    #expect(plan.works() == nil)
    #expect(plan.next(against: silence, at: start + .seconds(599)) == nil)
    #expect(plan.next(against: silence, at: start + .seconds(600)) == .restartDiscovery)
    #expect(plan.next(against: silence, at: start + .seconds(660)) == .powerCycle)
    #expect(plan.works() == .powerCycle)
  }

  @Test("An adapter that connects to nothing, but hears, is switched off and on first")
  func connects() {
    var plan = RecoveryPlan()
    #expect(plan.next(against: .connectsIgnored, at: start) == .powerCycle)
    #expect(plan.next(against: .connectsIgnored, at: start + .seconds(60)) == .resetUSB)
    #expect(plan.next(against: .connectsIgnored, at: start + .seconds(120)) == nil)
  }

  @Test("The USB device of an adapter is found; an adapter without one says so")
  func usbDevice() async throws {
    let root = try ScratchDirectory()
    let script = """
      cd \(root.path) && mkdir -p class/bluetooth/hci0 class/bluetooth/hci1 devices/usb1/1-4/1-4:1.0 devices/uart/serial0
      ln -s ../../../devices/usb1/1-4/1-4:1.0 class/bluetooth/hci0/device
      ln -s ../../../devices/uart/serial0 class/bluetooth/hci1/device
      echo 1 >devices/usb1/1-4/busnum; echo 12 >devices/usb1/1-4/devnum
      """
    let made = try await ToolRun("/bin/sh", ["-c", script]).result()
    #expect(made.status == 0, "\(made.errorText)")
    #expect(try AdapterReset.usbDevice(of: "hci0", root: root.path) == "/dev/bus/usb/001/012")
    #expect(throws: RadioFailure.system("it is not a USB device")) {
      try AdapterReset.usbDevice(of: "hci1", root: root.path)
    }
    #expect(throws: RadioFailure.system("the adapter has no device")) {
      try AdapterReset.usbDevice(of: "hci2", root: root.path)
    }
    _ = try await ToolRun("/bin/sh", ["-c", "rm -rf \(root.path)/class \(root.path)/devices"]).result()
  }
}
