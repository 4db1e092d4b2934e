// A canvas with coordinates: what is drawn on it, and what pointer and keyboard do to it.

import {element} from "./stage.js";

const REACH = {mouse: 14, pen: 18, touch: 28}; // pixels around a handle that still mean it
const AROUND = {axes: [42, 16, 30, 14], bare: [4, 4, 4, 4]}; // left, right, bottom, top

export class Plane {
  // Options: title, about (what it shows, for those who can't see it), x and y (ranges), ratio of
  // width to height, axes (names of both, or none), wide (as wide as two), equal.
  constructor(stage, options) {
    Object.assign(this, {x: [-1, 1], y: [-1, 1], ratio: 1, axes: null, handles: () => []}, options);
    this.stage = stage;
    this.selected = -1;
    this.figure = element("figure", {class: options.wide ? "panel wide" : "panel"});
    this.canvas = element("canvas", {tabindex: "0", role: "img", "aria-label": `${options.title}. ${options.about ?? ""}`});
    this.caption = element("figcaption", {}, options.title);
    this.figure.append(this.caption, this.canvas);
    stage.panels.append(this.figure);
    stage.planes.push(this);
    this.pen = this.canvas.getContext("2d");
    new ResizeObserver(() => stage.draw()).observe(this.figure);
    this.wire();
  }

  // ---- frame -----------------------------------------------------------------------------

