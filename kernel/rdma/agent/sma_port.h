/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A port as subnet management sees it: what a subnet manager sets there.
 *
 * DOC: theory of operation
 *
 * Ports of channel adapters and of switches have the same attributes PortInfo and
 * P_KeyTable (IBTA 14.2.5.6, 14.2.5.7). Here is their state, with the checks of a
 * Set. It knows neither devices nor the model. The owner describes the link in a
 * struct weft_sma_link, and applies the changes that a Set returns.
 *
 * A Set is checked before anything changes: one bad field, and the port keeps all
 * its values. A field that repeats the present value is always good.
 *
 * Link states (IBTA 7.2.7): a link that comes up brings the port from DOWN to INIT.
 * A manager sets INIT to ARMED, ARMED to ACTIVE, and any of them to DOWN. Only in
 * ACTIVE does data pass. The link trains again at once, so DOWN is followed by INIT,
 * unless the physical state was set to Disabled.
 *
 * The widths, speeds and VLs that a manager enables are kept and shown, but the rate
 * of the wire is the model's.
 */
#ifndef WEFT_RDMA_SMA_PORT_H
#define WEFT_RDMA_SMA_PORT_H

#include <linux/types.h>

#include "core/types.h"

struct ib_smp;

#define WEFT_SMA_PKEYS		32	/* entries of a port's table: one block */
#define WEFT_SMA_GID_PREFIX	0xfe80000000000000ULL

/* What a Set changed: the owner applies it. */
#define WEFT_SMA_NEW_LID	BIT(0)	/* LID or LMC */
#define WEFT_SMA_NEW_SM		BIT(1)	/* LID or SL of the subnet manager */
#define WEFT_SMA_NEW_STATE	BIT(2)	/* state of the link */
#define WEFT_SMA_NEW_MTU	BIT(3)
#define WEFT_SMA_NEW_VLS	BIT(4)	/* VLs in use, or limit of the high table */
#define WEFT_SMA_NEW_PREFIX	BIT(5)	/* prefix of GIDs */
#define WEFT_SMA_NEW_PKEYS	BIT(6)
#define WEFT_SMA_NEW_TIMEOUT	BIT(7)	/* subnet timeout */
#define WEFT_SMA_REREGISTER	BIT(8)	/* clients have to register again */
#define WEFT_SMA_WENT_DOWN	BIT(9)	/* the state was set to DOWN */
#define WEFT_SMA_NEW_GUIDS	BIT(10)	/* GUIDs beyond the first: the owner's */

/**
 * struct weft_sma_link - port and link, as the hardware has them
 */
struct weft_sma_link {
	/** @cap_mask: PortInfo:CapabilityMask */
	u32 cap_mask;
	/** @speed: active speed, IB_SPEED_* */
	u32 speed;
	/** @port: number of the port that the request came in by */
	u8 port;
	/** @phys_state: IB_PORT_PHYS_STATE_* */
	u8 phys_state;
	/** @width: active width, IB_WIDTH_* */
	u8 width;
	/** @mtu_cap: largest MTU, IB_MTU_* */
	u8 mtu_cap;
	/** @vl_cap: code of the number of data VLs */
	u8 vl_cap;
	/** @arb_high: entries of the high table of VL arbitration */
	u8 arb_high;
	/** @arb_low: entries of the low table */
	u8 arb_low;
	/** @guids: GUIDs of the port */
	u8 guids;
	/** @lmc_max: largest LMC */
	u8 lmc_max;
	/** @init_type: PortInfo:InitType */
	u8 init_type;
};

/**
 * struct weft_sma_port - state of a port that a subnet manager sets
 *
 * The fabric's lock protects it.
 */
