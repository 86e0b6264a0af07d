// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adopt labs that are up, and forget them when they go down.
 *
 * `weft up` replaces the file of a lab once the lab is up. `weft down` removes
 * the file as its last step. inotify reports both in their order, so a later
 * lab of the same name is a new one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "services.h"

static const struct lab_service *const services[LAB_SERVICES + 1] = {
	[SERVICE_RECORD] = &service_record,
	[SERVICE_SCENARIO] = &service_scenario,
	[SERVICE_CONVERGE] = &service_converge,
};

/**
 * labs_find() - find a lab
 * @d: the daemon
 * @name: its name
 *
 * Return: the lab, NULL if no lab of that name is up.
 */
struct daemon_lab *labs_find(const struct daemon *d, const char *name)
{
	struct daemon_lab *l;

	for (l = d->labs; l; l = l->next)
		if (!strcmp(l->lab.name, name))
			return l;
	return NULL;
}

static void begin_services(struct daemon_lab *l)
{
	struct weft_err err;

	for (unsigned int i = 0; services[i]; i++) {
		if (!services[i]->begin || !services[i]->begin(l, &err))
			l->begun |= 1U << i;
		else
			log_line("lab %s: %s: %s", l->lab.name,
				 services[i]->name,
				 err.msg);
	}
}

static void end_services(struct daemon_lab *l)
{
	for (unsigned int i = 0; services[i]; i++)
		if (l->begun & 1U << i)
			services[i]->end(l);
	l->begun = 0;
}

/**
 * labs_status() - add the status of all services of a lab
 * @l: the lab
 * @o: JSON object to which the status is added
 */
void labs_status(struct daemon_lab *l, json_t *o)
{
	for (unsigned int i = 0; services[i]; i++)
		if (l->begun & 1U << i && services[i]->status)
			services[i]->status(l, o);
}

static void adopt(struct daemon *d, struct weft_lab *lab)
{
	struct daemon_lab *l = calloc(1, sizeof(*l));

	if (!l) {
		log_line("lab %s: out of memory", lab->name);
		weft_lab_close(lab);
		return;
	}
	l->daemon = d;
	l->lab = *lab;
	l->next = d->labs;
	d->labs = l;
	log_line("lab %s: adopted", l->lab.name);
	begin_services(l);
}

static void forget(struct daemon *d, struct daemon_lab *l)
{
	struct daemon_lab **at = &d->labs;

	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	end_services(l);
	log_line("lab %s: gone", l->lab.name);
	weft_lab_close(&l->lab);
	free(l);
}

/* Adopt or forget a lab according to its file. */
static void look_at(struct daemon *d, const char *name)
{
	struct daemon_lab *l = labs_find(d, name);
	struct weft_lab lab;
	struct weft_err err;

	if (weft_lab_open(&lab, name, &err)) {
		if (err.code != -ENOENT)
			log_line("lab %s: %s", name, err.msg);
		else if (l)
			forget(d, l);
	} else if (l || !weft_lab_is_up(&lab)) {
		weft_lab_close(&lab);
	} else {
		adopt(d, &lab);
	}
}

/**
 * labs_look() - adopt and forget labs without relying on events
 * @d: the daemon
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int labs_look(struct daemon *d, struct weft_err *err)
{
	struct daemon_lab *l, *next;
	struct weft_names names;

	if (weft_lab_names(&names, err)) {
		weft_names_free(&names);
		return err->code;
	}
	for (size_t i = 0; i < names.n; i++)
		look_at(d, names.name[i]);
	for (l = d->labs; l; l = next) {
		next = l->next;
		look_at(d, l->lab.name);
	}
	weft_names_free(&names);
	return 0;
}

/* Name of the lab of "LAB.json"; other files have longer names or another end. */
static bool lab_of_file(const char *file, char name[WEFT_OBJECT_NAME_MAX + 1])
{
	size_t len = strlen(file);

	if (len < 6 || len > WEFT_OBJECT_NAME_MAX + 5 ||
	    strcmp(file + len - 5, ".json"))
		return false;
	memcpy(name, file, len - 5);
	name[len - 5] = '\0';
	return true;
}

static void take_event(struct daemon *d, const struct inotify_event *event)
{
	char name[WEFT_OBJECT_NAME_MAX + 1];
	struct daemon_lab *l;
	struct weft_err err;

	if (event->mask & IN_Q_OVERFLOW) {
		if (labs_look(d, &err))
			log_line("%s", err.msg);
	} else if (event->len && lab_of_file(event->name, name)) {
		l = labs_find(d, name);
		if (event->mask & IN_DELETE && l)
			forget(d, l);
		else if (event->mask & IN_MOVED_TO)
			look_at(d, name);
	}
}

static void on_events(evutil_socket_t fd, short what, void *ctx)
{
	char buf[4096] __attribute__((aligned(8)));
	const struct inotify_event *event;
	ssize_t n = read(fd, buf, sizeof(buf));

	(void)what;
	for (const char *p = buf; n > 0 && p < buf + n;
	     p += sizeof(*event) + event->len) {
		event = (const struct inotify_event *)p;
		take_event(ctx, event);
	}
}

/**
 * labs_open() - adopt all labs, and those that come up later
 * @d: the daemon
 * @err: error
 *
 * Return: 0 or negative errno; labs_close() must be called in both cases.
 */
int labs_open(struct daemon *d, struct weft_err *err)
{
	d->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (d->inotify < 0 ||
	    inotify_add_watch(d->inotify, WEFT_RUN_DIR,
			      IN_MOVED_TO | IN_DELETE | IN_ONLYDIR) < 0)
		return weft_err_sys(err, errno, "watch %s", WEFT_RUN_DIR);
	d->watch = event_new(d->base, d->inotify, EV_READ | EV_PERSIST,
			     on_events, d);
	if (!d->watch || event_add(d->watch, NULL))
		return weft_err_nomem(err);
	return labs_look(d, err);
}

/**
 * labs_close() - forget all labs
 * @d: the daemon
 */
void labs_close(struct daemon *d)
{
	while (d->labs)
		forget(d, d->labs);
	if (d->watch)
		event_free(d->watch);
	if (d->inotify >= 0)
		close(d->inotify);
}
