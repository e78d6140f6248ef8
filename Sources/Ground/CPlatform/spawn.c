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

enum { FIRST_MOVED = 64 };

// Handlers of this process must not run in the child. Ignored signals are inherited, except by a bound child, and by the
// leader of a session: a shell that this process starts under nohup could not be hung up.
static void reset_signals(bool inherits_ignored) {
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_DFL) continue;
    if (action.sa_handler == SIG_IGN && number != SIGPIPE && inherits_ignored) continue;
    signal(number, SIG_DFL);
  }
}

static bool assign_descriptors(const struct cspawn_plan *plan, int *status) {
  // Moves the descriptors away from the numbers that are assigned below.
  int moved[CSPAWN_DESCRIPTORS];
  *status = fcntl(*status, F_DUPFD_CLOEXEC, FIRST_MOVED);
  if (*status < 0) return false;
  for (int i = 0; i < plan->descriptor_count; i++) {
    moved[i] = fcntl(plan->descriptors[i].source, F_DUPFD_CLOEXEC, FIRST_MOVED);
    if (moved[i] < 0) return false;
  }
  int highest = 2;
  for (int i = 0; i < plan->descriptor_count; i++) {
    int target = plan->descriptors[i].target;
    if (dup2(moved[i], target) < 0) return false;
    if (target > highest) highest = target;
  }
  // Fails on an old kernel: the descriptors of this program are close-on-exec anyway.
  if (plan->is_bound) syscall(SYS_close_range, highest + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  return true;
}

// The first terminal that the leader of a session opens is that of the session.
static bool open_terminal(const char *path) {
  int terminal = open(path, O_RDWR | O_CLOEXEC);
  if (terminal < 0) return false;
  for (int target = 0; target <= 2; target++) {
    if (terminal == target ? fcntl(terminal, F_SETFD, 0) < 0 : dup2(terminal, target) < 0) return false;
  }
  return true;
}

// Runs in the child, so it makes only async-signal-safe calls. Returns only on failure, with errno set.
static void become(const struct cspawn_plan *plan, int *status, pid_t parent) {
  reset_signals(!plan->is_bound && plan->group != CSPAWN_OWN_SESSION);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (plan->group == CSPAWN_OWN_GROUP && setpgid(0, 0) != 0) return;
  if (plan->group == CSPAWN_OWN_SESSION && setsid() < 0) return;
  if (plan->is_bound) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
    if (getppid() != parent) _exit(127);  // the parent died before the line above
  }
  if (!assign_descriptors(plan, status)) return;
  if (plan->terminal != NULL && !open_terminal(plan->terminal)) return;
  execvpe(plan->arguments[0], plan->arguments, plan->environment);
}

int cspawn_start(const struct cspawn_plan *plan) {
  int status[2];
  if (pipe2(status, O_CLOEXEC) != 0) return -errno;
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    int report = status[1];
    become(plan, &report, parent);
    int reason = errno;
    ssize_t written = write(report < 0 ? status[1] : report, &reason, sizeof reason);
    (void)written;
    _exit(127);
  }
  int failure = child < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
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

int cspawn_watch(int process) {
#ifdef SYS_pidfd_open
  long descriptor = syscall(SYS_pidfd_open, process, 0);
  return descriptor < 0 ? -errno : (int)descriptor;
#else
  (void)process;
  return -ENOSYS;
#endif
}
