// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Times MPI_Allreduce over a range of message sizes, checks every element of
 * every result, and prints the measured time beside the theoretical bound.
 *
 * usage: allreduce [--min BYTES] [--max BYTES] [--factor N] [--warmup N]
 *                  [--iters N] [--bounds FILE]
 *
 * Each size is the one before times N of --factor, by default 2.
 *
 * FILE has a line "BYTES SECONDS" for each size: the least time that the fabric
 * allows, as `weft bound` prints it. algbw is BYTES / time. busbw is
 * algbw * 2(n-1)/n, which for a ring is the rate of each rank's link. Both are
 * the definitions of nccl-tests, doc/PERFORMANCE.md.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define BOUNDS_MAX	64
#define AHEAD		4	/* start this many times the duration of a barrier ahead */

struct options {
	uint64_t min;
	uint64_t max;
	uint64_t factor;
	unsigned int warmup;
	unsigned int iters;
	const char *bounds;
};

struct bound {
	uint64_t bytes;
	double seconds;
};

struct run {
	struct options opt;
	int rank;
	int ranks;
	struct bound bound[BOUNDS_MAX];
	unsigned int bounds;
};

/* A value that depends on the rank and the index, small enough that the sum
 * over all ranks is exact in 32 bits.
 */
static uint32_t element(int rank, uint64_t i)
{
	return (uint32_t)((i * 7 + (uint64_t)rank * 13) % 1021);
}

static uint32_t element_sum(int ranks, uint64_t i)
{
	uint32_t sum = 0;

	for (int rank = 0; rank < ranks; rank++)
		sum += element(rank, i);
	return sum;
}

static void fill(const struct run *run, uint32_t *buf, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		buf[i] = element(run->rank, i);
}

/* The expected sums repeat with the period of element(). */
static uint64_t wrong_elements(const struct run *run, const uint32_t *buf,
			       uint64_t n)
{
	uint32_t expect[1021];
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < 1021; i++)
		expect[i] = element_sum(run->ranks, i);
	for (uint64_t i = 0; i < n; i++)
		wrong += buf[i] != expect[i % 1021];
	return wrong;
}

