// SPDX-License-Identifier: MIT
import DBus
import Testing

@testable import Doctor

/// The findings that follow from the facts.
@Suite("Diagnosis")
struct DiagnosisTests {
  private static let daemon = BusFacts.Owner(
    userID: 0, process: 812, program: "/usr/libexec/bluetooth/bluetoothd")

  /// A system bus with bluetoothd and one adapter that is on.
  private static func healthyBus() -> BusFacts {
    var bus = BusFacts(address: "unix:path=/run/dbus/system_bus_socket")
    bus.isSystemBus = true
    bus.owner = daemon
    var adapter = BusFacts.Adapter(name: "hci0", address: "00:1A:7D:DA:71:13")
    adapter.isPowered = true
    adapter.roles = ["central", "peripheral"]
    adapter.modalias = "usb:v1D6Bp0246d0556"
    bus.adapters = [adapter]
    return bus
  }

  private func findings(
    _ machine: MachineFacts = MachineFacts(userID: 1000, userName: "alice", groups: ["alice"]),
    _ adapter: String? = nil, _ change: (inout BusFacts) -> Void = { _ in }
  ) -> [Finding] {
    var bus = Self.healthyBus()
    change(&bus)
    return Diagnosis(machine: machine, bus: bus, wantedAdapter: adapter).findings
  }

  private func failure(_ findings: [Finding]) -> Finding? { findings.first { $0.status == .fail } }

