// Which variables share a buffer.
//
// A class is a set of variables in one buffer. Its spans say when it holds what: two
// classes can become one when nowhere in time both hold something and not the same. The
// wishes are tried one kind after another, most important first; a wish that cannot be
// granted leaves a copy in the program, or memory that could have been saved, nothing
// worse.

#include <stdlib.h>
#include <string.h>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "server/compiler/lower/lower.h"

typedef struct span_t {
  int32_t first, last;  // Half times, both included.
  int32_t content;
} span_t;

typedef struct class_t {
  int32_t parent;  // Of the union-find forest; a root is its own.
  int32_t count, capacity;
  span_t *spans;  // Of a root: disjoint, in order of time.
  span_t own;     // The only span of most classes.
  bool is_host;
  chip_buffer_kind_t home;
  int32_t home_index;
} class_t;

typedef struct coalescer_t {
  lower_t *lower;
  class_t *classes;
  // After moves have been dealt with, contents no longer count: classes grow by what
  // lives before and after, and spans that touch become one.
  bool ignores_content;
} coalescer_t;

// A class whose spans are many takes new ones only behind the last: merging lists over
// and over would be quadratic.
enum { MANY_SPANS = 1024, FEW_SPANS = 16 };

static int32_t root_of(coalescer_t *coalescer, int32_t at) {
  class_t *classes = coalescer->classes;
  while (classes[at].parent != at) {
    classes[at].parent = classes[classes[at].parent].parent;
    at = classes[at].parent;
  }
  return at;
}

