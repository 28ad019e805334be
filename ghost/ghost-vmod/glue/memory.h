/*
 * What cached objects may take.
 */

void memory_start(void);
int memory_admits(struct worker *, VCL_STEVEDORE, uint64_t bytes);
