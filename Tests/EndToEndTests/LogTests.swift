// SPDX-License-Identifier: MIT
import BLEFormats
import BLEWorld
import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// `subscribe --log`, as a user runs it.
@Suite("Logs")
struct LogTests {
  private static let strap = "F0:F1:F2:F3:F4:F5"

  @Test("An NDJSON log holds the bytes that --json prints; the others hold the same values")
  func sameBytes() async throws {
    let result = try await Blectl.runScript(
      """
      $BLECTL subscribe 'Heart Strap' 2a37 --count 3 --json --simulate --log a.ndjson --log a.csv --log a.sqlite >out
      cmp out a.ndjson && cut -d, -f2,7,13 a.csv | tr -d '\\r'
      python3 -c "import sqlite3; print(sqlite3.connect('a.sqlite').execute('select value, decoded from log').fetchall())"
      """)
    #expect(
      result.lines == [
        "event,value,heart_rate_bpm", "connected,,", "value,003c,60", "value,003d,61", "value,003e,62",
        """
        [('003c', '{"heart_rate_bpm":60}'), ('003d', '{"heart_rate_bpm":61}'), ('003e', '{"heart_rate_bpm":62}')]
        """,
      ])
    #expect(result.errorText.isEmpty)
  }

  @Test("In InfluxDB, two characteristics of one UUID are two series")
  func twins() async throws {
    let world = """
      {"peripherals": [{"address": "F0:F1:F2:F3:F4:01", "name": "Twin", "services": [{"uuid": "fff0", "characteristics": [
        {"uuid": "fff1", "properties": ["notify"], "notifies": {"list": ["aa"], "every": "50ms"}},
        {"uuid": "fff1", "properties": ["notify"], "notifies": {"list": ["bb"], "every": "50ms"}},
        {"uuid": "fff2", "properties": ["notify"], "notifies": {"list": ["cc"], "every": "50ms"}}]}]}]}
      """
    let result = try await Blectl.runScript(
      """
      cat >twins.json <<'END'
      \(world)
      END
      $BLECTL services Twin --json --simulate=twins.json >tree
      python3 -c "import json
      for c in json.load(open('tree'))['services'][-1]['characteristics']: print(c['uuid'][4:8], c['handle'])" >handles
      $BLECTL subscribe Twin $(sed 's/.* //' handles | xargs printf '@%04x ') --count 12 -q --simulate=twins.json --log influx:log >out
      grep -o 'characteristic=.* value=...' log | sort -u -k2; cat handles
      """)
    let handles = result.lines.suffix(3).compactMap { $0.split(separator: " ").last }
    try #require(handles.count == 3)
    #expect(
      Array(result.lines.dropLast(3)) == [
        "characteristic=fff1,handle=\(handles[0]),name=Twin value=\"aa",
        "characteristic=fff1,handle=\(handles[1]),name=Twin value=\"bb",
        "characteristic=fff2,name=Twin value=\"cc",
      ])
  }

  @Test("Where a log is damaged or has other columns, the command goes on with a new file")
  func roomForNew() async throws {
    let result = try await Blectl.runScript(
      """
      printf '{"ev' >a.ndjson; head -c 4096 /dev/zero >a.csv; head -c 4096 /dev/zero >a.db
      $BLECTL subscribe 'Heart Strap' 2a37 --count 1 -q --simulate --log a.ndjson --log a.csv --log a.db >out
      echo "status $?"; ls | sed 's/-[0-9TZ]*/-TIME/' | LC_ALL=C sort
      $BLECTL subscribe Thermometer 2a6e --count 1 -q --simulate --log a.csv --log a.db >out
      echo "status $?"; ls a*.csv | sed 's/-[0-9TZ]*/-TIME/'; grep -c heart_rate_bpm a-*.csv
      grep -c temperature_celsius a.csv
      """)
    #expect(
      result.lines == [
        "status 0", "a-TIME.csv.damaged", "a-TIME.db.damaged", "a-TIME.ndjson.damaged", "a.csv", "a.db",
        "a.ndjson", "out", "status 0", "a-TIME.csv", "a.csv", "1", "1",
      ])
    let errors = result.errorText.split(separator: "\n")
    #expect(errors.count == 4 && errors.allSatisfy { $0.hasSuffix(" and started a new file") })
  }

  @Test("A log that cannot be written is reported before anything is connected to")
  func unwritable() async throws {
    let result = try await Blectl.runScript(
      "$BLECTL subscribe Nobody 2a37 --log /nonexistent/a.csv", bus: "unix:path=/nonexistent")
    #expect(result.status == 1)
    #expect(result.errorText == "blectl: cannot write /nonexistent/a.csv: No such file or directory\n")
  }

  @Test("The error of a second writer of a log names the first")
  func secondWriter() async throws {
    try await withSimulator { simulated in
      let result = try await Blectl.runScript(
        """
        $BLECTL subscribe 'Heart Strap' 2a37 --log a.csv --log b.db >out & P=$!
        until [ -s out ]; do sleep 0.05; done
        for log in a.csv b.db; do $BLECTL subscribe 'Heart Strap' 2a37 --log $log || echo $?; done 2>&1 |
          sed "s/process $P/process P/"
        kill -INT $P
        """, bus: simulated.address)
      #expect(
        result.lines == [
          "blectl: cannot write a.csv: blectl (process P) is already writing to it", "1",
          "blectl: cannot write b.db: blectl (process P) is already writing to it", "1",
        ])
    }
  }

  @Test("A full disk is reported, values wait for it, and what is lost ends with status 1")
  func fullDisk() async throws {
    let result = try await Blectl.runScript(
      """
      trap '' XFSZ
      (ulimit -f 1; exec $BLECTL subscribe 'Heart Strap' 2a37 --count 8 --simulate --log a.ndjson >out)
      echo "status $?" ; wc -l <out; python3 -c "import json
      for line in open('a.ndjson'): json.loads(line)
      print('parses')"
      """)
    #expect(result.lines == ["status 1", "8", "parses"])
    #expect(
      result.errorText.contains(
        "blectl: cannot write a.ndjson: File too large; kept in memory, up to 16M (--buffer)"))
    #expect(result.errorText.contains("not written to a.ndjson"))
  }

  @Test(
    "A signal ends the command, also while its reader is stalled",
    arguments: [
      SIGINT, SIGTERM,
    ])
  func stalledReader(_ signal: Int32) async throws {
    try await withSimulator(world: .flood(notifications: 20_000)) { simulated in
      let result = try await Blectl.runScript(
        """
        mkfifo pipe; sleep 60 <pipe & R=$!
        $BLECTL subscribe Flood 2a37 --json --buffer 64K >pipe 2>errors & P=$!
        until grep -q 'is too slow' errors; do sleep 0.1; done
        end \(signal) $P; kill $R; cat errors
        """, bus: simulated.address)
      #expect(result.lines.prefix(2) == ["status \(128 + signal)", "in time"])
      #expect(result.text.contains("the output is too slow: 64K wait (--buffer)"))
      #expect(result.text.contains("not written to the output"))
    }
  }

  @Test(
    "A reader of stdout that is stuck does not stop the logs of scan and monitor",
    arguments: ["scan --duplicates --duration 0", "monitor --scan --rssi"])
  func stuckReader(_ command: String) async throws {
    try await withSimulator { simulated in
      let result = try await Blectl.runScript(
        """
        mkfifo pipe
        python3 -c 'import fcntl, os, time
        pipe = os.open("pipe", os.O_RDWR)
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 4096)
        open("ready", "w")
        time.sleep(100)' & R=$!
        until [ -e ready ]; do sleep 0.05; done
        $BLECTL \(command) --json --log log.ndjson >pipe & P=$!
        full pipe
        lines=$(wc -l <log.ndjson)
        for _ in $(seq 600); do
          [ $(wc -l <log.ndjson) -gt $((lines + 20)) ] && echo logged && break
          sleep 0.05
        done
        end INT $P; kill $R
        """, bus: simulated.address)
      #expect(result.lines == ["logged", "status 130", "in time"])
      #expect(result.errorText.contains("written to the output"))
    }
  }

  @Test("A characteristic named by its handle has columns in a table, as by its UUID")
  func byHandle() async throws {
    let result = try await Blectl.runScript(
      """
      handle=$($BLECTL services 'Heart Strap' --json --simulate | python3 -c "import json, sys
      for s in json.load(sys.stdin)['services']:
        for c in s['characteristics']:
          if c['uuid'].startswith('00002a37'): print('@%04x' % c['handle'])")
      $BLECTL subscribe 'Heart Strap' $handle --count 1 -q --simulate --log a.csv >out
      cut -d, -f2,7,13 a.csv | tr -d '\\r'; ls
      """)
    #expect(result.lines == ["event,value,heart_rate_bpm", "connected,,", "value,003c,60", "a.csv", "out"])
    #expect(result.errorText.isEmpty)
  }

  @Test("Lines are decoded as they come, and a reader that has enough ends them")
  func endlessLines() async throws {
    let result = try await Blectl.runScript(
      "yes '2a37 0048' | $BLECTL decode --from - | head -n 3; echo ${PIPESTATUS[1]}")
    #expect(result.lines.count == 4)
    #expect(result.lines.last == "141")
    let lines = try await Blectl.runScript(
      """
      mkfifo in; $BLECTL decode --from in >out & exec 3>in; echo '2a37 0048' >&3
      until [ -s out ]; do sleep 0.1; done; echo came; echo nonsense >&3; exec 3>&-; wait $!; echo $?; wc -l <out
      """)
    #expect(lines.lines == ["came", "64", "1"])
    #expect(lines.errorText.contains("line 2 of in"), "\(lines.errorText)")
  }

  @Test("Records for which the command of --exec did not run are counted, and end with status 1")
  func slowCommand() async throws {
    try await withSimulator(world: .flood(notifications: 20_000)) { simulated in
      // No command ends before a record has found no room.
      let result = try await Blectl.runScript(
        """
        $BLECTL subscribe Flood 2a37 --count 5000 --exec 'until [ -e go ]; do sleep 0.1; done; echo >>ran' --jobs 8 2>errors & P=$!
        until grep -q 'is too slow' errors; do sleep 0.1; done
        touch go; wait $P; echo "status $?"
        lost=$(sed -n 's/.*was too slow: it did not run for \\([0-9]*\\) value.*/\\1/p' errors)
        echo "$(($(wc -l <ran) + lost)) $((lost > 0))"
        """, bus: simulated.address)
      #expect(result.lines == ["status 1", "5000 1"], "\(result.errorText)")
    }
  }

  @Test("Values that a slow reader could not take are counted in their place, and end with status 1")
  func slowReader() async throws {
    try await withSimulator(world: .flood(notifications: 20_000)) { simulated in
      let result = try await Blectl.runScript(
        """
        mkfifo pipe go
        (read -r _ <go; cat >out) <pipe & R=$!
        $BLECTL subscribe Flood 2a37 --json --count 20000 --buffer 64K >pipe 2>errors & P=$!
        until grep -q 'is too slow' errors; do sleep 0.1; done
        echo >go; wait $P; echo "status $?"; wait $R
        python3 -c "
        import json
        records = [json.loads(line) for line in open('out')]
        values = [int.from_bytes(bytes.fromhex(r['value'])[:4], 'little') for r in records if r['event'] == 'value']
        dropped = sum(r['count'] for r in records if r['event'] == 'dropped')
        print(len(values) + dropped, values == sorted(set(values)), dropped > 0)"
        """, bus: simulated.address)
      #expect(result.lines == ["status 1", "20000 True True"])
    }
  }

  @Test(
    "A subscription goes on over a new connection when the bus is restarted, and bluetoothd later",
    .timeLimit(.minutes(3)),
    arguments: [false, true])
  func busRestarted(isDaemonLater: Bool) async throws {
    try await withSimulator { first in
      let link = "/tmp/blectl-test-bus-\(getpid())-\(isDaemonLater)"
      unlink(link)
      let path = try #require(first.address.firstMatch(of: /unix:path=([^,]+)/)?.1)
      #expect(symlink(String(path), link) == 0)
      defer { unlink(link) }
      let running = try Blectl(bus: "unix:path=\(link)").start(
        [
          "subscribe", "Heart Strap", "2a37", "--json", "--reconnect", "--reconnect-delay", "1s", "--pair",
          "-vv",
        ])
      #expect(await running.waitForLines(2))
      try await withSimulator { second in
        if isDaemonLater { await second.simulator.killDaemon() }
        let path = try #require(second.address.firstMatch(of: /unix:path=([^,]+)/)?.1)
        unlink(link)
        #expect(symlink(String(path), link) == 0)
        await first.stop()
        if isDaemonLater {
          // The second time, on the second bus.
          #expect(await running.waitForErrors { $0.split(separator: "GetManagedObjects").count > 2 })
          try await second.simulator.startDaemon()
        }
        #expect(
          await running.waitForOutput { text in
            text.split(separator: "\n").drop { !$0.contains("\"reconnected\"") }.count > 2
          })
        running.send(signal: SIGINT)
        let records = try await running.result().records
        let events = records.compactMap { $0["event"]?.text }.filter { $0 != "value" }
        #expect(events == ["connected", "disconnected", "reconnected"])
      }
    }
  }

  @Test("A subscription goes on when the adapter is unplugged and plugged in again", .timeLimit(.minutes(3)))
  func unplugged() async throws {
    try await withSimulator { simulated in
      let running = try Blectl(bus: simulated.address).start(
        ["subscribe", "Heart Strap", "2a37", "--json", "--reconnect", "--reconnect-delay", "1s"])
      #expect(await running.waitForLines(2))
      for time in 1...2 {
        await simulated.simulator.removeAdapter()
        #expect(await running.waitForOutput { $0.split(separator: "\"disconnected\"").count == time + 1 })
        await simulated.simulator.addAdapter()
        #expect(
          await running.waitForOutput { text in
            let parts = text.split(separator: "\"reconnected\"")
            return parts.count == time + 1 && parts[time].split(separator: "\n").count > 1
          })
      }
      running.send(signal: SIGINT)
      let records = try await running.result().records
      let events = records.compactMap { $0["event"]?.text }.filter { $0 != "value" }
      #expect(events == ["connected", "disconnected", "reconnected", "disconnected", "reconnected"])
      let reasons = records.compactMap { $0["reason"]?.text }
      let areOfAdapter = reasons.allSatisfy { $0.contains("adapter") }
      #expect(reasons.count == 2 && areOfAdapter)
    }
  }

  @Test("Values that wait in the socket when the link is lost are still read", .timeLimit(.minutes(3)))
  func lostWithFullSocket() async throws {
    try await withSimulator(world: .contract) { simulated in
      let bench = "C2:B1:EC:00:00:01"
      let stream = BluetoothUUID(0xb1ec_0109, base: 0x5c0e_4b1e_a5d2_6b2f_0c7e_91aa)
      let running = try Blectl(bus: simulated.address).start(
        ["subscribe", bench, "b1ec0109-5c0e-4b1e-a5d2-6b2f0c7e91aa", "--via", "socket", "--json"])
      #expect(await running.waitForLines(1))
      running.send(signal: SIGSTOP)
      for number in UInt8(0)..<100 { await simulated.simulator.notify(bench, stream, value: [number]) }
      await simulated.simulator.dropLink(bench)
      running.send(signal: SIGCONT)
      let result = await running.result()
      #expect(result.status == 1)
      let values = try result.records.compactMap { $0["value"]?.text }.compactMap { Int($0, radix: 16) }
      #expect(values == Array(0..<100))
      #expect(try result.records.last?["event"]?.text == "disconnected")
    }
  }
}