// The first span of a class that does not end before `time`.
static int32_t first_span_after(const class_t *class, int32_t time) {
  int32_t low = 0, high = class->count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (class->spans[middle].last < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool is_compatible(const coalescer_t *coalescer, const class_t *large,
                          const class_t *small) {
  for (int32_t i = 0; i < small->count; i++) {
    const span_t *span = &small->spans[i];
    for (int32_t k = first_span_after(large, span->first);
         k < large->count && large->spans[k].first <= span->last; k++) {
      if (coalescer->ignores_content || large->spans[k].content != span->content) {
        return false;
      }
    }
  }
  return true;
}

static void make_room(class_t *class, int32_t count) {
  if (count <= class->capacity) {
    return;
  }
  const int32_t capacity = 2 * count;
  if (class->spans == &class->own) {
    class->spans = pod_alloc((size_t)capacity * sizeof(*class->spans));
    class->spans[0] = class->own;
  } else {
    class->spans = pod_grow(class->spans, (size_t)capacity, sizeof(*class->spans));
  }
  class->capacity = capacity;
}

// Spans that overlap hold the same; they are one, and so are those that touch.
static bool is_one(const coalescer_t *coalescer, const span_t *last, const span_t *span) {
  return last->last == LOWER_FOREVER ||  // Whatever comes holds the same.
         (span->first <= last->last + 1 &&
          (coalescer->ignores_content || span->content == last->content));
}

static void append_span(const coalescer_t *coalescer, class_t *class, span_t span) {
  span_t *last = class->count > 0 ? &class->spans[class->count - 1] : NULL;
  if (last != NULL && is_one(coalescer, last, &span)) {
    last->last = span.last > last->last ? span.last : last->last;
    return;
  }
  make_room(class, class->count + 1);
  class->spans[class->count++] = span;
}

static void free_spans(class_t *class) {
  if (class->spans != &class->own) {
    free(class->spans);
  }
  class->spans = NULL;
  class->count = class->capacity = 0;
}

// The first span of a class, from `at` on, that begins behind `time` and does not touch
// it.
static int32_t first_span_apart(const class_t *class, int32_t at, int32_t time) {
  while (at < class->count &&
         (time == LOWER_FOREVER || class->spans[at].first <= time + 1)) {
    at++;
  }
  return at;
}

// Puts the spans of `small` among those of `large`, of which those that end before them
// and those that begin behind them stay as they are.
static void merge_spans(const coalescer_t *coalescer, class_t *large,
                        const class_t *small) {
  const int32_t kept = first_span_after(large, small->spans[0].first - 1),
                end = first_span_apart(large, kept, small->spans[small->count - 1].last),
                behind = large->count - end;
  span_t few[FEW_SPANS];
  class_t merged = {.spans = few, .capacity = end - kept + small->count};
  if (merged.capacity > FEW_SPANS) {
    merged.spans = pod_alloc((size_t)merged.capacity * sizeof(*merged.spans));
  }
  int32_t i = kept, k = 0;
  while (i < end || k < small->count) {
    const bool takes_large =
        k == small->count || (i < end && large->spans[i].first <= small->spans[k].first);
    append_span(coalescer, &merged, takes_large ? large->spans[i++] : small->spans[k++]);
  }
  large->count = kept + merged.count + behind;
  make_room(large, large->count);
  span_t *to = large->spans + kept;
  memmove(to + merged.count, large->spans + end, (size_t)behind * sizeof(*to));
  memcpy(to, merged.spans, (size_t)merged.count * sizeof(*to));
  if (merged.spans != few) {
    free(merged.spans);
  }
}

static bool have_one_home(const class_t *a, const class_t *b) {
  return a->is_host == b->is_host &&
         (a->home == CHIP_BUFFER_TEMP || b->home == CHIP_BUFFER_TEMP ||
          (a->home == b->home && a->home_index == b->home_index));
}

static bool try_unite(coalescer_t *coalescer, int32_t a, int32_t b) {
  int32_t large = root_of(coalescer, a), small = root_of(coalescer, b);
  if (large == small) {
    return true;
  }
  class_t *classes = coalescer->classes;
  if (classes[large].count < classes[small].count) {
    const int32_t swap = large;
    large = small;
    small = swap;
  }
  class_t *into = &classes[large], *from = &classes[small];
  const bool is_behind = from->spans[0].first > into->spans[into->count - 1].first;
  if (!have_one_home(into, from) || !is_compatible(coalescer, into, from) ||
      (into->count > MANY_SPANS && !is_behind && coalescer->ignores_content)) {
    return false;
  }
  merge_spans(coalescer, into, from);
  if (into->home == CHIP_BUFFER_TEMP) {
    into->home = from->home;
    into->home_index = from->home_index;
  }
  from->parent = large;
  free_spans(from);
  return true;
}

static void start_classes(coalescer_t *coalescer) {
  const lower_t *lower = coalescer->lower;
  for (int32_t i = 0; i < lower->vars.count; i++) {
    const lower_var_t *var = &lower->vars.items[i];
    class_t *class = &coalescer->classes[i];
    *class = (class_t){.parent = i,
                       .count = 1,
                       .capacity = 1,
                       .own = {var->born, var->dies, var->content},
                       .is_host = var->is_host,
                       .home = var->home,
                       .home_index = var->home_index};
    class->spans = &class->own;
  }
  for (int32_t i = 0; i < lower->vars.count; i++) {
    // The variables of a loop's state never live at once.
    POD_CHECK(try_unite(coalescer, i, lower->vars.items[i].twin));
  }
}

static void forget_content(coalescer_t *coalescer) {
  coalescer->ignores_content = true;
  for (int32_t i = 0; i < coalescer->lower->vars.count; i++) {
    class_t *class = &coalescer->classes[i];
    const int32_t count = class->count;
    if (class->parent != i) {
      continue;
    }
    class->count = 0;
    for (int32_t k = 0; k < count; k++) {
      append_span(coalescer, class, class->spans[k]);
    }
  }
}

static void grant_wishes(coalescer_t *coalescer, lower_wish_kind_t kind) {
  const lower_t *lower = coalescer->lower;
  for (int32_t i = 0; i < lower->wishes.count; i++) {
    const lower_wish_t *wish = &lower->wishes.items[i];
    if (wish->kind == kind &&
        lower->vars.items[wish->a].size_bytes == lower->vars.items[wish->b].size_bytes) {
      const bool is_granted = try_unite(coalescer, wish->a, wish->b);
      // Every reading of a donated argument comes before its result is written.
      POD_CHECK(is_granted || kind != LOWER_WISH_DONATION);
    }
  }
}

void lower_coalesce(lower_t *lower) {
  coalescer_t coalescer = {.lower = lower};
  coalescer.classes = pod_alloc((size_t)lower->vars.count * sizeof(*coalescer.classes));
  start_classes(&coalescer);
  for (int kind = 0; kind < LOWER_WISH_COUNT; kind++) {
    if (kind == LOWER_WISH_UPDATE) {
      forget_content(&coalescer);
    }
    grant_wishes(&coalescer, (lower_wish_kind_t)kind);
  }
  for (int32_t i = 0; i < lower->vars.count; i++) {
    lower->vars.items[i].class = root_of(&coalescer, i);
  }
  for (int32_t i = 0; i < lower->vars.count; i++) {
    const class_t *class = &coalescer.classes[lower->vars.items[i].class];
    lower->vars.items[i].home = class->home;
    lower->vars.items[i].home_index = class->home_index;
  }
  for (int32_t i = 0; i < lower->vars.count; i++) {
    free_spans(&coalescer.classes[i]);
  }
  free(coalescer.classes);
}
