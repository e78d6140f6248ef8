// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>
#include <stdint.h>

// The few functions of OpenSSL's libcrypto that keys and files need: AES with keys of 128 bits, and SHA-256. The system's
// library is loaded at its first use: a program without keys does not pay for it, and needs no OpenSSL.

/// The length of a key and of a block, in bytes.
enum { CCRYPTO_BLOCK = 16 };

/// The length of a SHA-256 digest, in bytes.
enum { CCRYPTO_DIGEST = 32 };

enum {
  CCRYPTO_OK = 0,
  /// The tag does not fit the bytes, the nonce and the key.
  CCRYPTO_NOT_AUTHENTIC = 1,
  /// The library refused a length, or had no memory.
  CCRYPTO_FAILED = 2,
};

/// Bytes to read.
struct ccrypto_bytes {
  const uint8_t *start;
  size_t count;
};

/// Loads the library; returns NULL, or the reason why it cannot be loaded. All other functions need a call that returned
/// NULL. Call it once: it is not safe on two threads at a time.
const char *ccrypto_load(void);

/// Encrypts one block, as in ECB mode.
int ccrypto_encrypt_block(const uint8_t *key, const uint8_t *block, uint8_t *result);

/// Encrypts or decrypts in counter mode, from the given counter block on, which counts most significant byte first.
int ccrypto_count(const uint8_t *key, const uint8_t *counter, struct ccrypto_bytes bytes, uint8_t *result);

/// Encrypts in CCM mode; writes as many bytes as it reads, and a tag of 4 to 16 bytes.
int ccrypto_seal(const uint8_t *key, struct ccrypto_bytes nonce, struct ccrypto_bytes associated,
                 struct ccrypto_bytes bytes, uint8_t *result, uint8_t *tag, size_t tag_count);

/// Decrypts in CCM mode; the result is valid only with CCRYPTO_OK.
int ccrypto_open(const uint8_t *key, struct ccrypto_bytes nonce, struct ccrypto_bytes associated,
                 struct ccrypto_bytes bytes, struct ccrypto_bytes tag, uint8_t *result);

/// Writes the SHA-256 digest of bytes: CCRYPTO_DIGEST bytes.
int ccrypto_sha256(struct ccrypto_bytes bytes, uint8_t *result);
