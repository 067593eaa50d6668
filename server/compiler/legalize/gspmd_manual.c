// GSPMD's manual regions. A custom call makes a shard of a whole array, operations work
// on shards, often just the call of a function, and other custom calls make whole arrays
// of shards. Nothing says which of them belong together but the flow of values.
//
// In a block, what uses a shard makes shards, up to @SPMDShardToFullShape. Shards that
// one operation uses belong to one region (union-find), and every region becomes an
// sdy.manual_computation, where its last operation stands. What is made of constants and
// the chip's number alone and used in one region only moves into it too; other values
// from outside are operands that every device gets whole.

#include <string.h>

#include "common/base/check.h"
#include "common/mlir/diagnostic.h"
#include "common/mlir/walk.h"
#include "server/compiler/dialect/kinds.h"
#include "server/compiler/legalize/gspmd_private.h"

enum { OUTSIDE = 0, SEVERAL = -1 };

typedef struct former_t {
  gspmd_t *gspmd;
  uint32_t value_count;      // Of the module as it was.
  int *region_of;            // Of a shard, by its id: a region, or OUTSIDE.
  int *user_of;              // The one region that uses a value; OUTSIDE, or SEVERAL.
  bool *is_of_nothing;       // Made of constants and the chip's number alone.
  mlir_value_t **arguments;  // Of the region at work, by the id of what comes in.
  int *parents;              // Of regions.
  int region_count;
  int first_region;  // Of the block at work: those before are done with.
} former_t;

typedef struct region_t {
  int number;
  mlir_block_t *block;  // Where it stands.
  int full_count, member_count, back_count, input_count;
  mlir_op_t **fulls;  // @SPMDFullToShardShape
  mlir_op_t **members;
  mlir_op_t **backs;  // @SPMDShardToFullShape
  mlir_value_t **inputs;
  const mlir_type_t **input_types;      // Inside.
  const mlir_attr_t **input_shardings;  // NULL: the same on all devices.
} region_t;

// --- Which values are shards ---

static int find_region(former_t *former, int region) {
  while (region > 0 && former->parents[region] != region) {
    region = former->parents[region] = former->parents[former->parents[region]];
  }
  return region;
}

static int region_of(former_t *former, const mlir_value_t *value) {
  const int region = value->id < former->value_count
                         ? find_region(former, former->region_of[value->id])
                         : OUTSIDE;
  return region >= former->first_region ? region : OUTSIDE;
}

static int new_region(former_t *former) {
  former->region_count++;
  former->parents[former->region_count] = former->region_count;
  return former->region_count;
}

static int join(former_t *former, int a, int b) {
  if (a != OUTSIDE && b != OUTSIDE && a != b) {
    former->parents[b] = a;
  }
  return a != OUTSIDE ? a : b;
}

static void mark_results(former_t *former, const mlir_op_t *op, int region) {
  for (int i = 0; i < op->result_count; i++) {
    former->region_of[op->results[i].id] = region;
  }
}

// The operation itself, then those within it.
static const mlir_op_t *next_within(const mlir_op_t *root, const mlir_op_t *op) {
  return op == root ? mlir_walk_first(root) : mlir_walk_next(root, op);
}

// The region of the shards that an operation or what is within it uses; they become one.
static int region_of_operands(former_t *former, const mlir_op_t *op) {
  int region = OUTSIDE;
  for (const mlir_op_t *user = op; user != NULL; user = next_within(op, user)) {
    for (int i = 0; i < user->operand_count; i++) {
      region = join(former, region, region_of(former, user->operands[i]));
    }
  }
  return region;
}

static bool is_full(const mlir_op_t *op) {
  return gspmd_is_call_of(op, "SPMDFullToShardShape");
}

static bool is_back(const mlir_op_t *op) {
  return gspmd_is_call_of(op, "SPMDShardToFullShape");
}

