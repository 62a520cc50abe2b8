#include "ms-chap.h"

#include <stdio.h>
#include <string.h>

#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

/* MD4 (RFC 1320) of at most 128 bytes. */
static void md4(const uint8_t *bytes, size_t length, uint8_t digest[16]) {
  uint8_t padded[192] = {0};
  memcpy(padded, bytes, length);
  padded[length] = 0x80;
  size_t blocks = (length + 8) / 64 + 1;
  uint64_t bits = (uint64_t)length * 8;
  memcpy(padded + blocks * 64 - 8, &bits, 8);
  uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  static const uint8_t order[3][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                       {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15},
                                       {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}};
  static const uint8_t shifts[3][4] = {{3, 7, 11, 19}, {3, 5, 9, 13}, {3, 9, 11, 15}};
  static const uint32_t constants[3] = {0, 0x5a827999, 0x6ed9eba1};
  for (size_t block = 0; block < blocks; block++) {
    uint32_t x[16], a = state[0], b = state[1], c = state[2], d = state[3];
    memcpy(x, padded + block * 64, 64);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 16; i++) {
        uint32_t mixed = round == 0 ? (b & c) | (~b & d) : round == 1 ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
        uint32_t sum = a + mixed + x[order[round][i]] + constants[round];
        a = d;
        d = c;
        c = b;
        b = ROTATE(sum, shifts[round][i & 3]);
      }
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
  }
  memcpy(digest, state, 16);
}

