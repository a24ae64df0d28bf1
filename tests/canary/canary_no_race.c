/* The same sum, as it should be: OpenMP's own synchronisation must not count as a race. */
#include <omp.h>

int main(void) {
    long sum = 0, parts[2] = {0, 0};
#pragma omp parallel for num_threads(2) schedule(static, 1) reduction(+ : sum)
    for (int i = 0; i < 10000; i++) sum += i;
#pragma omp parallel num_threads(2)
    parts[omp_get_thread_num()] = sum;
    return !(sum == 49995000 && parts[0] == sum);
}
