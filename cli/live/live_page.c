/* A minimal HTTP server for a page with one picture. It answers GET requests with a known length
 * and then closes the connection. The page itself is report/live.html. */
#include "live/live_page.h"
#include "common/command.h"
#include "common/try.h"
#include "report_page.h"
#include <arpa/inet.h>
#include <conehull/mask.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    REQUEST = 4096,   /* maximum number of bytes of a request */
    CLIENTS = 32,     /* maximum number of connections; more wait in the queue of the system */
    ASK_MS = 2000,    /* time for a client to send its request */
    ANSWER_MS = 5000, /* time for a client to receive the answer */
    PAUSE_MS = 100,   /* pause before the next accept() if the system has no descriptor left */
    QUALITY = 80,
    STATE_SIZE = 1200 /* enough for all warnings together */
};

/* A connection: its request, then its answer. Sockets do not block. */
typedef struct client {
    int fd; /* -1: free */
    double deadline;
    size_t length, size, sent; /* length of the request; size of the answer, and bytes sent */
    char *answer;              /* NULL: the request is not complete yet */
    char request[REQUEST + 1];
} client;

struct live_page {
    int socket, wake[2]; /* a byte written to wake[1] ends poll() */
    pthread_t thread;
    pthread_mutex_t lock; /* protects pixels, shown and state */
    uint8_t *pixels;
    int64_t shown; /* number of pictures so far */
    char state[STATE_SIZE];
    uint8_t *copy; /* used only by the thread of the server, as are the clients */
    client clients[CLIENTS];
    double accept_again; /* time before which accept() is not called; 0: none */
    ch_context *context;
    ch_picture shape; /* shape of the pictures; its pixels are NULL */
    char host[2][32]; /* permitted values of "Host:" in requests */
    atomic_int wanted, stop;
};

static size_t size_of(const live_page *page) {
    return (size_t)(page->shape.width * page->shape.height * page->shape.channels);
}

/* ---- answers ---- */

static void answer(client *to, const char *status, const char *type, const void *bytes,
                   size_t count) {
    char head[512];
    int length = snprintf(
        head, sizeof head,
        "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\nX-Content-Type-Options: nosniff\r\n"
        "Content-Security-Policy: default-src 'none'; img-src 'self' blob: data:; connect-src "
        "'self'; "
        "script-src 'unsafe-inline'; style-src 'unsafe-inline'\r\nConnection: close\r\n\r\n",
        status, type, count);
    to->answer = malloc((size_t)length + count);
    if (!to->answer) return;
    memcpy(to->answer, head, (size_t)length);
    if (count) memcpy(to->answer + length, bytes, count);
    to->size = (size_t)length + count;
}

static void refuse(client *to, const char *status) {
    answer(to, status, "text/plain", status, strlen(status));
}

static void send_picture(live_page *page, client *to) {
    ch_picture picture = page->shape;
    size_t count;
    uint8_t *bytes;
    page->wanted = 1;
    pthread_mutex_lock(&page->lock);
    int64_t shown = page->shown;
    if (shown > 0) memcpy(page->copy, page->pixels, size_of(page));
    pthread_mutex_unlock(&page->lock);
    picture.pixels = page->copy;
    if (shown == 0) {
        answer(to, "204 No Content", "image/jpeg", "", 0);
    } else if (ch_picture_encode_jpeg(page->context, &bytes, &count, &picture, QUALITY) < 0) {
        refuse(to, "500 Internal Server Error");
    } else {
        answer(to, "200 OK", "image/jpeg", bytes, count);
        ch_picture_bytes_free(page->context, bytes);
    }
}

static void send_state(live_page *page, client *to) {
    char text[STATE_SIZE + 32];
    pthread_mutex_lock(&page->lock);
    int length = snprintf(text, sizeof text, "{\"pictures\": %lld%s}\n", (long long)page->shown,
                          page->state);
    pthread_mutex_unlock(&page->lock);
    answer(to, "200 OK", "application/json", text, (size_t)length);
}

/* ---- requests ---- */

/* Returns whether the line "Host: ..." of a request names this server. */
static int is_for_us(const live_page *page, const char *request) {
    const char *host = strcasestr(request, "\r\nhost:");
    if (!host) return 0;
    host += strlen("\r\nhost:");
    host += strspn(host, " ");
    size_t length = strcspn(host, "\r");
    for (int i = 0; i < 2; i++)
        if (strlen(page->host[i]) == length && strncmp(host, page->host[i], length) == 0) return 1;
    return 0;
}

