/* Two OpenMP threads add to one variable without agreeing on it. */
#include <omp.h>

int main(void) {
    volatile long sum = 0;
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < 10000; i++) sum = sum + i;
    return 0;
}
