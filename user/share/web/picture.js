// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The topology as a picture. Each half of a line has the colour of what the
 * port at that end sends.
 */
'use strict';

weft.svg = (name, attributes = {}, ...children) => {
	const o = document.createElementNS('http://www.w3.org/2000/svg', name);

	for (const [key, value] of Object.entries(attributes))
		o.setAttribute(key, value);
	o.append(...children);
	return o;
};

/* A scale of colours from nothing to all; of each theme one. */
weft.scale = (() => {
	const stops = {
		light: [[0, 0xc8d0d8], [0.02, 0x9cb9dc], [0.3, 0x3c7dcb],
			[0.6, 0x7a4bbd], [0.85, 0xcf3266], [1, 0xe8560a]],
		dark: [[0, 0x3a434e], [0.02, 0x44698f], [0.3, 0x4c94e8],
		       [0.6, 0x9d74e6], [0.85, 0xf0588a], [1, 0xff8f3d]],
	};
	const part = (a, b, shift, x) => Math.round(
		((a >> shift) & 255) * (1 - x) + ((b >> shift) & 255) * x);

	return (value, theme) => {
		const list = stops[theme];
		const v = Math.min(1, Math.max(0, value));
		let i = 1;

		while (i < list.length - 1 && v > list[i][0])
			i++;
		const [low, a] = list[i - 1], [high, b] = list[i];
		const x = (v - low) / (high - low);

		return `rgb(${part(a, b, 16, x)}, ${part(a, b, 8, x)}, ` +
			`${part(a, b, 0, x)})`;
	};
})();

