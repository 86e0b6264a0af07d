// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Completion: the values of placeholders in capitals, such as LAB.
 */
#include "complete_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bound/bound.h"
#include "complete.h"
#include "facts/facts.h"
#include "facts/port_view.h"
#include "help_text.h"
#include "lab/lab_net.h"
#include "plan/headroom.h"
#include "topology/share.h"
#include "topology/topo_generate.h"
#include "topology/topo_verbs.h"

static void offer_all(const char *words)
{
	char text[256], *at = NULL;

	snprintf(text, sizeof(text), "%s", words);
	for (char *w = strtok_r(text, " ", &at); w; w = strtok_r(NULL, " ", &at))
		complete_offer(w, NULL);
}

/* Errors are ignored here and below: they leave nothing to offer. */
static void offer_shipped(const char *kind)
{
	struct weft_listing list;
	struct weft_err err;

	if (!weft_share_list(kind, &list, &err))
		for (unsigned int i = 0; i < list.n; i++)
			complete_offer(list.entry[i].name, NULL);
	weft_listing_free(&list);
	complete_tell(":files yaml");
}

static void offer_scenarios(const struct complete_place *p)
{
	(void)p;
	offer_shipped("scenarios");
}

static void offer_topologies(const struct complete_place *p)
{
	const char *kind;

	(void)p;
	offer_shipped("topologies");
	for (unsigned int i = 0; (kind = weft_gen_kind(i)); i++)
		complete_offer(kind, NULL);
}

static void offer_asics(const struct complete_place *p)
{
	(void)p;
	for (unsigned int i = 0; i < __WEFT_HEADROOM_MAX; i++)
		complete_offer(weft_headroom_name(i), NULL);
}

static void offer_collectives(const struct complete_place *p)
{
	(void)p;
	for (unsigned int i = 0; i < WEFT_COLLECTIVES; i++)
		complete_offer(weft_collective_words[i], NULL);
}

static void offer_algorithms(const struct complete_place *p)
{
	(void)p;
	for (unsigned int i = 0; i < weft_algorithms_n; i++)
		complete_offer(weft_algorithms[i].name, NULL);
	complete_offer("floor", NULL);
}

static void offer_labs(const struct complete_place *p)
{
	struct weft_names names;
	struct weft_err err;

	(void)p;
	if (!weft_lab_names(&names, &err))
		for (size_t i = 0; i < names.n; i++)
			complete_offer(names.name[i], NULL);
	weft_names_free(&names);
}

static void offer_nodes_of(const struct weft_lab *lab, bool nics)
{
	json_t *node, *nic;
	char word[128];
	size_t i, j;

	json_array_foreach(json_object_get(lab->state, "nodes"), i, node) {
		const char *name = json_string_value(json_object_get(node, "name"));

		if (!nics)
			complete_offer(name, NULL);
		json_array_foreach(json_object_get(node, "nics"), j, nic) {
			snprintf(word, sizeof(word), "%s.%s", name,
				 json_string_value(json_object_get(nic, "ifname")));
			if (nics)
				complete_offer(word, NULL);
		}
	}
}

static void offer_nodes(const struct complete_place *p)
{
	struct weft_lab lab;
	struct weft_err err;

	if (!cli_lab(&lab, p->lab, &err))
		offer_nodes_of(&lab, false);
	weft_lab_close(&lab);
}

static void offer_nics(const struct complete_place *p)
{
	struct weft_lab lab;
	struct weft_err err;

	if (!cli_lab(&lab, p->lab, &err))
		offer_nodes_of(&lab, true);
	weft_lab_close(&lab);
}

static void offer_number(uint32_t number)
{
	char word[16];

	snprintf(word, sizeof(word), "%u", number);
	complete_offer(word, NULL);
}

static void links_of(const struct weft_facts *f)
{
	struct weft_port_view v;

	for (unsigned int i = 0; i < f->links; i++) {
		complete_offer(f->link[i].name, NULL);
		for (unsigned int dir = 0; dir < f->link[i].wires; dir++) {
			weft_port_view(&v, f, &f->link[i], dir);
			complete_offer(v.name, NULL);
		}
	}
}

static void places_of(const struct weft_facts *f)
{
	links_of(f);
	for (unsigned int i = 0; i < f->switches; i++)
		complete_offer(f->sw[i].name, NULL);
}

static void faults_of(const struct weft_facts *f)
{
	for (unsigned int i = 0; i < f->faults; i++)
		offer_number(f->fault[i].id);
}

static void traffic_of(const struct weft_facts *f)
{
	for (unsigned int i = 0; i < f->traffics; i++)
		offer_number(f->traffic[i].group);
}

/* Offer objects of the lab that the kernel knows. */
static void offer_facts(const struct complete_place *p,
			void (*offer)(const struct weft_facts *f))
{
	struct weft_facts facts = { 0 };
	struct weft_lab lab;
	struct weft_err err;

	if (!cli_lab(&lab, p->lab, &err)) {
		if (!weft_facts_read(&facts, &lab, &err))
			offer(&facts);
		weft_facts_free(&facts);
	}
	weft_lab_close(&lab);
}

static void offer_links(const struct complete_place *p)
{
	offer_facts(p, links_of);
}

static void offer_places(const struct complete_place *p)
{
	offer_facts(p, places_of);
}

static void offer_ids(const struct complete_place *p)
{
	offer_facts(p, strcmp(p->cmd->name, "fault") ? traffic_of : faults_of);
}

static void offer_found(void *ctx, const char *word)
{
	(void)ctx;
	complete_offer(word, NULL);
}

/* The help of weft show has them in a sentence, that of weft fault in a list. */
static void offer_kinds(const struct complete_place *p)
{
	help_sentence(p->cmd->usage, "KIND:", offer_found, NULL);
	help_list(p->cmd->usage, "KIND,", offer_found, NULL);
}

