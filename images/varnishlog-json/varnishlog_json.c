/*
 * varnishlog-json: Varnish's log as JSON, a line for each transaction, as its remote party saw it. What VCL makes of a request that arrived, or of
 * an answer that a backend gave, is not in it.
 *
 * It is the log container of gateway pods (spec.logging.mode); names of fields are those that pipelines for such a log know. Records are
 * read by libvarnishapi. Here is what becomes of each tag, and how it is written.
 */

#define VOPT_DEFINITION
#define VOPT_INC "varnishlog_json_options.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vdef.h>
#include <vas.h>
#include <vapi/voptget.h>
#include <vapi/vsl.h>
#include <vapi/vsm.h>
#include <vapi/vsig.h>
#include <vsb.h>
#include <vut.h>

static struct VUT *vut;
static int backends, clients, subrequests;

/* --- texts -------------------------------------------------------------------------------------------------------- */

struct text {
	const char	*at;
	size_t		length;
};

static const struct text nothing = { "", 0 };

static int
is(struct text text, const char *word)
{
	return (text.length == strlen(word) && !strncasecmp(text.at, word, text.length));
}

/* The next word, which is taken off. */
static struct text
word(struct text *from)
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

/* --- JSON --------------------------------------------------------------------------------------------------------- */

/* How many bytes of UTF-8 begin here; none if it is something else, which JSON must not have. */
static size_t
utf8(const unsigned char *at, size_t left)
{
	size_t length, i;

	if (*at >= 0xc2 && *at <= 0xdf)
		length = 2;
	else if (*at >= 0xe0 && *at <= 0xef)
		length = 3;
	else if (*at >= 0xf0 && *at <= 0xf4)
		length = 4;
	else
		return (0);
	if (length > left)
		return (0);
	for (i = 1; i < length; i++)
		if ((at[i] & 0xc0) != 0x80)
			return (0);
	/* too long, surrogates, and beyond the last one */
	if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) || (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f))
		return (0);
	return (length);
}

static void
quote(struct vsb *out, struct text text)
{
	const unsigned char *at = (const unsigned char *)text.at, *end = at + text.length;
	size_t length;

	VSB_putc(out, '"');
	while (at < end) {
		if (*at == '"' || *at == '\\') {
			VSB_putc(out, '\\');
			VSB_putc(out, *at++);
		} else if (*at < 0x20 || *at == 0x7f) {
			VSB_printf(out, "\\u%04x", *at++);
		} else if (*at < 0x7f) {
			VSB_putc(out, *at++);
		} else if ((length = utf8(at, (size_t)(end - at))) > 0) {
			VSB_bcat(out, at, (ssize_t)length);
			at += length;
		} else {
			VSB_cat(out, "\\ufffd");
			at++;
		}
	}
	VSB_putc(out, '"');
}

static void
number(struct vsb *out, struct text text)
{
	size_t i, dots = 0, digits = 0;

	for (i = 0; i < text.length; i++) {
		dots += text.at[i] == '.';
		digits += isdigit((unsigned char)text.at[i]) != 0;
	}
	/* no other sign, and none that JSON does not take */
	if (digits == 0 || digits + dots != text.length || dots > 1 || !isdigit((unsigned char)text.at[0]) ||
	    !isdigit((unsigned char)text.at[text.length - 1]))
		VSB_cat(out, "null");
	else
		VSB_bcat(out, text.at, (ssize_t)text.length);
}

/* --- what is known of one transaction ------------------------------------------------------------------------------ */

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
	struct vsb	*timeline, *logs, *links;
};

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
	struct text name = word(&text);

	if (name.length > 0 && name.at[name.length - 1] == ':')
		name.length--;
	comma(t->timeline);
	VSB_cat(t->timeline, "{\"name\":");
	quote(t->timeline, name);
	VSB_cat(t->timeline, ",\"timestamp\":");
	number(t->timeline, word(&text));
	VSB_putc(t->timeline, '}');
	if (is(name, "Bereq"))
		t->sent = 1;
}

static void
account(struct transaction *t, struct text text)
{
	t->req.header_bytes = word(&text);
	t->req.body_bytes = word(&text);
	(void)word(&text);
	t->resp.header_bytes = word(&text);
	t->resp.body_bytes = word(&text);
}

static void
link_to(struct transaction *t, struct text text)
{
	comma(t->links);
	VSB_cat(t->links, "{\"type\":");
	quote(t->links, word(&text));
	VSB_cat(t->links, ",\"id\":");
	quote(t->links, word(&text));
	VSB_cat(t->links, ",\"reason\":");
	quote(t->links, word(&text));
	VSB_putc(t->links, '}');
}

