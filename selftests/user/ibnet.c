// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Topologies from what ibnetdiscover printed.
 */
#include "topology/ibnetdiscover.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/yaml_file.h"
#include "ktap.h"
#include "topology/share.h"
#include "topology/topo.h"

#define FILE_OF(name) WEFT_TEST_DATA "/" name

static char *import(const char *path)
{
	struct weft_err err = { 0 };
	char *text = NULL, *yaml;
	size_t len = 0;

	if (weft_file_read(path, &text, &len, &err) ||
	    weft_ibnetdiscover(path, text, len, NULL, &yaml, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	free(text);
	return err.kind ? NULL : yaml;
}

/* The topology that a file with this text is. */
static struct weft_topo load(const char *yaml)
{
	char path[] = "/tmp/weft-ibnet-XXXXXX";
	const struct weft_share_choice choice = { .name = path };
	struct weft_share_design design;
	struct weft_err err = { 0 };
	int fd = mkstemp(path);

	setenv("WEFT_SHARE", WEFT_SHARE_DIR, 1);
	EXPECT(fd >= 0);
	EXPECT(write(fd, yaml, strlen(yaml)) == (ssize_t)strlen(yaml));
	close(fd);
	if (weft_share_design(&choice, &design, &err))
		ktap_fail(__FILE__, __LINE__, "%s", err.msg);
	unlink(path);
	free(design.text);
	free(design.file);
	return design.topo;
}

/* The name behind which a GUID stands in the file's comments. */
static const char *name_of(const char *yaml, uint64_t guid, char name[32])
{
	char tail[32];
	const char *at, *from;

	snprintf(tail, sizeof(tail), "  # %016" PRIx64, guid);
	at = strstr(yaml, tail);
	if (!at)
		return NULL;
	for (from = at; from[-1] != '\n';)
		from--;
	return sscanf(from, "  - {name: %31[^,}]", name) == 1 ? name : NULL;
}

static const char *end_name(const struct weft_topo *t,
			    const struct weft_topo_end *e)
{
	return e->is_node ? t->node[e->index].name : t->sw[e->index].sw.name;
}

static unsigned int links_between(const struct weft_topo *t, const char *a,
				  const char *b)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->links; i++) {
		const char *x = end_name(t, &t->link[i].end[0]);
		const char *y = end_name(t, &t->link[i].end[1]);

		n += (!strcmp(x, a) && !strcmp(y, b)) ||
		     (!strcmp(x, b) && !strcmp(y, a));
	}
	return n;
}

/* How many lines of a device lead to another one, by a reader of its own. */
static unsigned int lines_between(const char *text, uint64_t from, uint64_t to)
{
	uint64_t at = 0, peer;
	unsigned int n = 0;
	char kind;

	for (; text; text = strchr(text, '\n'), text += text ? 1 : 0) {
		if (sscanf(text, "Switch %*d \"%c-%" SCNx64 "\"", &kind, &at) == 2 ||
		    sscanf(text, "Ca %*d \"%c-%" SCNx64 "\"", &kind, &at) == 2)
			continue;
		if (at == from &&
		    (sscanf(text, "[%*d] \"%c-%" SCNx64 "\"", &kind, &peer) == 2 ||
		     sscanf(text, "[%*d](%*x) \"%c-%" SCNx64 "\"", &kind, &peer) == 2))
			n += peer == to;
	}
	return n;
}

/* Every two devices are joined as often as the dump says. */
TEST(neighbours_are_those_of_the_dump)
{
	uint64_t guid[12];
	char *yaml = import(FILE_OF("fat-tree-8.ibnet")), *text, a[32], b[32];
	struct weft_topo t = load(yaml);
	struct weft_err err;
	size_t len;

	for (unsigned int i = 0; i < 12; i++)
		guid[i] = i < 4 ? 0xec0d9a0300a00000ULL + i * 0x40 :
				  0x506b4b0300100000ULL + (i - 4) * 0x10;
	EXPECT(!weft_file_read(FILE_OF("fat-tree-8.ibnet"), &text, &len, &err));
	for (unsigned int i = 0; i < 12; i++)
		for (unsigned int k = 0; k < i; k++) {
			EXPECT(name_of(yaml, guid[i], a));
			EXPECT(name_of(yaml, guid[k], b));
			EXPECT_EQ(links_between(&t, a, b),
				  lines_between(text, guid[i], guid[k]));
		}
	/* 8 nodes, 2 * 2 * 2 links between leaves and spines */
	EXPECT_EQ(t.nodes, 8);
	EXPECT_EQ(t.switches, 4);
	EXPECT_EQ(t.links, 16);
	EXPECT_EQ(links_between(&t, "SwitchIB-Mellanox", "spine-2"), 2);
	for (unsigned int i = 0; i < t.links; i++)
		EXPECT_EQ(t.link[i].wire.rate, 100000000000);
	EXPECT(strstr(yaml, "# 1 aggregation nodes"));
	weft_topo_free(&t);
	free(yaml);
	free(text);
}

