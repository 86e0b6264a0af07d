/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Protocol between the launcher and the guest's init.
 *
 * The guest's kernel inherits these descriptors from the launcher. init opens them as
 * /dev/host0, /dev/host1, ...
 */
#ifndef WEFT_VM_PROTO_H
#define WEFT_VM_PROTO_H

#include <stdint.h>

/** enum vm_fd - the descriptors, counted from VM_FD_BASE */
enum vm_fd {
	VM_FD_STDIN,
	VM_FD_STDOUT,
	VM_FD_STDERR,
	VM_FD_CONTROL,		/* struct vm_message, launcher to init */
	VM_FD_STATUS,		/* struct vm_message, init to launcher */
	VM_FD_REQUEST,		/* the request: records, see enum vm_record */
	VM_FD_TERMINAL,		/* the caller's terminal, for output */
	VM_FD_MAX
};

#define VM_FD_BASE 10

/*
 * not for init: a page that the kernel writes, see progress.c; the machine's memory, and
 * where the kernel says which part of it is used, see memory.c
 */
#define VM_FD_PAGE VM_FD_MAX
#define VM_FD_MEMORY (VM_FD_MAX + 1)
#define VM_FD_USED (VM_FD_MAX + 2)
#define VM_FD_COUNT (VM_FD_MAX + 3)

/* The command starts when the guest's monotonic clock shows this many seconds. */
#define VM_START_SECOND 2

/**
 * enum vm_record - first byte of a NUL-terminated record of the request
 * @VM_REC_CWD:	working directory
 * @VM_REC_RW:	writable directory, any number
 * @VM_REC_ENV:	NAME=VALUE
 * @VM_REC_ARG:	one word of the command
 * @VM_REC_TTY:	"RRR CCC MASK": terminal size; bit n: descriptor n is a terminal
 * @VM_REC_START: second on the monotonic clock at which the command starts
 * @VM_REC_PORT: port on the guest's loopback that is forwarded
 * @VM_REC_MODULES: directory of the modules of the guest's kernel
 */
enum vm_record {
	VM_REC_CWD = 'C',
	VM_REC_RW = 'W',
	VM_REC_ENV = 'E',
	VM_REC_ARG = 'A',
	VM_REC_TTY = 'T',
	VM_REC_START = 'S',
	VM_REC_PORT = 'P',
	VM_REC_MODULES = 'M',
};

/**
 * enum vm_kind - kind of a message
 * @VM_SIGNAL:	to init: a signal of the launcher, struct vm_event
 * @VM_BYTES:	in both directions: bytes of a forwarded connection; 0 bytes: its end
 * @VM_END:	to the launcher, the last message: struct vm_status
 * @VM_START:	to the launcher: the command starts; no bytes
 */
enum vm_kind {
	VM_SIGNAL = 1,
	VM_BYTES,
	VM_END,
	VM_START,
};

/**
 * struct vm_event - a signal of the launcher
 * @signal:	signal to forward; SIGWINCH has a size
 * @rows:	lines of the terminal
 * @cols:	columns of the terminal
 */
struct vm_event {
	uint32_t signal;
	uint16_t rows;
	uint16_t cols;
};

/**
 * struct vm_status - end of the command
 * @code:	exit code, 128 + n if signal n ended it
 */
struct vm_status {
	uint32_t code;
};

#define VM_MESSAGE_HEAD 8
#define VM_BYTES_MAX (4096 - VM_MESSAGE_HEAD)	/* PIPE_BUF: written as a whole */

/**
 * struct vm_message - message on VM_FD_CONTROL and VM_FD_STATUS
 * @kind:	enum vm_kind
 * @conn:	VM_BYTES: number of the connection
 * @len:	bytes after the head
 * @event:	VM_SIGNAL
 * @status:	VM_END
 * @bytes:	VM_BYTES
 */
struct vm_message {
	uint16_t kind;
	uint16_t conn;
	uint32_t len;
	union {
		struct vm_event event;
		struct vm_status status;
		char bytes[VM_BYTES_MAX];
	};
};

/* exit codes of the launcher */
#define VM_EXIT_TIMEOUT 124
#define VM_EXIT_FAILED 125

#endif
