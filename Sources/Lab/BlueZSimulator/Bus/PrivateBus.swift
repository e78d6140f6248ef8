// SPDX-License-Identifier: MIT
internal import AsyncIO
package import DBus
internal import Glibc
internal import PeripheralEmulator

/// A private message bus: a `dbus-daemon` child on a socket in a directory that only our user can enter.
///
/// It ends with ``stop()``, with the last reference or with this process, even if that is killed.
package final class PrivateBus: Sendable {
  private static let files = ["bus.conf", "bus.log", "bus"]

  /// The address without the bus's identifier, which changes when the bus is started again.
  package let address: String
  private let program: String
  private let directory: PrivateDirectory
  private let daemon = Lock<ChildProcess?>(nil)

  private init(_ program: String, in directory: PrivateDirectory) {
    self.program = program
    self.directory = directory
    address = BusAddress(socket: directory.file("bus")).text
  }

  deinit {
    kill()
    directory.remove(files: PrivateBus.files)
  }

  /// Starts a bus and waits until it listens; its policy denies calls to the owner of `name`.
  package static func start(
    program executable: String = "dbus-daemon", denying name: String? = nil
  ) async throws(SimulatorError) -> PrivateBus {
    guard let program = findProgram(executable) else { throw .busDaemonMissing }
    AbandonedBuses.remove(from: PrivateDirectory.parent, files: files)
    let directory = try PrivateDirectory.make()
    let bus = PrivateBus(program, in: directory)
    try directory.write(BusConfiguration.text(socket: directory.file("bus"), denying: name), to: "bus.conf")
    try await bus.resume()
    return bus
  }

  /// Kills the bus: its clients are disconnected until ``resume()``.
  package func kill() {
    guard let daemon = daemon.withLock({ $0.take() }) else { return }
    daemon.signal(SIGKILL)
    daemon.reap()
  }

  /// Starts a killed bus again at the same address, and waits until it listens.
  package func resume() async throws(SimulatorError) {
    guard daemon.withLock({ $0 == nil }) else { return }
    // No loop sees the daemon work, so virtual time could skip its limit.
    let start = LoopClock.workElsewhere()
    defer { start?.end() }
    let report = try ReportPipe()
    let log = OwnedDescriptor(
      adopting: open(directory.file("bus.log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600))
    let daemon = try await PrivateBus.launch(program, in: directory, report: report.writer, errors: log.raw)
    guard await report.line(on: .simulation, within: .seconds(10)) != nil else {
      let words = directory.read("bus.log")
      throw SimulatorError.busDaemonFailed(words.isEmpty ? "dbus-daemon gave no address" : words)
    }
    self.daemon.withLock { $0 = daemon }
  }

  /// Ends the bus, reaps its process and removes its directory; idempotent.
  package func stop() async {
    if let daemon = daemon.withLock({ $0 }) {
      daemon.signal(SIGTERM)
      let deadline = LoopClock.now + .seconds(2)
      while !daemon.hasEnded, LoopClock.now < deadline {
        do { try await EventLoop.simulation.sleep(for: .milliseconds(2)) } catch { break }
      }
      kill()
    }
    directory.remove(files: PrivateBus.files)
  }

  /// Starts the daemon on the loop's thread, which never ends: the daemon dies with the thread that started it.
  private static func launch(
    _ program: String, in directory: PrivateDirectory, report: Int32, errors: Int32
  ) async throws(SimulatorError) -> ChildProcess {
    let started = Promise<Result<ChildProcess, ErrorNumber>>()
    EventLoop.simulation.submit {
      started.fulfil(
        Result { () throws(ErrorNumber) in
          try start(program, configuration: directory.file("bus.conf"), report: report, errors: errors)
        })
    }
    switch await started.value {
    case .success(let daemon): return daemon
    case .failure(let error): throw .busDaemonFailed("\(program): \(error)")
    }
  }

  private static func start(
    _ program: String, configuration: String, report: Int32, errors: Int32
  ) throws(ErrorNumber) -> ChildProcess {
    let nothing = OwnedDescriptor(adopting: open("/dev/null", O_RDWR | O_CLOEXEC))
    var start = ProcessStart([
      program, "--config-file=\(configuration)", "--nofork", "--nopidfile", "--print-address=3",
    ])
    start.descriptors = [
      STDIN_FILENO: nothing.raw, STDOUT_FILENO: nothing.raw, STDERR_FILENO: errors, 3: report,
    ]
    start.group = .own
    start.isBound = true
    return try start.start()
  }

  private static func findProgram(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/bin", "/usr/local/bin", "/bin"]
    return folders.lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}

/// The configuration of the private bus: no activation, all rights for our user, limits beyond any benchmark.
///
/// The bus stops reading from a sender while `max_incoming_bytes` of its messages wait for slow receivers.
/// The queue of a receiver may hold more, so senders are slowed down and nothing is dropped.
enum BusConfiguration {
  static func text(socket: String, denying name: String?) -> String {
    let denial = name.map { "<deny send_destination=\"\($0)\"/>" } ?? ""
    return """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
       "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig>
        <type>session</type>
        <listen>unix:path=\(socket)</listen>
        <auth>EXTERNAL</auth>
        <policy context="default">
          <allow user="*"/>
          <allow send_destination="*" eavesdrop="true"/>
          <allow eavesdrop="true"/>
          <allow own="*"/>
          \(denial)
        </policy>
        <limit name="max_incoming_bytes">134217728</limit>
        <limit name="max_outgoing_bytes">1073741824</limit>
        <limit name="max_message_size">134217728</limit>
        <limit name="max_completed_connections">10000</limit>
        <limit name="max_incomplete_connections">1000</limit>
        <limit name="max_connections_per_user">10000</limit>
        <limit name="max_names_per_connection">1000</limit>
        <limit name="max_match_rules_per_connection">100000</limit>
        <limit name="max_replies_per_connection">100000</limit>
      </busconfig>
      """
  }
}

/// An error that prevents a simulation from starting.
package enum SimulatorError: Error, Sendable, Hashable, CustomStringConvertible {
  case busDaemonMissing
  case busDaemonFailed(String)
  case busUnusable(DBusError)
  case nameTaken

  package var description: String {
    switch self {
    case .busDaemonMissing:
      "the program dbus-daemon is not installed"
    case .busDaemonFailed(let reason): "its private bus did not start: \(reason)"
    case .busUnusable(let error): "the bus cannot be used: \(error)"
    case .nameTaken: "another program owns org.bluez on this bus"
    }
  }
}

/// Removes the directories of buses whose owner was killed: their locks and daemons died with it.
enum AbandonedBuses {
  static func remove(from parent: String, files: [String]) {
    let names = (try? Folder.names(in: parent)) ?? []
    for name in names where name.hasPrefix(PrivateDirectory.prefix) {
      let path = "\(parent)/\(name)"
      // An owner locks its directory before it writes the first file.
      guard let first = files.first, access("\(path)/\(first)", F_OK) == 0 else { continue }
      let directory = OwnedDescriptor(
        adopting: open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
      var status = stat()
      guard fstat(directory.raw, &status) == 0, status.st_uid == geteuid(),
        flock(directory.raw, LOCK_EX | LOCK_NB) == 0
      else { continue }
      for file in files { unlink("\(path)/\(file)") }
      rmdir(path)
    }
  }
}
