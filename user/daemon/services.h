/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The services of the daemon for each lab, and the requests to them.
 */
#ifndef WEFT_DAEMON_SERVICES_H
#define WEFT_DAEMON_SERVICES_H

#include "daemon.h"
#include "report/record_reader.h"

/* scenario.c */
extern const struct lab_service service_scenario;
int scenario_start(struct daemon *d, json_t *request, json_t *reply,
		   struct weft_err *err);
int scenario_stop(struct daemon *d, json_t *request, json_t *reply,
		  struct weft_err *err);
int scenario_status(struct daemon *d, json_t *request, json_t *reply,
		    struct weft_err *err);

/* record.c */
extern const struct lab_service service_record;
int record_start(struct daemon *d, json_t *request, json_t *reply,
		 struct weft_err *err);
int record_stop(struct daemon *d, json_t *request, json_t *reply,
		struct weft_err *err);
int record_begin(struct daemon_lab *lab, struct weft_err *err);
int record_read(struct daemon_lab *lab, const char *after,
		struct weft_record_reader *reader, struct weft_err *err);

/* converge.c */
extern const struct lab_service service_converge;

#endif
