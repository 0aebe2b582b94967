/* Tells what holds this process back. */
#include <stdio.h>

int main(void) {
    char line[256];
    for (FILE *file = fopen("/proc/self/limits", "r"); file && fgets(line, sizeof line, file);) fputs(line, stderr);
    return 0;
}
