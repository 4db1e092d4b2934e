// Samples with the field of the network, its hidden units, and the losses.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
stage.offer([
  {value: 0, label: "● class −", key: "1"},
  {value: 1, label: "■ class +", key: "2"},
  {value: "erase", label: "erase", key: "0"},
]);
const plane = new Plane(stage, {
  title: "Samples and answers", x: [-2, 2], y: [-2, 2],
  about: "Tap to draw samples, drag what you have drawn. Keys: Enter draws, n and p choose, arrows move, Delete erases.",
});
plane.edit("points", {most: 60});
const hidden = new Plane(stage, {title: "Units of the last hidden layer", x: [0, 4], y: [0, 4], about: "What each hidden unit answers over the same plane."});
const losses = new Plane(stage, {title: "Loss", ratio: 3.2, wide: true, axes: ["frames", ""], about: "Loss of training and of test data."});

stage.start((scene, frame, index) => {
  const {samples, labels, drawn, train, weights} = scene.common;
  if (frame.field) {
    const bytes = plane.field(frame.field, ["c0", "ground", "c1"], 0.6);
    plane.contour(bytes, frame.field.rows, frame.field.columns, 127.5, "ink", {width: 2});
  }
  const old = samples.length - drawn;
  for (let i = 0; i < old; i += 1) plane.mark(...samples[i], labels[i], {size: 4.5});
  for (const [x, y, label] of stage.values.points) {
    plane.mark(x, y, label, {size: 6.5});
    plane.ring(x, y, 9, "ink", 1);
  }
  if (!frame.units) return "Draw samples, or choose a shape.";
  const side = Math.ceil(Math.sqrt(frame.units.length));
  hidden.x = hidden.y = [0, side];
  for (const [i, unit] of frame.units.entries()) {
    const [column, row] = [i % side, side - 1 - Math.floor(i / side)];
    hidden.field(unit, ["c0", "ground", "c1"], 0.9, [column + 0.05, column + 0.95, row + 0.05, row + 0.95]);
  }
  const tests = scene.frames.map((each) => each.test);
  const list = [{y: train, colour: "c1", name: "training loss"}];
  if (tests[0] !== null) list.push({y: tests, colour: "c2", name: "test loss"});
  losses.curves(list, index, {low: 0, high: 0.8});
  return `Step ${frame.step}: training loss ${short(train[index])}, test loss ${short(frame.test)}; ${weights} weights.`;
});
