/* The same sum, as it should be: locked additions must not count as a race. */
#include <pthread.h>
#include <stdio.h>

static long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused) {
    for (int i = 0; i < 100000; i++) {
        pthread_mutex_lock(&lock);
        sum += i;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t other;
    if (pthread_create(&other, NULL, add, NULL) != 0) return 1;
    add(NULL);
    pthread_join(other, NULL);
    return sum != 2 * 4999950000L;
}
