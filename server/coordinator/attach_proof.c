#include "server/coordinator/attach_proof.h"

#include <stdlib.h>
#include <string.h>

#include "common/access/attach.h"
#include "common/base/memory.h"
#include "common/digest/digest.h"
#include "server/coordinator/authorize.h"

void attach_proof_init(attach_proof_t *proof, const access_t *access,
                       const rpc_call_t *call) {
  access_identity_t identity;
  const pod_status_t status = authorize_identify(access, call, &identity);
  proof->is_known = status == NULL && access_allows(&identity, ACCESS_WORKER);
  pod_status_free(status);
}

static pod_status_t refuse_unknown(const access_secret_t *secret, const char *address) {
  return pod_error(
      POD_UNAUTHENTICATED,
      "the worker at %.128s is not of the coordinator's own user on its host, has no "
      "certificate of a worker, and has not proved the pod's secret: %s",
      address,
      secret == NULL ? "give the coordinator and the worker the same --secret-file"
                     : "give it the coordinator's --secret-file");
}

static access_part_t part_of(ProtobufCBinaryData bytes) {
  return (access_part_t){bytes.data, bytes.len};
}

static access_attach_t said(const attach_proof_t *proof) {
  return (access_attach_t){
      .worker_nonce = part_of(proof->claim->nonce),
      .coordinator_nonce = {proof->nonce, sizeof(proof->nonce)},
      .address = {proof->claim->address, strlen(proof->claim->address)}};
}

static void send_challenge(attach_proof_t *proof, rpc_call_t *call,
                           const access_secret_t *secret) {
  digest_random(proof->nonce, sizeof(proof->nonce));
  uint8_t ours[ACCESS_PROOF_BYTES];
  Podium__V1__Challenge challenge = PODIUM__V1__CHALLENGE__INIT;
  challenge.nonce = (ProtobufCBinaryData){sizeof(proof->nonce), proof->nonce};
  if (secret != NULL) {
    const access_attach_t words = said(proof);
    access_prove_coordinator(secret, &words, ours);
    challenge.proof = (ProtobufCBinaryData){sizeof(ours), ours};
  }
  Podium__V1__CoordinatorMessage message = PODIUM__V1__COORDINATOR_MESSAGE__INIT;
  message.message_case = PODIUM__V1__COORDINATOR_MESSAGE__MESSAGE_CHALLENGE;
  message.challenge = &challenge;
  rpc_call_send(call, &message.base);
}

static pod_status_t on_register(attach_proof_t *proof, rpc_call_t *call,
                                const access_secret_t *secret,
                                const Podium__V1__Register *message,
                                const Podium__V1__Register **out_claim) {
  if (message->nonce.len == 0) {
    if (!proof->is_known) {
      return refuse_unknown(secret, message->address);
    }
    *out_claim = message;
    return NULL;
  }
  if (message->nonce.len != ACCESS_NONCE_BYTES) {
    return pod_error(POD_INVALID_ARGUMENT, "the worker's nonce has %zu bytes, not %d",
                     message->nonce.len, ACCESS_NONCE_BYTES);
  }
  const size_t size_bytes = podium__v1__register__get_packed_size(message);
  uint8_t *packed = pod_alloc(size_bytes);
  podium__v1__register__pack(message, packed);
  proof->claim = podium__v1__register__unpack(NULL, size_bytes, packed);
  free(packed);
  send_challenge(proof, call, secret);
  return NULL;
}

static pod_status_t on_proof(attach_proof_t *proof, const access_secret_t *secret,
                             const Podium__V1__Proof *message,
                             const Podium__V1__Register **out_claim) {
  if (message->call_token.len != ACCESS_SECRET_BYTES) {
    return pod_error(POD_INVALID_ARGUMENT,
                     "the worker's token for calls has %zu bytes, not %d",
                     message->call_token.len, ACCESS_SECRET_BYTES);
  }
  access_attach_t words = said(proof);
  words.call_token = part_of(message->call_token);
  const bool is_proven =
      secret != NULL && access_is_worker(secret, &words, part_of(message->proof));
  if (!is_proven && message->proof.len > 0 && secret != NULL) {
    return pod_error(POD_UNAUTHENTICATED,
                     "the worker at %.128s does not know the pod's secret: its "
                     "--secret-file is not the coordinator's",
                     proof->claim->address);
  }
  if (!is_proven && !proof->is_known) {
    return refuse_unknown(secret, proof->claim->address);
  }
  proof->is_known = true;
  memcpy(proof->call_token, message->call_token.data, ACCESS_SECRET_BYTES);
  proof->has_call_token = true;
  if (message->former_call_token.len == ACCESS_SECRET_BYTES) {
    memcpy(proof->former_token, message->former_call_token.data, ACCESS_SECRET_BYTES);
    proof->has_former_token = true;
  }
  *out_claim = proof->claim;
  return NULL;
}

pod_status_t attach_proof_hear(attach_proof_t *proof, rpc_call_t *call,
                               const access_secret_t *secret,
                               const Podium__V1__WorkerMessage *message,
                               const Podium__V1__Register **out_claim) {
  *out_claim = NULL;
  switch (message->message_case) {
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_REGISTER:
      if (proof->claim == NULL) {
        return on_register(proof, call, secret, message->register_, out_claim);
      }
      break;
    case PODIUM__V1__WORKER_MESSAGE__MESSAGE_PROOF:
      if (proof->claim != NULL) {
        return on_proof(proof, secret, message->proof, out_claim);
      }
      break;
    default:
      break;
  }
  return pod_error(POD_INVALID_ARGUMENT, "%s",
                   proof->claim == NULL ? "the first message of Attach must be a Register"
                                        : "what answers a Challenge must be a Proof");
}

bool attach_proof_knows_token_of(const attach_proof_t *proof, const attach_proof_t *old) {
  if (!old->has_call_token || !proof->has_call_token) {
    return false;
  }
  return digest_equal(old->call_token, proof->call_token, sizeof(old->call_token)) ||
         (proof->has_former_token &&
          digest_equal(old->call_token, proof->former_token, sizeof(old->call_token)));
}

void attach_proof_forget_claim(attach_proof_t *proof) {
  if (proof->claim != NULL) {
    podium__v1__register__free_unpacked(proof->claim, NULL);
    proof->claim = NULL;
  }
}
