// Who follows the lanes (rounds.c): workers, in a thread each, that share out the chips.
//
// They work all at once on what is theirs, send each other messages, and wait for each
// other; in between one thread alone runs the cores, and opens and closes collectives.
// While lanes are followed a worker reads and writes what belongs to its chips, and of
// others' nothing but what stays as it is until all have stopped; while all look further
// nothing changes but what is remembered of lanes. What comes next on a link does not
// depend on when it is found, so that the number of workers changes no result.

#include <pthread.h>
#include <stdlib.h>

#include "common/base/memory.h"
#include "server/simulator/rounds.h"

enum {
  LANES_BETWEEN_CHECKS = 1 << 12,
  CHIPS_BETWEEN_CHECKS = 64,
  DEPTH_FAR = 256,      // Neighbours that are looked at when nothing moves.
  LOOKS_MAX = 1 << 16,  // For one chip.
  SPINS = 1 << 12,      // Before a thread sleeps.
};

typedef struct rounds_thread_t {
  rounds_crew_t *crew;
  rounds_worker_t *worker;
  pthread_t thread;
} rounds_thread_t;

struct rounds_crew_t {
  pthread_mutex_t mutex;
  pthread_cond_t has_begun, has_ended;
  atomic_int begun;    // Works that have begun.
  atomic_int working;  // Threads that have not done the one begun last.
  // Workers that follow lanes and are not out of them. One that gets mail is not, so that
  // with none left there is no mail either.
  atomic_int busy;
  atomic_bool is_quiet;  // None is left, or one has given up.
  rounds_work_t work;
  bool is_over;
  int32_t thread_count;
  rounds_thread_t threads[ROUNDS_WORKERS_MAX];
};

struct rounds_mail_t {
  pthread_mutex_t mutex;
  pthread_cond_t has_come;
  atomic_bool is_any;
  rounds_posts_t posts;
  bool is_idle;  // The worker: out of lanes.
};

// --- Mail ---

void rounds_post(rounds_worker_t *worker, int32_t to) {
  rounds_posts_t *out = &worker->out[to];
  rounds_mail_t *mail = worker->rounds->workers[to]->mail;
  pthread_mutex_lock(&mail->mutex);
  for (int32_t i = 0; i < out->count; i++) {
    *pod_list_add(&mail->posts) = out->items[i];
  }
  atomic_store_explicit(&mail->is_any, true, memory_order_release);
  if (mail->is_idle) {
    mail->is_idle = false;
    atomic_fetch_add(&worker->rounds->crew->busy, 1);
    pthread_cond_signal(&mail->has_come);
  }
  pthread_mutex_unlock(&mail->mutex);
  pod_list_clear(out);
}

static void post_all(rounds_worker_t *worker) {
  for (int32_t w = 0; w < worker->rounds->worker_count; w++) {
    if (worker->out[w].count > 0) {
      rounds_post(worker, w);
    }
  }
}

static void read_mail(rounds_worker_t *worker) {
  rounds_mail_t *mail = worker->mail;
  if (!atomic_load_explicit(&mail->is_any, memory_order_relaxed)) {
    return;
  }
  pthread_mutex_lock(&mail->mutex);
  const rounds_posts_t empty = worker->taken;
  worker->taken = mail->posts;
  mail->posts = empty;
  atomic_store_explicit(&mail->is_any, false, memory_order_relaxed);
  pthread_mutex_unlock(&mail->mutex);
  for (int32_t i = 0; i < worker->taken.count; i++) {
    const rounds_post_t *post = &worker->taken.items[i];
    rounds_arrive(worker, post->class_index, post->code, post->step, post->arrival_ps);
  }
  pod_list_clear(&worker->taken);
}

// Nobody follows lanes any more.
static void tell_quiet(const simulator_rounds_t *rounds) {
  if (rounds->crew == NULL) {
    return;
  }
  atomic_store(&rounds->crew->is_quiet, true);
  for (int32_t w = 0; w < rounds->worker_count; w++) {
    rounds_mail_t *mail = rounds->workers[w]->mail;
    pthread_mutex_lock(&mail->mutex);
    pthread_cond_signal(&mail->has_come);
    pthread_mutex_unlock(&mail->mutex);
  }
}