static int region_of_op(former_t *former, const mlir_op_t *op) {
  if (is_back(op)) {
    return OUTSIDE;
  }
  return op->result_count > 0 ? region_of(former, &op->results[0])
                              : region_of_operands(former, op);
}

// A custom call may have an effect; a call of values is of the program around.
static bool is_plain(const mlir_op_t *op) {
  return op->region_count == 0 && op->result_count > 0 &&
         (op->kind != KIND_CALL || op->operand_count == 0) &&
         (op->kind != KIND_CUSTOM_CALL || gspmd_is_call_of(op, "Sharding"));
}

static bool is_made_of_nothing(const former_t *former, const mlir_op_t *op) {
  bool of_nothing = is_plain(op);
  for (int i = 0; i < op->operand_count && of_nothing; i++) {
    const uint32_t id = op->operands[i]->id;
    of_nothing = id < former->value_count && former->is_of_nothing[id];
  }
  return of_nothing;
}

// What is made whole without having been cut has been made of the chip's number.
static pod_status_t mark_back(former_t *former, const mlir_op_t *op) {
  const mlir_value_t *shard = op->operands[0];
  if (region_of(former, shard) != OUTSIDE) {
    return NULL;
  }
  if (!former->is_of_nothing[shard->id] || shard->op->block != op->block) {
    return mlir_op_error(former->gspmd->module, op, POD_UNIMPLEMENTED,
                         "its operand is no shard: it does not come from "
                         "SPMDFullToShardShape in this block");
  }
  mark_results(former, shard->op, new_region(former));
  return NULL;
}

static pod_status_t mark_shards(former_t *former, const mlir_block_t *block) {
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    if (is_full(op)) {
      mark_results(former, op, new_region(former));
      continue;
    }
    if (is_back(op)) {
      POD_TRY(mark_back(former, op));
      continue;
    }
    const int region = region_of_operands(former, op);
    if (region != OUTSIDE && op == block->last) {
      return mlir_op_error(former->gspmd->module, op, POD_UNIMPLEMENTED,
                           "takes a shard that no SPMDShardToFullShape of this block "
                           "makes whole");
    }
    mark_results(former, op, region);
    for (int i = 0; i < op->result_count; i++) {
      former->is_of_nothing[op->results[i].id] =
          region == OUTSIDE && is_made_of_nothing(former, op);
    }
  }
  return NULL;
}

static void note_user(former_t *former, const mlir_value_t *value, int region) {
  if (value->id >= former->value_count) {
    return;
  }
  int *known = &former->user_of[value->id];
  const bool is_first =
      *known == OUTSIDE || (*known > OUTSIDE && *known < former->first_region);
  *known = region != OUTSIDE && (is_first || *known == region) ? region : SEVERAL;
}

static void note_users(former_t *former, const mlir_op_t *op, int region) {
  for (const mlir_op_t *user = op; user != NULL; user = next_within(op, user)) {
    for (int i = 0; i < user->operand_count; i++) {
      note_user(former, user->operands[i], region);
    }
  }
}

// Backwards, so that what makes an operand of nothing goes where the operand goes.
static void pull_in(former_t *former, const mlir_block_t *block) {
  for (const mlir_op_t *op = block->last; op != NULL; op = op->previous) {
    int region = is_full(op) ? OUTSIDE : region_of_op(former, op);
    if (region == OUTSIDE && op->result_count == 1 &&
        former->is_of_nothing[op->results[0].id] &&
        former->user_of[op->results[0].id] > OUTSIDE) {
      region = former->user_of[op->results[0].id];
      mark_results(former, op, region);
    }
    if (!is_back(op)) {
      note_users(former, op, region);
    }
  }
}

// --- One region ---

static void *room(former_t *former, int count) {
  return pod_arena_array(former->gspmd->module->arena, (size_t)count, sizeof(void *));
}

