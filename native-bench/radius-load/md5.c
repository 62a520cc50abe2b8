#include "md5.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read as they lie in memory");

#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define G(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define STEP(function, a, b, c, d, word, constant, shift) \
  a += function(b, c, d) + x[word] + constant;            \
  a = ROTATE(a, shift) + b

static void compress(uint32_t state[4], const uint8_t *block) {
  uint32_t x[16];
  memcpy(x, block, sizeof x);
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
#define FOUR(function, w0, k0, s0, w1, k1, s1, w2, k2, s2, w3, k3, s3) \
  STEP(function, a, b, c, d, w0, k0, s0);                              \
  STEP(function, d, a, b, c, w1, k1, s1);                              \
  STEP(function, c, d, a, b, w2, k2, s2);                              \
  STEP(function, b, c, d, a, w3, k3, s3)
  FOUR(F, 0, 0xd76aa478, 7, 1, 0xe8c7b756, 12, 2, 0x242070db, 17, 3, 0xc1bdceee, 22);
  FOUR(F, 4, 0xf57c0faf, 7, 5, 0x4787c62a, 12, 6, 0xa8304613, 17, 7, 0xfd469501, 22);
  FOUR(F, 8, 0x698098d8, 7, 9, 0x8b44f7af, 12, 10, 0xffff5bb1, 17, 11, 0x895cd7be, 22);
  FOUR(F, 12, 0x6b901122, 7, 13, 0xfd987193, 12, 14, 0xa679438e, 17, 15, 0x49b40821, 22);
  FOUR(G, 1, 0xf61e2562, 5, 6, 0xc040b340, 9, 11, 0x265e5a51, 14, 0, 0xe9b6c7aa, 20);
  FOUR(G, 5, 0xd62f105d, 5, 10, 0x02441453, 9, 15, 0xd8a1e681, 14, 4, 0xe7d3fbc8, 20);
  FOUR(G, 9, 0x21e1cde6, 5, 14, 0xc33707d6, 9, 3, 0xf4d50d87, 14, 8, 0x455a14ed, 20);
  FOUR(G, 13, 0xa9e3e905, 5, 2, 0xfcefa3f8, 9, 7, 0x676f02d9, 14, 12, 0x8d2a4c8a, 20);
  FOUR(H, 5, 0xfffa3942, 4, 8, 0x8771f681, 11, 11, 0x6d9d6122, 16, 14, 0xfde5380c, 23);
  FOUR(H, 1, 0xa4beea44, 4, 4, 0x4bdecfa9, 11, 7, 0xf6bb4b60, 16, 10, 0xbebfbc70, 23);
  FOUR(H, 13, 0x289b7ec6, 4, 0, 0xeaa127fa, 11, 3, 0xd4ef3085, 16, 6, 0x04881d05, 23);
  FOUR(H, 9, 0xd9d4d039, 4, 12, 0xe6db99e5, 11, 15, 0x1fa27cf8, 16, 2, 0xc4ac5665, 23);
  FOUR(I, 0, 0xf4292244, 6, 7, 0x432aff97, 10, 14, 0xab9423a7, 15, 5, 0xfc93a039, 21);
  FOUR(I, 12, 0x655b59c3, 6, 3, 0x8f0ccc92, 10, 10, 0xffeff47d, 15, 1, 0x85845dd1, 21);
  FOUR(I, 8, 0x6fa87e4f, 6, 15, 0xfe2ce6e0, 10, 6, 0xa3014314, 15, 13, 0x4e0811a1, 21);
  FOUR(I, 4, 0xf7537e82, 6, 11, 0xbd3af235, 10, 2, 0x2ad7d2bb, 15, 9, 0xeb86d391, 21);
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

void md5_begin(struct md5 *md5) {
  static const uint32_t first[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  memcpy(md5->state, first, sizeof first);
  md5->length = 0;
}

void md5_add(struct md5 *md5, const void *bytes, size_t length) {
  const uint8_t *next = bytes;
  size_t kept = md5->length & 63;
  md5->length += length;
  if (kept > 0) {
    size_t missing = 64 - kept;
    if (length < missing) {
      memcpy(md5->block + kept, next, length);
      return;
    }
    memcpy(md5->block + kept, next, missing);
    compress(md5->state, md5->block);
    next += missing;
    length -= missing;
  }
  for (; length >= 64; next += 64, length -= 64) compress(md5->state, next);
  memcpy(md5->block, next, length);
}

void md5_end(struct md5 *md5, uint8_t digest[MD5_BYTES]) {
  size_t kept = md5->length & 63;
  uint64_t bits = (uint64_t)md5->length * 8;
  md5->block[kept++] = 0x80;
  if (kept > 56) {
    memset(md5->block + kept, 0, 64 - kept);
    compress(md5->state, md5->block);
    kept = 0;
  }
  memset(md5->block + kept, 0, 56 - kept);
  memcpy(md5->block + 56, &bits, sizeof bits);
  compress(md5->state, md5->block);
  memcpy(digest, md5->state, MD5_BYTES);
}

void hmac_key_set(struct hmac_key *key, const void *secret, size_t length) {
  uint8_t padded[64] = {0};
  if (length > sizeof padded) {
    struct md5 md5;
    md5_begin(&md5);
    md5_add(&md5, secret, length);
    md5_end(&md5, padded);
  } else {
    memcpy(padded, secret, length);
  }
  for (size_t i = 0; i < sizeof padded; i++) padded[i] ^= 0x36;
  md5_begin(&key->inner);
  md5_add(&key->inner, padded, sizeof padded);
  for (size_t i = 0; i < sizeof padded; i++) padded[i] ^= 0x36 ^ 0x5c;
  md5_begin(&key->outer);
  md5_add(&key->outer, padded, sizeof padded);
}

void hmac_md5(const struct hmac_key *key, const void *bytes, size_t length, uint8_t digest[MD5_BYTES]) {
  struct md5 md5 = key->inner;
  md5_add(&md5, bytes, length);
  md5_end(&md5, digest);
  md5 = key->outer;
  md5_add(&md5, digest, MD5_BYTES);
  md5_end(&md5, digest);
}