// Whether mail may have come: false when all are out of lanes.
static bool wait_for_mail(const rounds_worker_t *worker) {
  rounds_crew_t *crew = worker->rounds->crew;
  rounds_mail_t *mail = worker->mail;
  if (crew == NULL) {
    return false;
  }
  pthread_mutex_lock(&mail->mutex);
  if (mail->posts.count > 0) {
    pthread_mutex_unlock(&mail->mutex);
    return true;
  }
  mail->is_idle = true;
  const bool is_last = atomic_fetch_sub(&crew->busy, 1) == 1;
  pthread_mutex_unlock(&mail->mutex);
  if (is_last) {
    tell_quiet(worker->rounds);
    return false;
  }
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load_explicit(&mail->is_any, memory_order_acquire)) {
      return true;
    }
    if (atomic_load_explicit(&crew->is_quiet, memory_order_acquire)) {
      return false;
    }
  }
  pthread_mutex_lock(&mail->mutex);
  while (mail->posts.count == 0 && !atomic_load(&crew->is_quiet)) {
    pthread_cond_wait(&mail->has_come, &mail->mutex);
  }
  const bool is_any = mail->posts.count > 0;
  pthread_mutex_unlock(&mail->mutex);
  return is_any;
}

// --- Works ---

static bool is_wanted(const rounds_worker_t *worker) {
  const atomic_bool *is_cancelled = worker->rounds->engine->options->is_cancelled;
  return is_cancelled == NULL ||
         !atomic_load_explicit(is_cancelled, memory_order_relaxed);
}

static bool is_quiet(const simulator_rounds_t *rounds) {
  return rounds->crew != NULL &&
         atomic_load_explicit(&rounds->crew->is_quiet, memory_order_relaxed);
}

static void follow(rounds_worker_t *worker) {
  int32_t countdown = LANES_BETWEEN_CHECKS;
  do {
    read_mail(worker);
    while (worker->queue.count > 0) {
      worker->has_moved = true;
      rounds_run_lane(worker, worker->queue.items[--worker->queue.count]);
      read_mail(worker);
      if (--countdown == 0) {
        countdown = LANES_BETWEEN_CHECKS;
        if (worker->has_given_up || !is_wanted(worker) || is_quiet(worker->rounds)) {
          tell_quiet(worker->rounds);
          return;
        }
      }
    }
    post_all(worker);
  } while (wait_for_mail(worker));
}

static void look(rounds_worker_t *worker) {
  simulator_rounds_t *rounds = worker->rounds;
  worker->is_looking = true;
  for (int32_t c = worker->first_class; c < worker->end_class; c++) {
    if (c % CHIPS_BETWEEN_CHECKS == 0 && !is_wanted(worker)) {
      break;
    }
    rounds_chip_t *chip = &rounds->chips[c];
    worker->looks_left = LOOKS_MAX;
    chip->sure = 0;
    for (uint32_t left = chip->blocked; left != 0; left &= left - 1) {
      const int32_t direction = __builtin_ctz(left);
      if (rounds_link_is_sure(worker, c, direction, DEPTH_FAR)) {
        chip->sure |= (uint8_t)(1U << direction);
      }
    }
    chip->is_sure =
        chip->is_blocked &&
        rounds_is_sure(worker, c, pod_list_last(&chip->events)->ps, DEPTH_FAR);
  }
  worker->is_looking = false;
  worker->looks_left = INT64_MAX;
}

static void go_on(rounds_worker_t *worker) {
  simulator_rounds_t *rounds = worker->rounds;
  for (int32_t c = worker->first_class; c < worker->end_class; c++) {
    rounds_chip_t *chip = &rounds->chips[c];
    if (chip->blocked != 0) {
      rounds_lift(rounds, c);
    }
    for (uint32_t left = chip->sure; left != 0; left &= left - 1) {
      rounds_link_go_on(worker, c, __builtin_ctz(left), ROUNDS_DEPTH, true);
    }
  }
  follow(worker);
}

