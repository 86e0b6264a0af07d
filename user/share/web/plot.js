// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plots over fabric time, and the time line with the faults.
 */
'use strict';

/*
 * The part of the run that all plots show: [from, to], or null for all of it. Where
 * to is null, it ends where the run does, which may go on.
 */
weft.span = {
	shown: null,
	least: 1e6,	/* ps */

	of(run) {
		const [from, to] = this.shown || [run.first, null];
		const end = Math.min(run.last, to === null ? run.last : to);

		return end - from < 1 ? [run.first, run.last] :
			[Math.max(run.first, from), end];
	},

	/* So much of it, and the point stays where it is; null if that is all. */
	zoomed(run, factor, at) {
		const [from, to] = this.of(run), all = run.last - run.first;
		const width = Math.max(Math.min(all, this.least),
				       (to - from) / factor);
		const start = at - (at - from) * width / (to - from);

		return width >= all ? null : this.inside(run, start, width);
	},

	moved(run, share) {
		const [from, to] = this.of(run);

		return this.shown && this.inside(run,
			from + share * (to - from), to - from);
	},

	inside(run, start, width) {
		const from = Math.max(run.first,
				      Math.min(start, run.last - width));

		return [from, from + width];
	},
};

weft.Plot = class {
	/*
	 * lines: {name, class, values, format}; one number for each sample, which
	 * holds for the interval that ends there
	 */
	constructor(host, title, format) {
		this.host = host;
		this.title = title;
		this.format = format;
		this.width = 400;
		this.height = 66;
		this.left = 54;
		this.top = 6;
		this.bottom = 16;
	}

	x(t) {
		return this.left + (t - this.from) / (this.to - this.from || 1) *
			(this.width - this.left - 6);
	}

	/* The same, or the edge that it is beyond. */
	edge(t) {
		return this.x(Math.min(this.to, Math.max(this.from, t)));
	}

	begin(run) {
		this.run = run;
		[this.from, this.to] = weft.span.of(run);
	}

	sees(t) {
		return t !== null && t >= this.from && t <= this.to;
	}

	y(v) {
		return this.height - this.bottom - v / this.max *
			(this.height - this.bottom - this.top);
	}

	/* A round number that is not below any of them. */
	roof(values) {
		const max = Math.max(...values);

		if (!(max > 0))
			return 1;
		const unit = 10 ** Math.floor(Math.log10(max));

		return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map(k => k * unit)
			.find(v => v >= max * 0.9999);
	}

	/* Values hold for whole intervals, so lines have steps. */
	path(values, closed) {
		const run = this.run, out = [];

		for (let i = Math.max(1, run.at(this.from));
		     i <= run.at(this.to); i++) {
			const y = this.y(values[i]).toFixed(1);

			out.push(`${out.length ? 'L' : 'M'}` +
				`${this.edge(run.time[i - 1]).toFixed(1)},${y} ` +
				`L${this.edge(run.time[i]).toFixed(1)},${y}`);
		}
		if (closed && out.length)
			out.push(`L${this.x(this.to)},${this.y(0)} ` +
				`L${this.x(this.from)},${this.y(0)} Z`);
		return out.join(' ') || 'M0,0';
	}

	show(run, lines) {
		this.begin(run);
		this.lines = lines;
		this.max = this.roof(lines.flatMap(l => [0, ...l.values]));
		this.width = this.host.clientWidth || this.width;
		const svg = weft.svg('svg', {
			width: this.width, height: this.height, role: 'img',
			'aria-label': this.title,
		});

		this.frame(svg);
		for (const l of lines)
			svg.append(weft.svg('path', {
				class: `line ${l.class}`,
				d: this.path(l.values, false),
			}));
		this.cursor = weft.svg('line', {
			class: 'cursor', y1: this.top, y2: this.height - this.bottom,
		});
		svg.append(this.cursor);
		this.value = document.createElement('span');
		this.value.className = 'value';
		const head = document.createElement('h3');

		head.append(this.title, this.value);
		this.host.replaceChildren(head, svg);
	}

	frame(svg) {
		const low = this.height - this.bottom, right = this.width - 6;

		for (const v of [0, this.max / 2, this.max]) {
			const y = this.y(v);

			svg.append(weft.svg('line', {
				class: 'grid', x1: this.left, x2: right, y1: y, y2: y,
			}));
			if (v !== this.max / 2)
				svg.append(weft.svg('text', {
					class: 'axis', x: this.left - 5,
					y: v ? y + 7 : y, 'text-anchor': 'end',
				}, this.format(v)));
		}
		const step = this.step((right - this.left) / 90);

		for (const t of this.ticks(step))
			svg.append(weft.svg('line', {
				class: 'grid', x1: this.x(t), x2: this.x(t),
				y1: low, y2: low + 3,
			}), weft.svg('text', {
				class: 'axis', x: this.x(t), y: low + 13,
				'text-anchor': this.x(t) > right - 16 ? 'end' :
					'middle',
			}, weft.format.time(t, this.digits(step))));
	}

	/* A round time, of which the plot has about so many. */
	step(n) {
		return this.roof([(this.to - this.from) / n]);
	}

	ticks(step) {
		const out = [];

		for (let t = Math.ceil(this.from / step) * step;
		     t <= this.to && out.length < 50; t += step)
			out.push(t);
		return out;
	}

	/* So many that two ticks are not the same text. */
	digits(step) {
		return Math.min(15, 3 + Math.max(0,
			Math.ceil(Math.log10(this.to / step / 50))));
	}

	/* t: null for the whole run */
	point(t) {
		this.cursor.style.display = this.sees(t) ? '' : 'none';
		if (t === null) {
			this.value.textContent = `up to ${this.format(
				Math.max(0, ...this.lines.flatMap(l => l.values)))}`;
			return;
		}
		const i = this.run.at(t), x = this.x(t);

		this.cursor.setAttribute('x1', x);
		this.cursor.setAttribute('x2', x);
		this.value.replaceChildren(...this.lines.map(l => Object.assign(
			document.createElement('span'), {
				className: `key ${l.class}`,
				textContent: this.format(l.values[i]),
			})));
	}
};

