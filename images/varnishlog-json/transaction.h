/*
 * What is known of one transaction: transaction.c takes it from the records of the log, json.c writes it. Texts are parts of the records, which
 * are there until the next transaction is read.
 */

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <vapi/vsl.h>
#include <vsb.h>

struct text {
	const char	*at;
	size_t		length;
};

struct header {
	struct text	name;
	struct text	value;
};

struct message {
	struct header	*headers;
	size_t		count;
	struct text	method, url, proto, status, reason, header_bytes, body_bytes;
};

struct transaction {
	const char	*side;
	uint64_t	id;
	int		sent;		/* what follows is VCL's doing */
	int		received;
	struct message	req, resp;
	const char	*handling;
	struct text	vcl, storage, error;
	struct text	start, open;
	struct vsb	*timeline, *logs, *links;	/* as JSON, without brackets */
};

/* transaction.c */
int text_is(struct text, const char *word);
struct text text_word(struct text *from);
void transaction_begin(struct transaction *, const struct VSL_transaction *);
void transaction_record(struct transaction *, enum VSL_tag_e, struct text);
void transaction_end(struct transaction *);

/* json.c */
void json_quote(struct vsb *, struct text);
void json_number(struct vsb *, struct text);
void json_transaction(struct vsb *, struct transaction *);
