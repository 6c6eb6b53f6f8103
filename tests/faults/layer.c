/* A layer between a process and the kernel: the n-th call that changes the files below
 * one folder fails, or is the last one of the process. It is loaded by LD_PRELOAD, so
 * that what C libraries write is seen as well as what Python writes.
 *
 * Counted are, of paths below the folder: write, fsync, close (of what was opened for
 * writing), rename, create, mkdir, remove and resize; with sockets, also send, which
 * fails as where a connection is cut.
 * After a call that failed with ENOSPC, all others that need room fail too, as on a disk
 * that stays full; one with EIO fails by itself. A write that fails, or is the last call,
 * has written half of what it got.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { KILL = -1 };

static char folder[PATH_MAX];
static size_t length; /* of the folder's name; 0: nothing is counted */
static atomic_long count;
static long moment; /* of the fault; 0 for never */
static int fault;   /* an errno, or KILL */
static int counts_sockets;
static int report = -1; /* a descriptor that gets the name of the call that failed */

#define REAL(result, name, ...)                              \
  static result (*real)(__VA_ARGS__);                        \
  if (!real) real = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

void faults_watch(const char *name, int sockets, int descriptor) {
  snprintf(folder, sizeof folder, "%s", name);
  length = strlen(folder);
  counts_sockets = sockets;
  report = descriptor;
  atomic_store(&count, 0);
}

void faults_arm(long number, int kind) {
  fault = kind;
  moment = number;
}

long faults_count(void) { return atomic_load(&count); }

static int below(const char *path) {
  return length && !strncmp(path, folder, length) &&
         (path[length] == '/' || path[length] == 0);
}

static ssize_t name_descriptor(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, PATH_MAX - 1);
  path[size < 0 ? 0 : size] = 0;
  return size;
}

/* The path of a name, as openat and its like understand it. */
static const char *find_path(int at, const char *name, char *path) {
  if (!name || name[0] == '/') return name ? name : "";
  if (at == AT_FDCWD) {
    if (!getcwd(path, PATH_MAX)) path[0] = 0;
  } else {
    name_descriptor(at, path);
  }
  size_t size = strlen(path);
  snprintf(path + size, PATH_MAX - size, "/%s", name);
  return path;
}

static void say(const char *what, const char *path) {
  if (report < 0) return;
  char line[PATH_MAX + 32];
  int size = snprintf(line, sizeof line, "%s %s\n", what, path);
  syscall(SYS_write, report, line, (size_t)size);
}

static void die(void) { syscall(SYS_kill, getpid(), SIGKILL); }

static int needs_room(const char *what) {
  return !strcmp(what, "write") || !strcmp(what, "create") || !strcmp(what, "mkdir") ||
         !strcmp(what, "resize");
}

/* Counts a call. Returns whether it fails, or is the last one. */
static int strikes(const char *what, const char *path) {
  if (!length || !below(path)) return 0;
  long number = atomic_fetch_add(&count, 1) + 1;
  if (!moment || number < moment) return 0;
  if (number > moment) return fault == ENOSPC && needs_room(what);
  say(what, path);
  return 1;
}

static int strikes_descriptor(const char *what, int fd) {
  if (!length) return 0;
  int saved = errno, hit = 0;
  char path[PATH_MAX];
  struct stat facts;
  if (name_descriptor(fd, path) >= 0) {
    if (below(path))
      hit = strikes(what, path);
    else if (counts_sockets && !fstat(fd, &facts) && S_ISSOCK(facts.st_mode)) {
      struct sockaddr_storage name;
      socklen_t size = sizeof name;
      if (!getsockname(fd, (struct sockaddr *)&name, &size) &&
          (name.ss_family == AF_INET || name.ss_family == AF_INET6) && what[0] != 'c')
        hit = strikes("send", folder);
    }
  }
  errno = saved;
  return hit;
}

static int strikes_path(const char *what, int at, const char *name) {
  if (!length) return 0;
  int saved = errno;
  char path[PATH_MAX];
  int hit = strikes(what, find_path(at, name, path));
  errno = saved;
  return hit;
}

static int fail(void) {
  if (fault == KILL) die();
  errno = fault;
  return -1;
}

/* A connection ends as one does whose cable is cut. */
static int cut(int fd) {
  if (fault == KILL) die();
  shutdown(fd, SHUT_RDWR);
  errno = ECONNRESET;
  return -1;
}

ssize_t write(int fd, const void *data, size_t size) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (!strikes_descriptor("write", fd)) return real(fd, data, size);
  real(fd, data, size / 2);
  return fail();
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  if (!strikes_descriptor("write", fd)) return real(fd, data, size, offset);
  real(fd, data, size / 2, offset);
  return fail();
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
  if (!strikes_descriptor("write", fd)) return real(fd, data, size, offset);
  real(fd, data, size / 2, offset);
  return fail();
}

ssize_t writev(int fd, const struct iovec *parts, int number) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  if (!strikes_descriptor("write", fd)) return real(fd, parts, number);
  real(fd, parts, number / 2);
  return fail();
}

ssize_t sendfile(int out, int in, off_t *offset, size_t size) {
  REAL(ssize_t, "sendfile", int, int, off_t *, size_t);
  return strikes_descriptor("write", out) ? fail() : real(out, in, offset, size);
}

ssize_t sendfile64(int out, int in, off64_t *offset, size_t size) {
  REAL(ssize_t, "sendfile64", int, int, off64_t *, size_t);
  return strikes_descriptor("write", out) ? fail() : real(out, in, offset, size);
}

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t size,
                        unsigned flags) {
  REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
  return strikes_descriptor("write", out) ? fail()
                                          : real(in, from, out, to, size, flags);
}

