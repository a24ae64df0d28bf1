/* Cameras, by libavdevice. It is loaded on demand instead of linked. It depends on SDL, X and
 * sound: 60 libraries that would more than double the start time of every command, and machines
 * without them can still do everything else. Its major version is that of libavformat. */
#include "io/av/video_av.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library; /* protected by lock; never unloaded, because its formats are registered */

/* dlsym() returns the address of a function as a pointer to an object. */
typedef union symbol {
    void *address;
    void (*register_all)(void);
} symbol;

static void load(char *why, size_t room) {
    char name[64];
    snprintf(name, sizeof name, "libavdevice.so.%u", AV_VERSION_MAJOR(avformat_version()));
    library = dlopen(name, RTLD_NOW);
    symbol found = {library ? dlsym(library, "avdevice_register_all") : NULL};
    if (found.address) {
        found.register_all();
        return;
    }
    snprintf(why, room, "%s", dlerror());
    if (library) dlclose(library);
    library = NULL;
}

const AVInputFormat *chi_camera_format(const char *name, char *why, size_t room) {
    pthread_mutex_lock(&lock);
    if (!library) load(why, room);
    int there = library != NULL;
    pthread_mutex_unlock(&lock);
    const AVInputFormat *format = there ? av_find_input_format(name) : NULL;
    if (there && !format)
        snprintf(why, room, "the libavdevice of this machine does not support %s", name);
    return format;
}