static void gather_ops(former_t *former, region_t *region) {
  int op_count = 0;
  for (const mlir_op_t *op = region->block->first; op != NULL; op = op->next) {
    op_count++;
  }
  region->fulls = room(former, op_count);
  region->members = room(former, op_count);
  region->backs = room(former, op_count);
  for (mlir_op_t *op = region->block->first; op != NULL; op = op->next) {
    if (is_back(op)) {
      if (region_of(former, op->operands[0]) == region->number) {
        region->backs[region->back_count++] = op;
      }
    } else if (region_of_op(former, op) == region->number) {
      if (is_full(op)) {
        region->fulls[region->full_count++] = op;
      } else {
        region->members[region->member_count++] = op;
      }
    }
  }
}

// Whether a value comes from outside of the region: from its block, or one around it. The
// whole array that another region gives is where that one's manual computation stands.
static bool is_from_outside(former_t *former, const region_t *region,
                            mlir_value_t *value) {
  const mlir_value_t *there =
      mlir_replacements_resolve(&former->gspmd->replacements, value);
  const mlir_block_t *from = there->op != NULL ? there->op->block : there->block;
  if (from == region->block) {
    return there != value || region_of(former, value) != region->number;
  }
  const mlir_op_t *parent = region->block->region->op;
  while (parent != NULL && parent->block != from) {
    parent = walk_parent(parent);
  }
  return parent != NULL;
}

static void add_input(region_t *region, mlir_value_t *whole, const mlir_type_t *type,
                      const mlir_attr_t *sharding) {
  region->inputs[region->input_count] = whole;
  region->input_types[region->input_count] = type;
  region->input_shardings[region->input_count++] = sharding;
}

static int count_operands(const region_t *region) {
  int count = region->full_count;
  for (int i = 0; i < region->member_count; i++) {
    const mlir_op_t *root = region->members[i];
    for (const mlir_op_t *op = root; op != NULL; op = next_within(root, op)) {
      count += op->operand_count;
    }
  }
  return count;
}

static const mlir_attr_t *open_sharding(gspmd_t *gspmd, const mlir_type_t *type) {
  pod_text_t text = {0};
  pod_text_add(&text, "@gspmd_mesh, [");
  for (int d = 0; type->kind == MLIR_TYPE_TENSOR && d < type->shape.rank; d++) {
    pod_text_add(&text, d > 0 ? ", {?}" : "{?}");
  }
  pod_text_add(&text, "]");
  const mlir_attr_t *attr = mlir_attr_dialect(gspmd->module, "sdy.sharding", text.bytes);
  pod_text_deinit(&text);
  return attr;
}

// The values from outside that an operation takes, each once.
static void add_outside(former_t *former, region_t *region, const mlir_op_t *op) {
  for (int i = 0; i < op->operand_count; i++) {
    mlir_value_t *value = op->operands[i];
    if (value->id < former->value_count && former->arguments[value->id] == NULL &&
        is_from_outside(former, region, value)) {
      former->arguments[value->id] = value;  // Until there is a block.
      add_input(region, value, value->type, open_sharding(former->gspmd, value->type));
    }
  }
}

// What comes in: whole arrays, which the sharding put on them says how to cut, and values
// that all devices get as they are.
static pod_status_t gather_inputs(former_t *former, region_t *region) {
  const int limit = count_operands(region);
  region->inputs = room(former, limit);
  region->input_types = room(former, limit);
  region->input_shardings = room(former, limit);
  for (int i = 0; i < region->full_count; i++) {
    const mlir_op_t *full = region->fulls[i], *source = full->operands[0]->op;
    const mlir_attr_t *sharding = NULL;
    if (gspmd_is_call_of(source, "Sharding")) {
      POD_TRY(gspmd_translate(former->gspmd, source, source->results[0].type, &sharding));
    }
    add_input(region, full->operands[0], full->results[0].type, sharding);
  }
  for (int i = 0; i < region->member_count; i++) {
    const mlir_op_t *root = region->members[i];
    for (const mlir_op_t *op = root; op != NULL; op = next_within(root, op)) {
      add_outside(former, region, op);
    }
  }
  return NULL;
}

