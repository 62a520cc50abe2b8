/*
 * MD5 (RFC 1321) of several messages side by side: each lane of a vector register works on a message of its own, which costs little
 * more than one message alone. The machine is little-endian, as every platform of Node we run on.
 */
#ifndef MD5_LANES_H
#define MD5_LANES_H

#include <stdint.h>
#include <string.h>

#define MD5_LANES_MAX 16
#define MD5_BLOCK 64
#define MD5_BYTES 16

/* Messages of whole blocks, padding included, and their states; lane by lane. */
typedef struct {
  uint32_t state[4][MD5_LANES_MAX];
  const uint8_t *message[MD5_LANES_MAX];
  uint32_t blocks[MD5_LANES_MAX];
} Md5Lanes;

#define MD5_F(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))
#define MD5_G(x, y, z) ((((x) ^ (y)) & (z)) ^ (y))
#define MD5_H(x, y, z) ((x) ^ (y) ^ (z))
#define MD5_I(x, y, z) ((y) ^ ((x) | ~(z)))
#define MD5_STEP(f, a, b, c, d, word, shift, sine) \
  a += f(b, c, d) + word + sine;                   \
  a = (a << shift) | (a >> (32 - shift));          \
  a += b;
#define MD5_FOUR(f, i, j, k, l, s, t, u, v, p, q, r, o) \
  MD5_STEP(f, a, b, c, d, w[i], s, p)                   \
  MD5_STEP(f, d, a, b, c, w[j], t, q)                   \
  MD5_STEP(f, c, d, a, b, w[k], u, r)                   \
  MD5_STEP(f, b, c, d, a, w[l], v, o)
#define MD5_ROUNDS                                                                                                      \
  MD5_FOUR(MD5_F, 0, 1, 2, 3, 7, 12, 17, 22, 0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu)                         \
  MD5_FOUR(MD5_F, 4, 5, 6, 7, 7, 12, 17, 22, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u)                         \
  MD5_FOUR(MD5_F, 8, 9, 10, 11, 7, 12, 17, 22, 0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu)                       \
  MD5_FOUR(MD5_F, 12, 13, 14, 15, 7, 12, 17, 22, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u)                     \
  MD5_FOUR(MD5_G, 1, 6, 11, 0, 5, 9, 14, 20, 0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau)                         \
  MD5_FOUR(MD5_G, 5, 10, 15, 4, 5, 9, 14, 20, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u)                        \
  MD5_FOUR(MD5_G, 9, 14, 3, 8, 5, 9, 14, 20, 0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu)                         \
  MD5_FOUR(MD5_G, 13, 2, 7, 12, 5, 9, 14, 20, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au)                        \
  MD5_FOUR(MD5_H, 5, 8, 11, 14, 4, 11, 16, 23, 0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu)                       \
  MD5_FOUR(MD5_H, 1, 4, 7, 10, 4, 11, 16, 23, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u)                        \
  MD5_FOUR(MD5_H, 13, 0, 3, 6, 4, 11, 16, 23, 0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u)                        \
  MD5_FOUR(MD5_H, 9, 12, 15, 2, 4, 11, 16, 23, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u)                       \
  MD5_FOUR(MD5_I, 0, 7, 14, 5, 6, 10, 15, 21, 0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u)                        \
  MD5_FOUR(MD5_I, 12, 3, 10, 1, 6, 10, 15, 21, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u)                       \
  MD5_FOUR(MD5_I, 8, 15, 6, 13, 6, 10, 15, 21, 0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u)                       \
  MD5_FOUR(MD5_I, 4, 11, 2, 9, 6, 10, 15, 21, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u)

typedef uint32_t md5_four __attribute__((vector_size(16), aligned(4)));

#if defined(__clang__)
#define MD5_PICK(x, y, i, j, k, l) __builtin_shufflevector(x, y, i, j, k, l)
#else
#define MD5_PICK(x, y, i, j, k, l) __builtin_shuffle(x, y, (md5_four){i, j, k, l})
#endif

/* Transposes the sixteen words of four blocks, so that each word is next to the same word of the other blocks. */
static inline void md5_transpose(const uint8_t *const *from, uint32_t *to, int stride) {
  for (int quarter = 0; quarter < 4; quarter++, to += 4 * stride) {
    md5_four a, b, c, d;
    memcpy(&a, from[0] + quarter * 16, 16);
    memcpy(&b, from[1] + quarter * 16, 16);
    memcpy(&c, from[2] + quarter * 16, 16);
    memcpy(&d, from[3] + quarter * 16, 16);
    md5_four ab = MD5_PICK(a, b, 0, 4, 1, 5), cd = MD5_PICK(c, d, 0, 4, 1, 5);
    md5_four low = MD5_PICK(ab, cd, 0, 1, 4, 5);
    md5_four next = MD5_PICK(ab, cd, 2, 3, 6, 7);
    memcpy(to, &low, 16);
    memcpy(to + stride, &next, 16);
    ab = MD5_PICK(a, b, 2, 6, 3, 7), cd = MD5_PICK(c, d, 2, 6, 3, 7);
    low = MD5_PICK(ab, cd, 0, 1, 4, 5);
    next = MD5_PICK(ab, cd, 2, 3, 6, 7);
    memcpy(to + 2 * stride, &low, 16);
    memcpy(to + 3 * stride, &next, 16);
  }
}