static void do_work(rounds_worker_t *worker, rounds_work_t work) {
  switch (work) {
    case ROUNDS_FOLLOW:
      follow(worker);
      return;
    case ROUNDS_LOOK:
      look(worker);
      return;
    case ROUNDS_GO_ON:
      go_on(worker);
  }
}

// --- Threads ---

static void wait_for_work(rounds_crew_t *crew, int done) {
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load_explicit(&crew->begun, memory_order_acquire) != done) {
      return;
    }
  }
  pthread_mutex_lock(&crew->mutex);
  while (atomic_load_explicit(&crew->begun, memory_order_acquire) == done) {
    pthread_cond_wait(&crew->has_begun, &crew->mutex);
  }
  pthread_mutex_unlock(&crew->mutex);
}

static void *work_on(void *context) {
  rounds_thread_t *thread = context;
  rounds_crew_t *crew = thread->crew;
  for (int done = 0;; done++) {
    wait_for_work(crew, done);
    if (crew->is_over) {
      return NULL;
    }
    do_work(thread->worker, crew->work);
    if (atomic_fetch_sub_explicit(&crew->working, 1, memory_order_acq_rel) == 1) {
      pthread_mutex_lock(&crew->mutex);
      pthread_cond_signal(&crew->has_ended);
      pthread_mutex_unlock(&crew->mutex);
    }
  }
}

static void begin_work(const simulator_rounds_t *rounds, rounds_work_t work) {
  rounds_crew_t *crew = rounds->crew;
  for (int32_t w = 0; w < rounds->worker_count; w++) {
    rounds->workers[w]->mail->is_idle = false;
  }
  atomic_store(&crew->busy, rounds->worker_count);
  atomic_store(&crew->is_quiet, false);
  pthread_mutex_lock(&crew->mutex);
  crew->work = work;
  atomic_store_explicit(&crew->working, crew->thread_count, memory_order_relaxed);
  atomic_fetch_add_explicit(&crew->begun, 1, memory_order_release);
  pthread_cond_broadcast(&crew->has_begun);
  pthread_mutex_unlock(&crew->mutex);
}

static void wait_for_crew(rounds_crew_t *crew) {
  for (int i = 0; i < SPINS; i++) {
    if (atomic_load_explicit(&crew->working, memory_order_acquire) == 0) {
      return;
    }
  }
  pthread_mutex_lock(&crew->mutex);
  while (atomic_load_explicit(&crew->working, memory_order_acquire) != 0) {
    pthread_cond_wait(&crew->has_ended, &crew->mutex);
  }
  pthread_mutex_unlock(&crew->mutex);
}

// --- In between ---

// A part that all classes are through with is closed.
void rounds_draw_sums(simulator_rounds_t *rounds) {
  simulator_engine_t *engine = rounds->engine;
  for (int32_t w = 0; w < rounds->worker_count; w++) {
    rounds_worker_t *worker = rounds->workers[w];
    engine->steps += worker->steps;
    worker->steps = 0;
    rounds->has_given_up |= worker->has_given_up;
    for (int p = 0; p < ROUNDS_PARTS_MAX; p++) {
      rounds->parts[p].classes_left -= worker->through[p];
      worker->through[p] = 0;
    }
  }
  for (int p = 0; p < ROUNDS_PARTS_MAX; p++) {
    rounds_part_t *part = &rounds->parts[p];
    if (part->is_live && part->classes_left == 0) {
      engine->instances.items[part->instance].part = -1;
      rounds_close_part(rounds, part);
    }
  }
}

bool rounds_work(simulator_rounds_t *rounds, rounds_work_t work) {
  if (rounds->crew != NULL) {
    begin_work(rounds, work);
  }
  do_work(rounds->workers[0], work);
  if (rounds->crew != NULL) {
    wait_for_crew(rounds->crew);
  }
  rounds_draw_sums(rounds);
  if (rounds->engine->status == NULL) {
    rounds->engine->status = simulator_check_wanted(rounds->engine);
  }
  bool has_moved = false;
  for (int32_t w = 0; w < rounds->worker_count; w++) {
    has_moved |= rounds->workers[w]->has_moved;
    rounds->workers[w]->has_moved = false;
  }
  return has_moved;
}

