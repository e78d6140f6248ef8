// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>

// Libraries that are loaded at their first use.

/// A function or a variable of a library, and the location for its address.
struct cdynamic_symbol {
  const char *name;
  void *slot;
};

/// Loads a library and finds its symbols, of which none may be used if one is missing.
/// Returns NULL, or the reason why it cannot be loaded.
const char *cdynamic_load(const char *file, const struct cdynamic_symbol *symbols, size_t count);
