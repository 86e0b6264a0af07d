/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands that add faults, or traffic, to the fabric of a lab, remove them by their number
 * and list them.
 */
#ifndef WEFT_ADD_DEL_H
#define WEFT_ADD_DEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli.h"
#include "facts/facts.h"
#include "netlink/nl.h"

/**
 * struct session - a lab, and a socket to its fabric
 * @lab: the lab, up
 * @facts: state of the lab
 * @nl: the socket
 * @json: print JSON
 */
struct session {
	struct weft_lab lab;
	struct weft_facts facts;
	struct weft_nl nl;
	bool json;
};

/**
 * struct add_del - the parts of a command that differ between faults and traffic
 * @number: the argument of del, such as "the number of a fault"
 * @words: the arguments of add, such as "KIND WHERE"
 * @least: least number of arguments of add
 * @add: add an object from the arguments of add, and print it
 * @del: remove an object, and print it
 * @del_all: remove all objects of the lab, and print them
 * @json: all objects of the lab
 * @print: print the result of @json
 *
 * The first three functions return an exit code; they print their errors.
 */
struct add_del {
	const char *number;
	const char *words;
	int least;
	int (*add)(struct session *s, char **word, struct weft_err *err);
	int (*del)(struct session *s, uint32_t id, struct weft_err *err);
	int (*del_all)(struct session *s, struct weft_err *err);
	json_t *(*json)(const struct weft_facts *facts);
	void (*print)(FILE *f, json_t *all);
};

int add_del_run(const struct command *cmd, const struct add_del *t, int argc,
		char **argv);
int add_del_at(char **word, struct weft_at *at, struct weft_err *err);
int add_del_trigger(struct session *s, struct weft_at *at,
		    struct weft_err *err);
void add_del_untrigger(struct session *s, const struct weft_at *at);
int add_del_print(const struct session *s, json_t *o,
		  void (*print)(FILE *f, json_t *o));

#endif
