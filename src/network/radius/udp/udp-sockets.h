/*
 * Sockets on the event loop of the thread that opened them: recvmmsg writes datagrams into the caller's memory, and one call into
 * JavaScript reports them; sendmmsg sends answers, and those that do not fit into the socket's buffer wait in a backlog.
 *
 * A datagram is described by twelve 32-bit words, received and sent alike:
 *   place in the buffer, length, port, interface of a link-local address, the sixteen bytes of the peer's address (IPv4 as
 *   ::ffff:a.b.c.d), and those of our own address that the datagram came to and the answer leaves from. On a socket that is bound to
 *   one address the latter is always ::, which leaves the choice to the kernel.
 */
#ifndef UDP_SOCKETS_H
#define UDP_SOCKETS_H

#include <errno.h>
#include <netinet/in.h>
#include <node_api.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "arrival-times.h"
#include "radius-digests.h"

/* Datagrams of one recvmmsg. */
#define SLOTS 64
/* A RADIUS packet has at most 4096 bytes; a longer datagram is cut, and its length field is refused before the missing bytes matter. */
#define SLOT_BYTES 4096
/* One cache line more than a page, so that the beginnings of the slots do not share one set of the cache. */
#define SLOT_STRIDE (SLOT_BYTES + 64)
/* Answers of one sendmmsg. */
#define QUEUE 256
#define WORDS 12
/* How many batches a ready socket may receive before timers and messages have their turn. */
#define ROUNDS 2
/* How many answers may wait for room in the socket's buffer. */
#define BACKLOG 1024
#define PORTS 8
#define SEND_BUFFER_BYTES (1 << 20)

enum { PLACE, LENGTH, PORT, SCOPE, ADDRESS, LOCAL = ADDRESS + 4 };

/*
 * The control messages of a datagram: our own address, which comes twice with an IPv4 datagram on a socket for both families, and when
 * it arrived.
 */
typedef union {
  char bytes[CMSG_SPACE(sizeof(struct in_pktinfo)) + CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(struct timespec))];
  struct cmsghdr aligned;
} Control;

typedef struct {
  struct sockaddr_storage to;
  socklen_t to_bytes;
  Control control;
  size_t control_bytes;
  size_t length;
  uint8_t *bytes;
} Waiting;

typedef struct Module Module;

typedef struct {
  Module *module;
  uv_poll_t poll;
  int fd;
  int family;
  /* Bound to all addresses: every datagram comes with the one it was sent to. */
  bool wildcard;
  int events;
  bool closing;
  bool reading;
  napi_ref input;
  napi_ref received;
  /* When each of them arrived, in milliseconds; NULL on a socket that does not ask for it. */
  napi_ref arrived;
  Arrivals arrivals;
  napi_ref output;
  napi_ref queue;
  napi_ref on_batch;
  Waiting *backlog[BACKLOG];
  size_t backlog_first;
  size_t backlog_count;
  struct mmsghdr in[SLOTS];
  struct iovec in_parts[SLOTS];
  struct sockaddr_storage in_names[SLOTS];
  Control in_controls[SLOTS];
  struct mmsghdr out[QUEUE];
  struct iovec out_parts[QUEUE];
  struct sockaddr_storage out_names[QUEUE];
  Control out_controls[QUEUE];
} Port;

struct Module {
  napi_env env;
  uv_loop_t *loop;
  napi_async_cleanup_hook_handle cleanup;
  bool ending;
  size_t open;
  Port *ports[PORTS];
  Digester digester;
};

static uint8_t nothing[4];

/* The memory of a typed array of the given kind, of no bytes when it is detached; NULL for anything else. */
static uint8_t *memory_of(napi_env env, napi_value value, napi_typedarray_type kind, size_t *bytes) {
  bool is_array = false;
  napi_typedarray_type found;
  size_t length;
  void *data = NULL;
  *bytes = 0;
  if (value == NULL || napi_is_typedarray(env, value, &is_array) != napi_ok || !is_array) return NULL;
  if (napi_get_typedarray_info(env, value, &found, &length, &data, NULL, NULL) != napi_ok) return NULL;
  if (found != kind) return NULL;
  if (data == NULL) return nothing;
  *bytes = kind == napi_int32_array ? length * 4 : kind == napi_float64_array ? length * 8 : length;
  return data;
}