// The axes that a string says are manual.
static pod_status_t read_manual(former_t *former, const mlir_op_t *op, uint32_t *out) {
  gspmd_t *gspmd = former->gspmd;
  gspmd_sharding_t sharding;
  const mlir_attr_t *attr = mlir_op_attr(op, GSPMD_ATTR);
  *out = 0;
  if (attr == NULL) {
    return NULL;
  }
  POD_TRY(gspmd_parse_at(gspmd, op, attr, &sharding));
  *out = sharding.is_manual ? (UINT32_C(1) << (gspmd->cut_count - 1)) - 1
                            : gspmd_axes(gspmd, &sharding.manual);
  return NULL;
}

// Axes that are manual around a region: those of its whole arrays.
static pod_status_t manual_around(former_t *former, const region_t *region,
                                  uint32_t *out) {
  uint32_t axes;
  *out = 0;
  for (int i = 0; i < region->full_count; i++) {
    const mlir_op_t *source = region->fulls[i]->operands[0]->op;
    if (gspmd_is_call_of(source, "Sharding")) {
      POD_TRY(read_manual(former, source, &axes));
      *out |= axes;
    }
  }
  for (int i = 0; i < region->back_count; i++) {
    POD_TRY(read_manual(former, region->backs[i], &axes));
    *out |= axes;
  }
  return NULL;
}

// {"axis_0", "axis_1"}: what the strings say of the shards and not of the whole arrays;
// all others when no string says anything of shards.
static pod_status_t manual_axes(former_t *former, const region_t *region,
                                const mlir_attr_t **out) {
  const gspmd_t *gspmd = former->gspmd;
  uint32_t axes = (UINT32_C(1) << (gspmd->cut_count - 1)) - 1, around, more;
  POD_TRY(manual_around(former, region, &around));
  for (int i = 0; i < region->full_count; i++) {
    POD_TRY(read_manual(former, region->fulls[i], &more));
    if (i > 0 && axes != more) {
      return mlir_op_error(gspmd->module, region->fulls[i], POD_UNIMPLEMENTED,
                           "is manual over other axes than the shards it meets");
    }
    axes = more;
  }
  pod_text_t text = {0};
  pod_text_add(&text, "{");
  bool any = false;
  for (int axis = 0; axis + 1 < gspmd->cut_count; axis++) {
    if (((axes & ~around) >> axis & 1) != 0) {
      pod_text_printf(&text, "%s\"axis_%d\"", any ? ", " : "", axis);
      any = true;
    }
  }
  pod_text_add(&text, "}");
  *out = mlir_attr_dialect(gspmd->module, "sdy.manual_axes", text.bytes);
  pod_text_deinit(&text);
  return NULL;
}

static const mlir_attr_t *list_shardings(gspmd_t *gspmd, int count,
                                         const mlir_attr_t *const *shardings,
                                         const mlir_type_t *const *types) {
  pod_text_t text = {0};
  pod_text_add(&text, "[");
  for (int i = 0; i < count; i++) {
    pod_text_add(&text, i > 0 ? ", <" : "<");
    pod_text_add(&text, shardings[i] != NULL ? shardings[i]->body
                                             : open_sharding(gspmd, types[i])->body);
    pod_text_add(&text, ">");
  }
  pod_text_add(&text, "]");
  const mlir_attr_t *attr =
      mlir_attr_dialect(gspmd->module, "sdy.sharding_per_value", text.bytes);
  pod_text_deinit(&text);
  return attr;
}

// --- The operation ---

static mlir_op_t *last_of(const region_t *region) {
  mlir_op_t *last = NULL;
  for (mlir_op_t *op = region->block->first; op != NULL; op = op->next) {
    for (int i = 0; i < region->full_count; i++) {
      last = region->fulls[i] == op ? op : last;
    }
    for (int i = 0; i < region->member_count; i++) {
      last = region->members[i] == op ? op : last;
    }
  }
  return last;
}

