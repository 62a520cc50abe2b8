/*
 * UDP in batches for a RADIUS worker, as JavaScript calls it: one recvmmsg fills the caller's buffer, one call handles the datagrams,
 * and one sendmmsg sends the answers. The socket lives on the event loop of its thread, which still receives messages and runs timers.
 * batch-port.ts is the only caller; the arguments are checked all the same, and none of them can make this code touch memory outside
 * of the given arrays.
 */
#define _GNU_SOURCE
#define NAPI_VERSION 8
#include <stdio.h>

#include "udp-sockets.h"
#include "unix-datagram.h"

/* Words of a request to be digested. */
#define JOB_WORDS 8
/* What a service manager is told at once is far shorter; the rest is left out. */
#define TEXT_BYTES 2048

#ifndef SOURCE_DIGEST
#define SOURCE_DIGEST ""
#endif

static napi_value fail(napi_env env, const char *code, const char *message) {
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  if (!pending) napi_throw_error(env, code, message);
  return NULL;
}

static napi_value wrong(napi_env env, const char *message) {
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  if (!pending) napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", message);
  return NULL;
}

static napi_value fail_system(napi_env env, const char *operation, int error) {
  char message[160];
  snprintf(message, sizeof message, "%s %s", operation, uv_err_name(-error));
  return fail(env, uv_err_name(-error), message);
}

static napi_value number_of(napi_env env, double value) {
  napi_value result = NULL;
  napi_create_double(env, value, &result);
  return result;
}

/* Reads a whole number of the range; false for anything else. */
static bool whole_number(napi_env env, napi_value value, int64_t least, int64_t most, int64_t *result) {
  double number;
  if (napi_get_value_double(env, value, &number) != napi_ok) return false;
  if (!(number >= (double)least && number <= (double)most)) return false;
  *result = (int64_t)number;
  return (double)*result == number;
}

static Module *module_of(napi_env env) {
  Module *module = NULL;
  if (napi_get_instance_data(env, (void **)&module) != napi_ok) return NULL;
  return module == NULL || module->ending ? NULL : module;
}

/* The arguments, as many as wanted, and the port the first of them names; NULL after throwing. */
static Port *port_of(napi_env env, napi_callback_info info, size_t wanted, napi_value *arguments) {
  size_t given = wanted;
  int64_t number;
  Module *module = module_of(env);
  if (module == NULL || napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given < wanted ||
      !whole_number(env, arguments[0], 0, PORTS - 1, &number)) {
    wrong(env, "The first argument is the number of an open socket.");
    return NULL;
  }
  Port *port = module->ports[number];
  if (port == NULL || port->closing) {
    fail(env, "ERR_SOCKET_CLOSED", "The socket is closed.");
    return NULL;
  }
  return port;
}

static bool keep_array(napi_env env, napi_value value, napi_typedarray_type kind, size_t least, napi_ref *reference) {
  size_t bytes;
  if (memory_of(env, value, kind, &bytes) == NULL || bytes < least) return false;
  return napi_create_reference(env, value, 1, reference) == napi_ok;
}

static int free_place(const Module *module) {
  for (int at = 0; at < PORTS; at++)
    if (module->ports[at] == NULL) return at;
  return -1;
}

/*
 * open(address, port, sharesPort, receiveBufferBytes, input, received, output, queue, onBatch, arrived): the socket's number. `arrived`
 * is null where nobody wants to know when datagrams arrived.
 */
static napi_value open_port(napi_env env, napi_callback_info info) {
  napi_value arguments[10];
  size_t given = 10;
  char address[INET6_ADDRSTRLEN + 32];
  size_t address_bytes;
  int64_t number, receive_bytes;
  bool shares;
  napi_valuetype type, arrived_type;
  Module *module = module_of(env);
  if (module == NULL || napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given < 10 ||
      napi_get_value_string_utf8(env, arguments[0], address, sizeof address, &address_bytes) != napi_ok ||
      !whole_number(env, arguments[1], 0, 65535, &number) || napi_get_value_bool(env, arguments[2], &shares) != napi_ok ||
      !whole_number(env, arguments[3], 1, 1 << 30, &receive_bytes) ||
      napi_typeof(env, arguments[8], &type) != napi_ok || type != napi_function ||
      napi_typeof(env, arguments[9], &arrived_type) != napi_ok)
    return wrong(env, "open(address, port, sharesPort, receiveBufferBytes, input, received, output, queue, onBatch, arrived)");
  int place = free_place(module);
  if (place < 0) return fail(env, "EMFILE", "Too many sockets of one thread.");
  Port *port = calloc(1, sizeof *port);
  if (port == NULL) return fail(env, "ENOMEM", "No memory for a socket.");
  if (!keep_array(env, arguments[4], napi_uint8_array, SLOTS * SLOT_STRIDE, &port->input) ||
      !keep_array(env, arguments[5], napi_int32_array, SLOTS * WORDS * 4, &port->received) ||
      !keep_array(env, arguments[6], napi_uint8_array, 1, &port->output) ||
      !keep_array(env, arguments[7], napi_int32_array, QUEUE * WORDS * 4, &port->queue) ||
      (arrived_type != napi_null && !keep_array(env, arguments[9], napi_float64_array, SLOTS * 8, &port->arrived)) ||
      napi_create_reference(env, arguments[8], 1, &port->on_batch) != napi_ok) {
    wrong(env, "input and output are Uint8Arrays, received and queue Int32Arrays, arrived is a Float64Array, each large enough.");
    port->fd = -1;
  } else {
    port->fd = bound_socket(address, (int)number, shares, (int)receive_bytes, &port->family, &port->wildcard);
    if (port->fd < 0) fail_system(env, "bind", -port->fd);
    else if (uv_poll_init(module->loop, &port->poll, port->fd) != 0) {
      fail(env, "EBADF", "The event loop does not take the socket.");
      close(port->fd);
      port->fd = -1;
    }
  }
  if (port->fd < 0) {
    drop_reference(env, &port->input);
    drop_reference(env, &port->received);
    drop_reference(env, &port->arrived);
    drop_reference(env, &port->output);
    drop_reference(env, &port->queue);
    drop_reference(env, &port->on_batch);
    free(port);
    return NULL;
  }
  if (port->arrived != NULL) ask_for_stamps(port->fd, &port->arrivals);
  port->module = module;
  port->poll.data = port;
  prepare_messages(port);
  module->ports[place] = port;
  module->open++;
  return number_of(env, place);
}

