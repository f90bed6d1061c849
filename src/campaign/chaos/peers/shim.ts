/**
 * A C library that is loaded into every process of the stage (LD_PRELOAD) and injects disk and clock faults.
 *
 * It reads the current fault from a small file that the processes map, so a fault starts and ends at the same moment for all,
 * even for processes started long before. It is built for each run in the run's own directory, so that no other user can replace
 * the library. Linux with a C compiler; elsewhere these faults are left out.
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct control { int32_t error; int32_t sync_ms; int64_t clock_ms; };
static volatile struct control *control;
static const char *disk;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("HOLDFAST_CHAOS_CONTROL");
  disk = getenv("HOLDFAST_CHAOS_DISK");
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *map = mmap(0, sizeof(struct control), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) control = map;
}

static int is_ours(int fd) {
  char link[32], path[4096];
  if (!disk) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strncmp(path, disk, strlen(disk)) == 0;
}

static int fails(int fd) {
  if (!control || !control->error || !is_ours(fd)) return 0;
  errno = control->error;
  return 1;
}

static void wait_sync(int fd) {
  int ms = control ? control->sync_ms : 0;
  if (ms > 0 && is_ours(fd)) usleep(ms * 1000);
}

#define REAL(result, name, ...) \\
  static result (*real)(__VA_ARGS__); \\
  if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *data, size_t size) {
  REAL(ssize_t, write, int, const void *, size_t);
  return fails(fd) ? -1 : real(fd, data, size);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
  REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
  return fails(fd) ? -1 : real(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  return fails(fd) ? -1 : real(fd, data, size, at);
}
int ftruncate64(int fd, off64_t size) {
  REAL(int, ftruncate64, int, off64_t);
  return fails(fd) ? -1 : real(fd, size);
}
int fsync(int fd) {
  REAL(int, fsync, int);
  wait_sync(fd);
  return fails(fd) ? -1 : real(fd);
}
int fdatasync(int fd) {
  REAL(int, fdatasync, int);
  wait_sync(fd);
  return fails(fd) ? -1 : real(fd);
}

static int64_t offset(void) { return control ? control->clock_ms : 0; }

int clock_gettime(clockid_t id, struct timespec *out) {
  int answer = syscall(SYS_clock_gettime, id, out);
  if (answer == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
    int64_t ms = offset(), ns = out->tv_nsec + (ms % 1000) * 1000000;
    out->tv_sec += ms / 1000;
    if (ns < 0) { ns += 1000000000; out->tv_sec -= 1; }
    if (ns >= 1000000000) { ns -= 1000000000; out->tv_sec += 1; }
    out->tv_nsec = ns;
  }
  return answer;
}
int gettimeofday(struct timeval *out, void *zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}
`;

/** Injects disk and clock faults. */
export interface Shim {
  /** Environment variables for a process that uses the control file of this name. */
  toEnv(name: string): Readonly<Record<string, string>>;
  /** Sets the faults for the processes of a control file; omitted faults are off. */
  set(name: string, faults: IoFaults): void;
}

export interface IoFaults {
  readonly error?: 'EIO' | 'ENOSPC';
  readonly syncMs?: number;
  readonly clockMs?: number;
}

const CONTROL_BYTES = 16;

/** Builds the library in `dir` for faults of files below `disk`; undefined where it cannot be built. */
export async function buildShim(dir: string, disk: string): Promise<Shim | undefined> {
  if (process.platform !== 'linux') return undefined;
  const library = join(dir, 'chaos-shim.so');
  const source = join(dir, 'chaos-shim.c');
  writeFileSync(source, SOURCE);
  if (!(await compile(source, library))) return undefined;
  const files = new Map<string, number>();
  const toPath = (name: string) => join(dir, `control-${name}`);
  const open = (name: string) => {
    const known = files.get(name);
    if (known !== undefined) return known;
    writeFileSync(toPath(name), Buffer.alloc(CONTROL_BYTES));
    const file = openSync(toPath(name), 'r+');
    files.set(name, file);
    return file;
  };
  process.once('exit', () => {
    for (const file of files.values()) closeSync(file);
  });
  return {
    toEnv(name) {
      open(name);
      return { LD_PRELOAD: library, HOLDFAST_CHAOS_CONTROL: toPath(name), HOLDFAST_CHAOS_DISK: disk };
    },
    set(name, { error, syncMs = 0, clockMs = 0 }) {
      const bytes = Buffer.alloc(CONTROL_BYTES);
      bytes.writeInt32LE(error === undefined ? 0 : constants.errno[error], 0);
      bytes.writeInt32LE(syncMs, 4);
      bytes.writeBigInt64LE(BigInt(clockMs), 8);
      writeSync(open(name), bytes, 0, CONTROL_BYTES, 0);
    },
  };
}

function compile(source: string, library: string): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn('cc', ['-shared', '-fPIC', '-O1', '-w', '-o', library, source, '-ldl'], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
}