static pod_status_t check_order(former_t *former, const region_t *region,
                                const mlir_op_t *last) {
  for (const mlir_op_t *op = region->block->first; op != last; op = op->next) {
    if (is_back(op) && region_of(former, op->operands[0]) == region->number) {
      return mlir_op_error(former->gspmd->module, op, POD_UNIMPLEMENTED,
                           "stands before the last operation on the shards that it is "
                           "computed with");
    }
  }
  return NULL;
}

static mlir_op_t *create(former_t *former, const region_t *region) {
  mlir_module_t *module = former->gspmd->module;
  const mlir_type_t **types = room(former, region->back_count);
  for (int i = 0; i < region->back_count; i++) {
    types[i] = region->backs[i]->results[0].type;
  }
  mlir_op_t *manual =
      mlir_op_create(module, mlir_intern(module, "sdy.manual_computation"),
                     region->input_count, region->inputs, region->back_count, types, 1);
  const mlir_op_t *like =
      region->member_count > 0 ? region->members[0] : region->fulls[0];
  manual->position = like->position;
  manual->location = like->location;
  return manual;
}

static pod_status_t set_attrs(former_t *former, const region_t *region,
                              mlir_op_t *manual) {
  gspmd_t *gspmd = former->gspmd;
  mlir_module_t *module = gspmd->module;
  const mlir_attr_t **outputs = room(former, region->back_count);
  const mlir_type_t **types = room(former, region->back_count);
  const mlir_type_t **whole = room(former, region->input_count);
  const mlir_attr_t *axes = NULL;
  for (int i = 0; i < region->input_count; i++) {
    whole[i] = region->inputs[i]->type;
  }
  for (int i = 0; i < region->back_count; i++) {
    types[i] = manual->results[i].type;
    POD_TRY(gspmd_translate(gspmd, region->backs[i], types[i], &outputs[i]));
  }
  POD_TRY(manual_axes(former, region, &axes));
  mlir_op_set_attr(
      module, manual, mlir_intern(module, "in_shardings"),
      list_shardings(gspmd, region->input_count, region->input_shardings, whole));
  mlir_op_set_attr(module, manual, mlir_intern(module, "out_shardings"),
                   list_shardings(gspmd, region->back_count, outputs, types));
  mlir_op_set_attr(module, manual, mlir_intern(module, "manual_axes"), axes);
  return NULL;
}

static mlir_value_t *inner(const former_t *former, mlir_value_t *value) {
  return value->id < former->value_count && former->arguments[value->id] != NULL
             ? former->arguments[value->id]
             : value;
}

static void move_members(former_t *former, const region_t *region, mlir_block_t *body) {
  for (int i = 0; i < region->member_count; i++) {
    mlir_op_t *root = region->members[i];
    mlir_op_unlink(root);
    mlir_block_append(body, root);
    for (mlir_op_t *op = root; op != NULL; op = (mlir_op_t *)next_within(root, op)) {
      for (int j = 0; j < op->operand_count; j++) {
        op->operands[j] = inner(former, op->operands[j]);
      }
    }
  }
}

static void fill_body(former_t *former, const region_t *region, mlir_op_t *manual) {
  mlir_module_t *module = former->gspmd->module;
  mlir_block_t *body = mlir_block_create(module, &manual->regions[0]);
  for (int i = 0; i < region->input_count; i++) {
    const mlir_value_t *from =
        i < region->full_count ? &region->fulls[i]->results[0] : region->inputs[i];
    former->arguments[from->id] =
        mlir_block_add_argument(module, body, region->input_types[i]);
  }
  move_members(former, region, body);
  mlir_value_t **returned = room(former, region->back_count);
  for (int i = 0; i < region->back_count; i++) {
    returned[i] = inner(former, region->backs[i]->operands[0]);
  }
  mlir_op_t *end = mlir_op_create(module, mlir_intern(module, "sdy.return"),
                                  region->back_count, returned, 0, NULL, 0);
  end->position = manual->position;
  end->location = manual->location;
  mlir_block_append(body, end);
  for (int i = 0; i < region->input_count; i++) {
    former->arguments[i < region->full_count ? region->fulls[i]->results[0].id
                                             : region->inputs[i]->id] = NULL;
  }
}