/* read(socket, wanted): begins or ends receiving. */
static napi_value read_port(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  bool wanted;
  Port *port = port_of(env, info, 2, arguments);
  if (port == NULL) return NULL;
  if (napi_get_value_bool(env, arguments[1], &wanted) != napi_ok) return wrong(env, "read(socket, wanted)");
  port->reading = wanted;
  watch(port);
  return NULL;
}

/* The port the socket is bound to. */
static napi_value bound_port(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  struct sockaddr_storage name;
  socklen_t bytes = sizeof name;
  Port *port = port_of(env, info, 1, arguments);
  if (port == NULL) return NULL;
  if (getsockname(port->fd, (struct sockaddr *)&name, &bytes) < 0) return fail_system(env, "getsockname", errno);
  int32_t words[WORDS];
  describe(&name, words);
  return number_of(env, words[PORT]);
}

/*
 * send(socket, count, seals, keys): signs the first answers of the queue where they stand in the output, and sends them. A seal is the
 * number of a key, or -1 for an answer that is complete, and the place of its Message-Authenticator. Returns how many are lost.
 */
static napi_value send_answers(napi_env env, napi_callback_info info) {
  napi_value arguments[4];
  int64_t count;
  size_t output_bytes, queue_bytes, seals_bytes, keys_bytes;
  Task tasks[QUEUE];
  int unsealed = 0;
  Port *port = port_of(env, info, 4, arguments);
  if (port == NULL) return NULL;
  if (!whole_number(env, arguments[1], 0, QUEUE, &count)) return wrong(env, "send(socket, count, seals, keys)");
  const int32_t *seals = words_of(env, arguments[2], &seals_bytes);
  const uint8_t *keys = memory_of(env, arguments[3], napi_uint8_array, &keys_bytes);
  uint8_t *output = memory_behind(env, port->output, napi_uint8_array, &output_bytes);
  const int32_t *queue = (const int32_t *)(const void *)memory_behind(env, port->queue, napi_int32_array, &queue_bytes);
  if (output == NULL || queue == NULL || queue_bytes < QUEUE * WORDS * 4)
    return fail(env, "ERR_SOCKET_CLOSED", "The memory of the socket was given away.");
  if (seals == NULL || keys == NULL || seals_bytes < (size_t)count * 8)
    return wrong(env, "seals is an Int32Array and keys a Uint8Array.");
  for (int place = 0; place < count; place++) {
    const int32_t *words = queue + place * WORDS;
    const int32_t *seal = seals + place * 2;
    if (words[PLACE] < 0 || words[LENGTH] < 0 || (size_t)words[PLACE] + (size_t)words[LENGTH] > output_bytes)
      return wrong(env, "An answer lies outside of the output.");
    if (seal[0] != -1 && !make_task(&tasks[unsealed++], output, output_bytes, words[PLACE], words[LENGTH], keys, keys_bytes, seal[0],
                                    seal[1], 0))
      return wrong(env, "An answer cannot be signed.");
    port->out_parts[place].iov_base = output + words[PLACE];
    port->out_parts[place].iov_len = (size_t)words[LENGTH];
    port->out[place].msg_hdr.msg_namelen = address_of(words, port->family, &port->out_names[place]);
    port->out[place].msg_hdr.msg_controllen = control_of(words, &port->out_controls[place]);
    port->out[place].msg_hdr.msg_control = port->out[place].msg_hdr.msg_controllen > 0 ? &port->out_controls[place] : NULL;
  }
  seal_answers(&port->module->digester, tasks, unsealed);
  return number_of(env, send_all(port, (int)count));
}