static const int32_t *words_of(napi_env env, napi_value value, size_t *bytes) {
  return (const int32_t *)(const void *)memory_of(env, value, napi_int32_array, bytes);
}

static uint8_t *memory_behind(napi_env env, napi_ref reference, napi_typedarray_type kind, size_t *bytes) {
  napi_value value = NULL;
  *bytes = 0;
  if (reference == NULL || napi_get_reference_value(env, reference, &value) != napi_ok) return NULL;
  return memory_of(env, value, kind, bytes);
}

static void drop_reference(napi_env env, napi_ref *reference) {
  if (*reference != NULL) napi_delete_reference(env, *reference);
  *reference = NULL;
}

static void free_backlog(Port *port) {
  while (port->backlog_count > 0) {
    Waiting *waiting = port->backlog[port->backlog_first];
    port->backlog_first = (port->backlog_first + 1) % BACKLOG;
    port->backlog_count--;
    free(waiting->bytes);
    free(waiting);
  }
}

static void free_module_when_done(Module *module) {
  if (!module->ending || module->open > 0) return;
  napi_async_cleanup_hook_handle cleanup = module->cleanup;
  free(module);
  napi_remove_async_cleanup_hook(cleanup);
}

static void closed(uv_handle_t *handle) {
  Port *port = handle->data;
  Module *module = port->module;
  free_backlog(port);
  for (size_t at = 0; at < PORTS; at++)
    if (module->ports[at] == port) module->ports[at] = NULL;
  free(port);
  module->open--;
  free_module_when_done(module);
}

static int send_backlog(Port *port);

static void close_port(napi_env env, Port *port) {
  if (port->closing) return;
  port->closing = true;
  send_backlog(port);
  drop_reference(env, &port->input);
  drop_reference(env, &port->received);
  drop_reference(env, &port->arrived);
  drop_reference(env, &port->output);
  drop_reference(env, &port->queue);
  drop_reference(env, &port->on_batch);
  /* The loop forgets the descriptor here and frees the handle later. */
  uv_poll_stop(&port->poll);
  uv_close((uv_handle_t *)&port->poll, closed);
  close(port->fd);
}

/* The thread ends: nothing may call into JavaScript any more, and the loop still has to close the handles. */
static void end_module(napi_async_cleanup_hook_handle handle, void *data) {
  Module *module = data;
  module->cleanup = handle;
  module->ending = true;
  for (size_t at = 0; at < PORTS; at++)
    if (module->ports[at] != NULL) close_port(module->env, module->ports[at]);
  free_module_when_done(module);
}

static void receive(uv_poll_t *poll, int status, int events);

static void watch(Port *port) {
  int events = (port->reading ? UV_READABLE : 0) | (port->backlog_count > 0 ? UV_WRITABLE : 0);
  if (events == port->events || port->closing) return;
  port->events = events;
  if (events == 0) uv_poll_stop(&port->poll);
  else uv_poll_start(&port->poll, events, receive);
}

static void write_mapped(const struct in_addr *address, int32_t *words) {
  uint8_t *bytes = (uint8_t *)words;
  memset(bytes, 0, 10);
  memset(bytes + 10, 0xff, 2);
  memcpy(bytes + 12, address, 4);
}

/* ::ffff:a.b.c.d for IPv4, so that one form does for both. */
static void describe(const struct sockaddr_storage *name, int32_t *words) {
  if (name->ss_family == AF_INET6) {
    const struct sockaddr_in6 *from = (const struct sockaddr_in6 *)name;
    words[PORT] = ntohs(from->sin6_port);
    words[SCOPE] = (int32_t)from->sin6_scope_id;
    memcpy(&words[ADDRESS], &from->sin6_addr, 16);
    return;
  }
  const struct sockaddr_in *from = (const struct sockaddr_in *)name;
  words[PORT] = ntohs(from->sin_port);
  words[SCOPE] = 0;
  write_mapped(&from->sin_addr, &words[ADDRESS]);
}