/* Nodes by name, so that node10 comes after node09, each with its address. */
TEST(nodes_are_in_order)
{
	char *yaml = import(FILE_OF("fat-tree-8.ibnet")), name[32];
	struct weft_topo t = load(yaml);

	for (unsigned int i = 0; i < t.nodes; i++) {
		snprintf(name, sizeof(name), "node%02u", i + 7);
		EXPECT(!strcmp(t.node[i].name, name));
	}
	weft_topo_free(&t);
	free(yaml);
}

/*
 * Grouping, two adapters and two ports of a host, a router, a cable from a
 * switch to itself, one lane, speeds that are unknown or differ, LMC.
 */
TEST(odd_networks)
{
	char *yaml = import(FILE_OF("odd.ibnet")), *want, *from;
	struct weft_topo t = load(yaml);
	struct weft_err err;
	size_t len;

	EXPECT(!weft_file_read(FILE_OF("odd.yaml"), &want, &len, &err));
	/* What is below the line about the licence. */
	from = memchr(want, '\n', len);
	EXPECT(from);
	len -= (size_t)(from + 1 - want);
	if (strlen(yaml) != len || memcmp(yaml, from + 1, len))
		ktap_fail(__FILE__, __LINE__, "%s", yaml);
	EXPECT_EQ(t.nodes, 5);
	EXPECT_EQ(t.node[4].nics, 3);
	EXPECT_EQ(t.switches, 2);
	/* SDR on one lane; FDR on four: 4 * 14.0625 Gb/s * 64 / 66, less coding */
	EXPECT_EQ(t.link[0].wire.rate, 2000000000);
	EXPECT_EQ(t.link[6].wire.rate, 54545454545);
	EXPECT_EQ(t.link[8].wire.rate, 16000000000);
	EXPECT_EQ(t.sw[1].sw.lmc, 2);
	weft_topo_free(&t);
	free(yaml);
	free(want);
}

#define SWITCH	"Switch 4 \"S-01\" # \"s\" base port 0 lid 1 lmc 0\n"
#define TO(p)	"[" #p "] \"H-02\"[1](3) # \"n\" lid 2 4xNDR\n"
#define NODE	"Ca 1 \"H-02\" # \"n mlx5_0\"\n[1](3) \"S-01\"[1] # lid 2 lmc 0 \"s\" lid 1 4xNDR\n"

/**
 * struct bad_dump - what is wrong with a dump
 */
struct bad_dump {
	/** @text: the dump */
	const char *text;
	/** @msg: the answer */
	const char *msg;
};

