// SPDX-License-Identifier: MIT
/// Starts programs, and waits for child processes.
///
/// In C because no code of the Swift runtime may run between fork and exec, and because posix_spawn can neither set a
/// parent-death signal nor detect that the parent has died in the meantime.
#ifndef CSPAWN_H
#define CSPAWN_H

#include <stdbool.h>

enum cspawn_group {
  CSPAWN_SAME_GROUP,  // that of the caller
  CSPAWN_OWN_GROUP,   // so that Ctrl-C at the terminal does not reach the child
  CSPAWN_OWN_SESSION,
};

/// A descriptor of the caller, and its number in the child.
struct cspawn_descriptor {
  int source;
  int target;
};

enum { CSPAWN_DESCRIPTORS = 8 };

struct cspawn_plan {
  /// The program comes first; it is looked up in PATH if its name has no slash. Both lists end with a null pointer, and are not null themselves.
  char *const _Nullable *_Nullable arguments;
  char *const _Nullable *_Nullable environment;
  struct cspawn_descriptor descriptors[CSPAWN_DESCRIPTORS];
  int descriptor_count;
  /// The path of the terminal that becomes the three standard streams, and that of the child's own session.
  const char *_Nullable terminal;
  enum cspawn_group group;
  /// The child inherits no other descriptor and no ignored signal, and the kernel kills it when the calling
  /// THREAD ends for any reason: call on a thread that lives as long as the process.
  bool is_bound;
};

/// Starts a program. No signal is blocked in the child, because threads of this process block some, and SIGPIPE has its
/// default effect.
///
/// Returns the process id of the child, which the caller must reap, or -errno if it could not be started.
int cspawn_start(const struct cspawn_plan *_Nonnull plan);

/// Returns a close-on-exec descriptor that becomes readable when `process`, an unreaped child, ends; or -errno.
/// In C because syscall is variadic, and the C library of Debian 11 has no pidfd_open.
int cspawn_watch(int process);

#endif
