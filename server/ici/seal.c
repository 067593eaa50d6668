// OpenSSL between two memories, as on gRPC's connections: a transport (a BIO) that reads
// what the socket gave and writes to a buffer, which goes out by as few system calls as
// records can be gathered for.

#include "server/ici/seal.h"

#include <openssl/err.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/memory.h"

enum {
  INPUT_BYTES_MIN = 4 << 10,
  INPUT_BYTES_MAX = 256 << 10,
  OUTPUT_BYTES_MIN = 4 << 10,
  // A batch and what the protocol says of itself, which is little.
  OUTPUT_BYTES_MAX = ICI_SEAL_BATCH_BYTES + (96 << 10),
};

static const int64_t told_every_ns = (int64_t)60 * 1000 * 1000 * 1000;

typedef struct bytes_t {
  uint8_t *data;
  size_t at, end, capacity;  // From `at` to `end` there is something.
} bytes_t;

struct ici_seal_t {
  SSL *ssl;
  bytes_t input;
  // What goes out, and what waits for that to have gone.
  bytes_t going, waiting;
  bool is_ready, is_broken;
};

// ---- The transport.

static int transport_read(BIO *bio, char *out, size_t size_bytes, size_t *out_read) {
  bytes_t *input = &((ici_seal_t *)BIO_get_data(bio))->input;
  const size_t left = input->end - input->at;
  BIO_clear_retry_flags(bio);
  if (left == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  *out_read = size_bytes < left ? size_bytes : left;
  memcpy(out, input->data + input->at, *out_read);
  input->at += *out_read;
  return 1;
}

static bool reserve(bytes_t *bytes, size_t more) {
  const size_t needed = bytes->end + more;
  if (needed > OUTPUT_BYTES_MAX) {
    return false;  // It has us talk and does not listen.
  }
  size_t capacity =
      bytes->capacity < OUTPUT_BYTES_MIN ? OUTPUT_BYTES_MIN : bytes->capacity;
  while (capacity < needed) {
    capacity *= 2;
  }
  if (capacity != bytes->capacity) {
    bytes->data = pod_grow(bytes->data, capacity, 1);
    bytes->capacity = capacity;
  }
  return true;
}

static int transport_write(BIO *bio, const char *data, size_t size_bytes,
                           size_t *out_written) {
  bytes_t *waiting = &((ici_seal_t *)BIO_get_data(bio))->waiting;
  BIO_clear_retry_flags(bio);
  if (!reserve(waiting, size_bytes)) {
    return 0;
  }
  memcpy(waiting->data + waiting->end, data, size_bytes);
  waiting->end += size_bytes;
  *out_written = size_bytes;
  return 1;
}

static long transport_control(BIO *bio, int command, long number, void *pointer) {
  (void)bio;
  (void)number;
  (void)pointer;
  return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *transport;

static void make_transport(void) {
  transport = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "podium link");
  if (transport != NULL) {
    BIO_meth_set_read_ex(transport, transport_read);
    BIO_meth_set_write_ex(transport, transport_write);
    BIO_meth_set_ctrl(transport, transport_control);
  }
}

// ---- Life.

ici_seal_t *ici_seal_create(ici_tls_t *tls, bool is_server) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_transport);
  ici_seal_t *seal = pod_alloc(sizeof(*seal));
  *seal = (ici_seal_t){.ssl = ici_tls_open(tls, is_server)};
  BIO *bio = seal->ssl != NULL && transport != NULL ? BIO_new(transport) : NULL;
  if (bio == NULL) {
    ici_seal_destroy(seal);
    return NULL;
  }
  BIO_set_data(bio, seal);
  BIO_set_init(bio, 1);
  SSL_set_bio(seal->ssl, bio, bio);
  return seal;
}

void ici_seal_destroy(ici_seal_t *seal) {
  if (seal == NULL) {
    return;
  }
  SSL_free(seal->ssl);
  free(seal->input.data);
  free(seal->going.data);
  free(seal->waiting.data);
  free(seal);
}

// ---- What breaks.

static const char *reason_of(const ici_seal_t *seal) {
  const long verified = SSL_get_verify_result(seal->ssl);
  if (verified == X509_V_ERR_APPLICATION_VERIFICATION) {
    return "its certificate is not one of workers (podium:worker)";
  }
  if (verified != X509_V_OK) {
    return X509_verify_cert_error_string(verified);
  }
  const char *reason = ERR_reason_error_string(ERR_peek_error());
  return reason != NULL ? reason : "it speaks no TLS 1.3";
}