struct weft_sma_port {
	/** @has_lid: of a channel adapter, or port 0 of a switch: LID, M_Key, GIDs */
	bool has_lid;
	/** @state: state of the link, IB_PORT_DOWN to IB_PORT_ACTIVE */
	u8 state;
	/** @disabled: its physical state was set to Disabled: it stays DOWN */
	bool disabled;
	/** @lmc: LID mask control: 2^lmc LIDs are the port's */
	u8 lmc;
	/** @sm_sl: SL to the subnet manager */
	u8 sm_sl;
	/** @lid: base LID, 0: none */
	u16 lid;
	/** @sm_lid: LID of the subnet manager, 0: none */
	u16 sm_lid;
	/** @gid_prefix: prefix of GIDs */
	u64 gid_prefix;
	/** @mkey: M_Key, 0: none */
	__be64 mkey;
	/** @lease_end: with @leased: fabric time at which the lease of @mkey ends */
	fab_time lease_end;
	/** @leased: a request with a wrong M_Key started the lease */
	bool leased;
	/** @mkey_prot: protection by the M_Key, 0 to 3 */
	u8 mkey_prot;
	/** @mkey_lease: lease of the M_Key in seconds, 0: for ever */
	u16 mkey_lease;
	/** @mkey_violations: requests with a wrong M_Key */
	u16 mkey_violations;
	/** @pkey_violations: packets with a P_Key that the port does not have */
	u16 pkey_violations;
	/** @qkey_violations: packets with a wrong Q_Key */
	u16 qkey_violations;
	/** @mtu: MTU of the link, IB_MTU_* */
	u8 mtu;
	/** @vls: code of the number of data VLs in use */
	u8 vls;
	/** @vl_high_limit: limit of the high table of VL arbitration */
	u8 vl_high_limit;
	/** @stall_hoq: VLStallCount and HOQLife */
	u8 stall_hoq;
	/** @down_default: LinkDownDefaultState */
	u8 down_default;
	/** @width_enabled: widths that may be used */
	u8 width_enabled;
	/** @speed_enabled: speeds up to QDR that may be used */
	u8 speed_enabled;
	/** @speed_ext_enabled: speeds from FDR on that may be used */
	u8 speed_ext_enabled;
	/** @init_type: InitTypeReply */
	u8 init_type;
	/** @subnet_timeout: 4.096 us * 2^subnet_timeout */
	u8 subnet_timeout;
	/** @error_limits: LocalPhyErrors and OverrunErrors */
	u8 error_limits;
	/** @pkeys: P_Key table */
	u16 pkeys[WEFT_SMA_PKEYS];
};

/* Number of data VLs for a code, 1 to 5. */
static inline u32 weft_sma_vls(u8 code)
{
	return code >= 5 ? 15 : BIT(code) / 2;
}

/* Code of the number of data VLs: 1, 2, 4, 8 or 15. */
static inline u8 weft_sma_vl_code(u32 vls)
{
	return vls >= 15 ? 5 : fls(vls);
}

/* SLtoVLMappingTable: four bits for each SL, SL 0 first; FAB_VL_DROP drops. */
static inline u8 weft_sma_vl_of(const u8 *data, u8 sl)
{
	return sl & 1 ? data[sl / 2] & 15 : data[sl / 2] >> 4;
}

/* Add the VL of an SL to a mapping whose bits for it are 0. */
static inline void weft_sma_vl_put(u8 *data, u8 sl, u8 vl)
{
	data[sl / 2] |= sl & 1 ? vl : vl << 4;
}

void weft_sma_port_init(struct weft_sma_port *p, bool has_lid,
			const struct weft_sma_link *l);
bool weft_sma_port_link(struct weft_sma_port *p, bool up);
void weft_sma_port_get(const struct weft_sma_port *p,
		       const struct weft_sma_link *l, bool show_mkey, u8 *data);
u16 weft_sma_port_set(struct weft_sma_port *p, const struct weft_sma_link *l,
		      const u8 *data, u32 *changed);
bool weft_sma_port_mkey(struct weft_sma_port *p, const struct ib_smp *smp,
			fab_time now);
bool weft_sma_port_shows_mkey(const struct weft_sma_port *p,
			      const struct ib_smp *smp);
u16 weft_sma_pkeys_get(const struct weft_sma_port *p, u8 *data, u32 block);
u16 weft_sma_pkeys_set(struct weft_sma_port *p, const u8 *data, u32 block,
		       u32 *changed);
int weft_sma_pkey_find(const struct weft_sma_port *p, u16 pkey);

/*
 * May two P_Keys talk? A limited member, without the top bit, may talk to full
 * members only; a P_Key without partition number is invalid (IBTA 10.9.3).
 */
static inline bool weft_sma_pkeys_match(u16 a, u16 b)
{
	return (a & 0x7fff) && !((a ^ b) & 0x7fff) && ((a | b) & 0x8000);
}

/* Port number of PortInfo; the top bit says that the manager knows extended speeds. */
static inline u32 weft_sma_port_num(u32 attr_mod)
{
	return attr_mod & ~BIT(31);
}

/* Count a violation: the counters stay at their largest value. */
static inline void weft_sma_violation(u16 *counter)
{
	if (*counter != U16_MAX)
		++*counter;
}

#endif