bool rounds_has_work(const simulator_rounds_t *rounds) {
  for (int32_t w = 0; w < rounds->worker_count; w++) {
    const rounds_worker_t *worker = rounds->workers[w];
    bool is_any = worker->queue.count > 0 || worker->mail->posts.count > 0;
    for (int32_t to = 0; to < rounds->worker_count; to++) {
      is_any |= worker->out[to].count > 0;
    }
    if (is_any) {
      return true;
    }
  }
  return false;
}

// --- Workers ---

static void add_worker(simulator_rounds_t *rounds) {
  rounds_worker_t *worker = pod_alloc(sizeof(*worker));
  worker->rounds = rounds;
  worker->current = -1;
  worker->looks_left = INT64_MAX;
  worker->mail = pod_alloc(sizeof(*worker->mail));
  pthread_mutex_init(&worker->mail->mutex, NULL);
  pthread_cond_init(&worker->mail->has_come, NULL);
  rounds->workers[rounds->worker_count++] = worker;
}

static void destroy_worker(rounds_worker_t *worker) {
  for (int32_t i = 0; i < ROUNDS_WORKERS_MAX; i++) {
    pod_list_deinit(&worker->out[i]);
  }
  pod_list_deinit(&worker->taken);
  pod_list_deinit(&worker->queue);
  pod_list_deinit(&worker->due);
  pod_list_deinit(&worker->mail->posts);
  pthread_mutex_destroy(&worker->mail->mutex);
  pthread_cond_destroy(&worker->mail->has_come);
  free(worker->mail);
  free(worker);
}

static void share_out(simulator_rounds_t *rounds) {
  rounds->classes_each =
      (rounds->class_count + rounds->worker_count - 1) / rounds->worker_count;
  for (int32_t w = 0; w < rounds->worker_count; w++) {
    const int32_t first = w * rounds->classes_each;
    const int32_t end = first + rounds->classes_each;
    rounds->workers[w]->first_class =
        first < rounds->class_count ? first : rounds->class_count;
    rounds->workers[w]->end_class = end < rounds->class_count ? end : rounds->class_count;
  }
}

static rounds_crew_t *create_crew(void) {
  rounds_crew_t *crew = pod_alloc(sizeof(*crew));
  pthread_mutex_init(&crew->mutex, NULL);
  pthread_cond_init(&crew->has_begun, NULL);
  pthread_cond_init(&crew->has_ended, NULL);
  return crew;
}

void rounds_hire(simulator_rounds_t *rounds, int32_t count) {
  add_worker(rounds);
  if (count > 1) {
    rounds->crew = create_crew();
  }
  while (rounds->worker_count < count && rounds->worker_count < ROUNDS_WORKERS_MAX) {
    rounds_thread_t *thread = &rounds->crew->threads[rounds->crew->thread_count];
    add_worker(rounds);
    *thread = (rounds_thread_t){.crew = rounds->crew,
                                .worker = rounds->workers[rounds->worker_count - 1]};
    if (pthread_create(&thread->thread, NULL, work_on, thread) != 0) {
      destroy_worker(rounds->workers[--rounds->worker_count]);
      break;
    }
    rounds->crew->thread_count++;
  }
  share_out(rounds);
}

static void end_crew(const simulator_rounds_t *rounds) {
  rounds_crew_t *crew = rounds->crew;
  crew->is_over = true;
  begin_work(rounds, ROUNDS_FOLLOW);
  for (int32_t i = 0; i < crew->thread_count; i++) {
    pthread_join(crew->threads[i].thread, NULL);
  }
  pthread_mutex_destroy(&crew->mutex);
  pthread_cond_destroy(&crew->has_begun);
  pthread_cond_destroy(&crew->has_ended);
  free(crew);
}

void rounds_dismiss(simulator_rounds_t *rounds) {
  if (rounds->crew != NULL) {
    end_crew(rounds);
  }
  for (int32_t w = 0; w < rounds->worker_count; w++) {
    destroy_worker(rounds->workers[w]);
  }
}
