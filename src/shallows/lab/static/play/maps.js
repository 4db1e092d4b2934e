// Samples and the net that covers them; the map with the distances between its units.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
stage.offer([
  {value: 0, label: "draw samples", key: "1"},
  {value: "erase", label: "erase", key: "0"},
]);
const plane = new Plane(stage, {
  title: "Samples and the net", x: [-2, 2], y: [-2, 2],
  about: "Tap to draw samples, drag what you have drawn. Keys: Enter draws, n and p choose, arrows move, Delete erases.",
});
plane.edit("points", {most: 100});
const matrix = new Plane(stage, {title: "U-matrix: dark where neighbours are far apart", about: "Mean distance of each unit to its neighbours, arranged as the map."});
const errors = new Plane(stage, {title: "Quantization error", ratio: 3, wide: true, axes: ["passes", ""], about: "Mean squared distance of samples to their nearest unit."});

stage.start((scene, frame, index) => {
  const {samples, rows, columns, u_matrix: far, errors: wrong, topographic} = scene.common;
  for (const [x, y] of samples) plane.dot(x, y, 2.2, "c0", {alpha: 0.45});
  for (const [x, y] of stage.values.points) plane.ring(x, y, 7, "c3", 2);
  const units = frame.units;
  if (!far) return "Draw samples, or choose a shape.";
  const at = (row, column) => units[row * columns + column];
  for (let row = 0; row < rows; row += 1) plane.path(Array.from({length: columns}, (_, k) => at(row, k)), "ink", {width: 1.3});
  for (let column = 0; column < columns; column += 1) plane.path(Array.from({length: rows}, (_, k) => at(k, column)), "ink", {width: 1.3});
  for (const unit of units) plane.dot(...unit, 3.4, "c1", {edge: "ground", width: 1});

  const ratio = columns / rows;
  matrix.x = [0, Math.max(columns, rows)];
  matrix.y = [0, Math.max(columns, rows)];
  const [low, high] = [Math.min(...far.flat()), Math.max(...far.flat())];
  const data = new Uint8Array(far.flat().map((value) => (255 * (value - low)) / (high - low || 1)));
  const box = ratio >= 1 ? [0, columns, (columns - rows) / 2, (columns + rows) / 2] : [(rows - columns) / 2, (rows + columns) / 2, 0, rows];
  matrix.field({rows, columns, data}, ["paper", "print"], 1, box, false);
  errors.curves([{y: wrong, colour: "c1"}], index, {low: 0});
  return `Pass ${index}: neighbourhood of width ${short(frame.width)}, quantization error ${short(wrong[index])}. In the end ${Math.round(100 * topographic)} % of the samples have their two nearest units apart in the net.`;
});
