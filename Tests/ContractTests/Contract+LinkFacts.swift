// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  /// `link DEVICE`: what BlueZ knows of a link on the simulator, and on a kernel what that and the controller know.
  @Suite("Facts about links", .serialized)
  struct LinkFacts {
    private static let kernelParts = ["interval_ms", "latency", "supervision_timeout_ms"]

    func link(
      _ options: [String] = [], to device: BluetoothAddress = BuiltIn.strap, through program: [String] = []
    ) async throws -> ToolResult {
      let bus = try await Stages.shared.value.address
      let words = ["link", "\(device)", "--timeout", "60s"] + options
      if program.isEmpty { return try await Blectl(bus: bus).start(words).result() }
      return try await ToolRun(
        program[0], Array(program.dropFirst()) + [Blectl.path] + words,
        environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus], limit: .seconds(120)
      ).result()
    }

    /// What the kernel asks of new links: the shortest and longest interval in ms, the latency, and the timeout in ms.
    private static func parametersOfKernel() async throws -> [Double] {
      let script = """
        mountpoint -q /sys/kernel/debug || mount -t debugfs none /sys/kernel/debug
        cd /sys/kernel/debug/bluetooth/hci0 && cat conn_min_interval conn_max_interval conn_latency supervision_timeout
        """
      let result = try await ToolRun("/bin/sh", ["-c", script], limit: .seconds(60)).result()
      let numbers = result.lines.compactMap(Double.init)
      try #require(numbers.count == 4, "\(result.errorText)")
      return [numbers[0] * 1.25, numbers[1] * 1.25, numbers[2], numbers[3] * 10]
    }

    @Test("A link has an MTU and its beginning; the rest is known, or it says why not")
    func facts() async throws {
      let result = try await link(["--json"])
      let record = try #require(try result.records.first, "\(result.errorText)")
      #expect(result.status == 0 && record["event"]?.text == "link")
      #expect(record["address"]?.text == "\(BuiltIn.strap)")
      #expect(record["mtu"]?.number ?? 0 >= 23)
      #expect(record["opened_by"]?.text == "this_command" && record["since"] != nil)
      guard Stages.isReal else {
        let missing = try #require(record["missing"])
        for part in Self.kernelParts + ["rssi", "phy", "encrypted", "role"] {
          #expect(missing[part]?.text?.isEmpty == false, "\(part)")
        }
        return
      }
      #expect(record["bearer"]?.text == "le" && record["role"]?.text == "central")
      #expect(record["encrypted"]?.flag == false)
      for part in Self.kernelParts { #expect(record[part]?.real != nil, "\(part): \(result.text)") }
      let kernel = try await Self.parametersOfKernel()
      let interval = try #require(record["interval_ms"]?.real)
      #expect((kernel[0]...kernel[1]).contains(interval), "\(interval) ms, the kernel wants \(kernel)")
      #expect(record["latency"]?.real == kernel[2])
      #expect(record["supervision_timeout_ms"]?.real == kernel[3])
      #expect(record["tx_phy"]?.text == "1m" && record["rx_phy"]?.text == "1m")
    }

    @Test(
      "Parameters are set, and what the device made of it is shown; elsewhere that is refused, as is the PHY")
    func setting() async throws {
      let result = try await link(
        ["--interval", "15ms", "--latency", "0", "--supervision-timeout", "4s", "--json"])
      guard Stages.isReal else {
        for (refused, what) in [(result, "parameters"), (try await link(["--phy", "2m"]), "PHY")] {
          #expect(refused.status == 1 && refused.output.isEmpty)
          let words = "cannot set the \(what) of the link to \(BuiltIn.strap): "
          #expect(refused.errorText.contains(words), "\(refused.errorText)")
        }
        return
      }
      let record = try #require(try result.records.first, "\(result.errorText)")
      #expect(record["interval_ms"]?.real == 15 && record["latency"]?.number == 0)
      #expect(record["supervision_timeout_ms"]?.number == 4000)
    }

    @Test("The PHYs of the adapter are selected in the kernel; elsewhere that is refused")
    func phys() async throws {
      let blectl = Blectl(bus: try await Stages.shared.value.address)
      let chosen = try await blectl.run("adapter", "phy", "1m,2m", "--json")
      guard Stages.isReal else {
        #expect(chosen.status == 1 && chosen.output.isEmpty)
        #expect(chosen.errorText.hasPrefix("blectl: cannot set the PHYs of hci0: "), "\(chosen.errorText)")
        return
      }
      let record = try #require(try chosen.records.first, "\(chosen.errorText)")
      #expect(record["selected_phys"]?.elements.compactMap(\.text) == ["1m", "2m"])
      // 1M cannot be left out.
      let coded = try await blectl.run("adapter", "phy", "coded")
      #expect(coded.lines.first == "selected\t1m,coded", "\(coded.errorText)")
      #expect(try await blectl.run("adapter", "phy", "1m").lines.first == "selected\t1m")
    }

    @Test("Without the capability, the lines that need it say so, with the command that grants it")
    func capability() async throws {
      guard Stages.isReal else { return }
      let without = ["/usr/bin/setpriv", "--bounding-set=-net_raw,-net_admin", "--inh-caps=-all"]
      let result = try await link(through: without)
      #expect(result.status == 0, "\(result.errorText)")
      for name in ["interval", "latency", "timeout", "PHY"] {
        #expect(result.lines.contains("\(name)\tunknown: needs CAP_NET_RAW"), "\(result.text)")
      }
      #expect(result.lines.contains("role\tcentral"))
      #expect(result.errorText.contains("hint: sudo setcap cap_net_raw,cap_net_admin+ep /"))
      let refused = try await link(["--interval", "15ms"], through: without)
      #expect(refused.status == 1)
      #expect(refused.errorText.contains("needs CAP_NET_RAW"), "\(refused.errorText)")
    }
  }
}
