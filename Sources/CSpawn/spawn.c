// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPORT = 3, FIRST_FREE = 4 };

// Runs in the child, so it makes only async-signal-safe calls. Returns only on failure, with errno set.
static void become(const char *path, char *const *argv, int report, int errors, int status, pid_t parent) {
  sigset_t none;
  sigemptyset(&none);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
  if (getppid() != parent) _exit(127);  // the parent died before the line above

  // Moves the descriptors away from the numbers that are assigned below.
  report = fcntl(report, F_DUPFD_CLOEXEC, 64);
  errors = fcntl(errors, F_DUPFD_CLOEXEC, 64);
  status = fcntl(status, F_DUPFD_CLOEXEC, 64);
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (report < 0 || errors < 0 || status < 0 || nothing < 0) return;
  if (dup2(nothing, 0) < 0 || dup2(nothing, 1) < 0 || dup2(errors, 2) < 0 || dup2(report, REPORT) < 0) return;
  fcntl(0, F_SETFD, 0);
  fcntl(1, F_SETFD, 0);
  syscall(SYS_close_range, FIRST_FREE, ~0U, CLOSE_RANGE_CLOEXEC);  // fails on an old kernel: ours are close-on-exec anyway
  execve(path, argv, environ);
}

pid_t cspawn_start(const char *path, char *const *argv, int report, int errors) {
  int status[2];
  if (pipe2(status, O_CLOEXEC) != 0) return -errno;
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    become(path, argv, report, errors, status[1], parent);
    int reason = errno;
    ssize_t written = write(status[1], &reason, sizeof reason);
    (void)written;
    _exit(127);
  }
  int failure = child < 0 ? errno : 0;
  close(status[1]);
  if (child > 0) {
    int reason = 0;
    ssize_t got;
    do {
      got = read(status[0], &reason, sizeof reason);  // ends when exec closes the other end
    } while (got < 0 && errno == EINTR);
    if (got == (ssize_t)sizeof reason) {
      failure = reason;
      while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
  }
  close(status[0]);
  return failure == 0 ? child : -failure;
}

int cspawn_watch(pid_t pid) {
#ifdef SYS_pidfd_open
  long descriptor = syscall(SYS_pidfd_open, pid, 0);
  return descriptor < 0 ? -errno : (int)descriptor;
#else
  (void)pid;
  return -ENOSYS;
#endif
}
