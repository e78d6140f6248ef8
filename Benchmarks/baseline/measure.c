// SPDX-License-Identifier: MIT
/// Runs a command N times and reports what each run cost: `measure FD N COMMAND…`.
///
/// For each run a line "STATUS USER_µs SYSTEM_µs MAXRSS_KiB WALL_µs" goes to the descriptor FD; the status is that of
/// waitpid. A small program does this, since a child inherits the maximum RSS of the process that forked it.
#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long microseconds(struct timeval time) { return time.tv_sec * 1000000L + time.tv_usec; }

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000L + time.tv_nsec / 1000;
}

int main(int argc, char **argv) {
  if (argc < 4) return 64;
  int report = atoi(argv[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclose(&actions, report);
  for (long run = atol(argv[2]); run > 0; run--) {
    pid_t child;
    int status;
    struct rusage usage;
    long start = now();
    int error = posix_spawnp(&child, argv[3], &actions, NULL, argv + 3, environ);
    if (error != 0) {
      fprintf(stderr, "cannot run %s: %s\n", argv[3], strerror(error));
      return 1;
    }
    while (wait4(child, &status, 0, &usage) < 0)
      if (errno != EINTR) return 1;
    dprintf(report, "%d %ld %ld %ld %ld\n", status, microseconds(usage.ru_utime), microseconds(usage.ru_stime),
            usage.ru_maxrss, now() - start);
  }
  return 0;
}
