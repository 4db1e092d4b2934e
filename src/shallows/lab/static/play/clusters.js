// Samples, centres that move to them, and the cost that falls.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
stage.offer([
  {value: "data", label: "draw samples", key: "1"},
  {value: "centres", label: "draw centres", key: "2"},
  {value: "erase", label: "erase", key: "0"},
]);

const plane = new Plane(stage, {
  title: "Samples and centres", x: [-2, 2], y: [-2, 2], ratio: 1.25,
  about: "Drag centres and samples. Keys: n and p choose one, arrows move it, Delete erases it.",
});
const change = (name, make) => stage.set(name, make([...stage.values[name]]));
const handlesOf = (name) =>
  stage.values[name].map((point, i) => ({
    x: point[0],
    y: point[1],
    move: (x, y) => change(name, (list) => list.with(i, [x, y, 0])),
    remove: () => change(name, (list) => (list.length > 1 ? list.toSpliced(i, 1) : list)),
  }));
// Centres come first: they lie above the samples. They are moved where they start.
plane.handles = () => [...handlesOf("centres"), ...handlesOf("data")];
plane.tap = (x, y) => {
  const name = stage.brush;
  const most = {data: 120, centres: 8}[name];
  if (name !== "erase" && stage.values[name].length < most) change(name, (list) => [...list, [x, y, 0]]);
};

const cost = new Plane(stage, {title: "Cost", ratio: 1.25, axes: ["steps", ""], about: "The cost after each step."});

stage.start((scene, frame, index) => {
  const centres = frame.centres;
  if (frame.labels) cells(centres);
  else for (const [i, shape] of frame.shapes.entries()) ellipse(centres[i], shape, i, frame.weights[i]);
  for (const [i, [x, y]] of stage.values.data.entries()) {
    const colour = frame.labels ? tint(frame.labels[i]) : blend(frame.shares[i] ?? []);
    plane.dot(x, y, 4.5, colour, {edge: "ground", width: 1});
  }
  for (const [i, [x, y]] of stage.values.centres.entries()) {
    const way = [[x, y], ...scene.frames.slice(1, index + 1).map((each) => each.centres[i] ?? [x, y])];
    plane.path(way, tint(i), {width: 2});
    plane.ring(x, y, 8, tint(i), 2, [3, 3]);
    const now = way.at(-1);
    plane.dot(...now, 9, tint(i), {edge: "ink", width: 2});
  }
  plane.legend([{colour: "ink", name: "dotted rings: where centres start, to be dragged"}]);
  cost.caption.textContent = `${scene.common.measure[0].toUpperCase()}${scene.common.measure.slice(1)}`;
  const {best} = scene.common;
  const list = [{y: scene.common.cost, colour: "c1", name: best ? "this run" : ""}];
  if (best) list.push({y: scene.common.cost.map(() => best), colour: "c2", dash: [5, 5], name: "best of five other starts"});
  cost.curves(list, index);
  const beaten = best && frame.cost > 1.02 * best ? ` Another start ends at ${short(best)}.` : "";
  return `After step ${index} the ${scene.common.measure} is ${short(frame.cost)}.${beaten}`;
});

function tint(i) {
  return `c${i % 6}`;
}

// The cells of the plane that belong to each centre.
function cells(centres) {
  const [columns, rows] = [100, 80];
  const pen = plane.pen;
  const [w, h] = [plane.width / columns, plane.height / rows];
  pen.globalAlpha = 0.16;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const [x, y] = plane.at((column + 0.5) * w, (row + 0.5) * h);
      let best = 0;
      let least = Infinity;
      for (const [i, centre] of centres.entries()) {
        const gap = (x - centre[0]) ** 2 + (y - centre[1]) ** 2;
        if (gap < least) [best, least] = [i, gap];
      }
      pen.fillStyle = plane.colour(tint(best));
      const [left, top] = [Math.round(column * w), Math.round(row * h)];
      pen.fillRect(left, top, Math.round((column + 1) * w) - left, Math.round((row + 1) * h) - top);
    }
  }
  pen.globalAlpha = 1;
}

// The lines at one and two standard deviations.
function ellipse([x, y], [[a, b], [, d]], i, weight) {
  const middle = (a + d) / 2;
  const half = Math.hypot((a - d) / 2, b);
  const angle = 0.5 * Math.atan2(2 * b, a - d);
  const axes = [middle + half, Math.max(middle - half, 0)].map(Math.sqrt);
  for (const size of [2, 1]) {
    const points = Array.from({length: 73}, (_, k) => {
      const [p, q] = [size * axes[0] * Math.cos((k * Math.PI) / 36), size * axes[1] * Math.sin((k * Math.PI) / 36)];
      return [x + p * Math.cos(angle) - q * Math.sin(angle), y + p * Math.sin(angle) + q * Math.cos(angle)];
    });
    plane.path(points, "", {fill: tint(i), alpha: 0.1 + 0.25 * weight, width: 0, close: true});
    plane.path(points, tint(i), {width: 1.2, close: true});
  }
}

function blend(shares) {
  const parts = shares.map((share, i) => {
    const digits = plane.colour(tint(i)).slice(1);
    return [0, 2, 4].map((k) => share * parseInt(digits.slice(k, k + 2), 16));
  });
  const mixed = [0, 1, 2].map((k) => Math.round(parts.reduce((sum, part) => sum + part[k], 0)));
  return `rgb(${mixed.join(",")})`;
}
