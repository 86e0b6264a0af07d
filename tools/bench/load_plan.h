/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A planned topology of libweft as plain arrays. Headers of libweft and of the model
 * have types of the same names, so no file can include both.
 */
#ifndef LOAD_PLAN_H
#define LOAD_PLAN_H

#include <stdint.h>

/**
 * struct load_end - one end of a link
 * @is_nic: it is a NIC, not a port of a switch
 * @id: number of the NIC or the switch
 * @port: port of the switch
 */
struct load_end {
	int is_nic;
	uint32_t id;
	uint32_t port;
};

/**
 * struct load_route - egress ports for a range of destinations
 * @sw: the switch
 * @first: first destination
 * @last: last destination
 * @ports: entries of @port
 * @port: the ports
 */
struct load_route {
	uint32_t sw;
	uint32_t first;
	uint32_t last;
	unsigned int ports;
	const uint32_t *port;
};

struct load_plan;

struct load_plan *load_plan_make(const char *name, char *const *set,
				 unsigned int sets, double *planned);
void load_plan_free(struct load_plan *p);
unsigned int load_plan_nics(const struct load_plan *p);
unsigned int load_plan_switches(const struct load_plan *p);
unsigned int load_plan_links(const struct load_plan *p);
unsigned int load_plan_routes(const struct load_plan *p);
uint32_t load_plan_ports(const struct load_plan *p, unsigned int sw);
void load_plan_link(const struct load_plan *p, unsigned int i,
		    struct load_end ends[2]);
int load_plan_route(const struct load_plan *p, unsigned int i,
		    struct load_route *r);
double load_seconds(void);

#endif
