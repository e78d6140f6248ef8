// SPDX-License-Identifier: MIT
import Glibc
import Testing

@testable import AsyncIO

@Suite("ChildProcess")
struct ChildProcessTests {
  private func end(of start: ProcessStart) async throws -> ChildProcess.Ending {
    let child = try start.start()
    return await child.end(on: .shared)
  }

  @Test("A child dies with the thread that started it")
  func childDiesThread() async throws {
    let started = Promise<Result<ChildProcess, ErrorNumber>>()
    let box = Unmanaged.passRetained(started).toOpaque()
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { box in
        guard let box else { return nil }
        let started = Unmanaged<Promise<Result<ChildProcess, ErrorNumber>>>.fromOpaque(box)
          .takeRetainedValue()
        let silence = open("/dev/null", O_RDWR | O_CLOEXEC)
        var start = ProcessStart(["/bin/sleep", "1000"])
        start.descriptors = [STDOUT_FILENO: silence, STDERR_FILENO: silence]
        start.group = .own
        start.isBound = true
        started.fulfil(Result { () throws(ErrorNumber) in try start.start() })
        close(silence)
        return nil
      }, box)
    let child = try await started.value.get()
    pthread_join(thread, nil)
    #expect(child.reap() == .signalled(SIGKILL))
    #expect(child.hasEnded)
  }

  @Test(
    "A program that cannot be started is reported as an errno",
    arguments: ["/no/such/program", "no-such-program"])
  func programCannotRun(program: String) {
    #expect(throws: ErrorNumber(code: ENOENT)) {
      _ = try ProcessStart([program]).start()
    }
  }

  @Test("A child reads and writes the descriptors that it is given, and has the changed environment")
  func descriptors() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let input = OwnedDescriptor(adopting: open("/dev/null", O_RDONLY | O_CLOEXEC))
    let reading = OwnedDescriptor(adopting: ends[0])
    do {
      let writing = OwnedDescriptor(adopting: ends[1])
      var start = ProcessStart(["sh", "-c", "cat; printf %s \"$COLOUR $PATH\" >&7"])
      start.environment = ["COLOUR": "red"]
      // Each number is that of another descriptor in this process.
      start.descriptors = [STDIN_FILENO: input.raw, 7: writing.raw]
      let child = try start.start()
      #expect(await child.end(on: .shared) == .exited(0))
    }
    var text = [UInt8](repeating: 0, count: 4096)
    let count = read(reading.raw, &text, text.count)
    #expect(
      String(decoding: text.prefix(max(0, count)), as: UTF8.self) == "red \(String(cString: getenv("PATH")))")
  }

  @Test("Descriptors may exchange their numbers")
  func exchange() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var start = ProcessStart([
      "bash", "-c", "read line <&\(ends[1]) && test $line = wine && echo >&\(ends[0])",
    ])
    start.descriptors = [ends[0]: ends[1], ends[1]: ends[0]]
    #expect(write(ends[1], "wine\n", 5) == 5)
    #expect(try await end(of: start) == .exited(0))
    close(ends[0])
    close(ends[1])
  }

  @Test("A child has no handler, and only the signals ignored that this process ignores")
  func signals() async throws {
    let before = signal(SIGUSR1) { _ in }
    let ignored = signal(SIGUSR2, SIG_IGN)
    defer {
      signal(SIGUSR1, before)
      signal(SIGUSR2, ignored)
    }
    #expect(try await end(of: ProcessStart(["sh", "-c", "kill -USR1 $$"])) == .signalled(SIGUSR1))
    #expect(try await end(of: ProcessStart(["sh", "-c", "kill -USR2 $$"])) == .exited(0))
    #expect(try await end(of: ProcessStart(["sh", "-c", "kill -PIPE $$"])) == .signalled(SIGPIPE))
    var bound = ProcessStart(["sh", "-c", "kill -USR2 $$"])
    bound.isBound = true
    #expect(try bound.start().reap() == .signalled(SIGUSR2))
  }

  @Test(
    "A signal to a child that leads a group reaches its children, and what it leaves behind can be killed")
  func group() async throws {
    var start = ProcessStart(["sh", "-c", "sleep 1000 & exit 3"])
    start.group = .own
    let child = try start.start()
    #expect(await child.end(on: .shared) == .exited(3))
    #expect(child.hasOrphans)
    child.killOrphans()
  }

  @Test("A released child is killed")
  func released() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reading = OwnedDescriptor(adopting: ends[0])
    do {
      let writing = OwnedDescriptor(adopting: ends[1])
      var start = ProcessStart(["sleep", "1000"])
      start.descriptors[STDOUT_FILENO] = writing.raw
      _ = try start.start()
    }
    var byte: UInt8 = 0
    #expect(read(reading.raw, &byte, 1) == 0)
  }

  @Test("The end of a child is noticed with a descriptor, and without one where the system has none")
  func withoutDescriptor() async throws {
    var process = pid_t()
    var arguments = [strdup("true"), nil]
    defer { free(arguments[0]) }
    try #require(posix_spawnp(&process, "true", nil, nil, &arguments, environ) == 0)
    await ProcessEnd.wait(for: process, on: .shared) { _ in -ENOSYS }
    await ProcessEnd.wait(for: process, on: .shared)
    #expect(waitpid(process, nil, WNOHANG) == process)
  }
}
