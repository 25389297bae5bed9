// SPDX-License-Identifier: Apache-2.0
// Counts and times syncs and block requests into log2 histograms, by device, operation and process.
//
// Only tracepoints, and only their own context: no helper reads kernel memory, so the object loads
// on a kernel in lockdown=confidentiality too. Field offsets of the block tracepoints moved between
// kernels; the loader relocates them from the kernel's BTF (preserve_access_index).

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define RELOCATED __attribute__((preserve_access_index))
#define MAP_UINT(name, value) int(*name)[value]
#define MAP_TYPE(name, type) type *name

enum { MAP_HASH = 1, MAP_ARRAY = 2, MAP_LRU_HASH = 9 };
enum { ANY = 0, NO_EXIST = 1 };

static void *(*map_lookup)(void *map, const void *key) = (void *)1;
static long (*map_update)(void *map, const void *key, const void *value, u64 flags) = (void *)2;
static long (*map_delete)(void *map, const void *key) = (void *)3;
static u64 (*ktime_ns)(void) = (void *)5;
static u64 (*current_pid_tgid)(void) = (void *)14;
static long (*current_comm)(void *buffer, u32 size) = (void *)16;

// The numbers are shared with internal/kernel/sample.go.
enum op {
  OP_FSYNC = 1,
  OP_FDATASYNC = 2,
  OP_MSYNC = 3,
  OP_FILESYSTEM_SYNC = 4,  // a sync that no watched system call asked for: AIO, io_uring, the kernel
  OP_UNTIMED_SYNC = 5,     // the same on a file system that reports only the start
  OP_READ = 6,
  OP_WRITE = 7,
  OP_DISCARD = 8,
  OP_OTHER = 9,
};

#define SLOTS 27  // slot i holds [2^i, 2^(i+1)) us; the last one everything above, 67 s

struct key {
  u32 device;  // major << 20 | minor, 0 where the file system did not tell
  u32 process;  // tgid
  u32 op;
};

struct histogram {
  u64 slots[SLOTS];
  u64 sum_ns;
  char comm[16];  // of the thread that came first: a name for processes that are gone at once
};

struct sync_start {
  u64 at_ns;
  u32 device;
  u32 op;
};

struct request {
  u32 device;
  u32 pad;
  u64 sector;
};

struct request_start {
  u64 at_ns;
  u32 process;
  u32 op;
  char comm[16];
};

struct {
  MAP_UINT(type, MAP_HASH);
  MAP_UINT(max_entries, 8192);
  MAP_TYPE(key, struct key);
  MAP_TYPE(value, struct histogram);
} histograms SEC(".maps");

struct {
  MAP_UINT(type, MAP_LRU_HASH);
  MAP_UINT(max_entries, 16384);
  MAP_TYPE(key, u64);
  MAP_TYPE(value, struct sync_start);
} syncs SEC(".maps");

struct {
  MAP_UINT(type, MAP_LRU_HASH);
  MAP_UINT(max_entries, 16384);
  MAP_TYPE(key, struct request);
  MAP_TYPE(value, struct request_start);
} requests SEC(".maps");

// [0]: events that found no room in histograms.
struct {
  MAP_UINT(type, MAP_ARRAY);
  MAP_UINT(max_entries, 1);
  MAP_TYPE(key, u32);
  MAP_TYPE(value, u64);
} dropped SEC(".maps");

static const struct histogram empty;

static inline u32 slot_of(u64 ns) {
  u64 us = ns / 1000;
  u32 slot = 0;
#pragma unroll
  for (int i = 0; i < SLOTS - 1; i++) {
    if (us > 1) {
      us >>= 1;
      slot++;
    }
  }
  return slot < SLOTS ? slot : SLOTS - 1;
}

static inline struct histogram *histogram_of(struct key *key, const char *comm) {
  struct histogram *found = map_lookup(&histograms, key);
  if (found) return found;
  map_update(&histograms, key, &empty, NO_EXIST);
  found = map_lookup(&histograms, key);
  if (!found) {
    u32 zero = 0;
    u64 *count = map_lookup(&dropped, &zero);
    if (count) __sync_fetch_and_add(count, 1);
    return 0;
  }
  if (comm) {
    __builtin_memcpy(found->comm, comm, sizeof(found->comm));
  } else {
    current_comm(found->comm, sizeof(found->comm));
  }
  return found;
}

static inline void add(struct key *key, u64 ns, const char *comm) {
  struct histogram *found = histogram_of(key, comm);
  if (!found) return;
  u32 slot = slot_of(ns);
  if (slot >= SLOTS) return;
  __sync_fetch_and_add(&found->slots[slot], 1);
  __sync_fetch_and_add(&found->sum_ns, ns);
}