  @Test("On a healthy machine, no check fails")
  func healthy() {
    let findings = self.findings()
    #expect(findings.allSatisfy { $0.status == .ok })
    #expect(
      findings.map(\.check) == [
        .user, .bus, .service, .policy, .version, .adapter, .power, .central, .peripheral, .passive, .cache,
      ])
    #expect(findings.first { $0.check == .version }?.version == "5.86")
  }

  @Test("The user and the container of this machine are not those of another host")
  func host() {
    let findings = self.findings(MachineFacts(container: "podman", hasForeignUserIDs: true)) {
      $0.isSystemBus = false
      $0.host = "den"
    }
    #expect(!findings.contains { $0.check == .user || $0.check == .container })
    #expect(findings.first?.check == .bus)
  }

  @Test(
    "An org.bluez that is neither root's nor the bus' own user's is noticed on any bus",
    arguments: [
      // The owner, the user of the bus (if known), whether that is the system bus, and whether it is noticed.
      (1001 as UInt32, 101 as UInt32?, true, true), (1001, nil, true, true), (101, 101, true, true),
      (0, 101, true, false), (1001, 101, false, true), (1001, 0, false, true), (0, 0, false, false),
      // A simulation: our own, another user's as seen by root, and one on a bus that does not answer.
      (1000, 1000, false, false), (1001, 1001, false, false), (1000, nil, false, false),
      (1001, nil, false, true),
    ])
  func impostor(_ user: UInt32, _ busUser: UInt32?, _ isSystemBus: Bool, _ isNoticed: Bool) throws {
    let owner = BusFacts.Owner(userID: user, process: 4711, program: "python3")
    let failure = self.failure(
      findings {
        $0.owner = owner
        $0.userID = busUser
        $0.isSystemBus = isSystemBus
      })
    guard isNoticed else {
      #expect(failure == nil)
      return
    }
    #expect(failure?.check == .owner)
    #expect(failure?.message.contains("uid \(user)") == true)
    #expect(failure?.fix == "ps -fp 4711")
    #expect(failure?.owner == owner)
  }

  @Test("The system bus is known by its path, whatever is behind it")
  func systemBus() {
    #expect(BusProbe.isSystemBus("unix:path=/run/dbus/system_bus_socket"))
    #expect(
      BusProbe.isSystemBus("unix:path=/var/run/dbus/system_bus_socket,guid=00112233445566778899aabbccddeeff"))
    #expect(!BusProbe.isSystemBus("unix:path=/run/user/1000/bus"))
    #expect(!BusProbe.isSystemBus(""))
  }

  @Test("A simulator of another process is reported")
  func simulator() {
    let findings = self.findings {
      $0.isSystemBus = false
      $0.owner?.program = "/usr/bin/blectl"
    }
    #expect(findings.first { $0.check == .simulator }?.status == .warn)
  }

  @Test(
    "A bus that cannot be used fails, with the command that fixes it",
    arguments: [
      (BusFacts.Failure.missing, nil as String?, "sudo systemctl start dbus"),
      (.missing, "docker", "docker run -v /run/dbus/system_bus_socket:/run/dbus/system_bus_socket …"),
      (.missing, "flatpak", "flatpak run --system-talk-name=org.bluez …"),
      (.unattended, nil, "sudo systemctl restart dbus"), (.forbidden, nil, "sudo blectl doctor"),
      (.rejected, "podman", "podman run --userns=keep-id …"),
      (.rejected, nil, "run blectl as a user that exists on the machine of the bus"),
      (.silent, nil, "sudo systemctl restart dbus"), (.other, nil, "sudo systemctl restart dbus"),
    ])
  func busFailures(_ failure: BusFacts.Failure, _ container: String?, _ fix: String) {
    let findings = self.findings(MachineFacts(userID: 1000, container: container)) { $0.failure = failure }
    #expect(findings.last?.check == .bus)
    #expect(findings.last?.status == .fail)
    #expect(findings.last?.fix == fix)
  }

  @Test(
    "A service that does not run is started the way the machine starts services",
    arguments: [
      (MachineFacts.Unit.present, false, "sudo systemctl start bluetooth"),
      (.masked, true, "sudo systemctl unmask bluetooth && sudo systemctl start bluetooth"),
      (.missing, false, "sudo apt install bluez"), (.missing, true, "sudo systemctl start bluetooth"),
      (.noSystemd, false, "sudo service bluetooth start"),
    ])
  func services(_ unit: MachineFacts.Unit, _ isActivatable: Bool, _ fix: String) {
    let failure = self.failure(
      findings(MachineFacts(unit: unit)) {
        $0.owner = nil
        $0.isActivatable = isActivatable
      })
    #expect(failure?.check == .service)
    #expect(failure?.fix == fix)
  }

  @Test("A policy that denies access asks for the group that it knows, else for root")
  func policy() {
    let denial = DBusError(.reply, name: ErrorName.accessDenied, message: "no")
    let machine = MachineFacts(userID: 1000, userName: "alice", groups: ["alice"], hasBluetoothGroup: true)
    #expect(
      failure(findings(machine) { $0.refusal = denial })?.fix
        == "sudo usermod -aG bluetooth alice, then log out and back in")
    let other = failure(findings { $0.refusal = denial })
    #expect(other?.check == .policy)
    #expect(other?.fix == "sudo blectl doctor")
  }

  @Test(
    "A problem of the radio is reported with its command",
    arguments: [
      ("hard", Finding.Check.rfkill, "the switch; 'rfkill list bluetooth' shows when it is off"),
      ("soft", .rfkill, "sudo rfkill unblock bluetooth"), ("off", .power, "blectl adapter on"),
      ("classic", .central, "another adapter, with -i; or ControllerMode = dual in /etc/bluetooth/main.conf"),
      ("none", .adapter, "plug one in, then: sudo dmesg | grep -i bluetooth"),
      ("unseen", .adapter, "sudo systemctl restart bluetooth"),
    ])
  func radio(_ fault: String, _ check: Finding.Check, _ fix: String) {
    var machine = MachineFacts(controllers: fault == "none" ? [] : ["hci0"])
    machine.radios = [.init(name: "hci0", isSoftBlocked: fault == "soft", isHardBlocked: fault == "hard")]
    let failure = self.failure(
      findings(machine) { bus in
        switch fault {
        case "off": bus.adapters[0].isPowered = false
        case "classic": bus.adapters[0].roles = ["peripheral"]
        case "none", "unseen": bus.adapters = []
        default: break
        }
      })
    #expect(failure?.check == check)
    #expect(failure?.fix == fix)
  }

  @Test("The adapter that was asked for is looked at, and no other")
  func wantedAdapter() {
    let two: (inout BusFacts) -> Void = {
      $0.adapters.append(.init(name: "hci1", address: "AA:BB:CC:DD:EE:FF"))
    }
    #expect(failure(findings(.init(), "hci1", two))?.fix == "blectl adapter on -i hci1")
    #expect(failure(findings(.init(), "aa:bb:cc:dd:ee:ff", two))?.adapter == "hci1")
    #expect(failure(findings(.init(), "hci7", two))?.fix == "blectl adapter list")
    #expect(failure(findings(.init(), nil, two)) == nil)
  }

  @Test("Stale caches, old versions and foreign user ids are warnings")
  func warnings() {
    let findings = self.findings(MachineFacts(container: "podman", hasForeignUserIDs: true)) {
      $0.emptyDevices = ["F0:F1:F2:F3:F4:F5"]
      $0.adapters[0].modalias = "usb:v1D6Bp0246d0532"
    }
    #expect(findings.filter { $0.status == .warn }.map(\.check) == [.container, .version, .fault, .cache])
    #expect(findings.first { $0.check == .version }?.version == "5.50")
    #expect(
      findings.first { $0.check == .cache }?.fix == "blectl forget F0:F1:F2:F3:F4:F5")
    #expect(failure(findings) == nil)
  }

  @Test(
    "The known faults of a bluetoothd are warned of, with what helps",
    arguments: [
      ("0542", ["moved its attributes", "AcquireNotify"]), ("0552", ["AcquireNotify"]),
      ("0553", ["AcquireNotify"]),
      ("0554", []), ("0556", []), ("0557", ["filter for services"]), ("0558", []),
    ])
  func knownFaults(_ digits: String, _ words: [String]) {
    let findings = self.findings { $0.adapters[0].modalias = "usb:v1D6Bp0246d\(digits)" }
    let faults = findings.filter { $0.check == .fault }
    #expect(faults.count == words.count)
    for (fault, words) in zip(faults, words) {
      #expect(fault.status == .warn && fault.message.contains(words), "\(fault.message)")
      #expect(fault.fix?.isEmpty == false)
    }
    #expect(findings.first { $0.check == .version }?.status == .ok)
    #expect(failure(findings) == nil)
  }

  @Test("An unknown version is reported as unknown")
  func unknownVersion() {
    let findings = self.findings { $0.adapters[0].modalias = "usb:v05ACp0001d0100" }
    let finding = findings.first { $0.check == .version }
    #expect(finding?.version == nil)
    #expect(finding?.fix == "bluetoothctl --version")
  }
}
