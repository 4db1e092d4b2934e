// Points in the plane, the sphere of weights, and the two curves of the proof.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
stage.offer([
  {value: 0, label: "● class −", key: "1"},
  {value: 1, label: "■ class +", key: "2"},
  {value: "erase", label: "erase", key: "0"},
]);

const data = new Plane(stage, {
  title: "The points and the line", x: [-2, 2], y: [-2, 2],
  about: "Tap to draw a point, drag to move it. Keys: n and p choose a point, arrows move it, Delete erases it, Enter draws one.",
});
data.edit("points", {most: 40});

const sphere = new Plane(stage, {
  title: "All lines: the sphere of weights", x: [-1.08, 1.08], y: [-1.08, 1.08],
  about: "Drag or use the arrow keys to turn it.",
});
let view = null; // rows are the directions to the right, up, and to the viewer
let turned = false;
sphere.orbit = (dx, dy) => {
  turned = true;
  view = turn(view, dx * 0.008, dy * 0.008);
  stage.draw();
};

const proof = new Plane(stage, {
  title: "Why it ends: overlap against length", ratio: 2.9, wide: true, axes: ["updates", ""],
  about: "The overlap with the best weights grows at least linearly, the length of the weights at most like a root.",
});

stage.start((scene, frame, index) => {
  drawData(scene, frame);
  drawSphere(scene, frame, index);
  drawProof(scene, index);
  return sentence(scene, frame, index);
});

function drawData(scene, frame) {
  const {best, kappa, null: contradiction} = scene.common;
  data.line(frame.w, "ink", {width: 2.5, sides: ["c0", "c1"]});
  if (best) {
    const reach = kappa / Math.hypot(best[0], best[1]);
    data.line(best, "c2", {width: 1.5});
    for (const side of [-1, 1]) data.line(best, "c2", {width: 1, dash: [4, 5], shift: side * reach * Math.hypot(best[0], best[1])});
  }
  data.legend([
    {colour: "ink", name: "what it has learned"},
    {colour: "c2", name: best ? "line of largest margin κ" : ""},
    {colour: "c1", name: contradiction ? "rings: points that contradict one another" : ""},
  ]);
  const points = stage.values.points;
  for (const [i, [x, y, label]] of points.entries()) {
    data.mark(x, y, label);
    if (contradiction?.[i]) data.ring(x, y, 9 + 7 * contradiction[i], "bad", 2.5);
    if (frame.sample === i) data.ring(x, y, 12, "ink", 2.5);
  }
  const [w1, w2] = frame.w;
  const length = Math.hypot(...frame.w);
  if (length) data.arrow(0, 0, w1 / length, w2 / length, "ink", 2);
}

function drawSphere({common}, frame, index) {
  const home = common.best ?? mean(common.planes) ?? [0, 0, 1];
  if (!view || !turned) view = facing(home);
  sphere.dot(0, 0, 0, "");
  const edge = Array.from({length: 121}, (_, i) => [Math.cos((i * Math.PI) / 60), Math.sin((i * Math.PI) / 60)]);
  sphere.path(edge, "faint", {width: 1.2, fill: "raised", close: true});
  if (common.cell?.length) shadeCell(common.cell);
  for (const [i, normal] of common.planes.entries()) {
    const label = stage.values.points[i]?.[2] ?? 0;
    const bold = frame.sample === i;
    const circle = greatCircle(normal);
    sphere.path(circle.map((p) => (p[2] >= 0 ? p : null)), bold ? "ink" : `c${label}`, {width: bold ? 3.5 : 1.5});
  }
  const way = stage.scene.frames.slice(Math.max(0, index - 40), index + 1).map(({w}) => onSphere(w)).filter(Boolean);
  for (let i = 1; i < way.length; i += 1) {
    const behind = way[i][2] < 0 || way[i - 1][2] < 0;
    sphere.path([way[i - 1], way[i]], "ink", {width: 1.2, alpha: behind ? 0.2 : 0.7});
  }
  const now = onSphere(frame.w);
  if (now) sphere.dot(now[0], now[1], 6, now[2] >= 0 ? "ink" : "", {edge: "ink"});
  if (common.best) {
    const [x, y, z] = seen(common.best);
    if (z >= 0) sphere.dot(x, y, 5, "c2", {edge: "ground"});
  }
}