static const struct bad_dump bad[] = {
	{ "", "d: there is no channel adapter with a link: expected the output of ibnetdiscover" },
	{ SWITCH,
	  "d: there is no channel adapter with a link: expected the output of ibnetdiscover" },
	{ "hello\n", "d:1:1: expected Switch, Ca, Rt, a port such as [1], or a comment" },
	{ "\n  [1]\n", "d:2:1: expected Switch, Ca, Rt, a port such as [1], or a comment" },
	{ "[1] \"S-01\"[1]\n", "d:1:1: a port before any Switch, Ca or Rt" },
	{ "Switch x \"S-01\"\n", "d:1:8: expected the number of ports, 1 to 254" },
	{ "Switch 255 \"S-01\"\n", "d:1:11: expected the number of ports, 1 to 254" },
	{ "Switch 99999999999 \"S-01\"\n", "d:1:8: expected the number of ports, 1 to 254" },
	{ "Switch 4 S-01\n", "d:1:10: expected an identity such as \"H-0002c90300293e1e\"" },
	{ "Switch 4 \"S-01\n", "d:1:10: expected an identity such as \"H-0002c90300293e1e\"" },
	{ "Switch 4 \"S-12345678123456781\"\n",
	  "d:1:10: expected an identity such as \"H-0002c90300293e1e\"" },
	{ "Ca 4 \"S-01\"\n",
	  "d:1:12: expected S- for a switch, H- for a channel adapter, R- for a router" },
	{ SWITCH "[0] \"H-02\"[1]\n", "d:2:1: expected a port, [1] to [254]" },
	{ SWITCH "[1 \"H-02\"[1]\n", "d:2:1: expected a port, [1] to [254]" },
	{ SWITCH "[1][ext x] \"H-02\"[1]\n", "d:2:4: expected an external port such as [ext 3]" },
	{ SWITCH "[1] H-02[1]\n", "d:2:5: expected an identity such as \"H-0002c90300293e1e\"" },
	{ SWITCH "[1] \"H-02\"\n", "d:2:11: expected a port, [1] to [254]" },
	{ SWITCH "[1] \"H-02\"[1](xyz)\n", "d:2:15: expected a GUID and a closing bracket" },
	{ SWITCH "[1] \"H-02\"[1](3) what\n",
	  "d:2:18: expected # and the description of the other end" },
	{ SWITCH "[1] \"H-02\"[1](3) # \"n mlx5_0 lid 2 4xNDR\n",
	  "d:2:21: expected \"lid\" and a number" },
	{ SWITCH "[1] \"H-02\"[1](3) # \"n\" lid 2 4XNDR\n",
	  "d:2:31: expected width and speed such as 4xEDR" },
	{ SWITCH "[1] \"H-02\"[1](3) # \"n\" lid 2 4xWDR\n",
	  "d:2:32: expected a speed: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR" },
	{ SWITCH "[1] \"H-02\"[1](3) # lid 2 lmc 8 \"n\" lid 2 4xNDR\n",
	  "d:2:31: expected an LMC of 0 to 7" },
	{ SWITCH "[1] \"H-02\"[1](3)\n",
	  "d:2:17: expected # and the description of the other end" },
	{ SWITCH "[1] \"H-02\"[1](3) #\n", "d:2:19: expected a description in quotes" },
	{ SWITCH "[1] \"H-02\"[1](3) # \"n\" lid 2\n",
	  "d:2:29: expected width and speed such as 4xEDR" },
	{ SWITCH "[1] \"H-02\"[1](3) # \"n\" lid 2 4x\n",
	  "d:2:32: expected a speed: SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR" },
	{ SWITCH TO(1), "d:2:1: the dump has no device \"H-0000000000000002\"" },
	{ SWITCH NODE, "d:3:1: the other end, [1] of line 1, is missing" },
	{ SWITCH TO(1) "[1] \"H-02\"[2](3) # \"n\" lid 2 4xNDR\n" NODE,
	  "d:3:1: port 1 has another neighbour on line 2" },
	{ SWITCH TO(1) TO(5) NODE, "d:3:1: port 5: the device on line 1 has 4 ports" },
	{ SWITCH TO(1) TO(2) NODE, "d:3:1: the other end, line 5, is linked to another port" },
	{ SWITCH "[1] \"H-02\"[1] # \"n\" lid 2 ?????\nCa 1 \"H-02\"\n[1] \"S-01\"[1] # \"s\" lid 1 4x???\n",
	  "d: no link has a speed" },
};

TEST(damaged_dumps)
{
	struct weft_err err;
	char *yaml;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		err = (struct weft_err) { 0 };
		if (!weft_ibnetdiscover("d", bad[i].text, strlen(bad[i].text),
					NULL, &yaml, &err))
			ktap_fail(__FILE__, __LINE__, "%zu: accepted", i);
		else if (err.kind != WEFT_ERR_USAGE ||
			 strcmp(err.msg, bad[i].msg))
			ktap_fail(__FILE__, __LINE__, "%zu: %s", i, err.msg);
		EXPECT(!yaml);
	}
}

/* A dump that is cut off anywhere is refused, but for the end of its last line. */
TEST(cut_off_dumps)
{
	struct weft_err err;
	unsigned int good = 0;
	char *text, *yaml;
	size_t len;

	EXPECT(!weft_file_read(FILE_OF("fat-tree-8.ibnet"), &text, &len, &err));
	for (size_t n = 0; n < len - 1; n++) {
		if (!weft_ibnetdiscover("d", text, n, NULL, &yaml, &err))
			good++;
		free(yaml);
	}
	EXPECT_EQ(good, 0);
	free(text);
}

TEST(names_of_topologies)
{
	static const char text[] = SWITCH TO(1) NODE;
	struct weft_err err;
	char *yaml;

	EXPECT(!weft_ibnetdiscover("d", text, strlen(text), "mine", &yaml,
				   &err));
	EXPECT(strstr(yaml, "\nname: mine\n"));
	EXPECT(strstr(yaml, "\nprofile: ib-ndr\n"));
	free(yaml);
	EXPECT(weft_ibnetdiscover("d", text, strlen(text), "a b", &yaml, &err));
	EXPECT(!yaml);
}
