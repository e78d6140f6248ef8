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
/// The child leads its own process group, so that Ctrl-C at the terminal does not reach it. Its standard input and
/// output are /dev/null, its standard error is `errors`, its descriptor 3 is `report`; it inherits no other descriptor
/// and no blocked signal. The kernel kills it when the calling THREAD ends for any reason, so call this function on a
/// thread that lives as long as the process.
///
/// Returns the process id of the child, which the caller must reap, or -errno if it could not be started.
pid_t cspawn_start(
    const char *_Nonnull path, char *const _Nullable *_Nonnull argv, int report, int errors);

/// Returns a close-on-exec descriptor that becomes readable when `pid`, an unreaped child, ends; or -errno.
/// In C because syscall is variadic, and the C library of Debian 11 has no pidfd_open.
int cspawn_watch(pid_t pid);

#endif