/* Our own address that a datagram came to; :: when the kernel did not report it or it cannot be a source (multicast). */
static void describe_local(struct msghdr *message, int32_t *words) {
  memset(&words[LOCAL], 0, 16);
  for (struct cmsghdr *control = CMSG_FIRSTHDR(message); control != NULL; control = CMSG_NXTHDR(message, control)) {
    if (control->cmsg_level == IPPROTO_IP && control->cmsg_type == IP_PKTINFO) {
      struct in_pktinfo info;
      memcpy(&info, CMSG_DATA(control), sizeof info);
      /* The address to answer from, which is not the destination of a broadcast. */
      write_mapped(&info.ipi_spec_dst, &words[LOCAL]);
      return;
    }
    if (control->cmsg_level == IPPROTO_IPV6 && control->cmsg_type == IPV6_PKTINFO) {
      struct in6_pktinfo info;
      memcpy(&info, CMSG_DATA(control), sizeof info);
      if (IN6_IS_ADDR_MULTICAST(&info.ipi6_addr)) continue;
      memcpy(&words[LOCAL], &info.ipi6_addr, 16);
      if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) words[SCOPE] = (int32_t)info.ipi6_ifindex;
    }
  }
}

/* Writes the control message that sends from words[LOCAL]; returns its length, 0 when the kernel chooses. */
static size_t control_of(const int32_t *words, Control *control) {
  struct in6_addr local;
  memcpy(&local, &words[LOCAL], 16);
  if (IN6_IS_ADDR_UNSPECIFIED(&local)) return 0;
  struct cmsghdr *header = &control->aligned;
  if (IN6_IS_ADDR_V4MAPPED(&local)) {
    struct in_pktinfo info = {0};
    memcpy(&info.ipi_spec_dst, (const uint8_t *)&words[LOCAL] + 12, 4);
    header->cmsg_level = IPPROTO_IP;
    header->cmsg_type = IP_PKTINFO;
    header->cmsg_len = CMSG_LEN(sizeof info);
    memcpy(CMSG_DATA(header), &info, sizeof info);
    return CMSG_SPACE(sizeof info);
  }
  struct in6_pktinfo info = {.ipi6_addr = local};
  if (IN6_IS_ADDR_LINKLOCAL(&local)) info.ipi6_ifindex = (unsigned)words[SCOPE];
  header->cmsg_level = IPPROTO_IPV6;
  header->cmsg_type = IPV6_PKTINFO;
  header->cmsg_len = CMSG_LEN(sizeof info);
  memcpy(CMSG_DATA(header), &info, sizeof info);
  return CMSG_SPACE(sizeof info);
}

static socklen_t address_of(const int32_t *words, int family, struct sockaddr_storage *name) {
  if (family == AF_INET6) {
    struct sockaddr_in6 *to = (struct sockaddr_in6 *)name;
    memset(to, 0, sizeof *to);
    to->sin6_family = AF_INET6;
    to->sin6_port = htons((uint16_t)words[PORT]);
    to->sin6_scope_id = (uint32_t)words[SCOPE];
    memcpy(&to->sin6_addr, &words[ADDRESS], 16);
    return sizeof *to;
  }
  struct sockaddr_in *to = (struct sockaddr_in *)name;
  memset(to, 0, sizeof *to);
  to->sin_family = AF_INET;
  to->sin_port = htons((uint16_t)words[PORT]);
  memcpy(&to->sin_addr, (const uint8_t *)&words[ADDRESS] + 12, 4);
  return sizeof *to;
}

/* Calls into JavaScript. False when the callback failed or closed the socket, and nothing may follow. */
static bool report(Port *port, int count, int not_sent) {
  napi_env env = port->module->env;
  napi_value callback = NULL, receiver = NULL, arguments[2], result;
  if (port->closing || napi_get_reference_value(env, port->on_batch, &callback) != napi_ok) return false;
  napi_get_global(env, &receiver);
  napi_create_int32(env, count, &arguments[0]);
  napi_create_int32(env, not_sent, &arguments[1]);
  napi_status status = napi_make_callback(env, NULL, receiver, callback, 2, arguments, &result);
  if (status == napi_ok) return !port->closing;
  napi_value error = NULL;
  if (status == napi_pending_exception && napi_get_and_clear_last_exception(env, &error) == napi_ok)
    napi_fatal_exception(env, error);
  return false;
}