weft.Picture = class {
	/* host: the element it is put in; pick(port): a wire was chosen */
	constructor(host, pick, hover) {
		this.host = host;
		this.pick = pick;
		this.hover = hover;
	}

	/* Part of the drawing: its left upper corner and how often it is larger. */
	look(x, y, zoom) {
		const d = this.run.file.drawing;

		this.zoom = Math.min(20, Math.max(1, zoom));
		const w = d.width / this.zoom, h = d.height / this.zoom;

		this.x = Math.min(d.width - w, Math.max(0, x));
		this.y = Math.min(d.height - h, Math.max(0, y));
		this.root.setAttribute('viewBox',
			`${this.x} ${this.y} ${w} ${h}`);
	}

	/* The point stays where it is; without one, the middle does. */
	zoomBy(factor, at) {
		if (!this.root)
			return;
		const d = this.run.file.drawing;
		const p = at || { x: this.x + d.width / this.zoom / 2,
				  y: this.y + d.height / this.zoom / 2 };
		const zoom = Math.min(20, Math.max(1, this.zoom * factor));
		const k = this.zoom / zoom;

		this.look(p.x - (p.x - this.x) * k, p.y - (p.y - this.y) * k,
			  zoom);
	}

	/* A point of the window as one of the drawing. */
	inside(e) {
		return new DOMPoint(e.clientX, e.clientY).matrixTransform(
			this.root.getScreenCTM().inverse());
	}

	/* The wheel zooms, dragging moves, a double click shows all. */
	handle(svg) {
		let from = null, moved = false;

		svg.addEventListener('wheel', e => {
			e.preventDefault();
			this.zoomBy(e.deltaY < 0 ? 1.25 : 0.8, this.inside(e));
		}, { passive: false });
		svg.addEventListener('pointerdown', e => {
			from = this.inside(e);
			moved = false;
		});
		svg.addEventListener('pointermove', e => {
			if (!from || !(e.buttons & 1) || this.zoom === 1)
				return;
			const to = this.inside(e);

			this.look(this.x + from.x - to.x,
				  this.y + from.y - to.y, this.zoom);
			moved = true;
		});
		svg.addEventListener('click', e => {
			if (moved)
				e.stopPropagation();
		}, true);
		svg.addEventListener('dblclick', () => this.look(0, 0, 1));
	}

	/* Draw what does not change while the run is looked at. */
	show(run) {
		const d = run.file.drawing;

		this.run = run;
		this.halves = [];
		this.root = null;
		this.host.replaceChildren();
		if (!d) {
			this.host.append(Object.assign(
				document.createElement('p'), {
					className: 'empty',
					textContent: 'Nobody drew this lab. The table and the plots know it all the same.',
				}));
			return;
		}
		const svg = weft.svg('svg', {
			role: 'img', 'aria-label': `Topology ${d.name}`,
		});

		this.root = svg;
		this.look(0, 0, 1);
		this.handle(svg);
		this.box = new Map(d.switches.map(o => [o.name, o]));
		for (const o of d.nodes)
			this.box.set(o.name, o.frame === undefined ? o :
				d.frames[o.frame]);
		this.areas(svg, d);
		this.lines(svg, d);
		this.objects(svg, d);
		this.host.append(svg);
	}

	areas(svg, d) {
		for (const o of d.domains)
			svg.append(this.rectangle(o, 'domain', 10));
		for (const o of d.frames)
			svg.append(this.rectangle(o, 'frame', 4));
	}

	rectangle(o, name, r) {
		return weft.svg('rect', {
			class: name, x: o.x, y: o.y, width: o.width,
			height: o.height, rx: r,
		});
	}

	objects(svg, d) {
		for (const o of d.switches)
			svg.append(this.object(o, 'switch'));
		for (const o of d.nodes)
			svg.append(this.object(o, 'node'));
	}

	object(o, kind) {
		const g = weft.svg('g', { class: kind, 'data-name': o.name });

		g.append(this.rectangle(o, '', kind === 'switch' ? 4 : 2));
		if (o.width > 12)
			g.append(weft.svg('text', {
				x: o.x + o.width / 2, y: o.y + o.height / 2,
			}, o.name));
		g.addEventListener('click', () => this.pick({ owner: o.name }));
		g.addEventListener('pointerenter',
			e => this.hover(e, { owner: o.name }));
		g.addEventListener('pointerleave', () => this.hover(null));
		return g;
	}

	distance(box, [x, y]) {
		const dx = Math.max(box.x - x, 0, x - box.x - box.width);
		const dy = Math.max(box.y - y, 0, y - box.y - box.height);

		return dx * dx + dy * dy;
	}

	/* Links by the line that stands for them; names need not be unique. */
	lines(svg, d) {
		const all = this.run.wires, byName = new Map();
		const byLine = d.lines.map(() => ({ links: [], wires: [] }));

		for (let i = 0; i + 1 < all.length; i += 2) {
			const same = byName.get(all[i].link) || [];

			same.push([all[i], all[i + 1]]);
			byName.set(all[i].link, same);
		}
		for (const link of d.links) {
			const pair = (byName.get(link.name) || []).shift() || [];

			byLine[link.line].links.push(link);
			byLine[link.line].wires.push(...pair);
		}
		d.lines.forEach((line, i) => {
			if (byLine[i].links.length)
				this.line(svg, line, byLine[i].links,
					  byLine[i].wires);
		});
	}

	line(svg, line, links, all) {
		const [a, b] = links[0].ends.map(end => this.box.get(end));
		const [p, , q] = line.points;
		const turned = this.distance(a, p) + this.distance(b, q) >
			this.distance(a, q) + this.distance(b, p);
		const near = turned ? b : a;
		const rate = links.length *
			Math.max(...links.map(o => o.rate_bps));
		const at = w => this.box.get(weft.owner(w.from)) === near;

		this.halves.push(
			this.half(svg, line, false, rate, all.filter(at)),
			this.half(svg, line, true, rate,
				  all.filter(w => !at(w))));
	}

	/* The first or the second half of a line or quadratic curve. */
	path(line, second) {
		const mid = (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
		const [p, c, q] = line.points;
		const end = second ? q : p;

		if (!line.curved)
			return `M${end} L${mid(p, q)}`;
		const near = mid(end, c), middle = mid(mid(p, c), mid(c, q));

		return `M${end} Q${near} ${middle}`;
	}

	half(svg, line, second, rate, wires) {
		const d = this.path(line, second);
		const thin = this.run.file.drawing.lines.length > 250 ? 0.6 : 1;
		const width = thin * Math.min(5, 1.4 + Math.max(0,
			Math.log2(rate / 100e9)) * 0.5);
		const seen = weft.svg('path', { class: 'wire', d });
		const felt = weft.svg('path', { class: 'target', d });

		felt.addEventListener('click', () => this.pick({
			wire: this.busiest(wires) }));
		felt.addEventListener('pointerenter',
			e => this.hover(e, { wires }));
		felt.addEventListener('pointerleave', () => this.hover(null));
		if (wires.length)
			seen.setAttribute('data-from',
				wires.map(w => w.from).join(' '));
		svg.append(felt, seen);
		return { seen, felt, wires, width };
	}

	busiest(wires) {
		return wires.reduce((a, b) => {
			const x = this.state && this.state[this.run.index.get(a.from)];
			const y = this.state && this.state[this.run.index.get(b.from)];

			return x && y && y.load > x.load ? b : a;
		}, wires[0]);
	}

	/* Colour it: value(state) is from 0 to 1. */
	colour(state, value, theme, chosen) {
		this.state = state;
		if (!this.root || !this.halves.length)
			return;
		for (const h of this.halves) {
			const of = h.wires.map(
				w => state[this.run.index.get(w.from)]);
			const v = Math.max(0, ...of.map(value));

			h.seen.setAttribute('stroke', weft.scale(v, theme));
			h.seen.setAttribute('stroke-width',
				(h.width * (1 + Math.min(1, v))).toFixed(2));
			h.seen.classList.toggle('down',
				of.length > 0 && of.every(s => s.down));
			h.felt.classList.toggle('chosen', chosen && h.wires.some(
				w => w.from === chosen.from ||
					w.from === chosen.to));
		}
		this.owners(chosen);
	}

	owners(chosen) {
		const names = chosen ? [weft.owner(chosen.from),
					weft.owner(chosen.to)] : [];

		for (const g of this.root.querySelectorAll('g'))
			g.classList.toggle('chosen',
				names.includes(g.dataset.name));
	}

	/* Ports at which faults act now have a mark on their line. */
	faults(list) {
		const hit = new Set(list.flatMap(f => this.run.hit(f))
			.map(w => w.from));

		if (!this.root)
			return;
		this.root.querySelectorAll('.hit').forEach(o => o.remove());
		for (const h of this.halves) {
			if (!h.wires.some(w => hit.has(w.from)))
				continue;
			const at = h.seen.getPointAtLength(
				h.seen.getTotalLength() * 0.55);

			this.root.append(weft.svg('path', {
				class: 'hit',
				d: `M${at.x - 6},${at.y} l6,-6 l6,6 l-6,6 z`,
			}));
		}
	}
};
