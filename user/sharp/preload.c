// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loaded before all other libraries of a program (weft run --net sharp): takes collectives of
 * MPI to what is compiled for the program's MPI. In a program without MPI it does nothing.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

#define EXPORT	__attribute__((visibility("default")))

static const struct sharp_mpi *mpi;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The name of a file beside this library. */
static void beside(const char *name, char path[PATH_MAX])
{
	const char *end;
	Dl_info info;
	int n = 0;

	if (dladdr((void *)beside, &info)) {
		end = strrchr(info.dli_fname, '/');
		n = end ? (int)(end - info.dli_fname) + 1 : 0;
	}
	snprintf(path, PATH_MAX, "%.*s%s", n, n ? info.dli_fname : "", name);
}

/* A function of the program's MPI, also where that is loaded for one of its modules only. */
static void *find(const char *name)
{
	static const char *const libraries[] = { "libmpi.so.40", "libmpich.so.12" };
	void *fn = dlsym(RTLD_NEXT, name), *library;

	for (size_t i = 0; !fn && i < sizeof(libraries) / sizeof(*libraries); i++) {
		library = dlopen(libraries[i], RTLD_NOLOAD | RTLD_NOW);
		if (library)
			fn = dlsym(library, name);
	}
	return fn;
}

/* Which MPI the program has. */
static const char *name_of_mpi(void)
{
	int (*version)(char *text, int *len);
	static char text[8192];
	int len = 0;

	version = find("PMPI_Get_library_version");
	if (!version || version(text, &len))
		return NULL;
	if (strstr(text, "Open MPI"))
		return "mpi-openmpi.so";
	return strstr(text, "MPICH") ? "mpi-mpich.so" : NULL;
}

static void load(void)
{
	const char *name = name_of_mpi();
	char path[PATH_MAX];
	void *library;

	if (!name) {
		fputs("weft: the switches do not reduce for this MPI\n", stderr);
		return;
	}
	beside(name, path);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library)
		mpi = dlsym(library, SHARP_MPI_SYMBOL);
	else
		fprintf(stderr, "weft: the switches do not reduce: %s\n", dlerror());
}

static const struct sharp_mpi *get_mpi(void)
{
	pthread_once(&once, load);
	return mpi;
}

/* A function of MPI itself. Nobody calls one without MPI. */
static void *next(const char *name)
{
	void *fn = find(name);

	if (fn)
		return fn;
	fprintf(stderr, "weft: the program has no %s\n", name);
	abort();
}

/* Call the member of struct sharp_mpi, or else MPI itself. */
#define CALL(member, name, ...)						\
	(get_mpi() ? mpi->member(__VA_ARGS__) :				\
		     ((__typeof__(mpi->member))next(name))(__VA_ARGS__))

EXPORT int MPI_Finalize(void)
{
	return CALL(finalize, "MPI_Finalize");
}

EXPORT int MPI_Allreduce(const void *send, void *recv, int count, uintptr_t type,
			 uintptr_t op, uintptr_t comm)
{
	return CALL(allreduce, "MPI_Allreduce", send, recv, count, type, op, comm);
}

EXPORT int MPI_Reduce(const void *send, void *recv, int count, uintptr_t type,
		      uintptr_t op, int root, uintptr_t comm)
{
	return CALL(reduce, "MPI_Reduce", send, recv, count, type, op, root, comm);
}

EXPORT int MPI_Bcast(void *buf, int count, uintptr_t type, int root, uintptr_t comm)
{
	return CALL(bcast, "MPI_Bcast", buf, count, type, root, comm);
}

EXPORT int MPI_Barrier(uintptr_t comm)
{
	return CALL(barrier, "MPI_Barrier", comm);
}

EXPORT int MPI_Reduce_scatter_block(const void *send, void *recv, int count, uintptr_t type,
				    uintptr_t op, uintptr_t comm)
{
	return CALL(reduce_scatter_block, "MPI_Reduce_scatter_block", send, recv, count, type,
		    op, comm);
}

EXPORT int MPI_Allgather(const void *send, int sendcount, uintptr_t sendtype, void *recv,
			 int recvcount, uintptr_t recvtype, uintptr_t comm)
{
	return CALL(allgather, "MPI_Allgather", send, sendcount, sendtype, recv, recvcount,
		    recvtype, comm);
}