/* Defines a function for that many lanes. A lane whose message has ended keeps its state. */
#define MD5_DEFINE(name, lanes, features)                                                                    \
  typedef uint32_t md5_vector_##name __attribute__((vector_size(lanes * 4), aligned(4)));              \
  features static void md5_lanes_##name(Md5Lanes *all, int first) {                                    \
    md5_vector_##name w[16], a, b, c, d, a0, b0, c0, d0, live;                                         \
    uint32_t most = 0;                                                                                  \
    for (int lane = 0; lane < lanes; lane++)                                                            \
      if (all->blocks[first + lane] > most) most = all->blocks[first + lane];                           \
    memcpy(&a0, &all->state[0][first], sizeof a0);                                                      \
    memcpy(&b0, &all->state[1][first], sizeof b0);                                                      \
    memcpy(&c0, &all->state[2][first], sizeof c0);                                                      \
    memcpy(&d0, &all->state[3][first], sizeof d0);                                                      \
    for (uint32_t block = 0; block < most; block++) {                                                   \
      uint32_t words[16][lanes];                                                                        \
      uint32_t lives[lanes];                                                                            \
      const uint8_t *from[lanes];                                                                       \
      for (int lane = 0; lane < lanes; lane++) {                                                        \
        lives[lane] = block < all->blocks[first + lane] ? 0xffffffffu : 0;                              \
        from[lane] = all->message[first + lane] + (lives[lane] & (block * MD5_BLOCK));                  \
      }                                                                                                 \
      for (int lane = 0; lane < lanes; lane += 4) md5_transpose(from + lane, &words[0][lane], lanes);        \
      memcpy(w, words, sizeof w);                                                                       \
      memcpy(&live, lives, sizeof live);                                                                \
      a = a0, b = b0, c = c0, d = d0;                                                                   \
      MD5_ROUNDS                                                                                        \
      a0 += a & live;                                                                                   \
      b0 += b & live;                                                                                   \
      c0 += c & live;                                                                                   \
      d0 += d & live;                                                                                   \
    }                                                                                                   \
    memcpy(&all->state[0][first], &a0, sizeof a0);                                                      \
    memcpy(&all->state[1][first], &b0, sizeof b0);                                                      \
    memcpy(&all->state[2][first], &c0, sizeof c0);                                                      \
    memcpy(&all->state[3][first], &d0, sizeof d0);                                                      \
  }

MD5_DEFINE(any, 8, )
#if defined(__x86_64__)
MD5_DEFINE(avx2, 8, __attribute__((target("avx2"))))
MD5_DEFINE(avx512_8, 8, __attribute__((target("avx512f,avx512vl"))))
MD5_DEFINE(avx512_16, 16, __attribute__((target("avx512f,avx512vl"))))
#endif

/* One message alone. */
static void md5_alone(Md5Lanes *all, int lane) {
  uint32_t w[16];
  uint32_t a0 = all->state[0][lane], b0 = all->state[1][lane], c0 = all->state[2][lane], d0 = all->state[3][lane];
  for (uint32_t block = 0; block < all->blocks[lane]; block++) {
    uint32_t a = a0, b = b0, c = c0, d = d0;
    memcpy(w, all->message[lane] + block * MD5_BLOCK, sizeof w);
    MD5_ROUNDS
    a0 += a, b0 += b, c0 += c, d0 += d;
  }
  all->state[0][lane] = a0, all->state[1][lane] = b0, all->state[2][lane] = c0, all->state[3][lane] = d0;
}

/*
 * Digests the first `count` messages, at most MD5_LANES_MAX. A vector function costs as much for one message as for all of its lanes, so
 * the last few messages are digested one after another.
 */
static void md5_side_by_side(Md5Lanes *all, int count) {
  int at = 0;
  for (int lane = count; lane < MD5_LANES_MAX && count > 0; lane++) {
    all->message[lane] = all->message[0];
    all->blocks[lane] = 0;
  }
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
    if (count > 8) {
      md5_lanes_avx512_16(all, 0);
      return;
    }
    for (; count - at > 2; at += 8) md5_lanes_avx512_8(all, at);
  } else if (__builtin_cpu_supports("avx2"))
    for (; count - at > 3; at += 8) md5_lanes_avx2(all, at);
#endif
  for (; count - at > 5; at += 8) md5_lanes_any(all, at);
  for (; at < count; at++) md5_alone(all, at);
}

#endif
