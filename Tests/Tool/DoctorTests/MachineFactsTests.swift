// SPDX-License-Identifier: MIT
import Glibc
import Testing

@testable import Doctor

/// The facts that follow from a machine's files.
@Suite("Machine facts")
struct MachineFactsTests {
  /// Makes files, and links where the text begins with `→`, for as long as the body runs.
  private func withFiles(_ files: [String: String], _ body: (SystemFiles) throws -> Void) throws {
    var template = Array("/tmp/blectl-machine-XXXXXX".utf8CString)
    let root = String(cString: try #require(mkdtemp(&template)))
    var made: [String] = []
    defer {
      for path in made.reversed() where unlink(path) != 0 { rmdir(path) }
      rmdir(root)
    }
    for (path, text) in files.sorted(by: { $0.key < $1.key }) {
      var folder = root
      for part in path.split(separator: "/").dropLast() {
        folder += "/" + part
        if mkdir(folder, 0o700) == 0 { made.append(folder) }
      }
      if text.hasPrefix("→") {
        try #require(symlink(String(text.dropFirst()), root + path) == 0)
      } else {
        let file = try #require(fopen(root + path, "w"))
        _ = text.withCString { fputs($0, file) }
        fclose(file)
      }
      made.append(root + path)
    }
    try body(SystemFiles(root: root))
  }

  private func facts(_ files: [String: String], environment: [String: String] = [:]) throws -> MachineFacts {
    var facts = MachineFacts()
    try withFiles(files) { files in
      facts = MachineFacts(files, userID: 1000, groupIDs: [1000, 27, 99]) { environment[$0] }
    }
    return facts
  }

  @Test("Users and groups are named if the system has names for them")
  func names() throws {
    let facts = try facts([
      "/etc/passwd": "root:x:0:0::/root:/bin/sh\nalice:x:1000:1000::/home/alice:/bin/sh\n",
      "/etc/group": "alice:x:1000:\nsudo:x:27:alice\nbluetooth:x:110:\n",
    ])
    #expect(facts.userName == "alice")
    #expect(facts.groups == ["alice", "sudo", "99"])
    #expect(facts.hasBluetoothGroup)
  }

  @Test(
    "The kind of container is recognised",
    arguments: [
      (["/.dockerenv": ""], "docker"), (["/run/.containerenv": ""], "podman"),
      (["/.flatpak-info": ""], "flatpak"),
      (["/run/systemd/container": "lxc\n"], "lxc"),
      (["/proc/version": "Linux version 5.15.0-microsoft-standard-WSL2"], "WSL"),
      (["/proc/version": "Linux version 6.1.0-18-amd64"], nil as String?),
    ])
  func containers(_ files: [String: String], _ name: String?) throws {
    #expect(try facts(files).container == name)
    #expect(try facts([:], environment: ["SNAP": "/snap/blectl/1"]).container == "snap")
  }

  @Test(
    "A user namespace is one whose ids are not their own",
    arguments: [
      ("         0          0 4294967295\n", false), ("         0     100000      65536\n", true),
      ("0 1000 1\n1 100000 65535\n", true), ("1000 1000 1\n", false),
    ])
  func namespaces(_ map: String, _ isForeign: Bool) throws {
    #expect(try facts(["/proc/self/uid_map": map]).hasForeignUserIDs == isForeign)
  }

  @Test("A masked unit is a link to /dev/null")
  func units() throws {
    let systemd = ["/run/systemd/system/dbus.service": ""]
    let unit = "/etc/systemd/system/bluetooth.service"
    #expect(try facts([:]).unit == .noSystemd)
    #expect(try facts(systemd).unit == .missing)
    #expect(try facts(systemd.merging([unit: "→/dev/null"]) { $1 }).unit == .masked)
    #expect(try facts(systemd.merging(["/lib/systemd/system/bluetooth.service": ""]) { $1 }).unit == .present)
  }

  @Test("Radios, controllers and caches are read where they are there")
  func radios() throws {
    let home = "/sys/class/rfkill/rfkill"
    let facts = try facts([
      "\(home)0/type": "wlan\n", "\(home)0/soft": "1\n", "\(home)1/type": "bluetooth\n",
      "\(home)1/name": "hci0\n",
      "\(home)1/soft": "1\n", "\(home)1/hard": "0\n", "/sys/class/bluetooth/hci0/type": "",
      "/sys/class/bluetooth/hci0:64/type": "",
      "/var/lib/bluetooth/00:1A:7D:DA:71:13/cache/F0:F1:F2:F3:F4:F5": "",
    ])
    #expect(facts.radios == [.init(name: "hci0", isSoftBlocked: true)])
    #expect(facts.controllers == ["hci0"])
    #expect(facts.cachedDevices == 1)
    #expect(try self.facts([:]).cachedDevices == nil)
  }
}
