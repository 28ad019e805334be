/*
 * The TCP connections of clients that another process in this network namespace holds, as sock_diag(7) lists them. A list may be long: it goes
 * through one buffer, and only what was asked for is kept. Without sock_diag nothing is found.
 */

#include "config.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "glue.h"
#include "slow.h"

#define MOST_READ	32768		/* the kernel sends no more at once */
#define LONGEST_READ	1		/* second */
#define ESTABLISHED	1
#define CLOSE_WAIT	8
#define MOST_PORTS	256		/* any more are listed, too */
#define PORT_BYTES	20
#define LAST_PORT	65535

/* v4-mapped addresses are those of IPv4. */
void
client_address_set(struct client_address *who, bool is_ipv6, const void *address, unsigned port)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	unsigned char bytes[16];

	if (is_ipv6) {
		memcpy(bytes, address, sizeof bytes);
	} else {
		memcpy(bytes, mapped, sizeof mapped);
		memcpy(bytes + sizeof mapped, address, sizeof bytes - sizeof mapped);
	}
	memcpy(who->address, bytes, sizeof bytes);
	who->port = port;
}

int
client_address_order(const void *one, const void *other)
{
	const struct client_address *a = one, *b = other;

	if (a->port != b->port)
		return (a->port < b->port ? -1 : 1);
	return (memcmp(a->address, b->address, sizeof a->address));
}

struct question {
	struct nlmsghdr		head;
	struct inet_diag_req_v2	request;
	struct nlattr		filter;
	struct inet_diag_bc_op	ops[MOST_PORTS * PORT_BYTES / sizeof(struct inet_diag_bc_op)];
};

/* Steps of a filter: the next one is so many bytes on, by whether the condition holds. Beyond the end, the connection is left out. */
static struct inet_diag_bc_op *
leave_out(struct inet_diag_bc_op *op, unsigned port, unsigned bytes_left)
{

	*op++ = (struct inet_diag_bc_op){ .code = INET_DIAG_BC_S_GE, .yes = 8, .no = PORT_BYTES };
	*op++ = (struct inet_diag_bc_op){ .no = (unsigned short)port };
	*op++ = (struct inet_diag_bc_op){ .code = INET_DIAG_BC_S_LE, .yes = 8, .no = PORT_BYTES - 8 };
	*op++ = (struct inet_diag_bc_op){ .no = (unsigned short)port };
	*op++ = (struct inet_diag_bc_op){ .code = INET_DIAG_BC_JMP, .yes = 4, .no = (unsigned short)(bytes_left - 16 + 4) };
	return (op);
}

/* Thousands of connections may be on the ports that are left out: to list them would take long. */
static void
filter(struct question *question, const unsigned char *left_out)
{
	struct inet_diag_bc_op *op = question->ops;
	unsigned port, n = 0;

	for (port = 1; port <= LAST_PORT; port++)
		n += left_out[port] != 0 && n < MOST_PORTS;
	if (n == 0)
		return;
	question->filter.nla_type = INET_DIAG_REQ_BYTECODE;
	question->filter.nla_len = (unsigned short)(sizeof question->filter + n * PORT_BYTES);
	question->head.nlmsg_len += question->filter.nla_len;
	for (port = 1; n > 0; port++)
		if (left_out[port])
			op = leave_out(op, port, n-- * PORT_BYTES);
}

static bool
ask(int netlink, int family, const unsigned char *left_out)
{
	static struct question question;

	memset(&question, 0, sizeof question);
	question.head.nlmsg_len = offsetof(struct question, filter);
	question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	question.request.sdiag_family = (unsigned char)family;
	question.request.sdiag_protocol = IPPROTO_TCP;
	question.request.idiag_ext = 1U << (INET_DIAG_INFO - 1);
	question.request.idiag_states = 1U << ESTABLISHED | 1U << CLOSE_WAIT;
	filter(&question, left_out);
	return (send(netlink, &question, question.head.nlmsg_len, 0) == (ssize_t)question.head.nlmsg_len);
}

/* What TCP knows of the connection; false: the kernel did not say. */
static bool
read_info(const struct nlmsghdr *head, struct tcp_info *info)
{
	const char *p = (const char *)NLMSG_DATA(head) + NLMSG_ALIGN(sizeof(struct inet_diag_msg));
	const char *end = (const char *)head + head->nlmsg_len;
	struct nlattr attr;
	size_t n;

	for (; end - p >= (ptrdiff_t)sizeof attr; p += NLA_ALIGN(attr.nla_len)) {
		memcpy(&attr, p, sizeof attr);
		if (attr.nla_len < sizeof attr || attr.nla_len > end - p)
			return (false);
		if (attr.nla_type != INET_DIAG_INFO)
			continue;
		n = attr.nla_len - sizeof attr;
		memset(info, 0, sizeof *info);
		memcpy(info, p + sizeof attr, n < sizeof *info ? n : sizeof *info);
		return (true);
	}
	return (false);
}

/*
 * A client may have several connections from one port, to different ports here. They count together: otherwise a second one would hide the
 * first.
 */
static void
add(struct diag_client *client, const struct tcp_info *info, uint32_t unread)
{

	if (client->connections++ == 0 || info->tcpi_last_data_recv < client->tcp.tcpi_last_data_recv)
		client->tcp.tcpi_last_data_recv = info->tcpi_last_data_recv;
	client->tcp.tcpi_bytes_acked += info->tcpi_bytes_acked;
	client->tcp.tcpi_bytes_received += info->tcpi_bytes_received;
	client->tcp.tcpi_notsent_bytes += info->tcpi_notsent_bytes;
	client->unread += unread;
}

static void
take(const struct nlmsghdr *head, const struct diag_search *search)
{
	const struct inet_diag_msg *message = NLMSG_DATA(head);
	struct diag_client *found;
	struct client_address who;
	struct tcp_info info;

	if (head->nlmsg_len < NLMSG_LENGTH(sizeof *message))
		return;
	client_address_set(&who, message->idiag_family == AF_INET6, message->id.idiag_dst, ntohs(message->id.idiag_dport));
	found = bsearch(&who, search->clients, search->n, sizeof *found, client_address_order);
	if (found != NULL && read_info(head, &info))
		add(found, &info, message->idiag_rqueue);
}

/* False: that was all. */
static bool
take_all(const char *p, int n, const struct diag_search *search)
{
	const struct nlmsghdr *head = (const void *)p;

	for (; NLMSG_OK(head, n); head = NLMSG_NEXT(head, n)) {
		if (head->nlmsg_type == NLMSG_DONE || head->nlmsg_type == NLMSG_ERROR)
			return (false);
		if (head->nlmsg_type == SOCK_DIAG_BY_FAMILY)
			take(head, search);
	}
	return (true);
}

/* Adds up what is known of each client's connections. Clients are in order, and none is there twice. */
void
diag_read(const struct diag_search *search)
{
	static char buffer[MOST_READ] __attribute__((aligned(NLMSG_ALIGNTO)));
	static const int families[] = { AF_INET, AF_INET6 };
	struct timeval longest = { .tv_sec = LONGEST_READ };
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	ssize_t l;
	size_t i;

	if (netlink < 0)
		return;
	(void)setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
	for (i = 0; i < sizeof families / sizeof *families; i++) {
		if (!ask(netlink, families[i], search->left_out))
			break;
		do
			l = recv(netlink, buffer, sizeof buffer, 0);
		while (l > 0 && take_all(buffer, (int)l, search));
		if (l <= 0)
			break;
	}
	(void)close(netlink);
}