static inline int sync_begins(u32 op) {
  u64 thread = current_pid_tgid();
  struct sync_start start = {.at_ns = ktime_ns(), .op = op};
  map_update(&syncs, &thread, &start, ANY);
  return 0;
}

static inline int sync_ends(void) {
  u64 thread = current_pid_tgid();
  struct sync_start *start = map_lookup(&syncs, &thread);
  if (!start) return 0;
  struct key key = {.device = start->device, .process = thread >> 32, .op = start->op};
  u64 took = ktime_ns() - start->at_ns;
  map_delete(&syncs, &thread);
  add(&key, took, 0);
  return 0;
}

SEC("tracepoint/syscalls/sys_enter_fsync") int enter_fsync(void *ctx) { return sync_begins(OP_FSYNC); }
SEC("tracepoint/syscalls/sys_exit_fsync") int exit_fsync(void *ctx) { return sync_ends(); }
SEC("tracepoint/syscalls/sys_enter_fdatasync") int enter_fdatasync(void *ctx) { return sync_begins(OP_FDATASYNC); }
SEC("tracepoint/syscalls/sys_exit_fdatasync") int exit_fdatasync(void *ctx) { return sync_ends(); }
SEC("tracepoint/syscalls/sys_enter_msync") int enter_msync(void *ctx) { return sync_begins(OP_MSYNC); }
SEC("tracepoint/syscalls/sys_exit_msync") int exit_msync(void *ctx) { return sync_ends(); }

// The device comes first in the context of every file system's sync tracepoint used here.
struct file_system_sync {
  u64 common;
  u32 device;
};

SEC("tracepoint/ext4/ext4_sync_file_enter") int ext4_enter(struct file_system_sync *ctx) {
  u64 thread = current_pid_tgid();
  struct sync_start *start = map_lookup(&syncs, &thread);
  if (start) {
    start->device = ctx->device;
    return 0;
  }
  struct sync_start own = {.at_ns = ktime_ns(), .device = ctx->device, .op = OP_FILESYSTEM_SYNC};
  map_update(&syncs, &thread, &own, ANY);
  return 0;
}

SEC("tracepoint/ext4/ext4_sync_file_exit") int ext4_exit(void *ctx) {
  u64 thread = current_pid_tgid();
  struct sync_start *start = map_lookup(&syncs, &thread);
  if (start && start->op == OP_FILESYSTEM_SYNC) return sync_ends();
  return 0;
}

SEC("tracepoint/xfs/xfs_file_fsync") int xfs_enter(struct file_system_sync *ctx) {
  u64 thread = current_pid_tgid();
  struct sync_start *start = map_lookup(&syncs, &thread);
  if (start) {
    start->device = ctx->device;
    return 0;
  }
  struct key key = {.device = ctx->device, .process = thread >> 32, .op = OP_UNTIMED_SYNC};
  struct histogram *found = histogram_of(&key, 0);
  if (found) __sync_fetch_and_add(&found->slots[0], 1);
  return 0;
}

struct trace_event_raw_block_rq {
  u32 dev;
  u64 sector;
  u32 nr_sector;
  char rwbs[8];
} RELOCATED;

struct trace_event_raw_block_rq_completion {
  u32 dev;
  u64 sector;
} RELOCATED;

static inline u32 op_of(char first, char second) {
  char c = first == 'F' ? second : first;
  if (c == 'R') return OP_READ;
  if (c == 'W') return OP_WRITE;
  if (c == 'D') return OP_DISCARD;
  return OP_OTHER;
}

SEC("tracepoint/block/block_rq_issue") int request_begins(struct trace_event_raw_block_rq *ctx) {
  // A bare flush has no sectors and shares its sector number with others: the drive's own counters have it.
  if (ctx->nr_sector == 0) return 0;
  struct request request = {.device = ctx->dev, .sector = ctx->sector};
  struct request_start start = {.at_ns = ktime_ns(), .process = current_pid_tgid() >> 32};
  start.op = op_of(ctx->rwbs[0], ctx->rwbs[1]);
  current_comm(start.comm, sizeof(start.comm));
  map_update(&requests, &request, &start, ANY);
  return 0;
}

SEC("tracepoint/block/block_rq_complete") int request_ends(struct trace_event_raw_block_rq_completion *ctx) {
  struct request request = {.device = ctx->dev, .sector = ctx->sector};
  struct request_start *found = map_lookup(&requests, &request);
  if (!found) return 0;
  struct request_start start = *found;
  map_delete(&requests, &request);
  struct key key = {.device = request.device, .process = start.process, .op = start.op};
  add(&key, ktime_ns() - start.at_ns, start.comm);
  return 0;
}

// Every helper above is open to programs that are not under the GPL (ktime since Linux 5.8).
static const char licence[] SEC("license") = "Apache-2.0";
