/* Two threads add to one variable without agreeing on it. */
#include <pthread.h>
#include <stdio.h>

static volatile long sum; /* every addition is an access: one race of many is enough */

static void *add(void *unused) {
    for (int i = 0; i < 100000; i++) sum += i;
    return unused;
}

int main(void) {
    pthread_t other;
    if (pthread_create(&other, NULL, add, NULL) != 0) return 0;
    add(NULL);
    pthread_join(other, NULL);
    printf("%ld\n", sum);
    return 0;
}
