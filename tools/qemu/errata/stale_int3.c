// SPDX-License-Identifier: GPL-2.0
/*
 * For the emulated machine: survive breakpoints that are no longer there.
 *
 * The kernel changes an instruction that other CPUs may execute in three steps: int3, the
 * rest of the new instruction, its first byte. All CPUs are told after each. QEMU before
 * 8.1, with a thread for each CPU, may translate the page while the last step writes it:
 * that CPU then meets the int3 for as long as the translation lives, long after the kernel
 * has ceased to expect it, and dies ("Oops: int3"). What is in memory is right, so do
 * here what the instruction there does.
 */
#include <linux/kdebug.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>

#define NOP2_SIZE	2
#define NOP5_SIZE	5

/* An int3 that is in memory as often as this in a row, at one place, is no accident. */
#define AT_MOST		1000

/* int3 in memory, where the kernel did not expect it, since this CPU last stepped */
struct place {
	unsigned long ip;
	unsigned int times;
};

static DEFINE_PER_CPU(struct place, place);
static atomic_t stepped;

static int get_stepped(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(&stepped));
}

static const struct kernel_param_ops stepped_ops = { .get = get_stepped };
module_param_cb(stepped, &stepped_ops, NULL, 0444);
MODULE_PARM_DESC(stepped, "how many breakpoints were met that were not there");

/* The kernel has begun to change the instruction again: it expects the next int3 there. */
static bool retry(unsigned long ip)
{
	struct place *p = this_cpu_ptr(&place);

	if (p->ip != ip)
		*p = (struct place){ .ip = ip };
	return ++p->times <= AT_MOST;
}

/*
 * after() - where the instruction at @ip leads, which is one that a static key has; 0 if it
 * is another one
 *
 * It does not change meanwhile: between int3 and the rest the kernel waits for this CPU.
 */
static unsigned long after(unsigned long ip)
{
	static const u8 nop5[NOP5_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	static const u8 nop2[NOP2_SIZE] = { 0x66, 0x90 };
	u8 text[NOP5_SIZE];
	s32 to;

	if (copy_from_kernel_nofault(text, (void *)ip, sizeof(text)))
		return 0;
	if (text[0] == INT3_INSN_OPCODE)
		return retry(ip) ? ip : 0;
	if (text[0] == JMP8_INSN_OPCODE)
		return ip + JMP8_INSN_SIZE + (s8)text[1];
	if (text[0] == JMP32_INSN_OPCODE) {
		memcpy(&to, text + 1, sizeof(to));
		return ip + JMP32_INSN_SIZE + to;
	}
	if (!memcmp(text, nop5, sizeof(nop5)))
		return ip + NOP5_SIZE;
	if (!memcmp(text, nop2, sizeof(nop2)))
		return ip + NOP2_SIZE;
	return 0;
}

static int on_die(struct notifier_block *block, unsigned long event, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;
	unsigned long ip, to;

	if (event != DIE_INT3 || user_mode(regs))
		return NOTIFY_DONE;
	ip = regs->ip - INT3_INSN_SIZE;
	to = after(ip);
	if (!to)
		return NOTIFY_DONE;
	regs->ip = to;
	if (to != ip) {
		this_cpu_write(place.times, 0);
		atomic_inc(&stepped);
	}
	return NOTIFY_STOP;
}

static struct notifier_block block = { .notifier_call = on_die };

static int __init stale_int3_init(void)
{
	return register_die_notifier(&block);
}
module_init(stale_int3_init);

static void __exit stale_int3_exit(void)
{
	unregister_die_notifier(&block);
}
module_exit(stale_int3_exit);

MODULE_DESCRIPTION("Step over breakpoints that an emulator kept");
MODULE_LICENSE("GPL");