static void
called(struct transaction *t, struct text text)
{
	static const struct { const char *sub, *handling; } HANDLED[] = {
		{ "HIT", "hit" }, { "MISS", "miss" }, { "PASS", "pass" }, { "PIPE", "pipe" }, { "SYNTH", "synth" }, { "BACKEND_ERROR", "error" },
	};
	size_t i;

	if (is(text, "RECV"))
		t->sent = 1;
	if (is(text, "BACKEND_RESPONSE") || is(text, "BACKEND_ERROR"))
		t->received = 1;
	for (i = 0; i < sizeof HANDLED / sizeof *HANDLED; i++)
		/* a hit that is fetched still stays one of those */
		if (is(text, HANDLED[i].sub) && !(is(text, "HIT") && t->handling && !strcmp(t->handling, "streaming-hit")))
			t->handling = HANDLED[i].handling;
}

static void
returned(struct transaction *t, struct text text)
{
	static const char *const HANDLED[] = { "fail", "restart", "retry", "abandon" };
	size_t i;

	for (i = 0; i < sizeof HANDLED / sizeof *HANDLED; i++)
		if (is(text, HANDLED[i]))
			t->handling = HANDLED[i];
}

/* Hit: of an object that is still being fetched it says how much there is. */
static void
hit(struct transaction *t, struct text text)
{
	int words = 0;

	while (word(&text).length > 0)
		words++;
	if (words > 4)
		t->handling = "streaming-hit";
}

static void
record(struct transaction *t, enum VSL_tag_e tag, struct text text)
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
	case SLT_VCL_use: t->vcl = word(&text); break;
	case SLT_VCL_call: called(t, text); break;
	case SLT_VCL_return: returned(t, text); break;
	case SLT_Hit: hit(t, text); break;
	case SLT_Timestamp: timestamp(t, text); break;
	case SLT_Link: link_to(t, text); break;
	case SLT_FetchError: t->error = text; break;
	/* libvarnishapi's own: the transaction is not whole */
	case SLT_VSL: if (t->error.length == 0) t->error = text; break;
	case SLT_VCL_Log: comma(t->logs); quote(t->logs, text); break;
	default: break;
	}
}

/* --- out ---------------------------------------------------------------------------------------------------------- */

static void
field(struct vsb *out, const char *name, struct text text)
{
	if (text.length > 0) {
		VSB_printf(out, ",\"%s\":", name);
		quote(out, text);
	}
}

static void
count(struct vsb *out, const char *name, struct text text)
{
	if (text.length > 0) {
		VSB_printf(out, ",\"%s\":", name);
		number(out, text);
	}
}

static int
same_name(const struct header *one, const struct header *other)
{
	return (one->name.length == other->name.length && !strncasecmp(one->name.at, other->name.at, one->name.length));
}

static void
headers(struct vsb *out, const struct message *message)
{
	size_t i, j;
	int first = 1;

	VSB_cat(out, "\"headers\":{");
	for (i = 0; i < message->count; i++) {
		const struct header *header = &message->headers[i];
		struct vsb *lower;

		for (j = 0; j < i && !same_name(&message->headers[j], header); j++)
			continue;
		if (j < i)
			continue;
		lower = VSB_new_auto();
		AN(lower);
		for (j = 0; j < header->name.length; j++)
			VSB_putc(lower, tolower((unsigned char)header->name.at[j]));
		AZ(VSB_finish(lower));
		if (!first)
			VSB_putc(out, ',');
		first = 0;
		quote(out, (struct text){ VSB_data(lower), (size_t)VSB_len(lower) });
		VSB_destroy(&lower);
		VSB_cat(out, ":[");
		quote(out, header->value);
		for (j = i + 1; j < message->count; j++) {
			if (same_name(&message->headers[j], header)) {
				VSB_putc(out, ',');
				quote(out, message->headers[j].value);
			}
		}
		VSB_putc(out, ']');
	}
	VSB_putc(out, '}');
}

static void
message(struct vsb *out, const char *name, const struct message *of)
{
	VSB_printf(out, "\"%s\":{", name);
	headers(out, of);
	field(out, "method", of->method);
	field(out, "url", of->url);
	field(out, "proto", of->proto);
	count(out, "status", of->status);
	field(out, "reason", of->reason);
	count(out, "hdrBytes", of->header_bytes);
	count(out, "bodyBytes", of->body_bytes);
	VSB_cat(out, "},");
}

static void
list(struct vsb *out, const char *name, struct vsb *of)
{
	AZ(VSB_finish(of));
	VSB_printf(out, ",\"%s\":[%s]", name, VSB_data(of));
}

