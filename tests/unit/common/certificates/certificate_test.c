// Certificates as OpenSSL sees them: who they are for, when, and what they may not hold.

#include "common/certificates/certificate.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { HOUR_S = 3600 };

static certificate_t make(certificate_request_t request, const certificate_t *issuer) {
  certificate_t certificate = {0};
  request.begins_s = time(NULL) - HOUR_S;
  request.ends_s = time(NULL) + HOUR_S;
  assert_null(certificate_issue(&request, issuer, &certificate));
  return certificate;
}

static X509 *read_certificate(const certificate_t *certificate) {
  BIO *bio = BIO_new_mem_buf(certificate->certificate_pem, -1);
  X509 *read = PEM_read_bio_X509(bio, NULL, NULL, NULL);
  BIO_free(bio);
  assert_non_null(read);
  return read;
}

// What OpenSSL says when `authority` is believed.
static int verify(const certificate_t *certificate, const certificate_t *authority,
                  int purpose) {
  X509_STORE *store = X509_STORE_new();
  X509_STORE_CTX *context = X509_STORE_CTX_new();
  X509 *subject = read_certificate(certificate);
  X509 *root = read_certificate(authority);
  X509_STORE_add_cert(store, root);
  X509_STORE_CTX_init(context, store, subject, NULL);
  X509_STORE_CTX_set_purpose(context, purpose);
  X509_verify_cert(context);
  const int error = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  X509_free(subject);
  X509_free(root);
  return error;
}

static void test_what_an_authority_signs_is_believed(void **state) {
  (void)state;
  static const char *const hosts[] = {"tpu-1.example", "10.0.0.1", "::1"};
  certificate_t authority =
      make((certificate_request_t){.name = "CA", .is_authority = true}, NULL);
  certificate_t server = make(
      (certificate_request_t){
          .name = "coordinator", .role = "coordinator", .hosts = hosts, .host_count = 3},
      &authority);
  certificate_t other =
      make((certificate_request_t){.name = "CA", .is_authority = true}, NULL);
  assert_int_equal(verify(&server, &authority, X509_PURPOSE_SSL_SERVER), X509_V_OK);
  assert_int_equal(verify(&server, &authority, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  assert_int_not_equal(verify(&server, &other, X509_PURPOSE_SSL_SERVER), X509_V_OK);
  X509 *read = read_certificate(&server);
  assert_int_equal(X509_check_host(read, "tpu-1.example", 0, 0, NULL), 1);
  assert_int_equal(X509_check_ip_asc(read, "10.0.0.1", 0), 1);
  assert_int_equal(X509_check_ip_asc(read, "::1", 0), 1);
  assert_int_equal(X509_check_host(read, "tpu-2.example", 0, 0, NULL), 0);
  X509_free(read);
  certificate_deinit(&authority);
  certificate_deinit(&server);
  certificate_deinit(&other);
}

static void test_a_certificate_without_hosts_is_for_clients(void **state) {
  (void)state;
  certificate_t authority =
      make((certificate_request_t){.name = "CA", .is_authority = true}, NULL);
  certificate_t client =
      make((certificate_request_t){.name = "alice", .role = "run"}, &authority);
  assert_int_equal(verify(&client, &authority, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  assert_int_equal(verify(&client, &authority, X509_PURPOSE_SSL_SERVER),
                   X509_V_ERR_INVALID_PURPOSE);
  certificate_deinit(&authority);
  certificate_deinit(&client);
}

static void test_only_an_authority_can_sign_for_others(void **state) {
  (void)state;
  certificate_t authority =
      make((certificate_request_t){.name = "CA", .is_authority = true}, NULL);
  certificate_t client = make((certificate_request_t){.name = "alice"}, &authority);
  certificate_t forged = make((certificate_request_t){.name = "root"}, &client);
  assert_int_not_equal(verify(&forged, &client, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  assert_int_not_equal(verify(&forged, &authority, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  certificate_deinit(&authority);
  certificate_deinit(&client);
  certificate_deinit(&forged);
}

static void expect_refused(certificate_request_t request, const certificate_t *issuer) {
  certificate_t certificate = {0};
  if (request.ends_s == 0) {
    request.ends_s = time(NULL);
  }
  const pod_status_t status = certificate_issue(&request, issuer, &certificate);
  assert_int_equal(pod_status_code(status), POD_INVALID_ARGUMENT);
  assert_null(certificate.certificate_pem);
  assert_null(certificate.key_pem);
  pod_status_free(status);
}

static void test_what_no_certificate_can_hold_is_refused(void **state) {
  (void)state;
  static const char *const bad_hosts[] = {"",      "a b",  "a,DNS:evil", "host:4711",
                                          "[::1]", "a\nb", "1.2.3.4/8",  "h\xc3\xa4"};
  static const char too_long[] =
      "0123456789012345678901234567890123456789012345678901234567890123456789";
  for (size_t i = 0; i < sizeof(bad_hosts) / sizeof(bad_hosts[0]); i++) {
    expect_refused(
        (certificate_request_t){.name = "x", .hosts = &bad_hosts[i], .host_count = 1},
        NULL);
  }
  expect_refused((certificate_request_t){.name = ""}, NULL);
  expect_refused((certificate_request_t){.name = too_long}, NULL);
  expect_refused((certificate_request_t){.name = "x", .begins_s = 10, .ends_s = 5}, NULL);
  char not_pem[] = "no certificate";
  expect_refused((certificate_request_t){.name = "x"},
                 &(certificate_t){not_pem, not_pem});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_an_authority_signs_is_believed),
      cmocka_unit_test(test_a_certificate_without_hosts_is_for_clients),
      cmocka_unit_test(test_only_an_authority_can_sign_for_others),
      cmocka_unit_test(test_what_no_certificate_can_hold_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
