// Samples, prototypes with their cells, and the error while they move.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
stage.offer([
  {value: "data 0", label: "● samples", key: "1"},
  {value: "data 1", label: "■ samples", key: "2"},
  {value: "prototypes 0", label: "● prototypes", key: "3"},
  {value: "prototypes 1", label: "■ prototypes", key: "4"},
  {value: "erase", label: "erase", key: "0"},
]);
const plane = new Plane(stage, {
  title: "Samples and prototypes", x: [-2, 2], y: [-2, 2], ratio: 1.15,
  about: "Drag prototypes from their dotted starts, and samples. Keys: n and p choose one, arrows move it, Delete erases it.",
});
const change = (name, make) => stage.set(name, make([...stage.values[name]]));
const handlesOf = (name) =>
  stage.values[name].map((point, i) => ({
    x: point[0],
    y: point[1],
    move: (x, y) => change(name, (list) => list.with(i, [x, y, point[2]])),
    remove: () => change(name, (list) => (list.length > 2 ? list.toSpliced(i, 1) : list)),
  }));
plane.handles = () => [...handlesOf("prototypes"), ...handlesOf("data")];
plane.tap = (x, y) => {
  if (stage.brush === "erase") return;
  const [name, label] = stage.brush.split(" ");
  if (stage.values[name].length < {data: 120, prototypes: 20}[name]) change(name, (list) => [...list, [x, y, +label]]);
};
const errors = new Plane(stage, {title: "Error and cost", ratio: 1.15, axes: ["epochs", ""], about: "Training error and the cost of GLVQ after each epoch."});

stage.start((scene, frame, index) => {
  const {owners, errors: wrong, costs, far} = scene.common;
  cells(frame.places, owners);
  for (const [x, y, label] of stage.values.data) plane.mark(x, y, label, {size: 4.2, alpha: 0.85});
  for (const [x, y, label] of stage.values.prototypes) plane.ring(x, y, 10, `c${label}`, 2, [3, 3]);
  plane.clip(() => {
    for (const [i, at] of frame.places.entries()) {
      plane.path(scene.frames.slice(0, index + 1).map((each) => each.places[i]), `c${owners[i]}`, {width: 1.8});
      plane.mark(...at, owners[i], {size: 11});
      plane.ring(...at, 12, "ink", 2);
    }
  });
  plane.legend([{colour: "ink", name: "ringed: prototypes now; dotted: where they start, to be dragged"}]);
  if (!wrong) return "Draw samples and prototypes of both classes.";
  errors.curves(
    [
      {y: wrong, colour: "c1", name: "training error"},
      {y: costs, colour: "c0", name: "cost (d − d′) / (d + d′)"},
    ],
    index, {low: -0.5, high: 0.5},
  );
  const away = far > 4 ? ` A prototype has run away, to a distance of ${short(far)}.` : "";
  return `After epoch ${index} the training error is ${short(wrong[index])}.${away}`;
});

function cells(places, owners) {
  const [columns, rows] = [115, 100];
  const pen = plane.pen;
  pen.globalAlpha = 0.18;
  const [w, h] = [plane.width / columns, plane.height / rows];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const [x, y] = plane.at((column + 0.5) * w, (row + 0.5) * h);
      let best = 0;
      let least = Infinity;
      for (const [i, place] of places.entries()) {
        const gap = (x - place[0]) ** 2 + (y - place[1]) ** 2;
        if (gap < least) [best, least] = [i, gap];
      }
      pen.fillStyle = plane.colour(`c${owners[best] ?? 0}`);
      const [left, top] = [Math.round(column * w), Math.round(row * h)];
      pen.fillRect(left, top, Math.round((column + 1) * w) - left, Math.round((row + 1) * h) - top);
    }
  }
  pen.globalAlpha = 1;
}
