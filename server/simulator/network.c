// Processor sharing per link, and for a message the narrowest share on its route. A
// change of a link marks its messages; all marked ones get their ends anew once per
// picosecond at which anything happened. Invariant: work left is settled up to `now`
// before any share changes.

#include "server/simulator/network.h"

#include <stdlib.h>

#include "common/base/check.h"
#include "common/base/memory.h"

// Later than any time the clock accepts.
#define NEVER_PS (INT64_MAX / 2)

void simulator_network_init(simulator_network_t *network, int32_t class_count,
                            const int64_t *rates, simulator_queue_t *queue,
                            uint32_t end_event) {
  const size_t classes = (size_t)class_count;
  *network = (simulator_network_t){.queue = queue,
                                   .end_event = end_event,
                                   .channel_count = class_count * SIMULATOR_CHANNELS,
                                   .any = pod_alloc(classes * sizeof(simulator_any_t))};
  const size_t channels = (size_t)network->channel_count;
  network->channels = pod_alloc(channels * sizeof(*network->channels));
  network->dirty = pod_alloc(channels * sizeof(*network->dirty));
  network->direct = pod_alloc(channels * sizeof(*network->direct));
  for (int32_t i = 0; i < network->channel_count; i++) {
    network->channels[i].rate = rates[i];
    network->direct[i].rate = rates[i];
  }
}

static void free_route(simulator_flow_t *flow) {
  if (flow->owns_route) {
    free((void *)flow->route);
    flow->owns_route = false;
  }
}

void simulator_network_deinit(simulator_network_t *network) {
  for (int32_t i = 0; i < network->channel_count; i++) {
    pod_list_deinit(&network->channels[i].flows);
  }
  for (int32_t i = 0; i < network->flows.count; i++) {
    free_route(&network->flows.items[i]);
  }
  free(network->channels);
  free(network->dirty);
  pod_list_deinit(&network->flows);
  pod_list_deinit(&network->free_flows);
  pod_list_deinit(&network->dirty_flows);
  free(network->direct);
  free(network->any);
}

static int32_t new_flow(simulator_network_t *network) {
  if (network->free_flows.count > 0) {
    return network->free_flows.items[--network->free_flows.count];
  }
  *pod_list_add(&network->flows) = (simulator_flow_t){0};
  return network->flows.count - 1;
}

static void touch(simulator_network_t *network, int32_t link) {
  simulator_channel_t *channel = &network->channels[link];
  if (!channel->is_dirty) {
    channel->is_dirty = true;
    network->dirty[network->dirty_count++] = link;
  }
}

static void add_crossing(simulator_network_t *network, int32_t link, int32_t flow) {
  simulator_channel_t *channel = &network->channels[link];
  *pod_list_add(&channel->flows) = flow;
  network->direct[link].crossing_count++;
  touch(network, link);
}

static void remove_crossing(simulator_network_t *network, int32_t link, int32_t flow) {
  simulator_channel_t *channel = &network->channels[link];
  int32_t at = 0;
  while (channel->flows.items[at] != flow) {
    at++;
  }
  channel->flows.items[at] = channel->flows.items[--channel->flows.count];
  network->direct[link].crossing_count--;
  touch(network, link);
}

static int32_t start_flow(simulator_network_t *network, const simulator_flow_t *flow,
                          int64_t now_ps) {
  const int32_t index = new_flow(network);
  simulator_flow_t *started = &network->flows.items[index];
  const uint32_t version = started->version;
  free_route(started);
  *started = *flow;
  started->version = version + 1;
  started->is_active = true;
  started->is_dirty = false;
  started->left = (simulator_work_t)(uint64_t)flow->full_ps *
                  (simulator_work_t)(uint64_t)SIMULATOR_FULL_RATE;
  started->rate = 0;
  started->start_ps = now_ps;
  started->settled_ps = now_ps;
  for (int32_t i = 0; i < flow->route->hop_count; i++) {
    const int32_t link = flow->route->hops[i].link;
    add_crossing(network, link, index);
    if (!flow->is_counted) {
      network->channels[link].bytes += flow->bytes;
      network->channels[link].messages++;
    }
  }
  return index;
}

void simulator_network_start(simulator_network_t *network, const simulator_flow_t *flow,
                             int64_t now_ps) {
  (void)start_flow(network, flow, now_ps);
}

void simulator_network_bring(simulator_network_t *network, int64_t now_ps) {
  for (int32_t i = 0; i < network->channel_count; i++) {
    network->channels[i].busy_ps += network->direct[i].busy_ps;
    network->direct[i].busy_ps = 0;
  }
  for (int32_t i = 0; i < network->channel_count / SIMULATOR_CHANNELS; i++) {
    simulator_network_bring_any(&network->any[i], now_ps);
  }
}

void simulator_network_direct(simulator_network_t *network, int32_t link,
                              int64_t now_ps) {
  simulator_direct_t *direct = &network->direct[link];
  simulator_any_t *any = &network->any[link / SIMULATOR_CHANNELS];
  simulator_network_bring_any(any, now_ps);
  direct->busy_ps += direct->end_ps - direct->start_ps;
  any->direct_ps = direct->end_ps > any->direct_ps ? direct->end_ps : any->direct_ps;
}

