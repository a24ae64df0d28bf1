/* Permits a child process that parses a file only some system calls: those for reading, memory and
 * threads. The others fail with EPERM, which libraries handle like any other failure. This is a
 * filter of seccomp(2), as a list of numbers. */
#include "sandbox/call_filter.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#define OWN_ARCHITECTURE 0
#endif

/* Calls that do not exist on every architecture are guarded by their names. */
static const int permitted[] = {
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_lseek,
    SYS_write, /* to open files: stderr */
    SYS_close,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_fstatfs,
    SYS_fcntl,
    SYS_flock,
    SYS_fadvise64,
    SYS_getdents64,
    SYS_faccessat,
    SYS_readlinkat,
    SYS_getcwd,
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_sched_yield,
    SYS_sched_getaffinity,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_tgkill, /* abort() */
    SYS_uname,
    SYS_sysinfo,
    SYS_getrlimit,
    SYS_getrusage,
    SYS_exit,
    SYS_exit_group,
#if defined(__x86_64__)
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_time,
#endif
};
enum { PERMITTED = sizeof permitted / sizeof *permitted };

typedef struct filter {
    struct sock_filter steps[2 * PERMITTED + 40];
    unsigned short length;
} filter;

static void add(filter *to, uint16_t code, uint32_t value, uint8_t yes, uint8_t no) {
    to->steps[to->length++] = (struct sock_filter){code, yes, no, value};
}

static void load(filter *to, size_t offset) {
    add(to, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(filter *to, uint32_t what) {
    add(to, BPF_RET | BPF_K, what, 0, 0);
}

static void permit(filter *to, int call) {
    add(to, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
    answer(to, SECCOMP_RET_ALLOW);
}

/* Permits the call if argument number `argument` has one of these bits (wanted 1) or none of them
 * (wanted 0). The lower half, which holds flags, comes first in memory on both architectures. */
static void permit_by_bits(filter *to, int call, int argument, uint32_t bits, int wanted) {
    add(to, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 4);
    load(to, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    add(to, BPF_JMP | BPF_JSET | BPF_K, bits, wanted ? 0 : 1, wanted ? 1 : 0);
    answer(to, SECCOMP_RET_ALLOW);
    answer(to, SECCOMP_RET_ERRNO | EPERM);
}

static void refuse_with(filter *to, int call, int error) {
    add(to, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
    answer(to, SECCOMP_RET_ERRNO | (uint32_t)error);
}

int cli_filter_calls(void) {
    static const uint32_t writing =
        O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    filter all = {.length = 0};
    if (!OWN_ARCHITECTURE) return 0;
    load(&all, offsetof(struct seccomp_data, arch));
    add(&all, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    answer(&all, SECCOMP_RET_KILL_PROCESS);
    load(&all, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < PERMITTED; i++) permit(&all, permitted[i]);
    permit_by_bits(&all, SYS_openat, 2, writing, 0);
#if defined(__x86_64__)
    permit_by_bits(&all, SYS_open, 1, writing, 0);
#endif
    permit_by_bits(&all, SYS_clone, 0, CLONE_THREAD, 1);
    refuse_with(&all, SYS_clone3,
                ENOSYS); /* the C library then uses clone, whose flags are visible */
    answer(&all, SECCOMP_RET_ERRNO | EPERM);
    struct sock_fprog program = {all.length, all.steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
