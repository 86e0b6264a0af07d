// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that run one simulation together: the ranks of an MPI job.
 *
 * weft is not linked with MPI, which few users need, and which has several ABIs. The
 * variables that mpirun and srun set say that there is a job, and of which MPI. Then the
 * library that was compiled for it is loaded.
 */
#include "sim/team.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/share.h"

/* A variable that an MPI sets in each process of a job, and its library. */
static const struct {
	const char *variable;
	const char *mpi;
} jobs[] = {
	{ "OMPI_COMM_WORLD_SIZE", "openmpi" },
	{ "PMIX_RANK", "openmpi" },
	{ "PMI_RANK", "mpich" },
};

/* The MPI of the job that this process is a rank of, or NULL. */
static const char *mpi_of_job(void)
{
	const char *choice = getenv("WEFT_MPI");

	if (choice)
		return *choice && strcmp(choice, "none") ? choice : NULL;
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		if (getenv(jobs[i].variable))
			return jobs[i].mpi;
	return NULL;
}

static int find_library(const char *mpi, char path[PATH_MAX], struct weft_err *err)
{
	char here[64], installed[64];
	const char *const places[] = { here, installed, NULL };

	if (strcmp(mpi, "openmpi") && strcmp(mpi, "mpich"))
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "WEFT_MPI=%s: expected openmpi, mpich or none", mpi);
	snprintf(here, sizeof(here), "mpi/%s.so", mpi);
	snprintf(installed, sizeof(installed), "../lib/weft/mpi/%s.so", mpi);
	return weft_part_find("the library for ranks of MPI", "WEFT_MPI_LIBRARY", places,
			      path, err);
}

static int load(struct weft_team *t, const char *path, struct weft_err *err)
{
	/* Global, as Open MPI loads components that need its symbols. */
	t->library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!t->library)
		return weft_err_set(err, WEFT_ERR_OTHER, -ENOENT, "%s", dlerror());
	t->ops = dlsym(t->library, WEFT_TEAM_SYMBOL);
	if (!t->ops || t->ops->version != WEFT_TEAM_VERSION)
		return weft_err_set(err, WEFT_ERR_OTHER, -EPROTO,
				    "%s: it is not of this weft", path);
	return 0;
}

/**
 * weft_team_join() - join the ranks of the job, if there is one
 * @t: result; alone if this process is no rank of MPI, or the only one
 * @err: error
 *
 * Return: 0 or negative errno; in any case weft_team_leave() ends it.
 */
int weft_team_join(struct weft_team *t, struct weft_err *err)
{
	const char *mpi = mpi_of_job();
	char path[PATH_MAX];

	*t = (struct weft_team) { .size = 1 };
	if (!mpi)
		return 0;
	if (find_library(mpi, path, err) || load(t, path, err)) {
		t->ops = NULL;
		return err->code;
	}
	if (t->ops->join(&t->rank, &t->size)) {
		t->ops = NULL;
		return weft_err_set(err, WEFT_ERR_OTHER, -EIO, "%s: MPI does not start", mpi);
	}
	if (t->size > WEFT_TEAM_MAX)
		return weft_err_set(err, WEFT_ERR_USAGE, -EINVAL,
				    "%u ranks of MPI: expected at most %u", t->size, WEFT_TEAM_MAX);
	return 0;
}

/**
 * weft_team_agree() - has a step failed at any rank?
 * @t: the ranks
 * @ret: 0, or a negative number if it has failed here
 * @err: its error; then that of the first rank that failed
 *
 * Return: 0, or the error's code.
 */
int weft_team_agree(const struct weft_team *t, int ret, struct weft_err *err)
{
	struct weft_err all[WEFT_TEAM_MAX], mine = { 0 };

	if (!t || !t->ops)
		return ret;
	if (ret)
		mine = *err;
	t->ops->gather(&mine, all, sizeof(mine));
	for (uint32_t i = 0; i < t->size; i++) {
		if (!all[i].code)
			continue;
		*err = all[i];
		return err->code;
	}
	return 0;
}

/**
 * weft_team_leave() - leave the job
 * @t: the ranks
 */
void weft_team_leave(struct weft_team *t)
{
	/* The library stays loaded: components of MPI may have threads. */
	if (t->ops)
		t->ops->leave();
	t->ops = NULL;
}
