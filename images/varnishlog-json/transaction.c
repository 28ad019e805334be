/*
 * What becomes of each record of the log.
 */

#include <stdlib.h>
#include <string.h>

#include <vdef.h>
#include <vas.h>

#include "transaction.h"

/* --- texts -------------------------------------------------------------------------------------------------------- */

int
text_is(struct text text, const char *word)
{
	return (text.length == strlen(word) && !strncasecmp(text.at, word, text.length));
}

/* The next word, which is taken off. */
struct text
text_word(struct text *from)
{
	struct text found;

	while (from->length > 0 && *from->at == ' ') {
		from->at++;
		from->length--;
	}
	found = *from;
	for (found.length = 0; found.length < from->length && from->at[found.length] != ' '; )
		found.length++;
	from->at += found.length;
	from->length -= found.length;
	return (found);
}

static struct text
rest(struct text from)
{
	while (from.length > 0 && *from.at == ' ') {
		from.at++;
		from.length--;
	}
	return (from);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static struct vsb *
buffer(void)
{
	struct vsb *made = VSB_new_auto();

	AN(made);
	return (made);
}

void
transaction_begin(struct transaction *t, const struct VSL_transaction *from)
{
	memset(t, 0, sizeof *t);
	t->side = from->type == VSL_t_bereq ? "backend" : "client";
	t->handling = from->type == VSL_t_bereq ? "fetched" : NULL;
	t->id = from->vxid;
	t->timeline = buffer();
	t->logs = buffer();
	t->links = buffer();
}

static void
set_header(struct message *message, struct text line)
{
	struct header *header;
	const char *colon = memchr(line.at, ':', line.length);

	if (colon == NULL)
		return;
	message->headers = realloc(message->headers, (message->count + 1) * sizeof *message->headers);
	AN(message->headers);
	header = &message->headers[message->count++];
	header->name.at = line.at;
	header->name.length = (size_t)(colon - line.at);
	header->value.at = colon + 1;
	header->value.length = line.length - header->name.length - 1;
	header->value = rest(header->value);
}

/* The tag names the line as it was. */
static void
unset_header(struct message *message, struct text line)
{
	const char *colon = memchr(line.at, ':', line.length);
	struct text name, value;
	size_t i;

	if (colon == NULL)
		return;
	name.at = line.at;
	name.length = (size_t)(colon - line.at);
	value.at = colon + 1;
	value.length = line.length - name.length - 1;
	value = rest(value);
	for (i = 0; i < message->count; i++) {
		struct header *header = &message->headers[i];

		if (header->name.length == name.length && !strncasecmp(header->name.at, name.at, name.length) &&
		    header->value.length == value.length && !memcmp(header->value.at, value.at, value.length)) {
			memmove(header, header + 1, (message->count - i - 1) * sizeof *header);
			message->count--;
			return;
		}
	}
}

static void
comma(struct vsb *out)
{
	if (VSB_len(out) > 0)
		VSB_putc(out, ',');
}

static void
timestamp(struct transaction *t, struct text text)
{
	struct text name = text_word(&text);

	if (name.length > 0 && name.at[name.length - 1] == ':')
		name.length--;
	comma(t->timeline);
	VSB_cat(t->timeline, "{\"name\":");
	json_quote(t->timeline, name);
	VSB_cat(t->timeline, ",\"timestamp\":");
	json_number(t->timeline, text_word(&text));
	VSB_putc(t->timeline, '}');
	if (text_is(name, "Bereq"))
		t->sent = 1;
}

static void
account(struct transaction *t, struct text text)
{
	t->req.header_bytes = text_word(&text);
	t->req.body_bytes = text_word(&text);
	(void)text_word(&text);
	t->resp.header_bytes = text_word(&text);
	t->resp.body_bytes = text_word(&text);
}

static void
link_to(struct transaction *t, struct text text)
{
	comma(t->links);
	VSB_cat(t->links, "{\"type\":");
	json_quote(t->links, text_word(&text));
	VSB_cat(t->links, ",\"id\":");
	json_quote(t->links, text_word(&text));
	VSB_cat(t->links, ",\"reason\":");
	json_quote(t->links, text_word(&text));
	VSB_putc(t->links, '}');
}

static void
called(struct transaction *t, struct text text)
{
	static const struct { const char *sub, *handling; } HANDLED[] = {
		{ "HIT", "hit" }, { "MISS", "miss" }, { "PASS", "pass" }, { "PIPE", "pipe" }, { "SYNTH", "synth" }, { "BACKEND_ERROR", "error" },
	};
	size_t i;

	if (text_is(text, "RECV"))
		t->sent = 1;
	if (text_is(text, "BACKEND_RESPONSE") || text_is(text, "BACKEND_ERROR"))
		t->received = 1;
	for (i = 0; i < sizeof HANDLED / sizeof *HANDLED; i++)
		/* a hit that is fetched still stays one of those */
		if (text_is(text, HANDLED[i].sub) && !(text_is(text, "HIT") && t->handling && !strcmp(t->handling, "streaming-hit")))
			t->handling = HANDLED[i].handling;
}

static void
returned(struct transaction *t, struct text text)
{
	static const char *const HANDLED[] = { "fail", "restart", "retry", "abandon" };
	size_t i;

	for (i = 0; i < sizeof HANDLED / sizeof *HANDLED; i++)
		if (text_is(text, HANDLED[i]))
			t->handling = HANDLED[i];
}

/* Hit: of an object that is still being fetched it says how much there is. */
static void
hit(struct transaction *t, struct text text)
{
	int words = 0;

	while (text_word(&text).length > 0)
		words++;
	if (words > 4)
		t->handling = "streaming-hit";
}

void
transaction_record(struct transaction *t, enum VSL_tag_e tag, struct text text)
{
	switch (tag) {
	case SLT_ReqMethod: case SLT_BereqMethod: if (!t->sent) t->req.method = text; break;
	case SLT_ReqURL: case SLT_BereqURL: if (!t->sent) t->req.url = text; break;
	case SLT_ReqProtocol: case SLT_BereqProtocol: if (!t->sent) t->req.proto = text; break;
	case SLT_ReqHeader: case SLT_BereqHeader: if (!t->sent) set_header(&t->req, text); break;
	case SLT_ReqUnset: case SLT_BereqUnset: if (!t->sent) unset_header(&t->req, text); break;
	case SLT_RespProtocol: case SLT_BerespProtocol: if (!t->received) t->resp.proto = text; break;
	case SLT_RespStatus: case SLT_BerespStatus: if (!t->received) t->resp.status = text; break;
	case SLT_RespReason: case SLT_BerespReason: if (!t->received) t->resp.reason = text; break;
	case SLT_RespHeader: case SLT_BerespHeader: if (!t->received) set_header(&t->resp, text); break;
	case SLT_RespUnset: case SLT_BerespUnset: if (!t->received) unset_header(&t->resp, text); break;
	case SLT_ReqAcct: case SLT_BereqAcct: account(t, text); break;
	case SLT_ReqStart: t->start = text; break;
	case SLT_BackendOpen: t->open = text; break;
	case SLT_Storage: t->storage = text; break;
	case SLT_VCL_use: t->vcl = text_word(&text); break;
	case SLT_VCL_call: called(t, text); break;
	case SLT_VCL_return: returned(t, text); break;
	case SLT_Hit: hit(t, text); break;
	case SLT_Timestamp: timestamp(t, text); break;
	case SLT_Link: link_to(t, text); break;
	case SLT_FetchError: t->error = text; break;
	/* libvarnishapi's own: the transaction is not whole */
	case SLT_VSL: if (t->error.length == 0) t->error = text; break;
	case SLT_VCL_Log: comma(t->logs); json_quote(t->logs, text); break;
	default: break;
	}
}

void
transaction_end(struct transaction *t)
{
	free(t->req.headers);
	free(t->resp.headers);
	VSB_destroy(&t->timeline);
	VSB_destroy(&t->logs);
	VSB_destroy(&t->links);
}
