// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Labs: their state files.
 */
#include "lab/lab.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "lab/lab_netns.h"
#include "netlink/fabric.h"
#include "netlink/ns.h"
#include "netlink/json.h"

#define NEW_STATE	WEFT_RUN_DIR "/.new"

/**
 * weft_lab_path() - make a path below a lab's directory
 * @lab: the lab
 * @path: result, WEFT_LAB_PATH bytes
 * @fmt: the rest of the path, without a leading slash
 */
void weft_lab_path(const struct weft_lab *lab, char *path, const char *fmt, ...)
{
	va_list ap;
	int n;

	n = snprintf(path, WEFT_LAB_PATH, "%s/%s/", WEFT_RUN_DIR, lab->name);
	va_start(ap, fmt);
	vsnprintf(path + n, WEFT_LAB_PATH - (size_t)n, fmt, ap);
	va_end(ap);
}

static void state_path(const struct weft_lab *lab, char *path)
{
	snprintf(path, WEFT_LAB_PATH, "%s/%s.json", WEFT_RUN_DIR, lab->name);
}

/**
 * weft_lab_lock() - take the lock for creating and removing labs
 * @fd: result; closing it, or the end of the process, releases the lock
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_lock(int *fd, struct weft_err *err)
{
	int ret;

	if (mkdir(WEFT_RUN_DIR, 0755) && errno != EEXIST)
		return weft_err_sys(err, errno, "create %s (are you root?)",
				    WEFT_RUN_DIR);
	*fd = open(WEFT_RUN_DIR "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (*fd < 0)
		return weft_err_sys(err, errno, "open %s/lock (are you root?)",
				    WEFT_RUN_DIR);
	while (flock(*fd, LOCK_EX)) {
		if (errno == EINTR)
			continue;
		ret = weft_err_sys(err, errno, "lock %s/lock", WEFT_RUN_DIR);
		close(*fd);
		return ret;
	}
	/* A file that is left belongs to a process that died while it wrote it. */
	unlink(NEW_STATE);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int add_name(struct weft_names *names, const char *file,
		    struct weft_err *err)
{
	size_t len = strlen(file);
	void *more;

	if (len < 6 || len > WEFT_OBJECT_NAME_MAX + 5 ||
	    strcmp(file + len - 5, ".json"))
		return 0;
	more = weft_array_grow(names->name, names->n, sizeof(*names->name));
	if (!more)
		return weft_err_nomem(err);
	names->name = more;
	memcpy(names->name[names->n++], file, len - 5);
	return 0;
}

/**
 * weft_lab_names() - list the names of all labs
 * @names: result, sorted; to be freed by weft_names_free()
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_names(struct weft_names *names, struct weft_err *err)
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	*names = (struct weft_names) { 0 };
	dir = opendir(WEFT_RUN_DIR);
	if (!dir)
		return errno == ENOENT ? 0 : weft_err_sys(err, errno, "%s",
							  WEFT_RUN_DIR);
	while (!ret && (entry = readdir(dir)))
		ret = add_name(names, entry->d_name, err);
	closedir(dir);
	if (names->n)
		qsort(names->name, names->n, sizeof(*names->name), by_name);
	return ret;
}

static int no_lab(const char *name, struct weft_err *err)
{
	return weft_err_set(err, WEFT_ERR_USAGE, -ENOENT,
			    "there is no lab \"%.40s\": `weft up` makes one",
			    name);
}

/**
 * weft_lab_open() - read the state of a lab
 * @lab: result, to be closed by weft_lab_close()
 * @name: its name
 * @err: error
 *
 * Return: 0 or negative errno; -ENOENT if there is no such lab.
 */
int weft_lab_open(struct weft_lab *lab, const char *name, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];
	json_error_t why;

	*lab = (struct weft_lab) { 0 };
	if (weft_name_check(name, err))
		return no_lab(name, err);
	snprintf(lab->name, sizeof(lab->name), "%s", name);
	state_path(lab, path);
	if (access(path, F_OK))
		return errno == ENOENT ? no_lab(name, err) :
		       weft_err_sys(err, errno, "%s", path);
	lab->state = json_load_file(path, 0, &why);
	if (!lab->state)
		return weft_err_set(err, WEFT_ERR_OTHER, -EIO, "%s: %s", path,
				    why.text);
	return 0;
}

/**
 * weft_lab_save() - write the state of a lab
 * @lab: the lab
 * @err: error
 *
 * The file is replaced atomically.
 *
 * Context: the lock of weft_lab_lock() is held.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_save(struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH];

	state_path(lab, path);
	if (weft_file_write_json(NEW_STATE, 0644, lab->state, JSON_INDENT(2), err))
		return err->code;
	if (rename(NEW_STATE, path))
		return weft_err_sys(err, errno, "write %s", path);
	return 0;
}

static json_t *plan_state(const struct weft_lab *lab,
			  const struct weft_plan *plan, const char *topology)
{
	json_t *p = weft_plan_json(plan), *o = json_object();

	json_object_set_new(o, "version", json_integer(WEFT_JSON_VERSION));
	json_object_set_new(o, "lab", json_string(lab->name));
	json_object_set_new(o, "up", json_false());
	json_object_set_new(o, "topology", json_string(topology));
	json_object_set(o, "clock", json_object_get(p, "clock"));
	json_object_set(o, "lossless", json_object_get(p, "lossless"));
	json_object_set(o, "notes", json_object_get(p, "notes"));
	json_object_set(o, "convergence_ps",
			json_object_get(p, "convergence_ps"));
	json_object_set_new(o, "seed", weft_json_seed(plan->fabric.seed));
	json_object_set_new(o, "since_ps", json_integer(0));
	json_object_set(o, "nodes", json_object_get(p, "nodes"));
	json_decref(p);
	return o;
}

/**
 * weft_lab_claim() - write the state of a lab before it is created
 * @lab: result, to be closed by weft_lab_close()
 * @plan: the plan; its fabric has the lab's name
 * @topology: source of the topology
 * @err: error
 *
 * Context: the lock of weft_lab_lock() is held.
 * Return: 0 or negative errno; -EEXIST if there is such a lab, or its names in
 * /run/netns are taken.
 */
