// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * weft headroom: the buffer that a lossless class needs beyond its pause point.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli.h"
#include "netlink/json.h"
#include "plan/headroom.h"

#define MTU_DEFAULT	9216

/**
 * struct texts - the options as they were written, NULL for those that were not given
 */
struct texts {
	const char *asic;
	const char *rate;
	const char *length;
	const char *lanes;
	const char *mtu;
	const char *reverse;
	const char *propagation;
	const char *react;
};

/* Parse metres, with or without the unit. */
static int parse_length(const struct command *cmd, const char *text,
			uint32_t *length)
{
	char digits[16];
	unsigned long long v;
	size_t n = strlen(text);
	int ret;

	if (n && text[n - 1] == 'm')
		n--;
	if (n >= sizeof(digits))
		n = 0;
	snprintf(digits, sizeof(digits), "%.*s", (int)n, text);
	ret = cli_number(cmd, "--length", digits, 0, 100000, &v);
	*length = ret ? 0 : (uint32_t)v;
	return ret;
}

/* Parse a number, if it is given; else @value keeps its default. */
static int parse_u32(const struct command *cmd, const char *option,
		     const char *text, uint32_t lo, uint32_t hi,
		     uint32_t *value)
{
	unsigned long long v;
	int ret;

	if (!text)
		return 0;
	ret = cli_number(cmd, option, text, lo, hi, &v);
	if (!ret)
		*value = (uint32_t)v;
	return ret;
}

static int parse_ps(const struct command *cmd, const char *option,
		    const char *text, uint64_t *ps)
{
	struct weft_err err;

	if (!text || !weft_parse_time(text, ps, &err))
		return 0;
	return cli_usage(cmd, "%s: %s", option, err.msg);
}

/* Set the times of models that use them: options, or defaults by cable and IEEE 802.3. */
static int parse_times(const struct command *cmd, const struct texts *t,
		       enum weft_headroom_model model,
		       struct weft_headroom_in *in)
{
	int ret;

	in->propagation = weft_headroom_propagation(in->length);
	in->react = weft_headroom_react(in->rate);
	if (!in->react && !t->react && model != WEFT_HEADROOM_HPCC)
		return cli_usage(cmd, "--rate %s: IEEE 802.3 defines no reaction time at this rate: give --react",
				 t->rate);
	ret = parse_ps(cmd, "--propagation", t->propagation, &in->propagation);
	return ret ? ret : parse_ps(cmd, "--react", t->react, &in->react);
}

static int parse_sizes(const struct command *cmd, const struct texts *t,
		       struct weft_headroom_in *in)
{
	int ret;

	in->mtu = MTU_DEFAULT;
	ret = parse_u32(cmd, "--mtu", t->mtu, 64, 65536, &in->mtu);
	in->reverse = in->mtu;
	if (!ret)
		ret = parse_u32(cmd, "--reverse", t->reverse, 0, 65536,
				&in->reverse);
	if (!ret)
		ret = parse_u32(cmd, "--lanes", t->lanes, 1, 16, &in->lanes);
	return ret;
}

static int parse(const struct command *cmd, const struct texts *t,
		 enum weft_headroom_model *model, struct weft_headroom_in *in)
{
	struct weft_err err;
	bool time;
	int ret;

	if (t->asic && weft_headroom_parse(t->asic, model, &err))
		return cli_usage(cmd, "--asic: %s", err.msg);
	time = weft_headroom_uses_time(*model);
	if (!time && (t->propagation || t->react))
		return cli_usage(cmd, "--propagation and --react: %s uses --length",
				 weft_headroom_name(*model));
	if (t->reverse && *model != WEFT_HEADROOM_GENERIC)
		return cli_usage(cmd, "--reverse: %s does not use it",
				 weft_headroom_name(*model));
	if (t->react && *model == WEFT_HEADROOM_HPCC)
		return cli_usage(cmd, "--react: %s does not use it",
				 weft_headroom_name(*model));
	if (t->length && t->propagation)
		return cli_usage(cmd, "expected --length or --propagation, not both");
	if (!t->rate || (!t->length && !t->propagation))
		return cli_usage(cmd, "expected --rate and --length%s",
				 time ? " or --propagation" : "");
	if (weft_parse_rate(t->rate, &in->rate, &err))
		return cli_usage(cmd, "--rate: %s", err.msg);
	ret = t->length ? parse_length(cmd, t->length, &in->length) : 0;
	if (!ret && time)
		ret = parse_times(cmd, t, *model, in);
	return ret ? ret : parse_sizes(cmd, t, in);
}

static json_t *term_json(const struct weft_headroom *h, unsigned int i)
{
	json_t *o = json_object();

	json_object_set_new(o, "what", json_string(h->term[i].what));
	json_object_set_new(o, "millibytes",
			    weft_json_u64(h->term[i].millibytes));
	json_object_set_new(o, "times_factor",
			    json_boolean(i >= h->plain_terms));
	return o;
}

