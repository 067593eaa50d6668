// What searching among shardings is made of: arguments that go together, plans of how
// they lie, and trials of plans, each a compilation and a simulation.
//
// Determinism: the same program, pod and budget try the same plans in the same order.
// Threading: the main thread. Ownership: all is in the search's arena.

#ifndef CLIENT_CLI_SEARCH_H_
#define CLIENT_CLI_SEARCH_H_

#include "client/cli/explain.h"
#include "common/base/map.h"

enum {
  SEARCH_AXES_MAX = 3,
  SEARCH_GROUPS_MAX = 48,
  SEARCH_SPREADS_MAX = 32,
  SEARCH_MESHES_MAX = 24,
};

// Arguments that lie alike: of one shape, in the same role of layers that repeat, or of
// parameters and what an optimizer keeps for them.
typedef struct search_group_t {
  const char *name;  // Of the first.
  podium_shape_t shape;
  int count;
  const int *members;  // Arguments.
  int64_t bytes;       // Of all of them.
  bool is_state;       // Results take its place: parameters, not data.
} search_group_t;

// How the groups lie on a mesh.
typedef struct search_plan_t {
  int axis_count;
  int64_t sizes[SEARCH_AXES_MAX];
  // The dimension of a group that an axis shards; -1: none.
  signed char dims[SEARCH_GROUPS_MAX][SEARCH_AXES_MAX];
} search_plan_t;

// The dimensions that propagation shards together when one of them is.
typedef struct search_spread_t {
  signed char dims[SEARCH_GROUPS_MAX];  // Of each group; -1: none.
  bool has_state, has_data;
} search_spread_t;

typedef enum search_outcome_t {
  SEARCH_TIMED = 0,
  SEARCH_TOO_LARGE,  // For the HBM.
  SEARCH_REFUSED,    // By the compiler.
} search_outcome_t;

typedef struct search_trial_t {
  const search_plan_t *plan;  // NULL: the program as it is.
  const char *label;          // "FSDP over x, tensor over y"; where it comes from.
  search_outcome_t outcome;
  const char *why;          // It does not count: the first line of the message.
  bool is_bound;            // Not compiled: too large by its arguments alone, whose size
                            // is all that `measures` has.
  int64_t estimated_ps;     // The step as a first look has it; 0: there was none.
  bool is_estimate;         // Far off by that: CLI_STEP is this estimate.
  cli_measures_t measures;  // But of SEARCH_REFUSED.
} search_trial_t;

typedef struct search_t {
  cli_run_t *run;
  pod_arena_t *arena;
  const char *chip;
  int64_t device_count, hbm_bytes;
  const char *axes[SEARCH_AXES_MAX];
  int axis_count;                      // Of the program's own mesh; 0: it has none.
  int64_t own_sizes[SEARCH_AXES_MAX];  // Of that.
  int argument_count, result_count;
  const char **names;  // Of arguments, as JAX has them.
  const podium_shape_t *shapes, *result_shapes;
  int *argument_of;              // By result: whose place it takes, or -1.
  int *group_of;                 // By argument; -1: left to propagation.
  int group_count, small_count;  // Groups; arguments too small to matter.
  search_group_t groups[SEARCH_GROUPS_MAX];
  // By which propagation is asked; the axis is the one that is looked at.
  search_plan_t probe_mesh;
  int probe_axis;
  bool is_fixed;  // The program is for no mesh but its own.
  int spread_count;
  search_spread_t spreads[SEARCH_SPREADS_MAX];
  // Trials by plan, in their order.
  pod_map_t *tried;
  int compile_count, budget;
  int64_t deadline_ns;  // 0: none.
  bool is_spent;
  search_trial_t *own;  // The program as it is.
  search_trial_t *best;
} search_t;

// The smallest size that a part of the mesh can have.
static inline int64_t search_least_part(const search_t *search) {
  for (int64_t part = 2; part * part <= search->device_count; part++) {
    if (search->device_count % part == 0) {
      return part;
    }
  }
  return search->device_count;
}

// --- search_trial.c ---

// The program as it is, by which the search is set up. Fills names, shapes, axes.
POD_MUST_USE pod_status_t search_begin(search_t *search);

// The same of a program that has been prepared.
POD_MUST_USE pod_status_t search_begin_again(search_t *search);

// What a first look has longer than this, compared with what is to be bettered, is not
// looked at again: estimates err by less.
#define SEARCH_NEAR 1.25

// Compiles with these shardings, and measures, by a first look only where that has the
// step longer than `bar_ps`; what is refused is no error.
POD_MUST_USE pod_status_t search_measure_given(search_t *search, const cli_given_t *given,
                                               double bar_ps, search_trial_t *trial);

// The dimension of "[{}, {x}]" that has the axis; -1: none.
signed char search_dim_with(const char *sharding, const char *axis);

// Once for a plan; *out_trial NULL: the budget is spent. By a first look only where that
// has the step longer than `bar_ps`; 0: there is no bar.
POD_MUST_USE pod_status_t search_try(search_t *search, const search_plan_t *plan,
                                     const char *label, double bar_ps,
                                     search_trial_t **out_trial);

// Whether it is the better one: what fits before what does not, then the step, then HBM.
bool search_is_better(const search_trial_t *a, const search_trial_t *b);

// Before any probe, and behind search_find_groups.
POD_MUST_USE pod_status_t search_choose_probe(search_t *search);

// Compiles for a plan in which only `group` is sharded, and says how the others lie.
POD_MUST_USE pod_status_t search_probe(search_t *search, int group, int dim,
                                       search_spread_t *out_spread, bool *out_is_good);

// P("x", None) of a group; "x=2,y=4". In the arena.
const char *search_spec(search_t *search, const search_plan_t *plan, int group);
const char *search_mesh(search_t *search, const search_plan_t *plan);

// --- search_groups.c ---

void search_find_groups(search_t *search);
POD_MUST_USE pod_status_t search_find_spreads(search_t *search);

// Whether a dimension may lie in so many parts: equal ones, or nearly. What does not
// divide has its padding in every array, kernel and collective.
bool search_is_even_enough(int64_t size, int64_t parts);

// Whether the axis may shard the dimension besides what the plan has.
bool search_may_shard(const search_t *search, const search_plan_t *plan, int group,
                      int axis, int dim);

// --- search_seeds.c ---

// All published schemes on all meshes.
POD_MUST_USE pod_status_t search_try_seeds(search_t *search);

// --- search.c ---

search_t *search_create(cli_run_t *run);
void search_destroy(search_t *search);

// --- search_print.c ---

void search_print(search_t *search);
void search_report(search_t *search);

#endif  // CLIENT_CLI_SEARCH_H_
