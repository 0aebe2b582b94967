/* What an author would like to run before the limits are set. */
#include <stdio.h>

__attribute__((constructor)) static void here(void) { fputs("PRELOADED\n", stderr); }
