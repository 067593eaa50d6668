// Certificates by libcrypto. The names of servers are built as ASN.1, not as OpenSSL's
// configuration text, so that no name can bring others in.

#include "common/certificates/certificate.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/base/text.h"

enum { SERIAL_BYTES = 16, HOST_BYTES_MAX = 253 };

void certificate_deinit(certificate_t *certificate) {
  free(certificate->certificate_pem);
  if (certificate->key_pem != NULL) {
    OPENSSL_cleanse(certificate->key_pem, strlen(certificate->key_pem));
    free(certificate->key_pem);
  }
  *certificate = (certificate_t){0};
}

static pod_status_t crypto_error(const char *what) {
  char reason[256];
  ERR_error_string_n(ERR_get_error(), reason, sizeof(reason));
  ERR_clear_error();
  return pod_error(POD_INTERNAL, "cannot %s: %s", what, reason);
}

// --- Names ---

static bool is_host_name(const char *host) {
  static const char allowed[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_*";
  const size_t length = strlen(host);
  return length > 0 && length <= HOST_BYTES_MAX && strspn(host, allowed) == length;
}

static bool is_address(const char *host) {
  ASN1_OCTET_STRING *address = a2i_IPADDRESS(host);
  ASN1_OCTET_STRING_free(address);
  ERR_clear_error();
  return address != NULL;
}

// Takes what `value` points to.
static bool add_name(GENERAL_NAMES *names, int type, ASN1_STRING *value) {
  GENERAL_NAME *name = value != NULL ? GENERAL_NAME_new() : NULL;
  if (name == NULL) {
    ASN1_STRING_free(value);
    return false;
  }
  GENERAL_NAME_set0_value(name, type, value);
  if (sk_GENERAL_NAME_push(names, name) == 0) {
    GENERAL_NAME_free(name);
    return false;
  }
  return true;
}

static bool add_text_name(GENERAL_NAMES *names, int type, const char *text) {
  ASN1_IA5STRING *value = ASN1_IA5STRING_new();
  if (value != NULL && ASN1_STRING_set(value, text, (int)strlen(text)) == 0) {
    ASN1_STRING_free(value);
    value = NULL;
  }
  return add_name(names, type, value);
}

static bool add_host(GENERAL_NAMES *names, const char *host) {
  ASN1_OCTET_STRING *address = a2i_IPADDRESS(host);
  return address != NULL ? add_name(names, GEN_IPADD, address)
                         : add_text_name(names, GEN_DNS, host);
}

static bool add_role(GENERAL_NAMES *names, const char *role) {
  pod_text_t uri = {0};
  pod_text_printf(&uri, "podium:%s", role);
  const bool done = add_text_name(names, GEN_URI, uri.bytes);
  pod_text_deinit(&uri);
  return done;
}

// The subject alternative name: the hosts and the role.
static bool add_alternative_names(X509 *certificate,
                                  const certificate_request_t *request) {
  GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
  bool done = names != NULL;
  for (size_t i = 0; done && i < request->host_count; i++) {
    done = add_host(names, request->hosts[i]);
  }
  if (done && request->role != NULL) {
    done = add_role(names, request->role);
  }
  if (done && sk_GENERAL_NAME_num(names) > 0) {
    done = X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0,
                             X509V3_ADD_DEFAULT) == 1;
  }
  GENERAL_NAMES_free(names);
  return done;
}

// --- The certificate ---

static bool add_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, nid, value);
  const bool done = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return done;
}

static bool add_extensions(X509 *certificate, X509 *issuer,
                           const certificate_request_t *request) {
  if (!add_extension(certificate, issuer, NID_subject_key_identifier, "hash") ||
      !add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always")) {
    return false;
  }
  if (request->is_authority) {
    return add_extension(certificate, issuer, NID_basic_constraints,
                         "critical,CA:TRUE") &&
           add_extension(certificate, issuer, NID_key_usage,
                         "critical,keyCertSign,cRLSign");
  }
  return add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
         add_extension(
             certificate, issuer, NID_ext_key_usage,
             request->host_count > 0 ? "serverAuth,clientAuth" : "clientAuth") &&
         add_alternative_names(certificate, request);
}

static bool set_serial(X509 *certificate) {
  unsigned char bytes[SERIAL_BYTES];
  if (RAND_bytes(bytes, sizeof(bytes)) != 1) {
    return false;
  }
  bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40);  // Positive, and all its bytes.
  BIGNUM *number = BN_bin2bn(bytes, sizeof(bytes), NULL);
  const bool done =
      number != NULL &&
      BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL;
  BN_free(number);
  return done;
}

static bool set_subject(X509 *certificate, const char *name) {
  return X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN",
                                    MBSTRING_UTF8, (const unsigned char *)name, -1, -1,
                                    0) == 1;
}

