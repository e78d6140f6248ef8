// SPDX-License-Identifier: MIT
#pragma once
#include <stddef.h>
#include <stdint.h>

// The few functions of OpenSSL's libcrypto that keys, files and encrypted connections need. The system's library is loaded
// at its first use: a program without keys does not pay for it, and needs no OpenSSL.

/// The length of a key and of a block, in bytes.
enum { CCRYPTO_BLOCK = 16 };

/// The lengths of digests, in bytes: of SHA-256, SHA-384 and SHA-512.
enum { CCRYPTO_DIGEST = 32, CCRYPTO_MIDDLE_DIGEST = 48, CCRYPTO_LONG_DIGEST = 64 };

/// The lengths of ChaCha20-Poly1305, in bytes: of a key, a nonce and a tag.
enum { CCRYPTO_CHACHA_KEY = 32, CCRYPTO_CHACHA_NONCE = 12, CCRYPTO_TAG = 16 };

/// The length of a key of X25519, private or public, and of what two have in common, in bytes.
enum { CCRYPTO_X25519 = 32 };

enum {
  CCRYPTO_OK = 0,
  /// The tag does not fit the bytes, the nonce and the key; or a public key leads to zeros with any private one.
  CCRYPTO_NOT_AUTHENTIC = 1,
  /// The library refused a length, lacks the cipher, or had no memory.
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

/// Writes the SHA-384 digest of bytes: CCRYPTO_MIDDLE_DIGEST bytes.
int ccrypto_sha384(struct ccrypto_bytes bytes, uint8_t *result);

/// Writes the SHA-512 digest of bytes: CCRYPTO_LONG_DIGEST bytes.
int ccrypto_sha512(struct ccrypto_bytes bytes, uint8_t *result);

/// Writes the HMAC-SHA-256 of bytes: CCRYPTO_DIGEST bytes.
int ccrypto_hmac_sha256(struct ccrypto_bytes key, struct ccrypto_bytes bytes, uint8_t *result);

/// Encrypts with ChaCha20-Poly1305; writes as many bytes as it reads, and CCRYPTO_TAG bytes of the tag.
int ccrypto_chacha_seal(const uint8_t *key, const uint8_t *nonce, struct ccrypto_bytes associated,
                        struct ccrypto_bytes bytes, uint8_t *result);

/// Decrypts with ChaCha20-Poly1305; the result is valid only with CCRYPTO_OK.
int ccrypto_chacha_open(const uint8_t *key, const uint8_t *nonce, struct ccrypto_bytes associated,
                        struct ccrypto_bytes bytes, const uint8_t *tag, uint8_t *result);

/// Writes the public key of a private one.
int ccrypto_x25519_public(const uint8_t *private_key, uint8_t *result);

/// Writes what a private key and the public key of another have in common; CCRYPTO_NOT_AUTHENTIC if that is zero.
int ccrypto_x25519(const uint8_t *private_key, const uint8_t *public_key, uint8_t *result);
