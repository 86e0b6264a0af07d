// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Environment of MPI launchers: a host file, and a command that starts a
 * process on another node.
 *
 * Open MPI and MPICH read both from environment variables, so that mpirun is
 * called as on any cluster. No variable changes how they poll. lab_net.c
 * selects the network.
 */
#include "lab/lab_mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "topology/share.h"

#define NICS_NET	"10.0.0.0/8"
#define NODES_NET	"10.255.0.0/16"

/* @between is the text between a node and its slots. */
static int write_hostfile(const struct weft_lab *lab, const char *path,
			  const char *between, unsigned int slots,
			  struct weft_err *err)
{
	struct weft_strbuf s = { 0 };
	json_t *node;
	size_t i;

	json_array_foreach(json_object_get(lab->state, "nodes"), i, node)
		weft_strbuf_addf(&s, "%s%s%u\n",
				 json_string_value(json_object_get(node, "name")),
				 between, slots);
	return weft_file_write(path, 0644, &s, err);
}

/**
 * weft_lab_mpi_up() - write the launch command of a lab
 * @lab: the lab, whose directory exists
 * @err: error
 *
 * It is a script, since MPICH accepts the path of a program without arguments only.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_mpi_up(const struct weft_lab *lab, struct weft_err *err)
{
	char path[WEFT_LAB_PATH], self[PATH_MAX];
	struct weft_strbuf s = { 0 };

	if (weft_self_dir(self, err))
		return err->code;
	weft_strbuf_addf(&s, "#!/bin/sh\nexec \"%s/weft\" rsh \"$@\"\n", self);
	weft_lab_path(lab, path, "rsh");
	return weft_file_write(path, 0755, &s, err);
}

static int set_mpich(const struct weft_lab *lab, unsigned int slots,
		     struct weft_err *err)
{
	char path[WEFT_LAB_PATH];

	weft_lab_path(lab, path, "hydra.%u", slots);
	if (write_hostfile(lab, path, ":", slots, err))
		return err->code;
	setenv("HYDRA_HOST_FILE", path, 0);
	weft_lab_path(lab, path, "rsh");
	setenv("HYDRA_LAUNCHER", "rsh", 0);
	setenv("HYDRA_LAUNCHER_EXEC", path, 0);
	return 0;
}

/**
 * weft_lab_mpi() - prepare the environment for an MPI launcher
 * @lab: the lab, up
 * @slots: number of ranks for each node
 * @err: error
 *
 * Variables that the user has set remain unchanged.
 *
 * Return: 0 or negative errno.
 */
int weft_lab_mpi(const struct weft_lab *lab, unsigned int slots,
		 struct weft_err *err)
{
	const char *net = weft_lab_node_addresses(lab) ? NODES_NET : NICS_NET;
	char path[WEFT_LAB_PATH], self[PATH_MAX], agent[PATH_MAX + 16];

	weft_lab_path(lab, path, "hostfile.%u", slots);
	if (write_hostfile(lab, path, " slots=", slots, err) ||
	    set_mpich(lab, slots, err) || weft_self_dir(self, err))
		return err->code;
	snprintf(agent, sizeof(agent), "%s/weft rsh", self);
	/* Use the lab's nodes, even within a job of a batch system. */
	setenv("OMPI_MCA_plm", "rsh", 0);
	setenv("OMPI_MCA_ras", "^slurm,tm,gridengine,lsf", 0);
	setenv("OMPI_MCA_plm_rsh_agent", agent, 0);
	setenv("OMPI_MCA_orte_default_hostfile", path, 0);
	setenv("OMPI_MCA_btl_tcp_if_include", net, 0);
	setenv("OMPI_MCA_oob_tcp_if_include", net, 0);
	/*
	 * There is a daemon for each node. Without these each has 8 MiB of shared memory for
	 * the keys of PMIx, and loads X11, OpenCL and 20 more libraries to look for GPUs.
	 */
	setenv("PMIX_MCA_gds", "hash", 0);
	setenv("HWLOC_PLUGINS_PATH", "/nonexistent", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
	return 0;
}