void simulator_network_resume(simulator_network_t *network, int32_t link,
                              const simulator_flow_t *flow, int64_t now_ps) {
  const int32_t class_index = link / SIMULATOR_CHANNELS;
  simulator_direct_t *direct = &network->direct[link];
  simulator_any_t *any = &network->any[class_index];
  simulator_network_bring_any(any, now_ps);
  direct->busy_ps -= direct->end_ps - now_ps;
  direct->end_ps = now_ps;
  any->direct_ps = now_ps;
  for (int32_t i = 0; i < SIMULATOR_CHANNELS; i++) {
    const int64_t end_ps = network->direct[class_index * SIMULATOR_CHANNELS + i].end_ps;
    any->direct_ps = end_ps > any->direct_ps ? end_ps : any->direct_ps;
  }
  const int32_t index = start_flow(network, flow, now_ps);
  simulator_flow_t *resumed = &network->flows.items[index];
  resumed->is_resumed = true;
  resumed->start_ps = direct->start_ps;
  resumed->left -= (simulator_work_t)(uint64_t)direct->rate *
                   (simulator_work_t)(uint64_t)(now_ps - direct->start_ps);
}

const simulator_flow_t *simulator_network_end(simulator_network_t *network, int32_t flow,
                                              uint32_t version) {
  simulator_flow_t *ended = &network->flows.items[flow];
  if (!ended->is_active || ended->version != version) {
    return NULL;
  }
  ended->is_active = false;
  ended->version++;
  for (int32_t i = 0; i < ended->route->hop_count; i++) {
    remove_crossing(network, ended->route->hops[i].link, flow);
  }
  *pod_list_add(&network->free_flows) = flow;
  return ended;
}

int64_t simulator_network_alone(int64_t full_ps, int64_t rate) {
  const simulator_work_t work = (simulator_work_t)(uint64_t)full_ps *
                                (simulator_work_t)(uint64_t)SIMULATOR_FULL_RATE;
  const simulator_work_t by = (simulator_work_t)(uint64_t)rate;
  const simulator_work_t time_ps = (work + by - 1) / by;
  return time_ps > (simulator_work_t)NEVER_PS / 2 ? NEVER_PS / 2 : (int64_t)time_ps;
}

static int64_t rate_of(const simulator_network_t *network, const simulator_flow_t *flow) {
  int64_t rate = INT64_MAX;
  for (int32_t i = 0; i < flow->route->hop_count; i++) {
    const simulator_channel_t *channel = &network->channels[flow->route->hops[i].link];
    const int64_t share =
        channel->flows.count == 1 ? channel->rate : channel->rate / channel->flows.count;
    rate = share < rate ? share : rate;
  }
  return rate > 0 ? rate : 1;
}

static int64_t end_of(const simulator_flow_t *flow, int64_t now_ps) {
  const simulator_work_t rate = (simulator_work_t)(uint64_t)flow->rate;
  const simulator_work_t time_ps = (flow->left + rate - 1) / rate;
  return time_ps > (simulator_work_t)(NEVER_PS - now_ps) ? NEVER_PS
                                                         : now_ps + (int64_t)time_ps;
}

static void set_rate(simulator_network_t *network, int32_t index, int64_t now_ps) {
  simulator_flow_t *flow = &network->flows.items[index];
  const int64_t rate = rate_of(network, flow);
  if (rate == flow->rate) {
    return;
  }
  const bool is_new = flow->rate == 0;
  const simulator_work_t done = (simulator_work_t)(uint64_t)flow->rate *
                                (simulator_work_t)(uint64_t)(now_ps - flow->settled_ps);
  flow->left = done < flow->left ? flow->left - done : 0;
  flow->rate = rate;
  flow->settled_ps = now_ps;
  if (!is_new) {
    flow->version++;
  }
  const bool is_whole = is_new && !flow->is_resumed;
  const int64_t end_ps = is_whole && rate == SIMULATOR_FULL_RATE ? now_ps + flow->full_ps
                                                                 : end_of(flow, now_ps);
  simulator_queue_push(
      network->queue, end_ps,
      (simulator_queue_event_t){
          .kind = network->end_event, .a = index, .b = (int32_t)flow->version});
}

static void set_busy(simulator_network_t *network, int32_t link, int64_t now_ps) {
  simulator_channel_t *channel = &network->channels[link];
  const bool is_busy = channel->flows.count > 0;
  if (is_busy == channel->was_busy) {
    return;
  }
  channel->was_busy = is_busy;
  simulator_any_t *any = &network->any[link / SIMULATOR_CHANNELS];
  simulator_network_bring_any(any, now_ps);
  if (is_busy) {
    channel->busy_since_ps = now_ps;
    any->busy_links++;
  } else {
    channel->busy_ps += now_ps - channel->busy_since_ps;
    any->busy_links--;
  }
}

static void collect(simulator_network_t *network, const simulator_channel_t *channel) {
  for (int32_t i = 0; i < channel->flows.count; i++) {
    simulator_flow_t *flow = &network->flows.items[channel->flows.items[i]];
    if (flow->is_dirty) {
      continue;
    }
    flow->is_dirty = true;
    *pod_list_add(&network->dirty_flows) = channel->flows.items[i];
  }
}

bool simulator_network_settle(simulator_network_t *network, int64_t now_ps) {
  if (network->dirty_count == 0) {
    return false;
  }
  network->dirty_flows.count = 0;
  for (int32_t i = 0; i < network->dirty_count; i++) {
    simulator_channel_t *channel = &network->channels[network->dirty[i]];
    channel->is_dirty = false;
    set_busy(network, network->dirty[i], now_ps);
    collect(network, channel);
  }
  network->dirty_count = 0;
  for (int32_t i = 0; i < network->dirty_flows.count; i++) {
    network->flows.items[network->dirty_flows.items[i]].is_dirty = false;
    set_rate(network, network->dirty_flows.items[i], now_ps);
  }
  return true;
}
