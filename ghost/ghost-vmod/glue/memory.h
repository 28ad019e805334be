/*
 * What cached objects may take.
 */

void memory_start(void);
int memory_admits(struct worker *);