/* SHA-1 (FIPS 180-4) of at most 183 bytes. */
static void sha1(const uint8_t *bytes, size_t length, uint8_t digest[20]) {
  uint8_t padded[192] = {0};
  memcpy(padded, bytes, length);
  padded[length] = 0x80;
  size_t blocks = (length + 8) / 64 + 1;
  for (int i = 0; i < 8; i++) padded[blocks * 64 - 1 - i] = (uint8_t)(((uint64_t)length * 8) >> (8 * i));
  uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (size_t block = 0; block < blocks; block++) {
    uint32_t w[80];
    for (int i = 0; i < 16; i++) {
      const uint8_t *at = padded + block * 64 + i * 4;
      w[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    for (int i = 16; i < 80; i++) w[i] = ROTATE(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 80; i++) {
      uint32_t mixed = i < 20   ? ((b & c) | (~b & d)) + 0x5a827999
                       : i < 40 ? (b ^ c ^ d) + 0x6ed9eba1
                       : i < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc
                                : (b ^ c ^ d) + 0xca62c1d6;
      uint32_t next = ROTATE(a, 5) + mixed + e + w[i];
      e = d;
      d = c;
      c = ROTATE(b, 30);
      b = a;
      a = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
  }
  for (int i = 0; i < 20; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i & 3)));
}

/* The tables of FIPS 46-3; bits are counted from 1, the most significant. */
static const uint8_t initial[64] = {58, 50, 42, 34, 26, 18, 10, 2, 60, 52, 44, 36, 28, 20, 12, 4, 62, 54, 46, 38, 30, 22,
                                    14, 6,  64, 56, 48, 40, 32, 24, 16, 8, 57, 49, 41, 33, 25, 17, 9,  1,  59, 51, 43, 35,
                                    27, 19, 11, 3,  61, 53, 45, 37, 29, 21, 13, 5, 63, 55, 47, 39, 31, 23, 15, 7};
static const uint8_t final[64] = {40, 8, 48, 16, 56, 24, 64, 32, 39, 7, 47, 15, 55, 23, 63, 31, 38, 6, 46, 14, 54, 22,
                                  62, 30, 37, 5, 45, 13, 53, 21, 61, 29, 36, 4, 44, 12, 52, 20, 60, 28, 35, 3, 43, 11,
                                  51, 19, 59, 27, 34, 2, 42, 10, 50, 18, 58, 26, 33, 1, 41, 9, 49, 17, 57, 25};
static const uint8_t expansion[48] = {32, 1,  2,  3,  4,  5,  4,  5,  6,  7,  8,  9,  8,  9,  10, 11,
                                      12, 13, 12, 13, 14, 15, 16, 17, 16, 17, 18, 19, 20, 21, 20, 21,
                                      22, 23, 24, 25, 24, 25, 26, 27, 28, 29, 28, 29, 30, 31, 32, 1};
static const uint8_t spread[32] = {16, 7, 20, 21, 29, 12, 28, 17, 1,  15, 23, 26, 5,  18, 31, 10,
                                   2,  8, 24, 14, 32, 27, 3,  9,  19, 13, 30, 6,  22, 11, 4,  25};
static const uint8_t key_choice[56] = {57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18, 10, 2,  59, 51, 43,
                                       35, 27, 19, 11, 3,  60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7,  62, 54,
                                       46, 38, 30, 22, 14, 6,  61, 53, 45, 37, 29, 21, 13, 5,  28, 20, 12, 4};
static const uint8_t round_key_choice[48] = {14, 17, 11, 24, 1,  5,  3,  28, 15, 6,  21, 10, 23, 19, 12, 4,
                                             26, 8,  16, 7,  27, 20, 13, 2,  41, 52, 31, 37, 47, 55, 30, 40,
                                             51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32};
static const uint8_t boxes[8][65] = {
    "\16\4\15\1\2\17\13\10\3\12\6\14\5\11\0\7\0\17\7\4\16\2\15\1\12\6\14\13\11\5\3\10\4\1\16\10\15\6\2\13\17\14\11\7\3\12\5\0\17\14\10\2\4\11\1\7\5\13\3\16\12\0\6\15",
    "\17\1\10\16\6\13\3\4\11\7\2\15\14\0\5\12\3\15\4\7\17\2\10\16\14\0\1\12\6\11\13\5\0\16\7\13\12\4\15\1\5\10\14\6\11\3\2\17\15\10\12\1\3\17\4\2\13\6\7\14\0\5\16\11",
    "\12\0\11\16\6\3\17\5\1\15\14\7\13\4\2\10\15\7\0\11\3\4\6\12\2\10\5\16\14\13\17\1\15\6\4\11\10\17\3\0\13\1\2\14\5\12\16\7\1\12\15\0\6\11\10\7\4\17\16\3\13\5\2\14",
    "\7\15\16\3\0\6\11\12\1\2\10\5\13\14\4\17\15\10\13\5\6\17\0\3\4\7\2\14\1\12\16\11\12\6\11\0\14\13\7\15\17\1\3\16\5\2\10\4\3\17\0\6\12\1\15\10\11\4\5\13\14\7\2\16",
    "\2\14\4\1\7\12\13\6\10\5\3\17\15\0\16\11\16\13\2\14\4\7\15\1\5\0\17\12\3\11\10\6\4\2\1\13\12\15\7\10\17\11\14\5\6\3\0\16\13\10\14\7\1\16\2\15\6\17\0\11\12\4\5\3",
    "\14\1\12\17\11\2\6\10\0\15\3\4\16\7\5\13\12\17\4\2\7\14\11\5\6\1\15\16\0\13\3\10\11\16\17\5\2\10\14\3\7\0\4\12\1\15\13\6\4\3\2\14\11\5\17\12\13\16\1\7\6\0\10\15",
    "\4\13\2\16\17\0\10\15\3\14\11\7\5\12\6\1\15\0\13\7\4\11\1\12\16\3\5\14\2\17\10\6\1\4\13\15\14\3\7\16\12\17\6\10\0\5\11\2\6\13\15\10\1\4\12\7\11\5\0\17\16\2\3\14",
    "\15\2\10\4\6\17\13\1\12\11\3\16\5\0\14\7\1\17\15\10\12\3\7\4\14\5\6\13\0\16\11\2\7\13\4\1\11\14\16\2\0\6\12\15\17\3\5\10\2\1\16\7\4\12\10\15\17\14\11\0\3\5\6\13"};

static uint64_t chosen(uint64_t bits, int width, const uint8_t *choice, int count) {
  uint64_t out = 0;
  for (int i = 0; i < count; i++) out = out << 1 | ((bits >> (width - choice[i])) & 1);
  return out;
}

static uint64_t big_endian(const uint8_t *bytes, int count) {
  uint64_t out = 0;
  for (int i = 0; i < count; i++) out = out << 8 | bytes[i];
  return out;
}

/* One block of DES under a key of seven bytes. */
static void des(const uint8_t block[8], const uint8_t key7[7], uint8_t out[8]) {
  uint64_t packed = big_endian(key7, 7), key = 0;
  for (int i = 0; i < 8; i++) key = key << 8 | ((packed >> (49 - 7 * i)) & 0x7f) << 1;
  uint64_t halves = chosen(key, 64, key_choice, 56);
  uint64_t text = chosen(big_endian(block, 8), 64, initial, 64);
  uint32_t left = (uint32_t)(text >> 32), right = (uint32_t)text;
  uint32_t c = (uint32_t)(halves >> 28), d = (uint32_t)(halves & 0xfffffff);
  for (int round = 0; round < 16; round++) {
    int shift = round < 2 || round == 8 || round == 15 ? 1 : 2;
    c = (c << shift | c >> (28 - shift)) & 0xfffffff;
    d = (d << shift | d >> (28 - shift)) & 0xfffffff;
    uint64_t mixed = chosen(right, 32, expansion, 48) ^ chosen((uint64_t)c << 28 | d, 56, round_key_choice, 48);
    uint32_t boxed = 0;
    for (int box = 0; box < 8; box++) {
      int six = (mixed >> (42 - 6 * box)) & 63;
      boxed = boxed << 4 | boxes[box][((six & 32) | (six & 1) << 4) | ((six >> 1) & 15)];
    }
    uint32_t next = left ^ (uint32_t)chosen(boxed, 32, spread, 32);
    left = right;
    right = next;
  }
  text = chosen((uint64_t)right << 32 | left, 64, final, 64);
  for (int i = 0; i < 8; i++) out[i] = (uint8_t)(text >> (56 - 8 * i));
}

/* SHA-1 of three pieces behind one another. */
static void sha1_of(const void *a, size_t a_length, const void *b, size_t b_length, const void *c, size_t c_length,
                    uint8_t digest[20]) {
  uint8_t whole[183];
  memcpy(whole, a, a_length);
  memcpy(whole + a_length, b, b_length);
  memcpy(whole + a_length + b_length, c, c_length);
  sha1(whole, a_length + b_length + c_length, digest);
}

void ms_chap2_answer(struct ms_chap2 *exchange, const char *login, const char *password) {
  static const char magic1[] = "Magic server to client signing constant";
  static const char magic2[] = "Pad to make it do more than one iteration";
  uint8_t wide[128], keys[21] = {0}, hash_of_hash[16], challenge_hash[20], digest[20];
  size_t length = strlen(password);
  for (size_t i = 0; i < length; i++) {
    wide[2 * i] = (uint8_t)password[i];
    wide[2 * i + 1] = 0;
  }
  md4(wide, 2 * length, keys);
  md4(keys, 16, hash_of_hash);
  sha1_of(exchange->peer_challenge, 16, exchange->challenge, 16, login, strlen(login), challenge_hash);
  for (int i = 0; i < 3; i++) des(challenge_hash, keys + 7 * i, exchange->nt_response + 8 * i);
  sha1_of(hash_of_hash, 16, exchange->nt_response, 24, magic1, sizeof magic1 - 1, digest);
  sha1_of(digest, 20, challenge_hash, 8, magic2, sizeof magic2 - 1, digest);
  memcpy(exchange->success, "S=", 2);
  for (int i = 0; i < 20; i++) snprintf(exchange->success + 2 + 2 * i, 3, "%02X", digest[i]);
}