  begin() {
    const dense = Math.min(devicePixelRatio || 1, 3);
    this.width = this.canvas.clientWidth;
    this.height = Math.round(this.width / this.ratio);
    const size = [Math.round(this.width * dense), Math.round(this.height * dense)];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) {
      [this.canvas.width, this.canvas.height] = size;
    }
    this.canvas.classList.toggle("live", Boolean(this.tap || this.orbit || this.paint || this.scrub || this.handles().length));
    this.rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const scale = this.rem / 16;
    [this.left, this.right, this.bottom, this.top] = AROUND[this.axes ? "axes" : "bare"].map((gap) => gap * scale);
    this.pen.setTransform(dense, 0, 0, dense, 0, 0);
    this.pen.clearRect(0, 0, this.width, this.height);
    this.pen.font = `${0.78 * this.rem}px system-ui, sans-serif`;
    this.pen.lineJoin = this.pen.lineCap = "round";
  }

  end() {
    if (this.axes) this.drawAxes();
    const marked = this.handles()[this.selected];
    if (marked && document.activeElement === this.canvas) {
      this.ring(marked.x, marked.y, 13, "ink", 1.5, [3, 3]);
    }
  }

  px(x) {
    return this.left + ((x - this.x[0]) / (this.x[1] - this.x[0])) * (this.width - this.left - this.right);
  }

  py(y) {
    const height = this.height - this.top - this.bottom;
    return this.height - this.bottom - ((y - this.y[0]) / (this.y[1] - this.y[0])) * height;
  }

  // Return the coordinates of a place on the canvas.
  at(px, py) {
    const x = this.x[0] + ((px - this.left) / (this.width - this.left - this.right)) * (this.x[1] - this.x[0]);
    const y = this.y[0] + ((this.height - this.bottom - py) / (this.height - this.top - this.bottom)) * (this.y[1] - this.y[0]);
    return [x, y];
  }

  colour(name) {
    return name.startsWith("#") || name.startsWith("rgb") ? name : this.stage.colour(name);
  }

  // ---- shapes ----------------------------------------------------------------------------

  path(points, colour, {width = 2, dash = [], fill = "", alpha = 1, close = false} = {}) {
    const pen = this.pen;
    pen.beginPath();
    let down = false;
    for (const point of points) {
      if (point === null || point[1] === null || !Number.isFinite(point[1])) down = false;
      else if (down) pen.lineTo(this.px(point[0]), this.py(point[1]));
      else {
        pen.moveTo(this.px(point[0]), this.py(point[1]));
        down = true;
      }
    }
    if (close) pen.closePath();
    pen.globalAlpha = alpha;
    if (fill) {
      pen.fillStyle = this.colour(fill);
      pen.fill();
    }
    if (width && colour) {
      pen.strokeStyle = this.colour(colour);
      pen.lineWidth = (width * this.rem) / 16;
      pen.setLineDash(dash);
      pen.stroke();
      pen.setLineDash([]);
    }
    pen.globalAlpha = 1;
  }

  dot(x, y, size, colour, {edge = "", alpha = 1, width = 1.5} = {}) {
    const pen = this.pen;
    pen.globalAlpha = alpha;
    pen.beginPath();
    pen.arc(this.px(x), this.py(y), (size * this.rem) / 16, 0, 2 * Math.PI);
    if (colour) {
      pen.fillStyle = this.colour(colour);
      pen.fill();
    }
    if (edge) {
      pen.strokeStyle = this.colour(edge);
      pen.lineWidth = (width * this.rem) / 16;
      pen.stroke();
    }
    pen.globalAlpha = 1;
  }

  ring(x, y, size, colour, width = 2, dash = []) {
    this.pen.setLineDash(dash);
    this.dot(x, y, size, "", {edge: colour, width});
    this.pen.setLineDash([]);
  }

  // A point of a class: colour and form say which, so that neither is needed alone.
  mark(x, y, label, {size = 6.5, alpha = 1} = {}) {
    const pen = this.pen;
    const [a, b, r] = [this.px(x), this.py(y), (size * this.rem) / 16];
    pen.globalAlpha = alpha;
    pen.beginPath();
    if (label === 0) pen.arc(a, b, r, 0, 2 * Math.PI);
    else if (label === 1) pen.rect(a - 0.88 * r, b - 0.88 * r, 1.76 * r, 1.76 * r);
    else {
      for (let i = 0; i < 3; i += 1) {
        const angle = (Math.PI * (4 * i - 3)) / 6;
        pen.lineTo(a + 1.25 * r * Math.cos(angle), b + 1.25 * r * Math.sin(angle));
      }
      pen.closePath();
    }
    pen.fillStyle = this.colour(`c${label}`);
    pen.fill();
    pen.strokeStyle = this.colour("ground");
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  text(words, x, y, {colour = "ink", align = "left", base = "middle", dx = 0, dy = 0, bold = false} = {}) {
    const pen = this.pen;
    pen.fillStyle = this.colour(colour);
    pen.textAlign = align;
    pen.textBaseline = base;
    const font = pen.font;
    if (bold) pen.font = `600 ${font}`;
    pen.fillText(words, this.px(x) + dx, this.py(y) + dy);
    pen.font = font;
  }

  arrow(x0, y0, x1, y1, colour, width = 2) {
    this.path([[x0, y0], [x1, y1]], colour, {width});
    const [a, b, c, d] = [this.px(x0), this.py(y0), this.px(x1), this.py(y1)];
    const angle = Math.atan2(d - b, c - a);
    if (Math.hypot(c - a, d - b) < 4) return;
    const pen = this.pen;
    pen.beginPath();
    for (const turn of [0, 2.65, -2.65]) {
      const r = turn ? 9 : 0;
      pen.lineTo(c + r * Math.cos(angle + turn), d + r * Math.sin(angle + turn));
    }
    pen.closePath();
    pen.fillStyle = this.colour(colour);
    pen.fill();
  }

  // The line w1 x + w2 y + b = 0, and on request both its sides.
  line([w1, w2, b], colour, {shift = 0, sides = null, ...look} = {}) {
    const length = Math.hypot(w1, w2);
    if (length < 1e-12) return;
    const far = 2 * Math.hypot(this.x[1] - this.x[0], this.y[1] - this.y[0]);
    const [n1, n2, at] = [w1 / length, w2 / length, (shift - b) / length];
    const ends = [-far, far].map((t) => [at * n1 - t * n2, at * n2 + t * n1]);
    this.clip(() => {
      if (sides) {
        for (const [side, name] of sides.entries()) {
          const sign = side ? far : -far;
          const across = ends.map(([x, y]) => [x + sign * n1, y + sign * n2]).reverse();
          this.path([...ends, ...across], "", {fill: name, alpha: 0.13, width: 0});
        }
      }
      if (colour) this.path(ends, colour, look);
    });
  }

  clip(draw) {
    const pen = this.pen;
    pen.save();
    pen.beginPath();
    pen.rect(this.left, this.top, this.width - this.left - this.right, this.height - this.top - this.bottom);
    pen.clip();
    draw();
    pen.restore();
  }

  // A field of bytes from the lab; `colours` says what 0 and 255 look like.
  field({rows, columns, data}, colours, alpha = 1, box = null, smooth = true) {
    const bytes = typeof data === "string" ? Uint8Array.from(atob(data), (c) => c.charCodeAt(0)) : data;
    const table = ramp(colours.map((name) => rgb(this.colour(name))));
    const image = new ImageData(columns, rows);
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        const place = 4 * ((rows - 1 - row) * columns + column);
        image.data.set(table[bytes[row * columns + column]], place);
        image.data[place + 3] = 255;
      }
    }
    this.scratch ??= document.createElement("canvas");
    [this.scratch.width, this.scratch.height] = [columns, rows];
    this.scratch.getContext("2d").putImageData(image, 0, 0);
    const [x0, x1, y0, y1] = box ?? [...this.x, ...this.y];
    this.pen.globalAlpha = alpha;
    this.pen.imageSmoothingEnabled = smooth;
    this.pen.drawImage(this.scratch, this.px(x0), this.py(y1), this.px(x1) - this.px(x0), this.py(y0) - this.py(y1));
    this.pen.globalAlpha = 1;
    return bytes;
  }

  // The line at one level of a field, by marching squares.
  contour(bytes, rows, columns, level, colour, look = {}, box = null) {
    const [x0, x1, y0, y1] = box ?? [...this.x, ...this.y];
    const place = (row, column) => [
      x0 + ((column + 0.5) / columns) * (x1 - x0),
      y0 + ((row + 0.5) / rows) * (y1 - y0),
    ];
    const between = (a, b, va, vb) => {
      const share = (level - va) / (vb - va);
      return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
    };
    const pieces = [];
    for (let row = 0; row + 1 < rows; row += 1) {
      for (let column = 0; column + 1 < columns; column += 1) {
        const corners = [[row, column], [row, column + 1], [row + 1, column + 1], [row + 1, column]];
        const values = corners.map(([r, c]) => bytes[r * columns + c]);
        const crossings = [];
        for (let i = 0; i < 4; i += 1) {
          const j = (i + 1) % 4;
          if (values[i] > level !== values[j] > level) {
            crossings.push(between(place(...corners[i]), place(...corners[j]), values[i], values[j]));
          }
        }
        for (let i = 0; i + 1 < crossings.length; i += 2) pieces.push(crossings[i], crossings[i + 1], null);
      }
    }
    this.path(pieces, colour, look);
  }

  drawAxes() {
    const pen = this.pen;
    const [x0, x1] = [this.left, this.width - this.right];
    const [y0, y1] = [this.height - this.bottom, this.top];
    pen.strokeStyle = this.colour("faint");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x0, y1);
    pen.lineTo(x0, y0);
    pen.lineTo(x1, y0);
    pen.stroke();
    const look = {colour: "faint"};
    const log = this.log;
    for (const tick of ticks(...this.x, Math.max(2, Math.floor((x1 - x0) / (4.5 * this.rem))))) {
      this.text(short(tick), tick, this.y[0], {...look, align: "center", base: "top", dy: 4});
    }
    const marks = log ? decades(...this.y) : ticks(...this.y, Math.max(2, Math.floor((y0 - y1) / (2.6 * this.rem))));
    for (const tick of marks) {
      this.text(log ? short(10 ** tick) : short(tick), this.x[0], tick, {...look, align: "right", dx: -5});
    }
    pen.fillStyle = this.colour("faint");
    pen.textAlign = "right";
    pen.textBaseline = "bottom";
    pen.fillText(this.axes[0], x1, y0 - 3);
    pen.textAlign = "left";
    pen.textBaseline = "top";
    pen.fillText(this.axes[1], x0 + 5, y1 - 2);
  }

  // Curves over the steps of a run: {y, colour, name, dash}; the frame on show is marked.
  curves(list, index, {log = false, low = Infinity, high = -Infinity, steps = null} = {}) {
    const shape = log ? (value) => (value > 0 ? Math.log10(value) : null) : (value) => value;
    this.log = log;
    const shaped = list.map((each) => ({...each, y: each.y.map(shape)}));
    const all = shaped.flatMap((each) => each.y).filter(Number.isFinite);
    if (Number.isFinite(low)) all.push(shape(low));
    if (Number.isFinite(high)) all.push(shape(high));
    const [bottom, top] = [Math.min(...all), Math.max(...all)];
    const room = (top - bottom || Math.abs(top) || 1) * 0.06;
    const most = Math.max(...list.map((each) => each.y.length - 1), 1);
    this.x = [0, steps ?? most];
    this.y = [bottom - room, top + room];
    this.clip(() => {
      for (const each of shaped) {
        const step = this.x[1] / Math.max(each.span ?? each.y.length - 1, 1);
        const along = each.span === undefined ? 1 : step;
        this.path(each.y.map((value, i) => [i * along, value]), each.colour, {dash: each.dash ?? [], width: each.width ?? 2});
      }
      if (index !== null) this.path([[index, this.y[0]], [index, this.y[1]]], "faint", {width: 1, dash: [4, 4]});
    });
    for (const each of shaped) {
      const value = each.y[Math.min(index ?? Infinity, each.y.length - 1)];
      if (index !== null && each.span === undefined && Number.isFinite(value)) this.dot(Math.min(index, each.y.length - 1), value, 4, each.colour);
    }
    this.legend(list);
    this.scrub ??= (x) => this.stage.step(Math.round(x) - this.stage.index);
  }

  legend(list) {
    const names = list.filter((each) => each.name);
    const wanted = names.map((each) => `${each.colour} ${each.name}`).join();
    if (this.legendShown === wanted) return;
    this.legendShown = wanted;
    this.key ??= this.figure.appendChild(element("div", {class: "key"}));
    this.key.replaceChildren(
      ...names.map((each) => element("span", {class: `key-${each.colour}${each.dash ? " dashed" : ""}`}, each.name)),
    );
  }

  // ---- pointer and keyboard ---------------------------------------------------------------

  wire() {
    const canvas = this.canvas;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    let deed = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button || !this.width) return;
      const [px, py] = place(event);
      const at = this.at(px, py);
      const near = this.nearest(px, py, REACH[event.pointerType] ?? REACH.mouse);
      canvas.setPointerCapture(event.pointerId);
      canvas.focus({preventScroll: true});
      deed = {from: [px, py], last: [px, py], moved: false};
      if (near >= 0 && this.stage.brush !== "erase") {
        this.selected = near;
        const handle = this.handles()[near];
        deed.offset = [handle.x - at[0], handle.y - at[1]];
        deed.handle = near;
      } else if (this.orbit) deed.orbit = true;
      else if (this.scrub) {
        deed.scrub = true;
        this.scrub(...at);
      } else if (this.paint) {
        deed.paint = true;
        this.paint(...at, true);
      }
      this.stage.draw();
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!deed) return;
      const [px, py] = place(event);
      if (!deed.moved && Math.hypot(px - deed.from[0], py - deed.from[1]) < 3) return;
      deed.moved = true;
      const [x, y] = this.at(px, py);
      if (deed.handle !== undefined) this.move(deed.handle, x + deed.offset[0], y + deed.offset[1]);
      else if (deed.orbit) this.orbit(px - deed.last[0], py - deed.last[1]);
      else if (deed.scrub) this.scrub(x, y);
      else if (deed.paint) this.paint(x, y, false);
      deed.last = [px, py];
    });
    const finish = (event) => {
      if (deed && !deed.moved && event.type === "pointerup") {
        const [px, py] = place(event);
        const near = this.nearest(px, py, REACH[event.pointerType] ?? REACH.mouse);
        if (near >= 0 && this.stage.brush === "erase") this.handles()[near].remove?.();
        else if (near < 0 && !deed.scrub && !deed.paint) this.tap?.(...this.at(px, py));
        else if (near >= 0) this.handles()[near].press?.();
      }
      deed = null;
    };
    canvas.addEventListener("pointerup", finish);
    canvas.addEventListener("pointercancel", finish);
    canvas.addEventListener("keydown", (event) => this.key_(event));
    for (const type of ["focus", "blur"]) canvas.addEventListener(type, () => this.stage.draw());
  }

  key_(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrows = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]};
    const handles = this.handles();
    const chosen = handles[this.selected];
    const arrow = arrows[event.key];
    if (arrow && chosen) {
      const share = event.shiftKey ? 0.1 : 0.02;
      this.move(this.selected, chosen.x + arrow[0] * share * (this.x[1] - this.x[0]), chosen.y + arrow[1] * share * (this.y[1] - this.y[0]));
    } else if (arrow && this.orbit) this.orbit(12 * arrow[0], -12 * arrow[1]);
    else if (arrow && this.scrub) this.stage.step(arrow[0] || arrow[1]);
    else if ((event.key === "]" || event.key === "n") && handles.length) this.selected = (this.selected + 1) % handles.length;
    else if ((event.key === "[" || event.key === "p") && handles.length) {
      this.selected = (this.selected + handles.length - 1) % handles.length;
    } else if ((event.key === "Delete" || event.key === "Backspace") && chosen?.remove) {
      chosen.remove();
      this.selected = -1;
    } else if (event.key === "Enter" && chosen?.press) chosen.press();
    else if (event.key === "Enter" && this.tap) {
      this.tap((this.x[0] + this.x[1]) / 2, (this.y[0] + this.y[1]) / 2);
      this.selected = this.handles().length - 1;
    } else return;
    event.preventDefault();
    this.stage.draw();
  }

  nearest(px, py, reach) {
    let best = -1;
    let least = (reach * this.rem) / 16;
    for (const [i, handle] of this.handles().entries()) {
      const gap = Math.hypot(this.px(handle.x) - px, this.py(handle.y) - py);
      if (gap < least) [best, least] = [i, gap];
    }
    return best;
  }

  move(number, x, y) {
    const inside = (value, [low, high]) => Math.max(low, Math.min(high, value));
    this.handles()[number]?.move(inside(x, this.x), inside(y, this.y));
  }

  // Points of a parameter: a drag moves one, a tap draws or erases one, Delete erases one.
  edit(name, {most}) {
    const stage = this.stage;
    const change = (make) => stage.set(name, make([...stage.values[name]]));
    this.handles = () =>
      stage.values[name].map((point, i) => ({
        x: point[0],
        y: point[1],
        move: (x, y) => change((points) => points.with(i, [x, y, point[2]])),
        remove: () => change((points) => points.toSpliced(i, 1)),
        press: () => stage.brush !== "erase" && stage.brush !== point[2] && change((points) => points.with(i, [point[0], point[1], stage.brush])),
      }));
    this.tap = (x, y) => {
      if (stage.brush !== "erase" && stage.values[name].length < most) change((points) => [...points, [x, y, stage.brush]]);
    };
  }
}

// ---- helpers -------------------------------------------------------------------------------

export function ticks(low, high, most) {
  const raw = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) found.push(i * step);
  return found;
}

function decades(low, high) {
  const step = Math.max(1, Math.ceil((high - low) / 5));
  const found = [];
  for (let i = Math.ceil(low); i <= high; i += step) found.push(i);
  return found.length ? found : [(low + high) / 2];
}

export function short(value) {
  if (value === null || value === undefined) return "–";
  if (Math.abs(value) >= 1e5 || (value && Math.abs(value) < 1e-3)) return value.toExponential(0).replace("e+", "e");
  return String(+value.toPrecision(3));
}

function rgb(text) {
  const digits = text.replace("#", "");
  return [0, 2, 4].map((i) => parseInt(digits.slice(i, i + 2), 16));
}

function ramp(stops) {
  return Array.from({length: 256}, (_, i) => {
    const place = (i / 255) * (stops.length - 1);
    const left = Math.min(Math.floor(place), stops.length - 2);
    const share = place - left;
    return stops[left].map((value, channel) => Math.round(value + share * (stops[left + 1][channel] - value)));
  });
}
