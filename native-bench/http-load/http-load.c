/*
 * Closed-loop load over HTTP/1.1 keep-alive: N connections of 127.0.0.1, one request at a time on each, one thread with epoll.
 * Every answer is checked: status 200, a body of the announced length that begins as it must for the subscriber asked for.
 *
 *   http-load PORT CONNECTIONS SECONDS WARMUP PATH BEGINNING FIRST COUNT [HEADER...]
 *
 * PATH and BEGINNING may hold one %llu, the id: COUNT of them from FIRST on. The warm-up asks for each once in their order and lasts
 * WARMUP seconds at least; it is checked and not counted. Then they are drawn at random. Two lines go out: `counting` when the
 * warm-up is over, and the result as JSON.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { bufferBytes = 64 * 1024, requestBytes = 4096, connectionsMax = 20000, bucketsPerOctave = 32, buckets = 40 * bucketsPerOctave };

typedef struct {
  int fd;
  size_t have;
  unsigned long long id;
  uint64_t sentNs;
  char buffer[bufferBytes];
} Connection;

static const char *path, *beginning;
static char headers[requestBytes];
static unsigned long long firstId, idCount, asked;
static int counting;
static uint64_t histogram[buckets];
static uint64_t answered, wrong, maxNs, sumNs;
static uint64_t seed = 88172645463325252ULL;

static void fail(const char *what) {
  fprintf(stderr, "http-load: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t nowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

static uint64_t draw(void) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return seed;
}

/* Buckets grow by 1/32 of a power of two, so a percentile is right to three hundredths. */
static int bucketOf(uint64_t ns) {
  if (ns < bucketsPerOctave) return (int)ns;
  int octave = 63 - __builtin_clzll(ns);
  return (octave - 4) * bucketsPerOctave + (int)((ns >> (octave - 5)) & (bucketsPerOctave - 1));
}

static double bucketNs(int bucket) {
  if (bucket < bucketsPerOctave) return bucket;
  int octave = bucket / bucketsPerOctave + 4;
  return (double)((uint64_t)(bucketsPerOctave + bucket % bucketsPerOctave) << (octave - 5));
}

static double percentileMs(double share) {
  uint64_t seen = 0;
  for (int bucket = 0; bucket < buckets; bucket++) {
    seen += histogram[bucket];
    if (answered > 0 && (double)seen >= (double)answered * share) return bucketNs(bucket) / 1e6;
  }
  return 0;
}

static void ask(Connection *connection) {
  char request[requestBytes * 2];
  char line[requestBytes];
  connection->id = idCount > 0 ? firstId + (counting ? draw() : asked) % idCount : 0;
  asked++;
  snprintf(line, sizeof line, path, connection->id);
  int length = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s\r\n", line, headers);
  connection->have = 0;
  connection->sentNs = nowNs();
  if (write(connection->fd, request, (size_t)length) != length) fail("a request could not be sent");
}

/* 1: the whole answer is there, and `isRight` says whether it is what was asked for. */
static int isWhole(Connection *connection, int *isRight) {
  char *text = connection->buffer;
  char *end = memmem(text, connection->have, "\r\n\r\n", 4);
  if (!end) return 0;
  *end = 0;
  const char *announced = strcasestr(text, "\r\nContent-Length:");
  if (!announced) {
    fprintf(stderr, "http-load: no Content-Length: %.300s\n", text);
    exit(1);
  }
  size_t bodyBytes = strtoul(announced + 17, NULL, 10);
  *end = '\r';
  char *body = end + 4;
  if (connection->have < (size_t)(body - text) + bodyBytes) return 0;
  char expected[requestBytes];
  int length = snprintf(expected, sizeof expected, beginning, connection->id);
  *isRight = memcmp(text, "HTTP/1.1 200", 12) == 0 && bodyBytes >= (size_t)length && memcmp(body, expected, (size_t)length) == 0 &&
             connection->have == (size_t)(body - text) + bodyBytes;
  if (!*isRight && wrong < 3) fprintf(stderr, "http-load: wrong answer: %.*s\n", (int)(connection->have > 500 ? 500 : connection->have), text);
  return 1;
}

static double cpuSeconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec + (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

int main(int count, char **words) {
  if (count < 9) {
    fprintf(stderr, "http-load PORT CONNECTIONS SECONDS WARMUP PATH BEGINNING FIRST COUNT [HEADER...]\n");
    return 2;
  }
  int connections = atoi(words[2]);
  double seconds = atof(words[3]), warmup = atof(words[4]);
  path = words[5];
  beginning = words[6];
  firstId = strtoull(words[7], NULL, 10);
  idCount = strtoull(words[8], NULL, 10);
  for (int word = 9; word < count; word++) {
    strncat(headers, words[word], sizeof headers - strlen(headers) - 3);
    strcat(headers, "\r\n");
  }
  if (connections < 1 || connections > connectionsMax) fail("connections");
  int epoll = epoll_create1(0);
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  Connection **all = calloc((size_t)connections, sizeof *all);
  for (int index = 0; index < connections; index++) {
    Connection *connection = calloc(1, sizeof *connection);
    connection->fd = socket(AF_INET, SOCK_STREAM, 0);
    int on = 1;
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (connect(connection->fd, (struct sockaddr *)&server, sizeof server) < 0) fail("connect");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, connection->fd, &event) < 0) fail("epoll");
    all[index] = connection;
  }
  for (int index = 0; index < connections; index++) ask(all[index]);

  uint64_t countFromNs = nowNs() + (uint64_t)(warmup * 1e9);
  uint64_t endNs = UINT64_MAX;
  uint64_t countedFromNs = 0;
  double cpuBefore = 0;
  struct epoll_event events[512];
  for (uint64_t now = nowNs(); now < endNs; now = nowNs()) {
    if (!counting && now >= countFromNs && asked >= idCount) {
      counting = 1;
      answered = 0;
      countedFromNs = now;
      endNs = now + (uint64_t)(seconds * 1e9);
      cpuBefore = cpuSeconds();
      puts("counting");
      fflush(stdout);
    }
    int ready = epoll_wait(epoll, events, 512, 100);
    for (int index = 0; index < ready; index++) {
      Connection *connection = events[index].data.ptr;
      ssize_t got = read(connection->fd, connection->buffer + connection->have, bufferBytes - 1 - connection->have);
      if (got <= 0) fail(got == 0 ? "the server closed a connection" : "read");
      connection->have += (size_t)got;
      int isRight = 0;
      if (!isWhole(connection, &isRight)) continue;
      if (!isRight) wrong++;
      if (counting) {
        uint64_t tookNs = nowNs() - connection->sentNs;
        answered++;
        sumNs += tookNs;
        if (tookNs > maxNs) maxNs = tookNs;
        int bucket = bucketOf(tookNs);
        histogram[bucket < buckets ? bucket : buckets - 1]++;
      }
      ask(connection);
    }
  }
  double took = (double)(nowNs() - countedFromNs) / 1e9;
  printf("{\"answered\":%llu,\"wrong\":%llu,\"seconds\":%.4f,\"p50Ms\":%.4f,\"p99Ms\":%.4f,\"maxMs\":%.3f,\"ownCpuSeconds\":%.3f}\n",
         (unsigned long long)answered, (unsigned long long)wrong, took, percentileMs(0.5), percentileMs(0.99), (double)maxNs / 1e6,
         cpuSeconds() - cpuBefore);
  return wrong > 0 ? 1 : 0;
}