static void allreduce(const uint32_t *in, uint32_t *out, uint64_t n)
{
	MPI_Allreduce(in, out, (int)n, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
}

/* All ranks share the clock of one kernel. MPI_Wtime() may have an origin per rank. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void sleep_until(double when)
{
	struct timespec ts = { .tv_sec = (time_t)when };

	ts.tv_nsec = (long)((when - (double)ts.tv_sec) * 1e9);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
}

/*
 * Wait until an instant that is the same for all ranks. A barrier is not enough: ranks
 * leave it at different times, up to the duration of a message for each of its rounds
 * apart. Exchanges between pairs keep such a difference, as each rank is as late as its
 * partner was. The instant is AHEAD barriers after the last rank's clock, so that all
 * ranks know it in time.
 */
static void begin_together(void)
{
	double mine[2], most[2], start = now();

	MPI_Barrier(MPI_COMM_WORLD);
	mine[0] = now();
	mine[1] = mine[0] - start;
	MPI_Allreduce(mine, most, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	sleep_until(most[0] + AHEAD * most[1]);
}

/* Duration of one call, from the first rank's start to the last rank's end, s. */
static double time_call(const uint32_t *in, uint32_t *out, uint64_t n)
{
	double mine[2], span[2];

	begin_together();
	mine[0] = -now();
	allreduce(in, out, n);
	mine[1] = now();
	MPI_Allreduce(mine, span, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return span[0] + span[1];
}

/* Mean duration of one call, s. */
static double time_size(const struct run *run, const uint32_t *in,
			uint32_t *out, uint64_t n)
{
	double sum = 0;

	for (unsigned int i = 0; i < run->opt.warmup; i++)
		time_call(in, out, n);
	for (unsigned int i = 0; i < run->opt.iters; i++)
		sum += time_call(in, out, n);
	return sum / run->opt.iters;
}

static const struct bound *bound_of(const struct run *run, uint64_t bytes)
{
	for (unsigned int i = 0; i < run->bounds; i++)
		if (run->bound[i].bytes == bytes)
			return &run->bound[i];
	return NULL;
}

static void print_row(const struct run *run, uint64_t bytes, double t,
		      uint64_t wrong)
{
	double factor = 2.0 * (run->ranks - 1) / run->ranks;
	const struct bound *b = bound_of(run, bytes);
	double algbw = (double)bytes / t / 1e9;

	printf("%12" PRIu64 " %12.3f %9.3f %9.3f ", bytes, t * 1e6, algbw,
	       algbw * factor);
	if (b)
		printf("%12.3f %6.3f ", b->seconds * 1e6, b->seconds / t);
	else
		printf("%12s %6s ", "-", "-");
	printf("%6" PRIu64 "\n", wrong);
	fflush(stdout);
}

static void print_head(const struct run *run)
{
	printf("# MPI_Allreduce, sum of 32-bit integers, %d ranks\n",
	       run->ranks);
	printf("%12s %12s %9s %9s %12s %6s %6s\n", "bytes", "time us",
	       "algbw", "busbw", "bound us", "ratio", "wrong");
}

static uint64_t run_size(const struct run *run, uint32_t *in, uint32_t *out,
			 uint64_t bytes)
{
	uint64_t n = bytes / sizeof(*in), wrong, total;
	double t;

	fill(run, in, n);
	memset(out, 0, bytes);
	t = time_size(run, in, out, n);
	wrong = wrong_elements(run, out, n);
	MPI_Allreduce(&wrong, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	if (!run->rank)
		print_row(run, bytes, t, total);
	return total;
}

static uint64_t run_all(const struct run *run)
{
	uint32_t *out = malloc(run->opt.max);
	uint32_t *in = malloc(run->opt.max);
	uint64_t wrong = 0;

	if (!in || !out) {
		fprintf(stderr, "allreduce: no memory for %" PRIu64 " bytes\n",
			run->opt.max);
		MPI_Abort(MPI_COMM_WORLD, 1);
	} else {
		for (uint64_t s = run->opt.min; s <= run->opt.max;
		     s *= run->opt.factor)
			wrong += run_size(run, in, out, s);
	}
	free(in);
	free(out);
	return wrong;
}

static bool read_bounds(struct run *run)
{
	struct bound *b = run->bound;
	char line[256];
	FILE *f;

	if (!run->opt.bounds)
		return true;
	f = fopen(run->opt.bounds, "r");
	if (!f) {
		fprintf(stderr, "allreduce: %s: %s\n", run->opt.bounds,
			strerror(errno));
		return false;
	}
	while (run->bounds < BOUNDS_MAX && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNu64 " %lf", &b[run->bounds].bytes,
			   &b[run->bounds].seconds) == 2)
			run->bounds++;
	fclose(f);
	return true;
}

static bool parse_number(const char *text, uint64_t lowest, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && end != text && !*end && *value >= lowest;
}

static bool parse_option(struct options *opt, int c)
{
	uint64_t n = 0;
	bool ok = true;

	switch (c) {
	case 'm':
		return parse_number(optarg, 4, &opt->min);
	case 'M':
		return parse_number(optarg, 4, &opt->max) &&
		       opt->max <= (uint64_t)1 << 30;
	case 'f':
		return parse_number(optarg, 2, &opt->factor) &&
		       opt->factor <= 1 << 30;
	case 'w':
		ok = parse_number(optarg, 0, &n);
		opt->warmup = (unsigned int)n;
		return ok;
	case 'i':
		ok = parse_number(optarg, 1, &n);
		opt->iters = (unsigned int)n;
		return ok;
	case 'b':
		opt->bounds = optarg;
		return true;
	default:
		return false;
	}
}

static bool parse_options(struct options *opt, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "min", required_argument, NULL, 'm' },
		{ "max", required_argument, NULL, 'M' },
		{ "factor", required_argument, NULL, 'f' },
		{ "warmup", required_argument, NULL, 'w' },
		{ "iters", required_argument, NULL, 'i' },
		{ "bounds", required_argument, NULL, 'b' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longopts, NULL)) != -1)
		if (!parse_option(opt, c))
			return false;
	return optind == argc && opt->min <= opt->max;
}

int main(int argc, char **argv)
{
	struct run run = {
		.opt = { .min = 4096, .max = 64 << 20, .factor = 2, .warmup = 1,
			 .iters = 1 },
	};
	uint64_t wrong;

	MPI_Init(&argc, &argv);
	prctl(PR_SET_TIMERSLACK, 1);	/* ns that a sleep may be late */
	MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
	if (!parse_options(&run.opt, argc, argv)) {
		if (!run.rank)
			fprintf(stderr, "usage: allreduce [--min BYTES] [--max BYTES] [--factor N] [--warmup N] [--iters N] [--bounds FILE]\n"
				"BYTES from 4 to 1073741824, N from 1 (--warmup from 0, --factor from 2)\n");
		MPI_Finalize();
		return 2;
	}
	if (!run.rank && !read_bounds(&run))
		MPI_Abort(MPI_COMM_WORLD, 2);
	if (!run.rank)
		print_head(&run);
	wrong = run_all(&run);
	MPI_Finalize();
	return wrong ? 1 : 0;
}