/*
 * digest(input, jobs, count, keys, results): computes the values that the requests of a batch are compared with. A job is eight words:
 * place, length, number of the key, place of the Message-Authenticator, and what else is wanted; the others are not used.
 */
static napi_value digest_batch(napi_env env, napi_callback_info info) {
  napi_value arguments[5];
  size_t given = 5;
  int64_t count;
  size_t input_bytes, jobs_bytes, keys_bytes, results_bytes;
  Task tasks[SLOTS];
  Module *module = module_of(env);
  if (module == NULL || napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given < 5 ||
      !whole_number(env, arguments[2], 0, SLOTS, &count))
    return wrong(env, "digest(input, jobs, count, keys, results)");
  uint8_t *input = memory_of(env, arguments[0], napi_uint8_array, &input_bytes);
  const int32_t *jobs = words_of(env, arguments[1], &jobs_bytes);
  const uint8_t *keys = memory_of(env, arguments[3], napi_uint8_array, &keys_bytes);
  uint8_t *results = memory_of(env, arguments[4], napi_uint8_array, &results_bytes);
  if (input == NULL || jobs == NULL || keys == NULL || results == NULL || jobs_bytes < (size_t)count * JOB_WORDS * 4 ||
      results_bytes < (size_t)count * RESULT_BYTES)
    return wrong(env, "input, keys and results are Uint8Arrays, jobs an Int32Array, each large enough.");
  for (int at = 0; at < count; at++) {
    const int32_t *job = jobs + at * JOB_WORDS;
    if (!make_task(&tasks[at], input, input_bytes, job[0], job[1], keys, keys_bytes, job[2], job[3], job[4]))
      return wrong(env, "A request lies outside of its memory.");
  }
  digest_requests(&module->digester, tasks, (int)count, results);
  return NULL;
}

static napi_value close_socket(napi_env env, napi_callback_info info) {
  napi_value arguments[1];
  Port *port = port_of(env, info, 1, arguments);
  if (port != NULL) close_port(env, port);
  return NULL;
}

/* sendToUnix(address, text): one datagram to a socket of this machine; nothing to do with RADIUS, and Node has no such sockets. */
static napi_value send_text(napi_env env, napi_callback_info info) {
  napi_value arguments[2];
  size_t given = 2;
  char address[128], text[TEXT_BYTES];
  size_t address_bytes, text_bytes;
  if (napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given < 2 ||
      napi_get_value_string_utf8(env, arguments[0], address, sizeof address, &address_bytes) != napi_ok ||
      napi_get_value_string_utf8(env, arguments[1], text, sizeof text, &text_bytes) != napi_ok)
    return wrong(env, "sendToUnix(address, text)");
  int error = send_to_unix(address, address_bytes, text, text_bytes);
  return error == 0 ? NULL : fail_system(env, "sendto", error);
}

static bool define(napi_env env, napi_value exports, const char *name, napi_callback call) {
  napi_value function;
  return napi_create_function(env, name, NAPI_AUTO_LENGTH, call, NULL, &function) == napi_ok &&
         napi_set_named_property(env, exports, name, function) == napi_ok;
}

static bool define_number(napi_env env, napi_value exports, const char *name, double value) {
  return napi_set_named_property(env, exports, name, number_of(env, value)) == napi_ok;
}

NAPI_MODULE_INIT() {
  napi_value digest;
  Module *module = calloc(1, sizeof *module);
  if (module == NULL) return fail(env, "ENOMEM", "No memory for the addon.");
  module->env = env;
  if (napi_get_uv_event_loop(env, &module->loop) != napi_ok || napi_set_instance_data(env, module, NULL, NULL) != napi_ok ||
      napi_add_async_cleanup_hook(env, end_module, module, &module->cleanup) != napi_ok) {
    free(module);
    return fail(env, "ERR_NAPI", "This Node does not take the addon.");
  }
  if (!define(env, exports, "open", open_port) || !define(env, exports, "read", read_port) ||
      !define(env, exports, "port", bound_port) || !define(env, exports, "send", send_answers) ||
      !define(env, exports, "digest", digest_batch) || !define(env, exports, "close", close_socket) ||
      !define(env, exports, "sendToUnix", send_text) ||
      !define_number(env, exports, "slots", SLOTS) ||
      !define_number(env, exports, "inputBytes", SLOTS * SLOT_STRIDE) || !define_number(env, exports, "queue", QUEUE) ||
      !define_number(env, exports, "keyBytes", KEY_BYTES) || !define_number(env, exports, "secretMax", SECRET_MAX) ||
      napi_create_string_utf8(env, SOURCE_DIGEST, NAPI_AUTO_LENGTH, &digest) != napi_ok ||
      napi_set_named_property(env, exports, "source", digest) != napi_ok)
    return fail(env, "ERR_NAPI", "This Node does not take the addon.");
  return exports;
}
