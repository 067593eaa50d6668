// The parts of fusion: what kind of member an operation is, who is in which cluster.
// Private to fuse*.c and cluster_work.c.
//
// Threading: pure.

#ifndef SERVER_COMPILER_SCHEDULE_FUSE_H_
#define SERVER_COMPILER_SCHEDULE_FUSE_H_

#include <stdbool.h>
#include <stdint.h>

#include "common/base/list.h"
#include "server/compiler/schedule/clusters.h"
#include "server/compiler/schedule/overwrites.h"

enum {
  FUSE_OWNERS_MAX = 8,    // Clusters that compute one operation anew.
  FUSE_MEMBERS_MAX = 256  // Operations of one cluster.
};

typedef enum fuse_class_t {
  FUSE_FREE = 0,  // Costs nothing: constants, scalars, what is no task.
  FUSE_VIEW,      // reshape: the same bytes.
  FUSE_LOOP,      // Element by element from its operands: fuses either way.
  FUSE_RELAYOUT,  // A transpose that changes the tiles.
  FUSE_REDUCE,    // Takes elementwise producers, and its small result's consumers.
  FUSE_PRODUCT,   // dot_general, convolution: take producers of operands, and consumers.
  FUSE_UPDATE,    // dynamic_update_slice: in place, the end of a cluster.
  FUSE_ALONE,     // A task of its own.
  FUSE_COLLECTIVE,
  FUSE_TRANSFER,  // Between HBM and the host's memory.
  FUSE_CONTROL,
} fuse_class_t;

typedef struct fuse_use_t {
  mlir_op_t *op;
  int index;  // Of the operand.
} fuse_use_t;

typedef struct fuse_owners_t {
  int32_t count;
  int32_t clusters[FUSE_OWNERS_MAX];
} fuse_owners_t;

// A cluster while clusters are decided.
typedef struct fuse_draft_t {
  mlir_op_t *root;
  chip_task_kind_t kind;
  cluster_hero_t hero;
  bool is_alone;   // Takes no producers and no siblings.
  int32_t parent;  // Itself, or the cluster it was merged into.
  int32_t member_count;
  int64_t elements;   // That it works through.
  int32_t deadline;   // Position that its root stands before, where an array that it
                      // reads a part of is written over; INT32_MAX: none.
  int32_t next_root;  // Chain of clusters merged into it; CHIP_NONE at the end.
} fuse_draft_t;

typedef struct fuser_t {
  mlir_module_t *module;
  const mlir_op_t *main;
  int32_t *use_first;  // By value id, one more than there are.
  fuse_use_t *uses;
  int32_t *position;      // By op id: in its block.
  int32_t *written_at;    // By value id: position of the first operation of its block
                          // that writes over it (overwrites.h); INT32_MAX: none does.
  int64_t kernel_bytes;   // What HBM moves while a kernel more starts.
  fuse_owners_t *owners;  // By op id.
  // By op id: every path from here to the cluster's root keeps the elements apart.
  bool *keeps_elements;
  bool *comes_from_product;  // By op id: element by element out of a product.
  int32_t *level;  // By op id: collectives on the longest way to it within its block.
  overwrites_t overwrites;
  POD_LIST(fuse_draft_t) drafts;
} fuser_t;

fuse_class_t fuse_class(const mlir_op_t *op);

// By the table's columns.
bool fuse_is_elementwise(const mlir_op_t *op);
bool fuse_is_transcendental(const mlir_op_t *op);

// What every reader makes for itself: constants of one value, their broadcasts, iotas.
bool fuse_is_generated(const mlir_value_t *value);

// The value that `value` is a view of.
const mlir_value_t *fuse_source(const mlir_value_t *value);

int64_t fuse_elements(const mlir_value_t *value);

// Bytes in HBM.
int64_t fuse_bytes(const mlir_value_t *value);

// The cluster that draft `at` has become part of.
int32_t fuse_find(const fuser_t *fuser, int32_t at);

// Whether `op` is computed in cluster `at`, or only there.
bool fuse_is_in(const fuser_t *fuser, const mlir_op_t *op, int32_t at);
bool fuse_is_only_in(const fuser_t *fuser, const mlir_op_t *op, int32_t at);

// Whether what is to stand before that position may be in a cluster with that root.
bool fuse_is_in_time(const fuser_t *fuser, int32_t deadline, const mlir_op_t *root);

// fuse_merge.c: clusters first .. of one block become clusters of several results where
// that saves reading.
void fuse_merge(fuser_t *fuser, const mlir_block_t *block, int32_t first);

// cluster_work.c: members, operands, results and work of every cluster.
// cluster_of_draft: by draft, merged ones too.
POD_MUST_USE pod_status_t fuse_count_work(const fuser_t *fuser, clusters_t *clusters,
                                          const int32_t *cluster_of_draft);

#endif  // SERVER_COMPILER_SCHEDULE_FUSE_H_