static void
print(struct vsb *out, struct transaction *t)
{
	VSB_putc(out, '{');
	message(out, "req", &t->req);
	message(out, "resp", &t->resp);
	if (t->handling != NULL)
		VSB_printf(out, "\"handling\":\"%s\",", t->handling);
	VSB_printf(out, "\"side\":\"%s\",\"id\":\"%ju\"", t->side, (uintmax_t)t->id);
	list(out, "timeline", t->timeline);
	field(out, "vcl", t->vcl);
	if (t->start.length > 0) {
		struct text from = t->start;

		VSB_cat(out, ",\"client\":{\"rAddr\":");
		quote(out, word(&from));
		count(out, "rPort", word(&from));
		field(out, "sock", word(&from));
		VSB_putc(out, '}');
	}
	if (t->open.length > 0) {
		struct text from = t->open;

		(void)word(&from);
		VSB_cat(out, ",\"backend\":{\"name\":");
		quote(out, word(&from));
		field(out, "rAddr", word(&from));
		count(out, "rPort", word(&from));
		(void)word(&from);
		(void)word(&from);
		VSB_printf(out, ",\"connReused\":%s}", is(word(&from), "reuse") ? "true" : "false");
	}
	field(out, "storage", t->storage);
	field(out, "error", t->error);
	list(out, "logs", t->logs);
	list(out, "links", t->links);
	VSB_putc(out, '}');
}

static struct vsb *
buffer(void)
{
	struct vsb *made = VSB_new_auto();

	AN(made);
	return (made);
}

static int
is_wanted(const struct VSL_transaction *trans)
{
	if (trans->type == VSL_t_bereq)
		return (backends);
	if (trans->type == VSL_t_req)
		return (clients && (trans->reason != VSL_r_esi || subrequests));
	return (0);
}

static int
transaction(struct VSL_data *vsl, struct VSL_transaction *trans, struct vsb *out)
{
	struct transaction t;
	int status;

	memset(&t, 0, sizeof t);
	t.side = trans->type == VSL_t_bereq ? "backend" : "client";
	t.handling = trans->type == VSL_t_bereq ? "fetched" : NULL;
	t.id = trans->vxid;
	t.vcl = t.storage = t.error = t.start = t.open = nothing;
	t.timeline = buffer();
	t.logs = buffer();
	t.links = buffer();
	while ((status = VSL_Next(trans->c)) == 1) {
		const char *data = VSL_CDATA(trans->c->rec.ptr);
		struct text text = { data, VSL_LEN(trans->c->rec.ptr) };

		if (!VSL_Match(vsl, trans->c))
			continue;
		while (text.length > 0 && text.at[text.length - 1] == '\0')
			text.length--;
		record(&t, VSL_TAG(trans->c->rec.ptr), text);
	}
	print(out, &t);
	free(t.req.headers);
	free(t.resp.headers);
	VSB_destroy(&t.timeline);
	VSB_destroy(&t.logs);
	VSB_destroy(&t.links);
	return (status);
}

static int v_matchproto_(VSLQ_dispatch_f)
dispatch(struct VSL_data *vsl, struct VSL_transaction * const trans[], void *priv)
{
	struct vsb *out = buffer();
	size_t i;
	int found = 0;

	(void)priv;
	for (i = 0; trans[i] != NULL; i++) {
		if (!is_wanted(trans[i]))
			continue;
		if (found++)
			VSB_putc(out, ',');
		(void)transaction(vsl, trans[i], out);
	}
	AZ(VSB_finish(out));
	if (found && vut->g_arg == VSL_g_request)
		printf("[%s]\n", VSB_data(out));
	else if (found)
		printf("%s\n", VSB_data(out));
	VSB_destroy(&out);
	/* Whoever reads the log is gone. */
	return (fflush(stdout) ? 1 : 0);
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static void v_matchproto_(VUT_sighandler_f)
signalled(int number)
{
	VUT_Signaled(vut, number);
}

static void
usage(int status)
{
	VUT_Usage(vut, &vopt_spec, status);
}

int
main(int argc, char * const *argv)
{
	int option;

	vut = VUT_InitProg(argc, argv, &vopt_spec);
	AN(vut);
	while ((option = getopt(argc, argv, vopt_spec.vopt_optstring)) != -1) {
		switch (option) {
		case 'b':
			backends = 1;
			break;
		case 'c':
			clients = 1;
			break;
		case 'E':
			clients = subrequests = 1;
			break;
		case 'h':
			usage(0);
			break;
		default:
			if (!VUT_Arg(vut, option, optarg))
				usage(1);
		}
	}
	if (optind != argc)
		usage(1);
	if (vut->g_arg != VSL_g_vxid && vut->g_arg != VSL_g_request)
		VUT_Error(vut, 1, "transactions are grouped by vxid or by request");
	if (!backends && !clients)
		clients = 1;
	vut->dispatch_f = dispatch;
	VUT_Signal(signalled);
	VUT_Setup(vut);
	(void)VUT_Main(vut);
	VUT_Fini(&vut);
	return (0);
}