// Anybody can come as often as he likes: the log says it now and then.
static void tell(const ici_seal_t *seal) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int64_t told_ns;
  const int64_t now_ns = pod_clock_now_ns();
  pthread_mutex_lock(&lock);
  const bool is_news = told_ns == 0 || now_ns - told_ns >= told_every_ns;
  told_ns = is_news ? now_ns : told_ns;
  pthread_mutex_unlock(&lock);
  if (is_news) {
    pod_log(POD_LOG_WARNING, "ici: no TLS with %s: %s (said once a minute)",
            SSL_is_server(seal->ssl) != 0 ? "who dialled this chip"
                                          : "whom this chip dialled",
            reason_of(seal));
  }
}

static void fail(ici_seal_t *seal) {
  seal->is_broken = true;
  tell(seal);
  ERR_clear_error();
}

static bool wants_input(const ici_seal_t *seal, int result) {
  return SSL_get_error(seal->ssl, result) == SSL_ERROR_WANT_READ;
}

// False: not over yet, or broken.
static bool shake(ici_seal_t *seal) {
  ERR_clear_error();  // What others left in the thread's queue is no failure of these.
  const int result = SSL_do_handshake(seal->ssl);
  seal->is_ready = result == 1;
  if (seal->is_ready) {  // From here on records follow one another.
    SSL_clear_mode(seal->ssl, SSL_MODE_RELEASE_BUFFERS);
  }
  if (result != 1 && !wants_input(seal, result)) {
    fail(seal);
  }
  return seal->is_ready;
}

bool ici_seal_start(ici_seal_t *seal) {
  if (!seal->is_broken && SSL_in_before(seal->ssl) && SSL_is_server(seal->ssl) == 0) {
    (void)shake(seal);
  }
  return !seal->is_broken;
}

bool ici_seal_is_ready(const ici_seal_t *seal) {
  return seal->is_ready && !seal->is_broken;
}

// ---- Coming in.

uint8_t *ici_seal_input(ici_seal_t *seal, size_t *out_capacity) {
  bytes_t *input = &seal->input;
  const bool was_full = input->end == input->capacity;  // There may be more at a time.
  input->at = input->end = 0;
  if (input->capacity == 0 ||
      (was_full && seal->is_ready && input->capacity < INPUT_BYTES_MAX)) {
    free(input->data);
    input->capacity = input->capacity == 0 ? INPUT_BYTES_MIN : 2 * input->capacity;
    input->data = pod_alloc(input->capacity);
  }
  *out_capacity = input->capacity;
  return input->data;
}

void ici_seal_fed(ici_seal_t *seal, size_t size_bytes) {
  seal->input.end = size_bytes;
}

bool ici_seal_has_input(const ici_seal_t *seal) {
  return seal->input.at < seal->input.end || SSL_pending(seal->ssl) > 0;
}

ici_seal_opened_t ici_seal_open(ici_seal_t *seal, uint8_t *out_data, size_t capacity,
                                size_t *out_size_bytes) {
  if (seal->is_broken) {
    return ICI_SEAL_BROKEN;
  }
  if (!seal->is_ready && !shake(seal)) {
    return seal->is_broken ? ICI_SEAL_BROKEN : ICI_SEAL_USED_UP;
  }
  ERR_clear_error();
  const int result = SSL_read_ex(seal->ssl, out_data, capacity, out_size_bytes);
  if (result == 1) {
    return ICI_SEAL_BYTES;
  }
  if (wants_input(seal, result)) {
    return ICI_SEAL_USED_UP;
  }
  if (SSL_get_error(seal->ssl, result) == SSL_ERROR_ZERO_RETURN) {
    seal->is_broken = true;  // It has said so, which is no failure.
  } else {
    fail(seal);
  }
  return ICI_SEAL_BROKEN;
}

// ---- Going out.

bool ici_seal_close(ici_seal_t *seal, const uint8_t *data, size_t size_bytes) {
  if (!ici_seal_is_ready(seal)) {
    return false;
  }
  ERR_clear_error();
  while (size_bytes > 0) {
    size_t taken = 0;
    if (SSL_write_ex(seal->ssl, data, size_bytes, &taken) != 1) {
      fail(seal);
      return false;
    }
    data += taken;
    size_bytes -= taken;
  }
  return true;
}

const uint8_t *ici_seal_output(ici_seal_t *seal, size_t *out_size_bytes) {
  if (seal->going.at == seal->going.end) {
    const bytes_t gone = seal->going;
    seal->going = seal->waiting;
    seal->waiting = (bytes_t){.data = gone.data, .capacity = gone.capacity};
  }
  *out_size_bytes = seal->going.end - seal->going.at;
  return *out_size_bytes == 0 ? NULL : seal->going.data + seal->going.at;
}

void ici_seal_sent(ici_seal_t *seal, size_t size_bytes) {
  seal->going.at += size_bytes;
}