static json_t *headroom_json(enum weft_headroom_model model,
			     const struct weft_headroom_in *in,
			     const struct weft_headroom *h)
{
	json_t *o = json_object(), *terms = json_array();

	for (unsigned int i = 0; i < h->terms; i++)
		json_array_append_new(terms, term_json(h, i));
	json_object_set_new(o, "asic", json_string(weft_headroom_name(model)));
	json_object_set_new(o, "source",
			    json_string(weft_headroom_source(model)));
	json_object_set_new(o, "rate_bps", weft_json_u64(in->rate));
	json_object_set_new(o, "mtu", json_integer(in->mtu));
	if (weft_headroom_uses_time(model)) {
		json_object_set_new(o, "propagation_ps",
				    weft_json_u64(in->propagation));
		json_object_set_new(o, "react_ps", weft_json_u64(in->react));
		json_object_set_new(o, "reverse", json_integer(in->reverse));
	} else {
		json_object_set_new(o, "length_m", json_integer(in->length));
	}
	json_object_set_new(o, "factor_num", json_integer(h->factor_num));
	json_object_set_new(o, "factor_den", json_integer(h->factor_den));
	json_object_set_new(o, "terms", terms);
	json_object_set_new(o, "xoff", weft_json_u64(h->xoff));
	json_object_set_new(o, "xon", weft_json_u64(h->xon));
	if (h->size)
		json_object_set_new(o, "size", weft_json_u64(h->size));
	return o;
}

static void print_way(enum weft_headroom_model model,
		      const struct weft_headroom_in *in)
{
	char rate[32], prop[32], react[32];

	printf("# %s (%s)\n", weft_headroom_name(model),
	       weft_headroom_source(model));
	printf("# %s, ", weft_format_rate(rate, sizeof(rate), in->rate));
	if (weft_headroom_uses_time(model))
		printf("propagation %s, reaction %s",
		       weft_format_time(prop, sizeof(prop), in->propagation),
		       weft_format_time(react, sizeof(react), in->react));
	else
		printf("%" PRIu32 " m", in->length);
	printf(", MTU %" PRIu32 "\n", in->mtu);
}

static void print_term(const struct weft_headroom *h, unsigned int i)
{
	uint64_t v = h->term[i].millibytes;
	char factor[32] = "";

	if (i >= h->plain_terms && h->factor_num != h->factor_den)
		snprintf(factor, sizeof(factor), "%" PRIu32 "/%" PRIu32 " *",
			 h->factor_num, h->factor_den);
	printf("  %8s %15" PRIu64 ".%03u  %s\n", factor, v / 1000,
	       (unsigned int)(v % 1000), h->term[i].what);
}

static int print_text(enum weft_headroom_model model,
		      const struct weft_headroom_in *in,
		      const struct weft_headroom *h)
{
	print_way(model, in);
	for (unsigned int i = 0; i < h->terms; i++)
		print_term(h, i);
	printf("xoff %" PRIu64, h->xoff);
	if (h->unit > 1)
		printf(" (the sum, rounded up to %" PRIu32 ")", h->unit);
	printf("\nxon  %" PRIu64 "\n", h->xon);
	if (h->size)
		printf("size %" PRIu64 "\n", h->size);
	return cli_done();
}

static int run(const struct command *cmd, int argc, char **argv)
{
	bool json = false;
	struct texts t = { 0 };
	const struct cli_option opt[] = {
		CLI_TEXT("asic", &t.asic), CLI_TEXT("rate", &t.rate),
		CLI_TEXT("length", &t.length), CLI_TEXT("lanes", &t.lanes),
		CLI_TEXT("mtu", &t.mtu), CLI_TEXT("reverse", &t.reverse),
		CLI_TEXT("propagation", &t.propagation),
		CLI_TEXT("react", &t.react), CLI_FLAG("json", &json),
		CLI_END,
	};
	enum weft_headroom_model model = WEFT_HEADROOM_GENERIC;
	struct weft_headroom_in in = { .lanes = 1 };
	struct weft_headroom h;
	struct weft_err err;
	int ret;

	if (!cli_options(cmd, argc, argv, opt, &ret))
		return ret;
	ret = cli_no_words(cmd, argc, argv);
	if (ret)
		return ret;
	ret = parse(cmd, &t, &model, &in);
	if (ret)
		return ret;
	if (weft_headroom(model, &in, &h, &err))
		return cli_fail(&err);
	return json ? cli_json(headroom_json(model, &in, &h)) :
		      print_text(model, &in, &h);
}

const struct command cmd_headroom = {
	.name = "headroom",
	.run = run,
	.summary = "the buffer that a lossless class needs beyond its pause point",
	.usage =
"usage: weft headroom --rate RATE --length METRES [OPTION]...\n"
"\n"
"Print the bytes that can arrive after a class sent a pause, as a sum. With\n"
"--asic, print what a product reserves for them. Documentation/headroom.rst\n"
"derives the sums and names the sources.\n"
"\n"
"      --asic NAME         generic (default), spectrum-1 to spectrum-5, mlx5,\n"
"                          mlxsw, hpcc, table-th, table-th2, table-th5\n"
"      --rate RATE         of the link, such as 400Gbps\n"
"      --length METRES     of the cable\n"
"      --lanes N           of the port (default 1); Spectrum reserves more for 8\n"
"      --mtu BYTES         largest frame of the class (default 9216)\n"
"      --reverse BYTES     largest frame that can be in front of the pause frame\n"
"                          (default: the MTU); generic\n"
"      --propagation TIME  instead of --length; generic, mlxsw, hpcc\n"
"      --react TIME        of the peer (default: what IEEE 802.3 allows at the\n"
"                          rate); generic, mlxsw\n"
"  -j, --json              as JSON; keys never change\n"
"  -p, --pretty            JSON with indents\n",
};