static pod_status_t form_region(former_t *former, mlir_block_t *block, int number) {
  region_t region = {.number = number, .block = block};
  gather_ops(former, &region);
  mlir_op_t *last = last_of(&region);
  if (region.member_count > 0 || region.back_count > 0) {
    POD_TRY(check_order(former, &region, last));
    POD_TRY(gather_inputs(former, &region));
    mlir_op_t *manual = create(former, &region);
    POD_TRY(set_attrs(former, &region, manual));
    mlir_block_insert_before(last->next, manual);
    fill_body(former, &region, manual);
    for (int i = 0; i < region.back_count; i++) {
      mlir_replacements_put(&former->gspmd->replacements, &region.backs[i]->results[0],
                            &manual->results[i]);
      mlir_op_unlink(region.backs[i]);
    }
  }
  for (int i = 0; i < region.full_count; i++) {
    mlir_op_unlink(region.fulls[i]);
  }
  return NULL;
}

// --- Blocks ---

static bool has_shards(const mlir_block_t *block) {
  for (const mlir_op_t *op = block->first; op != NULL; op = op->next) {
    if (is_full(op) || is_back(op)) {
      return true;
    }
  }
  return false;
}

static pod_status_t form_block(former_t *former, mlir_block_t *block) {
  former->first_region = former->region_count + 1;
  POD_TRY(mark_shards(former, block));
  pull_in(former, block);
  for (int number = former->first_region; number <= former->region_count; number++) {
    if (find_region(former, number) == number) {
      POD_TRY(form_region(former, block, number));
    }
  }
  return NULL;
}

// Adds the blocks of an operation that have shards; NULL to count them only.
static int add_blocks(const mlir_op_t *op, mlir_block_t **blocks) {
  int count = 0;
  for (int r = 0; r < op->region_count; r++) {
    for (mlir_block_t *block = op->regions[r].first; block != NULL; block = block->next) {
      if (has_shards(block)) {
        if (blocks != NULL) {
          blocks[count] = block;
        }
        count++;
      }
    }
  }
  return count;
}

// Those of the module, in its order.
static int gather_blocks(const mlir_module_t *module, mlir_block_t **blocks) {
  int count = 0;
  for (const mlir_op_t *op = mlir_walk_first(module->op); op != NULL;
       op = mlir_walk_next(module->op, op)) {
    count += add_blocks(op, blocks == NULL ? NULL : blocks + count);
  }
  return count;
}

pod_status_t gspmd_form_manual(gspmd_t *gspmd) {
  const mlir_module_t *module = gspmd->module;
  const int block_count = gather_blocks(module, NULL);
  if (block_count == 0) {
    return NULL;
  }
  pod_arena_t *arena = module->arena;
  const size_t count = (size_t)module->value_count;
  former_t former = {.gspmd = gspmd, .value_count = module->value_count};
  former.region_of = pod_arena_array(arena, count, sizeof(former.region_of[0]));
  former.user_of = pod_arena_array(arena, count, sizeof(former.user_of[0]));
  former.is_of_nothing = pod_arena_array(arena, count, sizeof(former.is_of_nothing[0]));
  former.arguments = pod_arena_array(arena, count, sizeof(former.arguments[0]));
  former.parents = pod_arena_array(arena, count + 1, sizeof(former.parents[0]));
  mlir_block_t **blocks = pod_arena_array(arena, (size_t)block_count, sizeof(blocks[0]));
  gather_blocks(module, blocks);
  // Inner blocks before those around them: what these move is then as it will be.
  for (int i = block_count - 1; i >= 0; i--) {
    POD_TRY(form_block(&former, blocks[i]));
  }
  return NULL;
}