int weft_lab_claim(struct weft_lab *lab, const struct weft_plan *plan,
		   const char *topology, struct weft_err *err)
{
	if (!weft_lab_open(lab, plan->fabric.name, err))
		return weft_err_set(err, WEFT_ERR_USAGE, -EEXIST,
				    weft_lab_is_up(lab) ?
				    "lab \"%s\" is already up: `weft down --lab %s` removes it" :
				    "lab \"%s\" was left incomplete by a weft that was killed: `weft down --lab %s` cleans up",
				    lab->name, lab->name);
	if (err->code != -ENOENT)
		return err->code;
	lab->state = plan_state(lab, plan, topology);
	if (!lab->state)
		return weft_err_nomem(err);
	if (weft_lab_netns_choose(lab, err))
		return err->code;
	return weft_lab_save(lab, err);
}

/**
 * weft_lab_close() - free the state of a lab
 * @lab: the lab
 */
void weft_lab_close(struct weft_lab *lab)
{
	json_decref(lab->state);
	lab->state = NULL;
	json_decref(lab->sources);
	lab->sources = NULL;
}

/**
 * weft_lab_is_up() - is a lab complete?
 * @lab: the lab
 *
 * Return: false if `weft up` has not finished, or was killed.
 */
bool weft_lab_is_up(const struct weft_lab *lab)
{
	return json_is_true(json_object_get(lab->state, "up"));
}

/**
 * weft_lab_node() - find the state of a node
 * @lab: the lab
 * @name: name of the node
 *
 * Return: a borrowed reference, NULL if there is no such node.
 */
json_t *weft_lab_node(const struct weft_lab *lab, const char *name)
{
	json_t *node;
	size_t i;

	json_array_foreach(json_object_get(lab->state, "nodes"), i, node) {
		const char *s = json_string_value(json_object_get(node, "name"));

		if (s && !strcmp(s, name))
			return node;
	}
	return NULL;
}

/**
 * weft_lab_node_addresses() - do nodes have addresses of their own?
 * @lab: the lab
 *
 * Return: whether they have addresses beside those of their NICs.
 */
bool weft_lab_node_addresses(const struct weft_lab *lab)
{
	json_t *nodes = json_object_get(lab->state, "nodes");

	return json_object_get(json_array_get(nodes, 0), "ip");
}

/**
 * weft_lab_since() - time from which a lab's report counts
 * @lab: the lab
 *
 * Return: fabric time, ps.
 */
uint64_t weft_lab_since(const struct weft_lab *lab)
{
	json_t *since = json_object_get(lab->state, "since_ps");

	return (uint64_t)json_integer_value(since);
}

/**
 * weft_lab_converges() - are routes recomputed when links go down or come up?
 * @lab: the lab
 * @wait: result: time from the first change to the new routes, ps of fabric time
 *
 * Return: whether the topology requests it.
 */
bool weft_lab_converges(const struct weft_lab *lab, uint64_t *wait)
{
	json_t *o = json_object_get(lab->state, "convergence_ps");

	*wait = (uint64_t)json_integer_value(o);
	return json_is_integer(o);
}

/**
 * weft_lab_nl() - open a socket to the fabric of a lab
 * @lab: the lab
 * @nl: result, to be closed by weft_nl_close()
 * @err: error
 *
 * It also works inside a node.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_nl(const struct weft_lab *lab, struct weft_nl *nl,
		struct weft_err *err)
{
	char path[WEFT_LAB_PATH];
	struct weft_ns ns;
	int ret;

	weft_lab_path(lab, path, "net");
	if (weft_ns_save(&ns, err))
		return err->code;
	ret = weft_ns_enter(path, CLONE_NEWNET, err);
	if (!ret)
		ret = weft_nl_open(nl, err);
	if (ret)
		return weft_ns_back(&ns, ret, err);
	ret = weft_ns_back(&ns, 0, err);
	if (ret)
		weft_nl_close(nl);
	return ret;
}

/**
 * weft_lab_fabric() - open a socket to the fabric of a lab, and find the fabric
 * @lab: the lab
 * @nl: result, to be closed by weft_nl_close() unless there is an error
 * @fabric: result: number of the fabric
 * @err: error
 *
 * Return: 0 or negative errno.
 */
int weft_lab_fabric(const struct weft_lab *lab, struct weft_nl *nl,
		    uint32_t *fabric, struct weft_err *err)
{
	struct weft_fabric f;
	int ret;

	ret = weft_lab_nl(lab, nl, err);
	if (ret)
		return ret;
	ret = weft_fabric_find(nl, lab->name, &f, err);
	*fabric = f.id;
	weft_fabric_free(&f);
	if (ret)
		weft_nl_close(nl);
	return ret;
}
