// What OpenSSL finds wrong, for people: which certificate, until when, for whom; and what
// a peer speaks that speaks no TLS.

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "common/base/memory.h"
#include "common/rpc/tls.h"

enum { DATE_BYTES = 64, NAMES_SHOWN_MAX = 8, NAME_BYTES_MAX = 253 };

// --- Certificates ---

// What others have chosen is shown without what a terminal would obey.
static void add_name(pod_text_t *text, const char *bytes, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes && i < NAME_BYTES_MAX; i++) {
    const bool is_plain = bytes[i] >= ' ' && bytes[i] <= '~';
    pod_text_add_bytes(text, is_plain ? bytes + i : "?", 1);
  }
}

static void add_common_name(pod_text_t *text, const X509_NAME *name) {
  const int place = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
  if (place < 0) {
    pod_text_add(text, "a name without CN");
    return;
  }
  const ASN1_STRING *string = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, place));
  pod_text_add(text, "'");
  add_name(text, (const char *)ASN1_STRING_get0_data(string),
           (size_t)ASN1_STRING_length(string));
  pod_text_add(text, "'");
}

static void add_date(pod_text_t *text, const ASN1_TIME *time) {
  struct tm date;
  char bytes[DATE_BYTES] = "a day that is none";
  if (ASN1_TIME_to_tm(time, &date) == 1) {
    strftime(bytes, sizeof(bytes), "%Y-%m-%d %H:%M:%S UTC", &date);
  }
  pod_text_add(text, bytes);
}

static bool add_alternative(pod_text_t *text, const GENERAL_NAME *name,
                            const char *separator) {
  char address[INET6_ADDRSTRLEN] = "";
  if (name->type == GEN_DNS) {
    pod_text_add(text, separator);
    add_name(text, (const char *)ASN1_STRING_get0_data(name->d.dNSName),
             (size_t)ASN1_STRING_length(name->d.dNSName));
    return true;
  }
  if (name->type != GEN_IPADD) {
    return false;
  }
  const int family = ASN1_STRING_length(name->d.iPAddress) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(name->d.iPAddress) != 16) {
    return false;
  }
  inet_ntop(family, ASN1_STRING_get0_data(name->d.iPAddress), address, sizeof(address));
  pod_text_add(text, separator);
  pod_text_add(text, address);
  return true;
}

static void add_hosts(pod_text_t *text, const X509 *certificate) {
  GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
  int shown = 0;
  for (int i = 0; i < sk_GENERAL_NAME_num(names) && shown < NAMES_SHOWN_MAX; i++) {
    shown +=
        add_alternative(text, sk_GENERAL_NAME_value(names, i), shown > 0 ? ", " : "");
  }
  if (shown == 0) {
    pod_text_add(text, "no host");
  }
  GENERAL_NAMES_free(names);
}

void rpc_tls_describe_certificate(pod_text_t *out_text, X509_STORE_CTX *store,
                                  const char *host, const char *ca_file) {
  const int error = X509_STORE_CTX_get_error(store);
  const X509 *certificate = X509_STORE_CTX_get_current_cert(store);
  if (certificate == NULL) {
    pod_text_add(out_text, X509_verify_cert_error_string(error));
    return;
  }
  if (error == X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN) {
    pod_text_add(out_text, "its authority ");
    add_common_name(out_text, X509_get_subject_name(certificate));
    pod_text_printf(out_text, " is none of %s", ca_file != NULL ? ca_file : "ours");
    return;
  }
  if (X509_STORE_CTX_get_error_depth(store) > 0) {
    pod_text_add(out_text, "the certificate of its authority ");
    add_common_name(out_text, X509_get_subject_name(certificate));
  } else {
    pod_text_add(out_text, "its certificate");
  }
  if (error == X509_V_ERR_CERT_HAS_EXPIRED) {
    pod_text_add(out_text, " expired on ");
    add_date(out_text, X509_get0_notAfter(certificate));
    return;
  }
  if (error == X509_V_ERR_CERT_NOT_YET_VALID) {
    pod_text_add(out_text, " is not valid before ");
    add_date(out_text, X509_get0_notBefore(certificate));
    pod_text_add(out_text, "; is the clock right?");
    return;
  }
  switch (error) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      pod_text_add(out_text, " is for ");
      add_hosts(out_text, certificate);
      pod_text_printf(out_text, ", not for %s", host != NULL ? host : "this host");
      break;
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      pod_text_add(out_text, " is signed by ");
      add_common_name(out_text, X509_get_issuer_name(certificate));
      pod_text_printf(out_text, ", who is no authority of %s",
                      ca_file != NULL ? ca_file : "ours");
      break;
    case X509_V_ERR_INVALID_PURPOSE:
      pod_text_printf(out_text, " is not one for %s",
                      host != NULL ? "servers" : "clients");
      break;
    default:
      pod_text_printf(out_text, " is not valid: %s",
                      X509_verify_cert_error_string(error));
  }
}