static void offer_patterns(const struct complete_place *p)
{
	help_list(p->cmd->usage, "PATTERN,", offer_found, NULL);
}

static void offer_expectations(const struct complete_place *p)
{
	help_list(p->cmd->usage, NULL, offer_found, NULL);
}

static void offer_keys(const struct complete_place *p)
{
	const char *kind = p->args > 1 ? p->arg[1] : "";

	help_keys(p->cmd->usage, "KIND,", kind, offer_found, NULL);
	help_keys(p->cmd->usage, "PATTERN,", kind, offer_found, NULL);
}

static void offer_rules(const struct complete_place *p)
{
	(void)p;
	offer_all("auto none above= least= quiet= ports=");
}

static void offer_nets(const struct complete_place *p)
{
	if (!strcmp(p->cmd->name, "send"))
		return offer_all("any verbs tcp");
	for (const char *const *net = weft_lab_net_words; *net; net++)
		complete_offer(*net, NULL);
}

static void offer_files(const struct complete_place *p)
{
	(void)p;
	complete_tell(":files");
}

static void offer_dirs(const struct complete_place *p)
{
	(void)p;
	complete_tell(":dirs");
}

static const struct {
	const char *name;
	void (*offer)(const struct complete_place *p);
} kinds[] = {
	{ "ALGORITHM", offer_algorithms }, { "ASIC", offer_asics },
	{ "COLLECTIVE", offer_collectives }, { "DIR", offer_dirs },
	{ "EXPECTATION", offer_expectations }, { "FILE", offer_files },
	{ "HOST", offer_nodes },
	{ "ID", offer_ids }, { "KEY=VALUE", offer_keys },
	{ "KIND", offer_kinds }, { "LAB", offer_labs }, { "LINK", offer_links },
	{ "NAME", offer_topologies }, { "NET", offer_nets },
	{ "NIC", offer_nics }, { "NODE", offer_nodes },
	{ "PATTERN", offer_patterns }, { "PORT", offer_links },
	{ "RULE", offer_rules }, { "SCENARIO", offer_scenarios },
	{ "TOPOLOGY", offer_topologies }, { "WHERE", offer_places },
	{ "WORKLOAD", offer_files },
};

/* "real" in "virtual|real|real/K|real/auto" is a word, "real/K" is a placeholder. */
static void offer_alternatives(const char *what)
{
	char text[HELP_LINE], *at = NULL;

	snprintf(text, sizeof(text), "%s", what);
	for (char *w = strtok_r(text, "|", &at); w; w = strtok_r(NULL, "|", &at))
		if (islower((unsigned char)*w) && !strpbrk(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
			complete_offer(w, NULL);
}

/**
 * complete_words() - offer the values of a placeholder of the help
 * @p: the position on the command line
 * @what: the placeholder; alternatives in lower case are offered as they are
 */
void complete_words(const struct complete_place *p, const char *what)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, what)) {
			kinds[i].offer(p);
			return;
		}
	offer_alternatives(what);
}

/* The CPUs that are online, from a list such as 0-3,6. */
static void offer_cpus(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	unsigned int first, last;
	char mark = ',';

	while (f && mark == ',' && fscanf(f, "%u", &first) == 1) {
		last = first;
		if (fscanf(f, "%c", &mark) == 1 && mark == '-' &&
		    fscanf(f, "%u%c", &last, &mark) < 1)
			break;
		for (; first <= last; first++)
			offer_number(first);
	}
	if (f)
		fclose(f);
}

static void offer_settings(void)
{
	const char *const *words;
	const char *key;
	char word[64];

	offer_all("rx-rate rx-stop");
	for (unsigned int i = 0; (key = weft_verbs_key(i, &words)); i++) {
		snprintf(word, sizeof(word), "verbs.%s", key);
		complete_offer(word, NULL);
	}
}

/* Offer the values of the NIC's setting @before. Return: true if it is one. */
static bool offer_nic_value(const char *before)
{
	const char *const *words;
	const char *key;

	if (!strcmp(before, "rx-stop"))
		offer_all("all none");
	if (!strcmp(before, "rx-rate") || !strcmp(before, "verbs.message-rate") ||
	    !strcmp(before, "verbs.pcie-rate"))
		offer_all("unlimited");
	for (unsigned int i = 0; (key = weft_verbs_key(i, &words)); i++) {
		if (strncmp(before, "verbs.", 6) || strcmp(before + 6, key))
			continue;
		for (; words && *words; words++)
			complete_offer(*words, NULL);
	}
	return !strncmp(before, "rx-", 3) || !strncmp(before, "verbs.", 6);
}

static void set_fabric(const struct complete_place *p)
{
	if (p->args == 1) {
		offer_all("cpu phases");
	} else if (p->args == 2 && !strcmp(p->arg[1], "phases")) {
		offer_rules(p);
	} else if (p->args == 2) {
		complete_offer("none", NULL);
		offer_cpus();
	}
}

/**
 * complete_set() - offer the next argument of weft set
 * @p: the position on the command line
 * @before: the previous word
 */
void complete_set(const struct complete_place *p, const char *before)
{
	if (!p->args) {
		offer_all("nic link fabric");
	} else if (!strcmp(p->arg[0], "fabric")) {
		set_fabric(p);
	} else if (!strcmp(p->arg[0], "nic")) {
		if (p->args == 1)
			offer_nics(p);
		else if (!offer_nic_value(before))
			offer_settings();
	} else if (p->args == 1) {
		offer_links(p);
	} else if (strcmp(before, "rate") && strcmp(before, "lanes-up")) {
		offer_all("up down rate lanes-up");
	}
}