weft.TimeLine = class extends weft.Plot {
	/* seek(t): the cursor; zoom(span): what is shown */
	constructor(host, seek, zoom) {
		super(host, 'Time line', weft.format.rate);
		this.seek = seek;
		this.zoom = zoom;
		this.lane = 15;
		this.lanesMax = 6;
		this.mark = null;
		host.addEventListener('pointerdown', e => this.down(e));
		host.addEventListener('pointermove', e => {
			if (e.buttons & 1 && this.mark === null)
				this.drag(e);
		});
		addEventListener('pointerup', e => this.up(e));
		host.addEventListener('wheel', e => this.wheel(e),
				      { passive: false });
		host.addEventListener('dblclick', () => this.zoom(null));
		host.addEventListener('keydown', e => this.key(e));
	}

	/* The time at a place of the window. */
	time(e) {
		const box = this.host.getBoundingClientRect();
		const x = e.clientX - box.left;
		const share = (x - this.left) / (this.width - 6 - this.left);

		return this.from + Math.min(1, Math.max(0, share)) *
			(this.to - this.from);
	}

	/* With Shift, what is dragged over is shown. */
	down(e) {
		if (!this.run)
			return;
		this.host.focus();
		if (e.shiftKey)
			this.mark = this.time(e);
		else
			this.drag(e);
		e.preventDefault();
	}

	up(e) {
		if (this.mark === null)
			return;
		const ends = [this.mark, this.time(e)].sort((a, b) => a - b);

		this.mark = null;
		if (ends[1] - ends[0] >= weft.span.least)
			this.zoom(ends);
	}

	drag(e) {
		if (this.run)
			this.seek(this.time(e));
	}

	/* Along, or with Shift, it moves what is shown; else it zooms. */
	wheel(e) {
		if (!this.run)
			return;
		e.preventDefault();
		const along = e.shiftKey ? e.deltaY || e.deltaX : e.deltaX;

		if (along)
			this.zoom(weft.span.moved(this.run, along < 0 ? -.1 : .1));
		else
			this.zoom(weft.span.zoomed(this.run,
				e.deltaY < 0 ? 1.25 : 0.8, this.time(e)));
	}

	/* About the cursor, or the middle. */
	zoomBy(factor) {
		const at = this.sees(this.t) ? this.t : (this.from + this.to) / 2;

		this.zoom(weft.span.zoomed(this.run, factor, at));
	}

	/* Keys that zoom do so here, not in the picture. */
	zoomKey(e) {
		const act = {
			'+': () => this.zoomBy(1.5), '-': () => this.zoomBy(1 / 1.5),
			0: () => this.zoom(null),
		}[e.key] || e.shiftKey && {
			ArrowLeft: () => this.zoom(weft.span.moved(this.run, -.25)),
			ArrowRight: () => this.zoom(weft.span.moved(this.run, .25)),
		}[e.key];

		if (!act)
			return false;
		act();
		e.preventDefault();
		e.stopPropagation();
		return true;
	}

	key(e) {
		const run = this.run;

		if (!run || e.ctrlKey || e.metaKey || e.altKey || this.zoomKey(e))
			return;
		const i = this.t === null ? run.n - 1 : run.at(this.t);
		const step = Math.max(1, Math.round(run.n / 20));
		const to = {
			ArrowLeft: i - 1, ArrowDown: i - 1, ArrowRight: i + 1,
			ArrowUp: i + 1, PageUp: i + step, PageDown: i - step,
			Home: 0, End: run.n - 1,
		}[e.key];

		if (to === undefined)
			return;
		this.seek(run.time[Math.min(run.n - 1, Math.max(0, to))]);
		e.preventDefault();
	}

	show(run) {
		const faults = run.file.faults.slice(0, this.lanesMax);
		const kinds = ['mark', 'traffic'].filter(
			by => run.phases.some(p => p.by === by));
		const lanes = (kinds.length + faults.length) * this.lane;

		this.begin(run);
		this.width = this.host.clientWidth || 1200;
		this.height = 82 + lanes;
		this.bottom = 18 + lanes;
		const sent = run.sent();

		this.max = this.roof([0, ...sent]);
		const svg = weft.svg('svg', {
			width: this.width, height: this.height,
			'aria-hidden': 'true',
		});

		this.frame(svg);
		svg.append(weft.svg('path', {
			class: 'area', d: this.path(sent, true) }));
		for (const p of run.phases)
			this.phase(svg, p, kinds.indexOf(p.by));
		faults.forEach((f, i) => this.fault(svg, f, kinds.length + i));
		for (const e of run.file.events)
			if (this.sees(e.time_ps - run.since))
				svg.append(this.event(e));
		this.cursor = weft.svg('g', { class: 'cursor' },
			weft.svg('line', { y1: 2, y2: this.height - 2 }),
			weft.svg('path', { d: 'M-5,0 h10 l-5,7 z' }));
		svg.append(this.cursor);
		this.host.replaceChildren(svg);
	}

	event(e) {
		const x = this.x(e.time_ps - this.run.since);

		return weft.svg('path', {
			class: `event ${e.kind === 'down' ? 'bad' : ''}`,
			d: `M${x},${this.top} v6`,
		}, weft.svg('title', {}, `${weft.format.time(e.time_ps -
			this.run.since)} ${e.kind} ${e.text}`));
	}

	laneTop(i) {
		return this.height - this.bottom + 17 + i * this.lane;
	}

	phase(svg, p, i) {
		const from = p.begin_ps - this.run.since, to = from + p.time_ps;

		if (to < this.from || from > this.to)
			return;
		const x = this.edge(from), width = Math.max(2, this.edge(to) - x);

		svg.append(weft.svg('rect', {
			class: 'phase', 'data-name': p.name, x, y: this.laneTop(i),
			width, height: this.lane - 4, rx: 1,
		}, weft.svg('title', {}, `${p.name}: ${weft.format.time(from, 6)}, ` +
			`${weft.format.time(p.time_ps, 6)} long`)));
		if (p.name.length * 6.6 + 6 < width)
			svg.append(weft.svg('text', {
				class: 'phase-name', x: x + 4,
				y: this.laneTop(i) + this.lane - 6,
			}, p.name));
	}

	fault(svg, f, i) {
		const y = this.laneTop(i);
		const text = `${f.kind} ${this.run.place(f)}`;
		const windows = this.run.windows(f).filter(
			([from, to]) => to >= this.from && from <= this.to);

		for (const [from, to] of windows) {
			const x = this.edge(from);

			svg.append(weft.svg('rect', {
				class: 'shade', x, y: this.top,
				width: Math.max(1, this.edge(to) - x),
				height: y - this.top,
			}), weft.svg('rect', {
				class: 'fault', 'data-id': f.id, x, y,
				width: Math.max(2, this.edge(to) - x),
				height: this.lane - 4, rx: 1,
			}, weft.svg('title', {}, `${text}: ${f.effect}; ${f.when}`)));
		}
		svg.append(this.label(text, windows, y + this.lane - 6));
	}

	/* Beside the first window, on the side that has room. */
	label(text, windows, y) {
		const room = text.length * 6.2;
		const [from, to] = windows[0] || [this.from, this.from];
		const right = this.edge(windows.length ?
			windows[windows.length - 1][1] : to) + 6;
		const fits = right + room < this.width - 6;

		return weft.svg('text', {
			class: 'what', y, x: fits ? right : this.edge(from) - 6,
			'text-anchor': fits ? 'start' : 'end',
		}, text);
	}

	point(t) {
		this.t = t;
		if (!this.run)
			return;
		const at = t === null ? this.run.last : t;

		this.cursor.style.display = this.sees(t) ? '' : 'none';
		this.cursor.setAttribute('transform', `translate(${this.x(at)},0)`);
		this.host.setAttribute('aria-valuemin', Math.round(this.run.first));
		this.host.setAttribute('aria-valuemax', Math.round(this.run.last));
		this.host.setAttribute('aria-valuenow', Math.round(at));
		this.host.setAttribute('aria-valuetext', t === null ?
			'the whole run' : weft.format.time(t));
		this.host.dataset.from = Math.round(this.from);
		this.host.dataset.to = Math.round(this.to);
	}
};