ssize_t send(int fd, const void *data, size_t size, int flags) {
  REAL(ssize_t, "send", int, const void *, size_t, int);
  if (!strikes_descriptor("send", fd)) return real(fd, data, size, flags);
  if (size / 2) real(fd, data, size / 2, flags);
  return cut(fd);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  REAL(ssize_t, "sendmsg", int, const struct msghdr *, int);
  return strikes_descriptor("send", fd) ? cut(fd) : real(fd, message, flags);
}

int fsync(int fd) {
  REAL(int, "fsync", int);
  return strikes_descriptor("fsync", fd) ? fail() : real(fd);
}

int fdatasync(int fd) {
  REAL(int, "fdatasync", int);
  return strikes_descriptor("fsync", fd) ? fail() : real(fd);
}

/* A file is closed, whatever `close` says: as Linux does it. */
int close(int fd) {
  REAL(int, "close", int);
  int saved = errno, hit = 0;
  if (length) {
    int flags = fcntl(fd, F_GETFL);
    hit = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
          strikes_descriptor("close", fd);
    errno = saved;
  }
  if (hit && fault == KILL) die();
  int result = real(fd);
  return hit ? fail() : result;
}

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  return strikes_path("rename", AT_FDCWD, to) ? fail() : real(from, to);
}

int renameat(int from_at, const char *from, int to_at, const char *to) {
  REAL(int, "renameat", int, const char *, int, const char *);
  return strikes_path("rename", to_at, to) ? fail() : real(from_at, from, to_at, to);
}

int mkdir(const char *name, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t);
  return strikes_path("mkdir", AT_FDCWD, name) ? fail() : real(name, mode);
}

int mkdirat(int at, const char *name, mode_t mode) {
  REAL(int, "mkdirat", int, const char *, mode_t);
  return strikes_path("mkdir", at, name) ? fail() : real(at, name, mode);
}

int unlink(const char *name) {
  REAL(int, "unlink", const char *);
  return strikes_path("remove", AT_FDCWD, name) ? fail() : real(name);
}

int unlinkat(int at, const char *name, int flags) {
  REAL(int, "unlinkat", int, const char *, int);
  return strikes_path("remove", at, name) ? fail() : real(at, name, flags);
}

int rmdir(const char *name) {
  REAL(int, "rmdir", const char *);
  return strikes_path("remove", AT_FDCWD, name) ? fail() : real(name);
}

int ftruncate(int fd, off_t size) {
  REAL(int, "ftruncate", int, off_t);
  return strikes_descriptor("resize", fd) ? fail() : real(fd, size);
}

int ftruncate64(int fd, off64_t size) {
  REAL(int, "ftruncate64", int, off64_t);
  return strikes_descriptor("resize", fd) ? fail() : real(fd, size);
}

static int fail_with_number(void) {
  fail();
  return fault;
}

int posix_fallocate(int fd, off_t from, off_t size) {
  REAL(int, "posix_fallocate", int, off_t, off_t);
  return strikes_descriptor("resize", fd) ? fail_with_number() : real(fd, from, size);
}

int posix_fallocate64(int fd, off64_t from, off64_t size) {
  REAL(int, "posix_fallocate64", int, off64_t, off64_t);
  return strikes_descriptor("resize", fd) ? fail_with_number() : real(fd, from, size);
}

static int makes(int flags) { return flags & (O_CREAT | O_TRUNC); }

static mode_t read_mode(int flags, va_list further) {
  return flags & (O_CREAT | __O_TMPFILE) ? (mode_t)va_arg(further, int) : 0;
}

#define OPEN(name)                                                           \
  int name(const char *path, int flags, ...) {                               \
    REAL(int, #name, const char *, int, ...);                                \
    va_list further;                                                         \
    va_start(further, flags);                                                \
    mode_t mode = read_mode(flags, further);                                 \
    va_end(further);                                                         \
    if (makes(flags) && strikes_path("create", AT_FDCWD, path)) return fail(); \
    return real(path, flags, mode);                                          \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                         \
  int name(int at, const char *path, int flags, ...) {                       \
    REAL(int, #name, int, const char *, int, ...);                           \
    va_list further;                                                         \
    va_start(further, flags);                                                \
    mode_t mode = read_mode(flags, further);                                 \
    va_end(further);                                                         \
    if (makes(flags) && strikes_path("create", at, path)) return fail();     \
    return real(at, path, flags, mode);                                      \
  }
OPENAT(openat)
OPENAT(openat64)

/* Streams of C: TensorFlow writes with them. */
#define FOPEN(name)                                                          \
  FILE *name(const char *path, const char *mode) {                           \
    REAL(FILE *, #name, const char *, const char *);                         \
    if (mode[0] != 'r' && strikes_path("create", AT_FDCWD, path)) {          \
      fail();                                                                \
      return NULL;                                                           \
    }                                                                        \
    return real(path, mode);                                                 \
  }
FOPEN(fopen)
FOPEN(fopen64)

size_t fwrite(const void *data, size_t size, size_t number, FILE *file) {
  REAL(size_t, "fwrite", const void *, size_t, size_t, FILE *);
  if (!length || !strikes_descriptor("write", fileno(file)))
    return real(data, size, number, file);
  real(data, size, number / 2, file);
  fail();
  return number / 2;
}

int fflush(FILE *file) {
  REAL(int, "fflush", FILE *);
  if (!length || !file || !strikes_descriptor("write", fileno(file)))
    return real(file);
  return fail();
}

int fclose(FILE *file) {
  REAL(int, "fclose", FILE *);
  int hit = length && strikes_descriptor("close", fileno(file));
  if (hit && fault == KILL) die();
  int result = real(file);
  return hit ? fail() : result;
}