// --- Alerts and other errors ---

static const char *word_of_alert(int alert) {
  switch (alert) {
    case SSL_AD_UNKNOWN_CA:
      return "it does not accept our certificate: no authority that it knows has signed "
             "it";
    case SSL_AD_CERTIFICATE_EXPIRED:
      return "it does not accept our certificate: it has expired";
    case SSL_AD_CERTIFICATE_REVOKED:
      return "it does not accept our certificate: it was revoked";
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_UNKNOWN:
      return "it does not accept our certificate";
    case TLS13_AD_CERTIFICATE_REQUIRED:
      return "it demands a certificate of us, and we have shown none";
    case SSL_AD_NO_APPLICATION_PROTOCOL:
      return "one end does not speak HTTP/2 (h2 in ALPN)";
    case SSL_AD_PROTOCOL_VERSION:
      return "there is no version of TLS that both ends speak (1.2 or 1.3)";
    case SSL_AD_HANDSHAKE_FAILURE:
    case SSL_AD_INSUFFICIENT_SECURITY:
      return "it finds nothing that both ends can do (cipher, curve, signature), or "
             "demands a certificate of us";
    default:
      return NULL;
  }
}

static const char *word_of_reason(int reason) {
  switch (reason) {
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_WRONG_SSL_VERSION:
      return "there is no version of TLS that both ends speak (1.2 or 1.3)";
    case SSL_R_NO_SHARED_CIPHER:
      return "it offers no cipher that HTTP/2 allows";
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return "it has shown no certificate";
    case SSL_R_NO_APPLICATION_PROTOCOL:
      return "it did not offer HTTP/2 (h2) by ALPN";
    default:
      return NULL;
  }
}

void rpc_tls_describe_error(pod_text_t *out_text) {
  const unsigned long error = ERR_peek_error();
  const int reason = ERR_GET_REASON(error);
  const bool is_alert =
      ERR_GET_LIB(error) == ERR_LIB_SSL && reason >= SSL_AD_REASON_OFFSET;
  const char *word =
      is_alert ? word_of_alert(reason - SSL_AD_REASON_OFFSET) : word_of_reason(reason);
  if (word != NULL) {
    pod_text_add(out_text, word);
  } else if (is_alert) {
    pod_text_printf(out_text, "it ended TLS with the alert '%s'",
                    SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET));
  } else {
    const char *text = ERR_reason_error_string(error);
    pod_text_add(out_text, text != NULL ? text : "the protocol was broken");
  }
  ERR_clear_error();
}

// --- Strangers ---

enum { RECORD_ALERT = 0x15, RECORD_HANDSHAKE = 0x16, TLS_MAJOR = 3 };

// GOAWAY as the first frame, with INADEQUATE_SECURITY.
static bool is_refusal(const uint8_t *data, size_t size_bytes) {
  enum { TYPE_OFFSET = 3, TYPE_GOAWAY = 7, ERROR_OFFSET = 16, INADEQUATE_SECURITY = 12 };
  return size_bytes > ERROR_OFFSET && data[TYPE_OFFSET] == TYPE_GOAWAY &&
         data[ERROR_OFFSET] == INADEQUATE_SECURITY;
}

bool rpc_tls_is_spoken(const uint8_t *data, size_t size_bytes) {
  if (is_refusal(data, size_bytes)) {
    return true;
  }
  return size_bytes >= 2 && (data[0] == RECORD_ALERT || data[0] == RECORD_HANDSHAKE) &&
         data[1] == TLS_MAJOR;
}

const char *rpc_tls_describe_stranger(const uint8_t *data, size_t size_bytes) {
  if (data[0] == RECORD_ALERT || data[0] == RECORD_HANDSHAKE) {
    return NULL;
  }
  enum { TYPE_OFFSET = 3, TYPE_SETTINGS = 4 };
  const bool is_client = size_bytes >= 3 && memcmp(data, "PRI", 3) == 0;
  const bool is_server =
      size_bytes > TYPE_OFFSET && data[0] == 0 && data[TYPE_OFFSET] == TYPE_SETTINGS;
  return is_client || is_server ? "it speaks HTTP/2 without TLS" : "it speaks no TLS";
}
