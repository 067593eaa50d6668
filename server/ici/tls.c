// Two configurations of nng's made of the same files. They are given no server name: an
// ICI link is dialled by address, and mbed TLS 2.28 knows no addresses in certificates.

#include "server/ici/tls.h"

#include <errno.h>
#include <nng/supplemental/tls/tls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"

enum { FILE_BYTES_MAX = 1 << 20 };

struct ici_tls_t {
  nng_tls_config *server, *client;
};

static pod_status_t read_text(const char *path, char **out_text) {
  FILE *file = fopen(path, "re");
  if (file == NULL) {
    return pod_error(POD_INVALID_ARGUMENT, "cannot open %s: %s", path, strerror(errno));
  }
  char *text = pod_alloc(FILE_BYTES_MAX + 1);
  const size_t size_bytes = fread(text, 1, FILE_BYTES_MAX + 1, file);
  const bool is_whole = feof(file) != 0 && size_bytes <= FILE_BYTES_MAX;
  fclose(file);
  if (!is_whole) {
    free(text);
    return pod_error(POD_INVALID_ARGUMENT, "cannot read %s, or it is longer than 1 MiB",
                     path);
  }
  text[size_bytes] = '\0';
  *out_text = text;
  return NULL;
}

static pod_status_t set_texts(nng_tls_config *config, const ici_tls_files_t *files,
                              const char *certificate, const char *key, const char *ca) {
  int result = nng_tls_config_ca_chain(config, ca, NULL);
  if (result != 0) {
    return pod_error(POD_INVALID_ARGUMENT, "%s holds no certificates in PEM: %s",
                     files->ca, nng_strerror(result));
  }
  result = nng_tls_config_own_cert(config, certificate, key, NULL);
  if (result != 0) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "%s and %s are no certificate and its key in PEM: %s",
                     files->certificate, files->key, nng_strerror(result));
  }
  result = nng_tls_config_auth_mode(config, NNG_TLS_AUTH_MODE_REQUIRED);
  return result == 0 ? NULL
                     : pod_error(POD_UNAVAILABLE, "cannot demand a certificate: %s",
                                 nng_strerror(result));
}

static pod_status_t make_config(nng_tls_mode mode, const ici_tls_files_t *files,
                                nng_tls_config **out_config) {
  char *certificate = NULL, *key = NULL, *ca = NULL;
  int result = nng_tls_config_alloc(out_config, mode);
  pod_status_t status =
      result == 0 ? NULL
                  : pod_error(POD_UNAVAILABLE, "no TLS here: %s", nng_strerror(result));
  if (status == NULL) {
    status = read_text(files->certificate, &certificate);
  }
  if (status == NULL) {
    status = read_text(files->key, &key);
  }
  if (status == NULL) {
    status = read_text(files->ca, &ca);
  }
  if (status == NULL) {
    status = set_texts(*out_config, files, certificate, key, ca);
  }
  if (key != NULL) {
    explicit_bzero(key, strlen(key));
  }
  free(certificate);
  free(key);
  free(ca);
  return status;
}

pod_status_t ici_tls_create(const ici_tls_files_t *files, ici_tls_t **out_tls) {
  ici_tls_t *tls = pod_alloc(sizeof(*tls));
  pod_status_t status = make_config(NNG_TLS_MODE_SERVER, files, &tls->server);
  if (status == NULL) {
    status = make_config(NNG_TLS_MODE_CLIENT, files, &tls->client);
  }
  if (status != NULL) {
    ici_tls_destroy(tls);
    return pod_status_context(status, "TLS of the links");
  }
  *out_tls = tls;
  return NULL;
}

void ici_tls_destroy(ici_tls_t *tls) {
  if (tls == NULL) {
    return;
  }
  if (tls->server != NULL) {
    nng_tls_config_free(tls->server);
  }
  if (tls->client != NULL) {
    nng_tls_config_free(tls->client);
  }
  free(tls);
}

int ici_tls_set_listener(const ici_tls_t *tls, nng_stream_listener *listener) {
  return nng_stream_listener_set_ptr(listener, NNG_OPT_TLS_CONFIG, tls->server);
}

int ici_tls_set_dialer(const ici_tls_t *tls, nng_stream_dialer *dialer) {
  return nng_stream_dialer_set_ptr(dialer, NNG_OPT_TLS_CONFIG, tls->client);
}
