#include "authority.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { HOUR_S = 3600 };

void authority_write(const char *path, const char *text, const char *more) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fputs(more, file);
  assert_int_equal(fclose(file), 0);
}

const char *authority_path(const authority_t *authority, const char *name,
                           const char *suffix) {
  static char paths[8][160];
  static int turn;
  char *path = paths[turn++ % 8];
  snprintf(path, sizeof(paths[0]), "%s/%s%s", authority->folder, name, suffix);
  return path;
}

void authority_start(authority_t *authority, const char *name) {
  *authority = (authority_t){.folder = "/tmp/podium-authority-XXXXXX"};
  assert_non_null(mkdtemp(authority->folder));
  const certificate_request_t request = {.name = name,
                                         .is_authority = true,
                                         .begins_s = time(NULL) - HOUR_S,
                                         .ends_s = time(NULL) + HOUR_S};
  assert_null(certificate_issue(&request, NULL, &authority->certificate));
  snprintf(authority->file, sizeof(authority->file), "%s/ca.crt", authority->folder);
  authority_write(authority->file, authority->certificate.certificate_pem, "");
}

void authority_stop(authority_t *authority) {
  char command[128];
  snprintf(command, sizeof(command), "rm -r '%s'", authority->folder);
  assert_int_equal(system(command), 0);
  certificate_deinit(&authority->certificate);
}

void authority_sign_for(const authority_t *authority, const char *name, const char *role,
                        const char *host, int64_t begins_s, int64_t ends_s,
                        const certificate_t *chain) {
  certificate_t certificate = {0};
  const certificate_request_t request = {.name = name,
                                         .role = role,
                                         .hosts = &host,
                                         .host_count = host != NULL,
                                         .begins_s = time(NULL) + begins_s,
                                         .ends_s = time(NULL) + ends_s};
  assert_null(certificate_issue(&request, &authority->certificate, &certificate));
  authority_write(authority_path(authority, name, ".crt"), certificate.certificate_pem,
                  chain != NULL ? chain->certificate_pem : "");
  authority_write(authority_path(authority, name, ".key"), certificate.key_pem, "");
  certificate_deinit(&certificate);
}

void authority_sign(const authority_t *authority, const char *name, const char *role,
                    const char *host) {
  authority_sign_for(authority, name, role, host, -HOUR_S, HOUR_S, NULL);
}

rpc_credentials_t *authority_server(const authority_t *authority, const char *name,
                                    const authority_t *clients) {
  rpc_credentials_t *credentials = NULL;
  assert_null(rpc_credentials_for_server(
      authority_path(authority, name, ".crt"), authority_path(authority, name, ".key"),
      clients != NULL ? clients->file : NULL, &credentials));
  return credentials;
}

rpc_credentials_t *authority_client(const authority_t *authority, const authority_t *own,
                                    const char *name) {
  rpc_credentials_t *credentials = NULL;
  assert_null(rpc_credentials_for_client(
      authority->file, own != NULL ? authority_path(own, name, ".crt") : NULL,
      own != NULL ? authority_path(own, name, ".key") : NULL, &credentials));
  return credentials;
}
