// Whether memory that a REQUEST names may be read. It may when the REQUEST came through
// shared memory all of its last way, over a link whose other end the kernel has proven;
// when the named process itself says that it is that chip of this pod, and offers the
// range (consent.h); and, of a neighbour, when it is the very process at the link.
// Anything else is either a host that cannot be read, to which the step is granted, or
// somebody who names what is not his.

#include "common/base/log.h"
#include "server/ici/node.h"

// What a neighbour offers: it must be who the kernel says it is, in this life of it.
static ici_offered_t judge_neighbour(ici_node_t *node, const ici_header_t *header,
                                     const ici_remote_t *remote) {
  ici_link_t *link = &node->links[header->via - 1];
  pthread_mutex_lock(&link->lock);
  const int32_t process = link->peer_process;
  const bool is_past = link->peer_epoch != header->epoch;
  pthread_mutex_unlock(&link->lock);
  if (header->source != link->peer) {
    return ICI_OFFERED_HERE;  // Passed on.
  }
  if (is_past) {
    return ICI_OFFERED_PAST;
  }
  return process == remote->process ? ICI_OFFERED_HERE : ICI_OFFERED_FALSE;
}

static pod_status_t open_witness(ici_node_t *node, const ici_header_t *header,
                                 const ici_remote_t *remote, ici_witness_t *witness) {
  if (witness->process == remote->process && witness->epoch == header->epoch) {
    return NULL;
  }
  if (witness->process == 0 && node->witness_count == ICI_WITNESSES_MAX) {
    return pod_error(POD_RESOURCE_EXHAUSTED, "%d other processes are open",
                     node->witness_count);
  }
  const ici_owner_t owner = {
      .pod = node->pod, .chip = header->source, .epoch = header->epoch};
  ici_witness_t opened;
  POD_TRY(ici_witness_open(remote->process, remote->file, &owner, &opened));
  node->witness_count += witness->process == 0 ? 1 : 0;
  ici_witness_close(witness);
  *witness = opened;
  return NULL;
}

// What it means that the named process does not show that it offers anything.
static ici_offered_t judge_failure(const ici_header_t *header, pod_status_t status) {
  const pod_code_t code = pod_status_code(status);
  pod_log(POD_LOG_INFO, "ici: chip %d: %s", header->source, pod_status_message(status));
  pod_status_free(status);
  switch (code) {
    case POD_DATA_LOSS:
      return ICI_OFFERED_FALSE;
    case POD_NOT_FOUND:
      return ICI_OFFERED_PAST;
    default:
      return ICI_OFFERED_ELSEWHERE;
  }
}

ici_offered_t ici_offered_check(ici_node_t *node, const ici_header_t *header,
                                const ici_remote_t *remote,
                                const ici_witness_t **out_witness) {
  if (!node->use_shared_memory || node->host == 0 || remote->host != node->host ||
      header->via == 0) {
    return ICI_OFFERED_ELSEWHERE;
  }
  const ici_offered_t neighbour = judge_neighbour(node, header, remote);
  if (neighbour != ICI_OFFERED_HERE) {
    return neighbour;
  }
  ici_witness_t *witness = &node->witnesses[header->source];
  const pod_status_t status = open_witness(node, header, remote, witness);
  if (status != NULL) {
    return judge_failure(header, status);
  }
  switch (ici_witness_covers(witness, remote->address, remote->size_bytes,
                             (uint64_t)header->offset)) {
    case ICI_COVER_ALL:
      *out_witness = witness;
      return ICI_OFFERED_HERE;
    case ICI_COVER_PAST:
      return ICI_OFFERED_PAST;
    default:
      return ICI_OFFERED_FALSE;
  }
}
