// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Plots over fabric time, and the time line with the faults.
 */
'use strict';

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
		const span = this.run.last - this.run.first || 1;

		return this.left + (t - this.run.first) / span *
			(this.width - this.left - 6);
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

		for (let i = 1; i < run.n; i++) {
			const y = this.y(values[i]).toFixed(1);

			out.push(`${out.length ? 'L' : 'M'}` +
				`${this.x(run.time[i - 1]).toFixed(1)},${y} ` +
				`L${this.x(run.time[i]).toFixed(1)},${y}`);
		}
		if (closed && out.length)
			out.push(`L${this.x(run.last)},${this.y(0)} ` +
				`L${this.x(run.first)},${this.y(0)} Z`);
		return out.join(' ') || 'M0,0';
	}

	show(run, lines) {
		this.run = run;
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
		for (const t of this.ticks((right - this.left) / 90))
			svg.append(weft.svg('line', {
				class: 'grid', x1: this.x(t), x2: this.x(t),
				y1: low, y2: low + 3,
			}), weft.svg('text', {
				class: 'axis', x: this.x(t), y: low + 13,
				'text-anchor': this.x(t) > right - 16 ? 'end' :
					'middle',
			}, weft.format.time(t)));
	}

	/* Round times, about so many of them. */
	ticks(n) {
		const step = this.roof([(this.run.last - this.run.first) / n]);
		const out = [];

		for (let t = Math.ceil(this.run.first / step) * step;
		     t <= this.run.last && out.length < 50; t += step)
			out.push(t);
		return out;
	}

	/* t: null for the whole run */
	point(t) {
		this.cursor.style.display = t === null ? 'none' : '';
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
	constructor(host, seek) {
		super(host, 'Time line', weft.format.rate);
		this.seek = seek;
		this.lane = 15;
		this.lanesMax = 6;
		host.addEventListener('pointerdown', e => this.drag(e));
		host.addEventListener('pointermove', e => {
			if (e.buttons & 1)
				this.drag(e);
		});
		host.addEventListener('keydown', e => this.key(e));
	}

	drag(e) {
		const box = this.host.getBoundingClientRect();
		const right = this.width - 6;
		const x = e.clientX - box.left;
		const share = (x - this.left) / (right - this.left);

		if (!this.run)
			return;
		this.seek(this.run.first + Math.min(1, Math.max(0, share)) *
			(this.run.last - this.run.first));
		e.preventDefault();
		this.host.focus();
	}

	key(e) {
		const run = this.run;

		if (!run)
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
		const lanes = faults.length * this.lane;

		this.run = run;
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
		faults.forEach((f, i) => this.fault(svg, f, i));
		for (const e of run.file.events)
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

	fault(svg, f, i) {
		const y = this.height - this.bottom + 17 + i * this.lane;
		const text = `${f.kind} ${this.run.place(f)}`;
		const windows = this.run.windows(f);

		for (const [from, to] of windows) {
			const x = this.x(from);

			svg.append(weft.svg('rect', {
				class: 'shade', x, y: this.top,
				width: Math.max(1, this.x(to) - x),
				height: y - this.top,
			}), weft.svg('rect', {
				class: 'fault', 'data-id': f.id, x, y,
				width: Math.max(2, this.x(to) - x),
				height: this.lane - 4, rx: 1,
			}, weft.svg('title', {}, `${text}: ${f.effect}; ${f.when}`)));
		}
		svg.append(this.label(text, windows, y + this.lane - 6));
	}

	/* Beside the first window, on the side that has room. */
	label(text, windows, y) {
		const room = text.length * 6.2;
		const [from, to] = windows[0] || [this.run.first, this.run.first];
		const right = this.x(windows.length ?
			windows[windows.length - 1][1] : to) + 6;
		const fits = right + room < this.width - 6;

		return weft.svg('text', {
			class: 'what', y, x: fits ? right : this.x(from) - 6,
			'text-anchor': fits ? 'start' : 'end',
		}, text);
	}

	point(t) {
		this.t = t;
		if (!this.run)
			return;
		const at = t === null ? this.run.last : t;

		this.cursor.style.display = t === null ? 'none' : '';
		this.cursor.setAttribute('transform', `translate(${this.x(at)},0)`);
		this.host.setAttribute('aria-valuemin', Math.round(this.run.first));
		this.host.setAttribute('aria-valuemax', Math.round(this.run.last));
		this.host.setAttribute('aria-valuenow', Math.round(at));
		this.host.setAttribute('aria-valuetext', t === null ?
			'the whole run' : weft.format.time(t));
	}
};
