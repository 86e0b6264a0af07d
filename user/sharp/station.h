/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place of a process in a group: its queue pair, and memory for chunks.
 */
#ifndef WEFT_SHARP_STATION_H
#define WEFT_SHARP_STATION_H

#include <infiniband/verbs.h>
#include <stdint.h>

#define STATION_GRH	40		/* bytes before a datagram */

/**
 * struct station - place of a process in a group
 * @context: the device
 * @channel: says that results are there
 * @pd: protection domain
 * @sent: completions of what was sent
 * @results: completions of results
 * @qp: the queue pair
 * @mgid: GID of the group
 * @ah: the same as an address
 * @attached: @qp is in the group
 * @mr: registration of @memory
 * @memory: slots to send from, then slots to receive into
 * @slots: how many of each
 * @payload: bytes of a chunk
 * @qkey: Q_Key of the group
 * @posted: chunks that were sent
 * @pending: of these, those after the last whose completion was seen
 */
struct station {
	struct ibv_context *context;
	struct ibv_comp_channel *channel;
	struct ibv_pd *pd;
	struct ibv_cq *sent;
	struct ibv_cq *results;
	struct ibv_qp *qp;
	union ibv_gid mgid;
	struct ibv_ah *ah;
	int attached;
	struct ibv_mr *mr;
	uint8_t *memory;
	uint32_t slots;
	uint32_t payload;
	uint32_t qkey;
	uint32_t posted;
	uint32_t pending;
};

/**
 * struct result - a result
 * @imm: its immediate data
 * @bytes: its bytes
 * @data: these
 * @slot: for station_release()
 */
struct result {
	uint32_t imm;
	uint32_t bytes;
	const uint8_t *data;
	uint32_t slot;
};

int station_open(struct station *s, const char *device, uint32_t *payload);
int station_join(struct station *s, uint32_t group, uint32_t qkey, uint32_t slots);
int station_start(struct station *s, uint32_t payload);
uint8_t *station_slot(struct station *s, uint32_t chunk);
int station_send(struct station *s, uint32_t chunk, uint32_t imm, uint32_t bytes);
int station_receive(struct station *s, struct result *r, int max);
int station_release(struct station *s, uint32_t slot);
int station_arm(struct station *s);
void station_disarm(struct station *s);
void station_close(struct station *s);

#endif
