/* HTTP as far as a page with one picture needs it: GET, an answer of known length, and goodbye. The
 * page itself is report/live.html. */
#include "live/live_page.h"
#include "common/message.h"
#include "common/try.h"
#include "report_page.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    REQUEST = 4096, /* bytes of a request that are looked at; a longer one is refused         */
    WAIT = 200,     /* ms between looks at whether the run has ended                          */
    PATIENCE = 500, /* ms that a client may take to say what it wants, or to take some bytes  */
    QUALITY = 80,
    STATE_SIZE = 160
};

struct live_page {
    int socket;
    pthread_t thread;
    pthread_mutex_t lock; /* of the next three */
    uint8_t *pixels;
    int64_t shown; /* pictures so far */
    char state[STATE_SIZE];
    uint8_t *copy; /* the thread's own */
    ch_context *context;
    ch_picture shape; /* of the pictures; no pixels */
    char host[2][32]; /* what a request may call us */
    atomic_int wanted, stop;
};

static size_t size_of(const live_page *page) {
    return (size_t)(page->shape.width * page->shape.height * page->shape.channels);
}

/* ---- answers ---- */

static void send_all(int client, const void *bytes, size_t count) {
    const char *at = bytes;
    while (count > 0) {
        ssize_t sent = send(client, at, count, MSG_NOSIGNAL);
        if (sent <= 0) return; /* gone, or too slow */
        at += sent;
        count -= (size_t)sent;
    }
}

static void answer(int client, const char *status, const char *type, const void *bytes,
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
    send_all(client, head, (size_t)length);
    send_all(client, bytes, count);
}

static void refuse(int client, const char *status) {
    answer(client, status, "text/plain", status, strlen(status));
}

static void send_picture(live_page *page, int client) {
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
        answer(client, "204 No Content", "image/jpeg", "", 0);
    } else if (ch_picture_encode_jpeg(page->context, &bytes, &count, &picture, QUALITY) < 0) {
        refuse(client, "500 Internal Server Error");
    } else {
        answer(client, "200 OK", "image/jpeg", bytes, count);
        ch_picture_bytes_free(page->context, bytes);
    }
}

static void send_state(live_page *page, int client) {
    char text[STATE_SIZE + 32];
    pthread_mutex_lock(&page->lock);
    int length = snprintf(text, sizeof text, "{\"pictures\": %lld%s}\n", (long long)page->shown,
                          page->state);
    pthread_mutex_unlock(&page->lock);
    answer(client, "200 OK", "application/json", text, (size_t)length);
}

/* ---- requests ---- */

/* The line "Host: ..." names us. */
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

static void serve(live_page *page, int client) {
    char request[REQUEST + 1];
    size_t length = 0;
    struct timeval patience = {0, 1000 * PATIENCE};
    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    for (;;) {
        ssize_t got = recv(client, request + length, REQUEST - length, 0);
        if (got <= 0) return;
        length += (size_t)got;
        request[length] = 0;
        if (strstr(request, "\r\n\r\n")) break;
        if (length == REQUEST) {
            refuse(client, "431 Request Header Fields Too Large");
            return;
        }
    }
    if (!is_for_us(page, request))
        refuse(client, "403 Forbidden");
    else if (asks_for(request, "/"))
        answer(client, "200 OK", "text/html; charset=utf-8", report_live_html,
               strlen(report_live_html));
    else if (asks_for(request, "/frame.jpg"))
        send_picture(page, client);
    else if (asks_for(request, "/state.json"))
        send_state(page, client);
    else
        refuse(client,
               strncmp(request, "GET ", 4) == 0 ? "404 Not Found" : "405 Method Not Allowed");
}

static void *listen_on(void *argument) {
    live_page *page = argument;
    while (!page->stop) {
        struct pollfd ready = {.fd = page->socket, .events = POLLIN};
        if (poll(&ready, 1, WAIT) <= 0) continue;
        int client = accept(page->socket, NULL, NULL);
        if (client < 0) continue;
        serve(page, client);
        close(client);
    }
    return NULL;
}

/* ---- life ---- */

static int bind_port(live_page *page, int port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof address;
    int yes = 1;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    page->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (page->socket >= 0) setsockopt(page->socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (page->socket < 0 || bind(page->socket, (struct sockaddr *)&address, size) != 0 ||
        listen(page->socket, 8) != 0 ||
        getsockname(page->socket, (struct sockaddr *)&address, &size) != 0)
        return cli_error(EXIT_FILES,
                         "live: --page %d: %s; give another port, or 0 for one that is free", port,
                         strerror(errno));
    snprintf(page->host[0], sizeof page->host[0], "127.0.0.1:%d", ntohs(address.sin_port));
    snprintf(page->host[1], sizeof page->host[1], "localhost:%d", ntohs(address.sin_port));
    return EXIT_DONE;
}

static void free_page(live_page *page) {
    if (page->socket >= 0) close(page->socket);
    ch_context_destroy(page->context);
    free(page->pixels);
    free(page->copy);
    free(page);
}

/* Everything but the memory of the page itself. */
static int start(live_page *page, int port) {
    page->pixels = malloc(size_of(page));
    page->copy = malloc(size_of(page));
    if (!page->pixels || !page->copy || ch_context_create(&page->context, NULL) != CH_OK)
        return cli_no_memory();
    TRY(bind_port(page, port));
    pthread_mutex_init(&page->lock, NULL);
    if (pthread_create(&page->thread, NULL, listen_on, page) == 0) return EXIT_DONE;
    pthread_mutex_destroy(&page->lock);
    return cli_error(EXIT_MEMORY, "live: the system refuses a further thread");
}

int live_page_open(live_page **page, int port, const ch_picture *shape, int quiet) {
    live_page *made = malloc(sizeof *made);
    if (!made) return cli_no_memory();
    *made = (live_page){.socket = -1, .shape = *shape};
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

void live_page_show(live_page *page, const uint8_t *pixels, int64_t frame, const char *state) {
    pthread_mutex_lock(&page->lock);
    memcpy(page->pixels, pixels, size_of(page));
    page->shown++;
    page->wanted = 0;
    snprintf(page->state, sizeof page->state, ", \"frame\": %lld, \"state\": \"%s\"",
             (long long)frame, state);
    pthread_mutex_unlock(&page->lock);
}

void live_page_close(live_page *page) {
    if (!page) return;
    page->stop = 1;
    pthread_join(page->thread, NULL);
    pthread_mutex_destroy(&page->lock);
    free_page(page);
}
