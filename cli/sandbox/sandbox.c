/* A child process with limits: starts it, waits for it, and reports how it ended. */
#include "sandbox/sandbox.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "sandbox/call_filter.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h> /* __NR_close_range, which older headers of glibc do not call SYS_ */
#include <sys/wait.h>
#include <unistd.h>

/* ---- in the child ---- */

static void lower(int resource, rlim_t soft, rlim_t hard) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return;
    if (limit.rlim_max != RLIM_INFINITY && hard > limit.rlim_max) hard = limit.rlim_max;
    if (limit.rlim_cur != RLIM_INFINITY && soft > limit.rlim_cur) soft = limit.rlim_cur;
    if (soft > hard) soft = hard;
    setrlimit(resource, &(struct rlimit){soft, hard});
}

/* Returns the bytes of address space that this process uses. */
static int64_t address_space(void) {
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%lld", &pages) != 1) pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void set_limits(const cli_sandbox *sandbox) {
    rlim_t seconds = (rlim_t)sandbox->seconds;
    int64_t now = address_space();
    lower(RLIMIT_CPU, seconds, seconds + 5);
    lower(RLIMIT_CORE, 0, 0);
    if (CLI_LIMITS_MEMORY && now > 0)
        lower(RLIMIT_AS, (rlim_t)(now + sandbox->memory), (rlim_t)(now + sandbox->memory));
}

/* close_range() of the kernel; glibc has a function for it only from 2.34 on. */
static void close_all(unsigned first, unsigned last) {
    syscall(__NR_close_range, first, last, 0);
}

/* A signal ends the child; cleaning up is left to the parent. The child ends with the parent
 * too. */
static void forget_parent(pid_t parent, int ready) {
    static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    for (int i = 0; i < 3; i++)
        if (sigaction(watched[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            signal(watched[i], SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) _exit(EXIT_EARLY);
    for (int stream = 0; stream < 2; stream++) close(stream);
    if (open("/dev/null", O_RDWR) == 0) dup2(0, 1);
    if (ready > 3) close_all(3, (unsigned)ready - 1);
    close_all((unsigned)ready + 1, ~0u);
}

/* ---- in the parent ---- */

/* The end of the child closes the pipe. Ctrl-C ends the child at once. */
static void wait_for_end(pid_t child, int ready) {
    struct pollfd end = {.fd = ready, .events = POLLIN};
    enum { LOOKS = 200 }; /* milliseconds: then a signal between the test and poll() is noticed */
    while (poll(&end, 1, LOOKS) <= 0)
        if (cli_interrupted()) kill(child, SIGKILL);
}

/* Returns whether a limit of the user (ulimit -v) leaves the child less memory than the sandbox. */
static int is_short_of_memory(const cli_sandbox *sandbox) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
    return (int64_t)limit.rlim_cur - address_space() < sandbox->memory;
}

static int judge_signal(const cli_sandbox *sandbox, int number) {
    cli_progress_clear();
    if (cli_interrupted() || number == SIGINT || number == SIGTERM || number == SIGHUP)
        return EXIT_INTERRUPTED;
    if (number == SIGXCPU)
        return cli_refuse("%s: the library %s did not finish reading this file within %lld seconds "
                          "of processor time; the file is damaged or malicious",
                          sandbox->file, sandbox->library, (long long)sandbox->seconds);
    if (number == SIGKILL)
        return cli_error(EXIT_MEMORY,
                         "%s: the process that read this file was killed, perhaps because the "
                         "machine ran out of memory",
                         sandbox->file);
    /* HDF5 1.10 does not check every allocation. */
    if (is_short_of_memory(sandbox))
        return cli_error(EXIT_MEMORY,
                         "%s: the library %s crashed while it read this file (%s); either the "
                         "limit of the address space (ulimit -v) leaves it too little memory, or "
                         "the file is damaged",
                         sandbox->file, sandbox->library, strsignal(number));
    return cli_refuse(
        "%s: the library %s crashed while it read this file (%s); the file is damaged or malicious",
        sandbox->file, sandbox->library, strsignal(number));
}

static int judge(const cli_sandbox *sandbox, pid_t child) {
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return cli_error(EXIT_FILES, "%s: %s", sandbox->file, strerror(errno));
    if (WIFSIGNALED(status)) return judge_signal(sandbox, WTERMSIG(status));
    if (WEXITSTATUS(status) == EXIT_DONE) return cli_interrupted() ? EXIT_INTERRUPTED : EXIT_DONE;
    return cli_refuse("%s: the library %s ended the process that read this file; the file is "
                      "damaged or malicious",
                      sandbox->file, sandbox->library);
}

static int refuse_start(const cli_sandbox *sandbox) {
    return cli_error(EXIT_MEMORY, "%s: a process to read this file cannot be started: %s",
                     sandbox->file, strerror(errno));
}

int cli_sandbox_run(const cli_sandbox *sandbox, void (*body)(void *user), void *user) {
    int ends[2];
    pid_t self = getpid();
    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0) return refuse_start(sandbox);
    pid_t child = fork();
    if (child == 0) {
        forget_parent(self, ends[1]);
        set_limits(sandbox);
        if (!sandbox->writes) cli_filter_calls();
        body(user);
        _exit(EXIT_DONE);
    }
    int code = child < 0 ? refuse_start(sandbox) : EXIT_DONE;
    close(ends[1]);
    if (child > 0) {
        wait_for_end(child, ends[0]);
        code = judge(sandbox, child);
    }
    close(ends[0]);
    return code;
}