/* Sends answers of the backlog; returns how many could not be sent at all. */
static int send_backlog(Port *port) {
  int failed = 0;
  while (port->backlog_count > 0) {
    Waiting *waiting = port->backlog[port->backlog_first];
    struct iovec part = {.iov_base = waiting->bytes, .iov_len = waiting->length};
    struct msghdr message = {.msg_name = &waiting->to,
                             .msg_namelen = waiting->to_bytes,
                             .msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = waiting->control_bytes > 0 ? &waiting->control : NULL,
                             .msg_controllen = waiting->control_bytes};
    ssize_t sent;
    do
      sent = sendmsg(port->fd, &message, MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)) break;
    if (sent < 0) failed++;
    port->backlog_first = (port->backlog_first + 1) % BACKLOG;
    port->backlog_count--;
    free(waiting->bytes);
    free(waiting);
  }
  return failed;
}

/* Copies an answer into the backlog, because the caller may reuse its bytes. False when there is no room or no memory. */
static bool keep(Port *port, const struct mmsghdr *message) {
  if (port->backlog_count == BACKLOG) return false;
  Waiting *waiting = malloc(sizeof *waiting);
  const struct iovec *part = message->msg_hdr.msg_iov;
  uint8_t *bytes = malloc(part->iov_len > 0 ? part->iov_len : 1);
  if (waiting == NULL || bytes == NULL) {
    free(waiting);
    free(bytes);
    return false;
  }
  memcpy(bytes, part->iov_base, part->iov_len);
  memcpy(&waiting->to, message->msg_hdr.msg_name, message->msg_hdr.msg_namelen);
  waiting->to_bytes = message->msg_hdr.msg_namelen;
  waiting->control_bytes = message->msg_hdr.msg_controllen;
  if (waiting->control_bytes > 0) memcpy(&waiting->control, message->msg_hdr.msg_control, waiting->control_bytes);
  waiting->length = part->iov_len;
  waiting->bytes = bytes;
  port->backlog[(port->backlog_first + port->backlog_count++) % BACKLOG] = waiting;
  return true;
}

/* Sends out[0..count); answers that do not fit into the socket's buffer wait. Returns how many are lost. */
static int send_all(Port *port, int count) {
  int at = 0;
  int failed = 0;
  while (at < count && port->backlog_count == 0) {
    int sent = sendmmsg(port->fd, port->out + at, (unsigned)(count - at), MSG_DONTWAIT);
    if (sent > 0) at += sent;
    else if (sent < 0 && errno == EINTR) continue;
    else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)) break;
    else {
      /* The error belongs to the first of them. */
      failed++;
      at++;
    }
  }
  for (; at < count; at++)
    if (!keep(port, &port->out[at])) failed++;
  watch(port);
  return failed;
}

/* Writes down when the datagrams of a read arrived. */
static void tell_arrivals(Port *port, double *arrived, int count) {
  look_at_clocks(&port->arrivals);
  for (int slot = 0; slot < count; slot++)
    arrived[slot] = (double)arrival_of(&port->arrivals, &port->in[slot].msg_hdr) / 1e6;
  if (count < SLOTS) port->arrivals.ahead_before = port->arrivals.ahead;
}

/* One recvmmsg and one call into JavaScript. Returns whether there may be more. */
static bool receive_batch(Port *port) {
  napi_env env = port->module->env;
  napi_handle_scope scope;
  size_t input_bytes, words_bytes, arrived_bytes;
  bool more = false;
  if (napi_open_handle_scope(env, &scope) != napi_ok) return false;
  uint8_t *input = memory_behind(env, port->input, napi_uint8_array, &input_bytes);
  int32_t *words = (int32_t *)(void *)memory_behind(env, port->received, napi_int32_array, &words_bytes);
  double *arrived = (double *)(void *)memory_behind(env, port->arrived, napi_float64_array, &arrived_bytes);
  bool controls = port->wildcard || port->arrivals.stamps;
  if (input == NULL || words == NULL || input_bytes < SLOTS * SLOT_STRIDE || words_bytes < SLOTS * WORDS * 4 ||
      (port->arrivals.stamps && (arrived == NULL || arrived_bytes < SLOTS * 8))) {
    /* The memory was detached, so no more datagrams are wanted. */
    port->reading = false;
    watch(port);
  } else {
    for (int slot = 0; slot < SLOTS; slot++) {
      port->in_parts[slot].iov_base = input + slot * SLOT_STRIDE;
      port->in[slot].msg_hdr.msg_namelen = sizeof port->in_names[slot];
      port->in[slot].msg_hdr.msg_controllen = controls ? sizeof port->in_controls[slot] : 0;
    }
    int count = recvmmsg(port->fd, port->in, SLOTS, MSG_DONTWAIT, NULL);
    int error = errno;
    for (int slot = 0; slot < count; slot++) {
      int32_t *described = words + slot * WORDS;
      described[PLACE] = slot * SLOT_STRIDE;
      described[LENGTH] = (int32_t)port->in[slot].msg_len;
      describe(&port->in_names[slot], described);
      describe_local(&port->in[slot].msg_hdr, described);
    }
    if (port->arrivals.stamps) tell_arrivals(port, arrived, count);
    if (count > 0) more = report(port, count, 0) && count == SLOTS;
    /* The error of a datagram that was sent before. */
    else if (count < 0 && error != EAGAIN && error != EWOULDBLOCK && error != EINTR) report(port, 0, 1);
  }
  napi_close_handle_scope(env, scope);
  return more;
}

