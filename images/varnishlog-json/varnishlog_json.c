/*
 * varnishlog-json: Varnish's log as JSON, a line for each transaction, as its remote party saw it. What VCL makes of a request that arrived, or of
 * an answer that a backend gave, is not in it.
 *
 * It is the log container of gateway pods (spec.logging.mode); names of fields are those that pipelines for such a log know. Records are
 * read by libvarnishapi; transaction.c knows what becomes of each, json.c how it is written. Here is the program.
 */

#define VOPT_DEFINITION
#define VOPT_INC "varnishlog_json_options.h"

#include <stdio.h>
#include <unistd.h>

#include <vdef.h>
#include <vas.h>
#include <vapi/voptget.h>
#include <vapi/vsl.h>
#include <vapi/vsm.h>
#include <vapi/vsig.h>
#include <vsb.h>
#include <vut.h>

#include "transaction.h"

static struct VUT *vut;
static int backends, clients, subrequests;

static int
is_wanted(const struct VSL_transaction *trans)
{
	if (trans->type == VSL_t_bereq)
		return (backends);
	if (trans->type == VSL_t_req)
		return (clients && (trans->reason != VSL_r_esi || subrequests));
	return (0);
}

static void
transaction(struct VSL_data *vsl, struct VSL_transaction *trans, struct vsb *out)
{
	struct transaction t;

	transaction_begin(&t, trans);
	while (VSL_Next(trans->c) == 1) {
		const char *data = VSL_CDATA(trans->c->rec.ptr);
		struct text text = { data, VSL_LEN(trans->c->rec.ptr) };

		if (!VSL_Match(vsl, trans->c))
			continue;
		while (text.length > 0 && text.at[text.length - 1] == '\0')
			text.length--;
		transaction_record(&t, VSL_TAG(trans->c->rec.ptr), text);
	}
	json_transaction(out, &t);
	transaction_end(&t);
}

static int v_matchproto_(VSLQ_dispatch_f)
dispatch(struct VSL_data *vsl, struct VSL_transaction * const trans[], void *priv)
{
	struct vsb *out = VSB_new_auto();
	size_t i;
	int found = 0;

	(void)priv;
	AN(out);
	for (i = 0; trans[i] != NULL; i++) {
		if (!is_wanted(trans[i]))
			continue;
		if (found++)
			VSB_putc(out, ',');
		transaction(vsl, trans[i], out);
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