static int asks_for(const char *request, const char *path) {
    size_t length = strlen(path);
    return strncmp(request, "GET ", 4) == 0 && strncmp(request + 4, path, length) == 0 &&
           request[4 + length] == ' ';
}

/* Prepares the answer to a complete request. */
static void serve(live_page *page, client *to) {
    const char *request = to->request;
    if (!is_for_us(page, request))
        refuse(to, "403 Forbidden");
    else if (asks_for(request, "/"))
        answer(to, "200 OK", "text/html; charset=utf-8", report_live_html,
               strlen(report_live_html));
    else if (asks_for(request, "/frame.jpg"))
        send_picture(page, to);
    else if (asks_for(request, "/state.json"))
        send_state(page, to);
    else
        refuse(to, strncmp(request, "GET ", 4) == 0 ? "404 Not Found" : "405 Method Not Allowed");
}

/* ---- connections ---- */

static void hang_up(client *one) {
    close(one->fd);
    free(one->answer);
    one->answer = NULL;
    one->fd = -1;
}

static int would_wait(ssize_t done) {
    return done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* take_request() and send_answer() return 0 if the connection has ended. */
static int take_request(live_page *page, client *from) {
    ssize_t got = recv(from->fd, from->request + from->length, REQUEST - from->length, 0);
    if (would_wait(got)) return 1;
    if (got <= 0) return 0;
    from->length += (size_t)got;
    from->request[from->length] = 0;
    if (strstr(from->request, "\r\n\r\n"))
        serve(page, from);
    else if (from->length == REQUEST)
        refuse(from, "431 Request Header Fields Too Large");
    else
        return 1;
    from->deadline = cli_seconds() + ANSWER_MS / 1e3;
    return from->answer != NULL;
}

static int send_answer(client *to) {
    ssize_t sent = send(to->fd, to->answer + to->sent, to->size - to->sent, MSG_NOSIGNAL);
    if (would_wait(sent)) return 1;
    if (sent > 0) to->sent += (size_t)sent;
    return sent > 0 && to->sent < to->size;
}

/* Accepts a connection. If the system has no descriptor left, the connection stays in the queue and
 * poll() would report it again immediately; so the next attempt follows after a pause. */
static void accept_one(live_page *page, client *free_place) {
    int fd = accept4(page->socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    page->accept_again = fd < 0 && !would_wait(fd) ? cli_seconds() + PAUSE_MS / 1e3 : 0;
    if (fd < 0) return;
    *free_place = (client){.fd = fd, .deadline = cli_seconds() + ASK_MS / 1e3};
}

static client *find_free(live_page *page) {
    for (int i = 0; i < CLIENTS; i++)
        if (page->clients[i].fd < 0) return &page->clients[i];
    return NULL;
}

/* Returns the number of milliseconds until the first deadline, or -1 if there is none. */
static int next_deadline(const live_page *page) {
    double first = page->accept_again;
    for (int i = 0; i < CLIENTS; i++)
        if (page->clients[i].fd >= 0 && (first == 0 || page->clients[i].deadline < first))
            first = page->clients[i].deadline;
    if (first == 0) return -1;
    double left = 1e3 * (first - cli_seconds());
    return left > 0 ? (int)left + 1 : 0;
}

static void serve_ready(live_page *page, const struct pollfd *ready) {
    double now = cli_seconds();
    for (int i = 0; i < CLIENTS; i++) {
        client *one = &page->clients[i];
        if (one->fd < 0) continue;
        int goes_on = now < one->deadline;
        if (goes_on && ready[i].revents)
            goes_on = one->answer ? send_answer(one) : take_request(page, one);
        if (!goes_on) hang_up(one);
    }
}

static void *listen_on(void *argument) {
    live_page *page = argument;
    while (!page->stop) {
        struct pollfd ready[CLIENTS + 2];
        client *place = find_free(page);
        for (int i = 0; i < CLIENTS; i++)
            ready[i] =
                (struct pollfd){page->clients[i].fd, page->clients[i].answer ? POLLOUT : POLLIN, 0};
        int accepts = place && cli_seconds() >= page->accept_again;
        ready[CLIENTS] = (struct pollfd){accepts ? page->socket : -1, POLLIN, 0};
        ready[CLIENTS + 1] = (struct pollfd){page->wake[0], POLLIN, 0};
        if (poll(ready, CLIENTS + 2, next_deadline(page)) < 0) continue;
        serve_ready(page, ready);
        if (accepts && ready[CLIENTS].revents)
            accept_one(page, place);
        else if (accepts)
            page->accept_again = 0;
    }
    for (int i = 0; i < CLIENTS; i++)
        if (page->clients[i].fd >= 0) hang_up(&page->clients[i]);
    return NULL;
}

/* ---- life ---- */

static int bind_port(live_page *page, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    int yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    page->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (page->socket >= 0) setsockopt(page->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (page->socket < 0 || bind(page->socket, (struct sockaddr *)&address, size) != 0 ||
        listen(page->socket, CLIENTS) != 0 ||
        getsockname(page->socket, (struct sockaddr *)&address, &size) != 0)
        return cli_error(EXIT_FILES,
                         "live: --page %d: %s; give another port, or 0 for any free port", port,
                         strerror(errno));
    snprintf(page->host[0], sizeof page->host[0], "127.0.0.1:%d", ntohs(address.sin_port));
    snprintf(page->host[1], sizeof page->host[1], "localhost:%d", ntohs(address.sin_port));
    return EXIT_DONE;
}

static void free_page(live_page *page) {
    if (page->socket >= 0) close(page->socket);
    for (int i = 0; i < 2; i++)
        if (page->wake[i] >= 0) close(page->wake[i]);
    ch_context_destroy(page->context);
    free(page->pixels);
    free(page->copy);
    free(page);
}

/* Starts the server: allocates everything except the page itself. */
static int start(live_page *page, int port) {
    page->pixels = malloc(size_of(page));
    page->copy = malloc(size_of(page));
    if (!page->pixels || !page->copy || ch_context_create(&page->context, NULL) != CH_OK)
        return cli_no_memory();
    TRY(bind_port(page, port));
    if (pipe2(page->wake, O_CLOEXEC) != 0)
        return cli_error(EXIT_FILES, "live: --page: %s", strerror(errno));
    pthread_mutex_init(&page->lock, NULL);
    if (pthread_create(&page->thread, NULL, listen_on, page) == 0) return EXIT_DONE;
    pthread_mutex_destroy(&page->lock);
    return cli_error(
        EXIT_MEMORY,
        "live: cannot start another thread: the limit of threads or memory is reached");
}

int live_page_open(live_page **page, int port, const ch_picture *shape, int quiet) {
    live_page *made = malloc(sizeof *made);
    if (!made) return cli_no_memory();
    *made = (live_page){.socket = -1, .wake = {-1, -1}, .shape = *shape};
    for (int i = 0; i < CLIENTS; i++) made->clients[i].fd = -1;
    int code = start(made, port);
    if (code != EXIT_DONE) {
        free_page(made);
        return code;
    }
    if (!quiet) cli_complain("live: watch it at http://%s/", made->host[0]);
    *page = made;
    return EXIT_DONE;
}

int live_page_wants(const live_page *page) {
    return page && page->wanted;
}

/* Writes the warnings as a JSON list; their sentences have no quotes or backslashes. */
static void put_warnings(char *text, size_t size, int warnings) {
    size_t used = (size_t)snprintf(text, size, ", \"warnings\": [");
    int count = 0;
    for (int bit = 0; bit < CH_MASK_WARNINGS; bit++)
        if (warnings >> bit & 1)
            used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", count++ ? ", " : "",
                                     ch_mask_warning(1 << bit));
    snprintf(text + used, size - used, "]");
}

void live_page_show(live_page *page, const uint8_t *pixels, int64_t frame, const char *state,
                    int warnings) {
    pthread_mutex_lock(&page->lock);
    memcpy(page->pixels, pixels, size_of(page));
    page->shown++;
    page->wanted = 0;
    snprintf(page->state, sizeof page->state, ", \"frame\": %lld, \"state\": \"%s\"",
             (long long)frame, state);
    size_t used = strlen(page->state);
    put_warnings(page->state + used, sizeof page->state - used, warnings);
    pthread_mutex_unlock(&page->lock);
}

void live_page_close(live_page *page) {
    if (!page) return;
    page->stop = 1;
    /* does not block, because an empty pipe accepts a byte */
    ssize_t woken = write(page->wake[1], "", 1);
    (void)woken;
    pthread_join(page->thread, NULL);
    pthread_mutex_destroy(&page->lock);
    free_page(page);
}
