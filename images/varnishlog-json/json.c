/*
 * How a transaction is written.
 */

#include <ctype.h>
#include <string.h>

#include <vdef.h>
#include <vas.h>

#include "transaction.h"

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

void
json_quote(struct vsb *out, struct text text)
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

void
json_number(struct vsb *out, struct text text)
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

static void
field(struct vsb *out, const char *name, struct text text)
{
	if (text.length > 0) {
		VSB_printf(out, ",\"%s\":", name);
		json_quote(out, text);
	}
}

static void
count(struct vsb *out, const char *name, struct text text)
{
	if (text.length > 0) {
		VSB_printf(out, ",\"%s\":", name);
		json_number(out, text);
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
		json_quote(out, (struct text){ VSB_data(lower), (size_t)VSB_len(lower) });
		VSB_destroy(&lower);
		VSB_cat(out, ":[");
		json_quote(out, header->value);
		for (j = i + 1; j < message->count; j++) {
			if (same_name(&message->headers[j], header)) {
				VSB_putc(out, ',');
				json_quote(out, message->headers[j].value);
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

void
json_transaction(struct vsb *out, struct transaction *t)
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
		json_quote(out, text_word(&from));
		count(out, "rPort", text_word(&from));
		field(out, "sock", text_word(&from));
		VSB_putc(out, '}');
	}
	if (t->open.length > 0) {
		struct text from = t->open;

		(void)text_word(&from);
		VSB_cat(out, ",\"backend\":{\"name\":");
		json_quote(out, text_word(&from));
		field(out, "rAddr", text_word(&from));
		count(out, "rPort", text_word(&from));
		(void)text_word(&from);
		(void)text_word(&from);
		VSB_printf(out, ",\"connReused\":%s}", text_is(text_word(&from), "reuse") ? "true" : "false");
	}
	field(out, "storage", t->storage);
	field(out, "error", t->error);
	list(out, "logs", t->logs);
	list(out, "links", t->links);
	VSB_putc(out, '}');
}
