// SPDX-License-Identifier: MIT
/// Starts a program that never outlives this process, and waits for child processes.
///
/// In C because no code of the Swift runtime may run between fork and exec, and because posix_spawn can neither set a
/// parent-death signal nor detect that the parent has died in the meantime.
#ifndef CSPAWN_H
#define CSPAWN_H

#include <sys/types.h>

/// Starts the program `path` with the arguments `argv` (null-terminated, the name of the program first).
///
/// The child is the leader of a process group of its own, so that Ctrl-C at the terminal does not reach it; its
/// standard input and output are /dev/null, its standard error is `errors`, its descriptor 3 is `report`, and it
/// inherits no other descriptor and no blocked signal. It gets SIGKILL when the calling THREAD ends for any reason, so call
/// from a thread that lives as long as the process.
///
/// Returns the process id of the child, which the caller must reap, or -errno if it could not be started.
pid_t cspawn_start(
    const char *_Nonnull path, char *const _Nullable *_Nonnull argv, int report, int errors);

/// A close-on-exec descriptor that becomes readable when the process `pid` ends, or -errno. The process must be a child
/// that has not been reaped yet. In C because syscall is variadic, and the C library of Debian 11 has no pidfd_open.
int cspawn_watch(pid_t pid);

#endif
