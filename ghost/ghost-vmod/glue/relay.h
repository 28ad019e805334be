/*
 * What a tunnel is made of.
 */

#define PIECE			8192

/* One direction of a tunnel. */
struct way {
	int			from, to;
	bool			open;		/* there may be more to read */
	char			*rest;		/* what the other side has not taken yet, if anything */
	size_t			at, n;
	uint64_t		bytes;
};

/* relay.c */
int send_all(int fd, const void *, size_t);
bool way_push(struct way *, const char *, size_t);
void way_rest_free(struct way *);
stream_close_t relay(struct way *up, struct way *down, double deadline);
