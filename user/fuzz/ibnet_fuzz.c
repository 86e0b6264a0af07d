// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzzer of the import of what ibnetdiscover prints, and of the drawing.
 *
 * Whatever the text, there is a topology file or an error with a text. The file
 * is one that loads, unless it goes beyond a limit, and it can be drawn.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "draw/draw.h"
#include "topology/ibnetdiscover.h"
#include "topology/topo.h"

#define CHECK(cond) do { if (!(cond)) abort(); } while (0)

static const char profile_text[] =
	"name: c\nport: {discipline: credit, credit-buffer: [128KiB]}\n"
	"link: {rate: 400Gbps, overhead: 24, min-frame: 0}\nnic: {mtu: 4092}\n";

static int profile(void *ctx, const char *name, char **file, char **text,
		   size_t *len, struct weft_err *err)
{
	(void)ctx;
	(void)err;
	CHECK(!strncmp(name, "ib-", 3));
	*file = strdup("p.yaml");
	*text = strdup(profile_text);
	*len = strlen(profile_text);
	return 0;
}

static void check_drawing(const struct weft_topo *topo)
{
	struct weft_err err;
	struct weft_draw d;
	json_t *json;
	char *svg;

	CHECK(!weft_draw_make(&d, topo, &err));
	CHECK(d.width > 0 && d.height > 0);
	CHECK(!weft_draw_svg(&d, &svg, &err));
	json = weft_draw_json(&d);
	CHECK(json);
	json_decref(json);
	free(svg);
	weft_draw_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weft_err err = { 0 };
	struct weft_topo topo;
	char *yaml;
	int ret;

	ret = weft_ibnetdiscover("dump", (const char *)data, size, NULL, &yaml,
				 &err);
	CHECK(!ret == !err.kind && !ret == !!yaml && (!ret || *err.msg));
	if (ret)
		return 0;
	ret = weft_topo_parse(&topo, "fuzz.yaml", yaml, strlen(yaml), profile,
			      NULL, &err);
	CHECK(!ret || strstr(err.msg, "more than"));
	if (!ret)
		check_drawing(&topo);
	weft_topo_free(&topo);
	free(yaml);
	return 0;
}
