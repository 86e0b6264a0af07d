// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plugin of QEMU that counts instructions of the guest's kernel by where they are.
 *
 * usage: qemu-system-x86_64 -plugin file=profile.so,out=FILE
 *
 * Each block of instructions has two counters at its address: instructions executed, and
 * how often its first one was. They are written to FILE at the end, a line for each
 * block; weft-qemu adds them up by function. User space is one block at address 1. With
 * several CPUs the counts are about right, as nothing orders their additions.
 *
 * The functions of QEMU that it needs are declared here, as Debian has no header of them:
 * version 1 of the interface, docs/devel/tcg-plugins.rst in QEMU's sources.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API	__attribute__((visibility("default")))
#define BLOCKS	(1U << 21)
#define KERNEL	(1ULL << 63)	/* addresses above are the kernel's */
#define USER	1

struct qemu_plugin_tb;

enum { QEMU_PLUGIN_INLINE_ADD_U64 };

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*cb)(uint64_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int op, void *at,
					      uint64_t n);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*cb)(uint64_t, void *), void *ctx);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
API int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

API int qemu_plugin_version = 1;

/**
 * struct block - a block of instructions
 * @at: its address; 0: not used
 * @instructions: executed
 * @entries: how often it was entered
 */
struct block {
	uint64_t at;
	uint64_t instructions;
	uint64_t entries;
};

static struct block *table;
static const char *out;

/* Its place in the table, by a hash; it is never full, as the kernel is not so large. */
static struct block *find(uint64_t at)
{
	uint32_t i = (uint32_t)(at * 0x9e3779b97f4a7c15ULL >> 43);

	while (table[i % BLOCKS].at && table[i % BLOCKS].at != at)
		i++;
	table[i % BLOCKS].at = at;
	return &table[i % BLOCKS];
}

static void on_block(uint64_t id, struct qemu_plugin_tb *tb)
{
	uint64_t at = qemu_plugin_tb_vaddr(tb);
	struct block *b = find(at < KERNEL ? USER : at);

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64,
						 &b->instructions, qemu_plugin_tb_n_insns(tb));
	qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &b->entries, 1);
}

static void on_exit_of_qemu(uint64_t id, void *ctx)
{
	FILE *f = fopen(out, "we");

	(void)id;
	(void)ctx;
	for (uint32_t i = 0; f && i < BLOCKS; i++)
		if (table[i].entries)
			fprintf(f, "%016" PRIx64 " 1 %" PRIu64 " %" PRIu64 "\n", table[i].at,
				table[i].instructions, table[i].entries);
	if (!f || fclose(f))
		perror(out);
}

/**
 * qemu_plugin_install() - QEMU calls it once
 * @id: of the plugin
 * @info: of the machine
 * @argc: entries of @argv
 * @argv: what is behind the file's name, out=FILE
 *
 * Return: 0, or another number: QEMU ends.
 */
API int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	table = calloc(BLOCKS, sizeof(*table));
	if (!out || !table)
		return 1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_block);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
