// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run file as numbers: what each wire did between two samples.
 * Documentation/run-file.rst explains the keys.
 */
'use strict';

const weft = {};

weft.format = (() => {
	const scaled = (value, units, step, digits = 3) => {
		let i = 0;

		while (Math.abs(value) >= step && i < units.length - 1) {
			value /= step;
			i++;
		}
		return value === 0 ? '0' :
			`${Number(value.toPrecision(digits))} ${units[i]}`.trim();
	};

	return {
		time: (ps, digits) => scaled(ps, ['ps', 'ns', 'µs', 'ms', 's'],
					     1000, digits),
		rate: bps => scaled(bps, ['b/s', 'kb/s', 'Mb/s', 'Gb/s', 'Tb/s'],
				    1000),
		bytes: n => scaled(n, ['B', 'kB', 'MB', 'GB', 'TB'], 1000),
		count: n => n < 10000 ? String(Math.round(n * 10) / 10) :
			scaled(n, ['', 'k', 'M', 'G', 'T'], 1000),
		share: x => x === 0 ? '0' : x < 0.001 ? '<0.1 %' :
			`${(100 * x).toFixed(x < 0.0995 ? 1 : 0)} %`,
	};
})();

weft.Run = class {
	constructor(file) {
		if (file.weft_run !== 2)
			throw new Error('this is not a run file that this page knows');
		this.file = file;
		this.since = file.since_ps;
		this.time = file.time_ps.map(t => t - this.since);
		this.n = this.time.length;
		this.wires = file.wires;
		this.index = new Map(this.wires.map((w, i) => [w.from, i]));
		this.first = this.time[0];
		this.last = this.time[this.n - 1];
		this.peak = {
			queue: this.highest('queue', 1),
			dropped: this.highest('dropped', 1),
		};
		this.nodes = this.nodeNames();
		this.phases = file.report && file.report.phases || [];
	}

	/*
	 * From the first phase to the end of the last one, and a little beside; null
	 * if there is none. A run that goes on is shown up to its end.
	 */
	phaseSpan(live) {
		if (!this.phases.length || this.n < 2)
			return null;
		const ends = this.phases.map(p => [p.begin_ps - this.since,
			p.begin_ps + p.time_ps - this.since]);
		const from = Math.min(...ends.map(e => e[0]));
		const to = Math.max(...ends.map(e => e[1]));
		const beside = Math.max((to - from) * 0.03,
					(weft.span.least - (to - from)) / 2);

		return [Math.max(this.first, from - beside),
			live ? null : Math.min(this.last, to + beside)];
	}

	/* The largest number of a series, at least as large as floor. */
	highest(key, floor) {
		let max = floor;

		for (const w of this.wires)
			for (const v of w[key] || [])
				if (v > max)
					max = v;
		return max;
	}

	nodeNames() {
		const drawn = this.file.drawing && this.file.drawing.nodes;

		if (drawn)
			return new Set(drawn.map(o => o.name));
		return new Set(this.wires.map(w => w.from)
			.filter(name => name.includes('.eth'))
			.map(weft.owner));
	}

	isNode(port) {
		return this.nodes.has(weft.owner(port));
	}

	/* The sample that ends the interval in which t is. */
	at(t) {
		let low = 0, high = this.n - 1;

		while (low < high) {
			const mid = (low + high) >> 1;

			if (this.time[mid] < t)
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	}

	/* What a counter counted in samples (from, to]. */
	sum(wire, key, from, to) {
		const list = wire[key];
		let sum = 0;

		if (list)
			for (let i = from + 1; i <= to; i++)
				sum += list[i];
		return sum;
	}

	most(wire, key, from, to) {
		const list = wire[key];
		let most = 0;

		if (list)
			for (let i = from; i <= to; i++)
				most = Math.max(most, list[i]);
		return most;
	}

	/* A wire in samples (from, to]; rates are of fabric time. */
	wire(wire, from, to) {
		const ps = this.time[to] - this.time[from] || 1;
		const bytes = this.sum(wire, 'tx_bytes', from, to);

		return {
			rate: bytes * 8e12 / ps,
			load: this.sum(wire, 'tx_busy_ps', from, to) / ps,
			held: Math.min(1, this.sum(wire, 'wait_ps', from, to) / ps),
			queue: this.most(wire, 'queue', to > from ? from + 1 : to,
					 to),
			dropped: this.sum(wire, 'dropped', from, to),
			marked: this.sum(wire, 'marked', from, to),
			pauses: this.sum(wire, 'rx_pause', from, to),
			down: this.most(wire, 'down', to, to) > 0,
		};
	}

	/* All of them. */
	state(from, to) {
		return this.wires.map(w => this.wire(w, from, to));
	}

	/* Of one wire over time: a number for each interval. */
	series(wire, what) {
		const out = new Array(this.n).fill(0);

		for (let i = 1; i < this.n; i++)
			out[i] = this.wire(wire, i - 1, i)[what];
		return out;
	}

	/* What all nodes send together, over time. */
	sent() {
		const out = new Array(this.n).fill(0);

		for (const w of this.wires.filter(o => this.isNode(o.from)))
			if (w.tx_bytes)
				for (let i = 1; i < this.n; i++)
					out[i] += w.tx_bytes[i] * 8e12 /
						(this.time[i] - this.time[i - 1]);
		return out;
	}

	/* The times when a fault acts, as far as the recording goes. */
	windows(fault) {
		const start = fault.start_ps - this.since;
		const removed = fault.removed_ps === undefined ? Infinity :
			fault.removed_ps - this.since;
		const length = fault.duration_ps || Infinity;
		const period = fault.period_ps || Infinity;
		const times = fault.count || (fault.period_ps ? Infinity : 1);
		const end = Math.min(this.last, removed);
		const out = [];

		/* Its trigger was not met. */
		if (fault.start_ps === null)
			return out;
		for (let i = 0; i < times && out.length < 500; i++) {
			const from = i ? start + i * period : start;

			if (!(from < end))
				break;
			if (from + length > this.first)
				out.push([Math.max(from, this.first),
					  Math.min(from + length, end)]);
		}
		return out;
	}

	/* Where a fault acts, in words. */
	place(fault) {
		if (fault.from)
			return `${fault.from} ${fault.both ? '↔' : '→'} ${fault.to}`;
		return fault.switch || fault.link || '';
	}

	/* The wires that a fault acts on. */
	hit(fault) {
		if (fault.switch)
			return this.wires.filter(
				w => weft.owner(w.from) === fault.switch);
		return this.wires.filter(w => w.from === fault.from ||
				(fault.both && w.from === fault.to));
	}
};

/* The node or switch that a port belongs to. */
weft.owner = port => port.replace(/(\.eth\d+|:\d+)$/, '');
