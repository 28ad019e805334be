/* The options that there are, for those of libvarnishapi to be shown beside ours. */

#include <vapi/vapi_options.h>
#include <vut_options.h>

#define JSON_OPT_b VOPT("b", "[-b]", "Only backend transactions", "Write transactions with backends. With -c, those with clients, too.")
#define JSON_OPT_c VOPT("c", "[-c]", "Only client transactions", "Write transactions with clients: the default.")
#define JSON_OPT_E VOPT("E", "[-E]", "ESI subrequests, too", "Write ESI subrequests beside those of clients. Implies -c.")

JSON_OPT_b
JSON_OPT_c
VUT_OPT_d
JSON_OPT_E
VUT_OPT_g
VUT_OPT_h
VSL_OPT_i
VSL_OPT_I
VUT_OPT_k
VSL_OPT_L
VUT_OPT_n
VUT_OPT_q
VUT_OPT_r
VSL_OPT_R
VUT_OPT_t
VSL_OPT_T
VUT_GLOBAL_OPT_V
VSL_OPT_x
VSL_OPT_X
