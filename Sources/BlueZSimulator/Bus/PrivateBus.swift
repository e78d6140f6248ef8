// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc

/// A private message bus: a `dbus-daemon` child on a socket in a directory that only our user can enter.
///
/// It ends with ``stop()``, with the last reference, or with our process, however that ends.
package final class PrivateBus: Sendable {
  private static let files = ["bus.conf", "bus.log", "bus"]

  /// The address of the bus.
  package let address: String
  private let directory: PrivateDirectory
  private let daemon: ChildProcess

  private init(address: String, directory: PrivateDirectory, daemon: ChildProcess) {
    self.address = address
    self.directory = directory
    self.daemon = daemon
  }

  deinit {
    daemon.killNow()
    directory.remove(files: PrivateBus.files)
  }

  /// Starts a bus and waits until it listens.
  ///
  /// - Parameters:
  ///   - executable: the bus daemon.
  ///   - name: a name whose owner may not be called: a policy that denies access, for tests.
  /// - Returns: the bus.
  /// - Throws: ``SimulatorError`` when the program is missing or does not start.
  package static func start(
    program executable: String = "dbus-daemon", denying name: String? = nil
  ) async throws(SimulatorError) -> PrivateBus {
    guard let program = findProgram(executable) else { throw .busDaemonMissing }
    AbandonedBuses.remove(from: PrivateDirectory.parent, files: files)
    let directory = try PrivateDirectory.make()
    do throws(SimulatorError) {
      try directory.write(BusConfiguration.text(socket: directory.file("bus"), denying: name), to: "bus.conf")
      let report = try ReportPipe()
      let log = OwnedDescriptor(
        adopting: open(directory.file("bus.log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600))
      let daemon = try await launch(program, in: directory, report: report.writer, errors: log.raw)
      guard let address = await report.line(on: .simulation, within: .seconds(10)) else {
        let words = directory.read("bus.log")
        throw SimulatorError.busDaemonFailed(words.isEmpty ? "dbus-daemon gave no address" : words)
      }
      return PrivateBus(address: address, directory: directory, daemon: daemon)
    } catch {
      directory.remove(files: files)
      throw error
    }
  }

  /// Ends the bus, reaps its process and removes its directory.
  ///
  /// Idempotent.
  package func stop() async {
    daemon.terminate()
    let patience = LoopClock.now + .seconds(2)
    while !daemon.hasEnded, LoopClock.now < patience {
      do { try await EventLoop.simulation.sleep(for: .milliseconds(2)) } catch { break }
    }
    daemon.killNow()
    directory.remove(files: PrivateBus.files)
  }

  /// Starts the daemon on the loop's thread, which never ends: the daemon dies with the thread that started it.
  private static func launch(
    _ program: String, in directory: PrivateDirectory, report: Int32, errors: Int32
  ) async throws(SimulatorError) -> ChildProcess {
    let started = Promise<Result<ChildProcess, ErrorNumber>>()
    EventLoop.simulation.submit {
      started.fulfil(
        ChildProcess.start(
          program,
          arguments: [
            "--config-file=\(directory.file("bus.conf"))", "--nofork", "--nopidfile", "--print-address=3",
          ],
          report: report, errors: errors))
    }
    switch await started.value {
    case .success(let daemon): return daemon
    case .failure(let error): throw .busDaemonFailed("\(program): \(error)")
    }
  }

  private static func findProgram(_ name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/bin", "/usr/local/bin", "/bin"]
    return folders.lazy.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
  }
}

extension EventLoop {
  /// The loop that all simulations of the process share.
  package static let simulation = EventLoop(name: "bluez-sim")
}
