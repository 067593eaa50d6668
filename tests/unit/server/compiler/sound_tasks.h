// Whether a program's tasks hold together: what the clock and the chip rely on.

#ifndef TESTS_UNIT_SERVER_COMPILER_SOUND_TASKS_H_
#define TESTS_UNIT_SERVER_COMPILER_SOUND_TASKS_H_

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/map.h"
#include "server/program/program.h"

static inline bool sound_overlap(const chip_buffer_t *a, const chip_buffer_t *b) {
  if (a->kind != b->kind || a->kind != CHIP_BUFFER_TEMP) {
    return a->kind == b->kind && a->index == b->index;
  }
  return a->offset < b->offset + tensor_shape_bytes(&b->shape) &&
         b->offset < a->offset + tensor_shape_bytes(&a->shape);
}

// Nobody else writes what an asynchronous collective reads or writes, or reads what it
// writes, from its start to its end.
static inline void check_in_flight(const chip_program_t *program, int32_t collective,
                                   int32_t done) {
  const chip_instruction_t *it = &program->instructions[collective];
  const chip_buffer_t *source = &program->buffers[it->operands[0]];
  const chip_buffer_t *target = &program->buffers[it->results[0]];
  for (int32_t i = collective + 1; i < done; i++) {
    const chip_instruction_t *other = &program->instructions[i];
    for (int32_t r = 0; r < other->result_count; r++) {
      const chip_buffer_t *written = &program->buffers[other->results[r]];
      assert_false(sound_overlap(written, source));
      assert_false(sound_overlap(written, target));
    }
    for (int32_t o = 0; o < other->operand_count && other->op != CHIP_OP_ASYNC_DONE;
         o++) {
      assert_false(sound_overlap(&program->buffers[other->operands[o]], target));
    }
  }
}

// The async_done of a collective: the first behind it that names its result.
static inline int32_t find_done(const chip_program_t *program, int32_t collective) {
  for (int32_t i = collective + 1; i < program->instruction_count; i++) {
    const chip_instruction_t *it = &program->instructions[i];
    for (int32_t o = 0; o < it->operand_count && it->op == CHIP_OP_ASYNC_DONE; o++) {
      if (it->operands[o] == program->instructions[collective].results[0]) {
        return i;
      }
    }
  }
  fail_msg("%s is never done", program->instructions[collective].name);
  return CHIP_NONE;
}

static inline void check_pair(const chip_program_t *program, int32_t first, int32_t at,
                              int32_t end) {
  const chip_task_t *task = &program->tasks[at];
  const bool is_start = task->kind == CHIP_TASK_COLLECTIVE_START ||
                        task->kind == CHIP_TASK_PREFETCH_START ||
                        task->kind == CHIP_TASK_TRANSFER_START;
  const bool is_done = task->kind == CHIP_TASK_COLLECTIVE_DONE ||
                       task->kind == CHIP_TASK_PREFETCH_DONE ||
                       task->kind == CHIP_TASK_TRANSFER_DONE;
  if (!is_start && !is_done) {
    assert_int_equal(task->partner, CHIP_NONE);
    return;
  }
  assert_true(is_start ? task->partner > at && task->partner < end
                       : task->partner >= first && task->partner < at);
  assert_int_equal(program->tasks[task->partner].partner, at);
  assert_int_equal((int)program->tasks[task->partner].kind,
                   (int)task->kind + (is_start ? 1 : -1));
}

static inline void check_work(const chip_work_t *work) {
  assert_true(work->mxu_flop >= 0 && work->mxu_busy_flop >= 0 && work->vpu_op >= 0);
  assert_true(work->hbm_read_bytes >= 0 && work->hbm_written_bytes >= 0 &&
              work->vmem_bytes >= 0);
}

// Pairs are pairs, names are unique, members ascend and are of the computation, every
// collective is a task, and what is in flight is left alone.
static inline void check_tasks(const chip_program_t *program) {
  pod_map_t *names = pod_map_create();
  int32_t collectives = 0;
  for (int32_t c = 0; c < program->computation_count; c++) {
    const chip_computation_t *it = &program->computations[c];
    const int32_t end = it->first_task + it->task_count;
    for (int32_t t = it->first_task; t < end; t++) {
      const chip_task_t *task = &program->tasks[t];
      assert_null(pod_map_get(names, task->name));
      pod_map_put(names, task->name, names);
      check_pair(program, it->first_task, t, end);
      check_work(&task->work);
      for (int32_t m = 0; m < task->member_count; m++) {
        const int32_t member = program->task_members[task->first_member + m];
        assert_true(member >= it->first_instruction &&
                    member < it->first_instruction + it->instruction_count);
        assert_true(m == 0 || member > program->task_members[task->first_member + m - 1]);
      }
      collectives +=
          task->kind == CHIP_TASK_COLLECTIVE || task->kind == CHIP_TASK_COLLECTIVE_START;
      if (task->kind == CHIP_TASK_COLLECTIVE_START) {
        check_in_flight(program, task->instruction,
                        find_done(program, task->instruction));
      }
    }
  }
  for (int32_t i = 0; i < program->instruction_count; i++) {
    collectives -= chip_op_is_collective(program->instructions[i].op);
  }
  assert_int_equal(collectives, 0);
  pod_map_destroy(names);
}

#endif  // TESTS_UNIT_SERVER_COMPILER_SOUND_TASKS_H_