// `issuer` NULL: itself.
static bool fill(X509 *certificate, EVP_PKEY *key, const certificate_request_t *request,
                 X509 *issuer, EVP_PKEY *issuer_key) {
  enum { VERSION_3 = 2 };
  if (X509_set_version(certificate, VERSION_3) == 0 || !set_serial(certificate) ||
      !set_subject(certificate, request->name) ||
      X509_set_pubkey(certificate, key) == 0 ||
      ASN1_TIME_set(X509_getm_notBefore(certificate), request->begins_s) == NULL ||
      ASN1_TIME_set(X509_getm_notAfter(certificate), request->ends_s) == NULL) {
    return false;
  }
  X509 *signer = issuer != NULL ? issuer : certificate;
  return X509_set_issuer_name(certificate, X509_get_subject_name(signer)) == 1 &&
         add_extensions(certificate, signer, request) &&
         X509_sign(certificate, issuer != NULL ? issuer_key : key, EVP_sha256()) > 0;
}

// --- PEM ---

static char *take_text(BIO *bio) {
  char *bytes = NULL;
  const long length = BIO_get_mem_data(bio, &bytes);
  char *text = pod_alloc((size_t)length + 1);
  memcpy(text, bytes, (size_t)length);
  return text;
}

static bool print(X509 *certificate, EVP_PKEY *key, certificate_t *out_certificate) {
  BIO *bios[2] = {BIO_new(BIO_s_mem()), BIO_new(BIO_s_secmem())};
  const bool done =
      bios[0] != NULL && bios[1] != NULL &&
      PEM_write_bio_X509(bios[0], certificate) == 1 &&
      PEM_write_bio_PrivateKey(bios[1], key, NULL, NULL, 0, NULL, NULL) == 1;
  if (done) {
    *out_certificate = (certificate_t){take_text(bios[0]), take_text(bios[1])};
  }
  BIO_free(bios[0]);
  BIO_free(bios[1]);
  return done;
}

static bool parse(const certificate_t *text, X509 **out_certificate, EVP_PKEY **out_key) {
  BIO *certificate = BIO_new_mem_buf(text->certificate_pem, -1);
  BIO *key = BIO_new_mem_buf(text->key_pem, -1);
  if (certificate != NULL && key != NULL) {
    // Without a password, which an empty one as the callback's argument says.
    static char none[] = "";
    *out_certificate = PEM_read_bio_X509(certificate, NULL, NULL, NULL);
    *out_key = PEM_read_bio_PrivateKey(key, NULL, NULL, none);
  }
  BIO_free(certificate);
  BIO_free(key);
  return *out_certificate != NULL && *out_key != NULL &&
         X509_check_private_key(*out_certificate, *out_key) == 1;
}

// --- Issuing ---

static pod_status_t check_request(const certificate_request_t *request) {
  const size_t length = strlen(request->name);
  if (length == 0 || length > CERTIFICATE_NAME_BYTES_MAX) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the name of a certificate has 1 to %d bytes, '%s' has %zu",
                     CERTIFICATE_NAME_BYTES_MAX, request->name, length);
  }
  for (size_t i = 0; !request->is_authority && i < request->host_count; i++) {
    const char *host = request->hosts[i];
    if (!is_address(host) && !is_host_name(host)) {
      return pod_error(POD_INVALID_ARGUMENT,
                       "'%s' is no host name and no IP address; leave out the port, and "
                       "the brackets of IPv6",
                       host);
    }
  }
  if (request->ends_s <= request->begins_s) {
    return pod_error(POD_INVALID_ARGUMENT, "the certificate of %s would never be valid",
                     request->name);
  }
  return NULL;
}

pod_status_t certificate_issue(const certificate_request_t *request,
                               const certificate_t *issuer,
                               certificate_t *out_certificate) {
  POD_TRY(check_request(request));
  X509 *signer = NULL;
  EVP_PKEY *signer_key = NULL;
  pod_status_t status = NULL;
  X509 *certificate = X509_new();
  EVP_PKEY *key = EVP_EC_gen("P-256");
  if (issuer != NULL && !parse(issuer, &signer, &signer_key)) {
    ERR_clear_error();
    status =
        pod_error(POD_INVALID_ARGUMENT,
                  "what shall sign %s is no certificate with its key", request->name);
  } else if (certificate == NULL || key == NULL ||
             !fill(certificate, key, request, signer, signer_key) ||
             !print(certificate, key, out_certificate)) {
    status = crypto_error("make a certificate");
  }
  X509_free(certificate);
  X509_free(signer);
  EVP_PKEY_free(key);
  EVP_PKEY_free(signer_key);
  return status;
}