static void receive(uv_poll_t *poll, int status, int events) {
  Port *port = poll->data;
  if (port->closing) return;
  /* libuv stops polling when the socket has an error; reading clears the error. */
  if (status < 0) port->events = 0;
  if (events & UV_WRITABLE) {
    int failed = send_backlog(port);
    napi_handle_scope scope;
    if (failed > 0 && napi_open_handle_scope(port->module->env, &scope) == napi_ok) {
      report(port, 0, failed);
      napi_close_handle_scope(port->module->env, scope);
    }
  }
  if (status < 0 || (events & UV_READABLE))
    for (int round = 0; round < ROUNDS && port->reading && !port->closing; round++)
      if (!receive_batch(port)) break;
  watch(port);
}

static bool is_wildcard(const struct sockaddr_storage *name) {
  if (name->ss_family == AF_INET6) return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)name)->sin6_addr);
  return ((const struct sockaddr_in *)name)->sin_addr.s_addr == htonl(INADDR_ANY);
}

/* Asks the kernel to report which of our addresses each datagram came to. Where it cannot, it chooses the source of answers. */
static void ask_for_local(int fd, int family) {
  int on = 1;
  setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  if (family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
}

static int bound_socket(const char *address, int port, bool shares, int receive_bytes, int *family, bool *wildcard) {
  struct sockaddr_storage name;
  socklen_t name_bytes;
  memset(&name, 0, sizeof name);
  if (uv_ip4_addr(address, port, (struct sockaddr_in *)&name) == 0) name_bytes = sizeof(struct sockaddr_in);
  else if (uv_ip6_addr(address, port, (struct sockaddr_in6 *)&name) == 0) name_bytes = sizeof(struct sockaddr_in6);
  else return -EINVAL;
  *family = name.ss_family;
  *wildcard = is_wildcard(&name);
  int fd = socket(name.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  int on = 1;
  int send_bytes = SEND_BUFFER_BYTES;
  /* The kernel may give smaller buffers. */
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &send_bytes, sizeof send_bytes);
  if (*wildcard) ask_for_local(fd, name.ss_family);
  if ((shares && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) < 0) ||
      bind(fd, (struct sockaddr *)&name, name_bytes) < 0) {
    int error = errno;
    close(fd);
    return -error;
  }
  return fd;
}

static void prepare_messages(Port *port) {
  for (int slot = 0; slot < SLOTS; slot++) {
    port->in_parts[slot].iov_len = SLOT_BYTES;
    port->in[slot].msg_hdr.msg_iov = &port->in_parts[slot];
    port->in[slot].msg_hdr.msg_iovlen = 1;
    port->in[slot].msg_hdr.msg_name = &port->in_names[slot];
    port->in[slot].msg_hdr.msg_control = &port->in_controls[slot];
  }
  for (int place = 0; place < QUEUE; place++) {
    port->out[place].msg_hdr.msg_iov = &port->out_parts[place];
    port->out[place].msg_hdr.msg_iovlen = 1;
    port->out[place].msg_hdr.msg_name = &port->out_names[place];
  }
}

#endif