function shadeCell(corners) {
  const outline = [];
  for (const [i, corner] of corners.entries()) {
    const next = corners[(i + 1) % corners.length];
    for (let step = 0; step < 16; step += 1) outline.push(unit(corner.map((value, k) => value + (step / 16) * (next[k] - value))));
  }
  const points = outline.map(seen);
  if (points.some((p) => p[2] > 0)) {
    // What is behind the edge is drawn on the edge.
    const flat = points.map((p) => (p[2] >= 0 ? p : scaled(p)));
    sphere.path(flat, "c2", {width: 2, fill: "c2", alpha: 0.45, close: true});
  }
}

function drawProof({common, frames}, index) {
  proof.caption.textContent = common.best ? "Why it ends: overlap against length" : "It does not end: the length of the weights";
  if (!common.best) {
    proof.curves([{y: common.length ?? [0], colour: "ink", name: "length of the weights, which may grow no further"}], index);
    return;
  }
  const last = frames.length - 1;
  const span = Math.min(Math.ceil(common.bound), Math.max(20, 3 * last));
  const steps = Array.from({length: 101}, (_, i) => (i * span) / 100);
  const [least, most] = [common.least, common.most].map((list) => (list[1] ?? 0));
  const list = [
    {y: steps.map((s) => least * s), colour: "c2", dash: [5, 5], name: "κ × updates, below the overlap", span: 100},
    {y: steps.map((s) => most * Math.sqrt(s)), colour: "c1", dash: [5, 5], name: "R × √updates, above the length", span: 100},
    {y: common.overlap, colour: "c2", name: "overlap with the best weights"},
    {y: common.length, colour: "c1", name: "length of the weights"},
  ];
  for (const each of list.slice(0, 2)) each.y.length = 101;
  proof.curves(list, index, {steps: Math.max(span, last, 1)});
}

function sentence({common, frames}, frame, index) {
  const last = frames.length - 1;
  if (common.separable === undefined) return "Draw points of both classes.";
  if (frame.sample === undefined) return last ? "The weights are zero: every point counts as a mistake." : "";
  const start = `Update ${index}: point ${frame.sample + 1} had the field ${short(frame.before)} and has ${short(frame.after)} now.`;
  if (index < last) return start;
  if (!common.separable) return `${start} No line separates these points; it would go on for ever.`;
  return `${start} All points are on their side: nothing moves any more. At most ${Math.floor(common.bound)} updates were possible.`;
}

// ---- the sphere ------------------------------------------------------------------------------

function seen(v) {
  return view.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
}

function onSphere(w) {
  return Math.hypot(...w) > 1e-12 ? seen(unit(w)) : null;
}

function unit(v) {
  const length = Math.hypot(...v) || 1;
  return v.map((value) => value / length);
}

function scaled([x, y, z]) {
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length, z];
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function facing(direction) {
  const front = unit(direction);
  const up = Math.abs(front[2]) < 0.9 ? [0, 0, 1] : [0, 1, 0];
  const right = unit(cross(up, front));
  return [right, cross(front, right), front];
}

function turn([right, up, front], a, b) {
  const mix = (p, q, angle) => p.map((value, i) => Math.cos(angle) * value - Math.sin(angle) * q[i]);
  const other = (p, q, angle) => p.map((value, i) => Math.sin(angle) * value + Math.cos(angle) * q[i]);
  const [r, f] = [other(front, right, a), mix(front, right, a)];
  return [r, mix(up, f, b), other(up, f, b)];
}

function greatCircle(normal) {
  const [a, b] = facing(normal);
  return Array.from({length: 145}, (_, i) => {
    const angle = (i * Math.PI) / 72;
    return seen(a.map((value, k) => Math.cos(angle) * value + Math.sin(angle) * b[k]));
  });
}

function mean(list) {
  if (!list.length) return null;
  const sum = [0, 1, 2].map((k) => list.reduce((total, each) => total + each[k], 0));
  return Math.hypot(...sum) > 1e-9 ? sum : null;
}
