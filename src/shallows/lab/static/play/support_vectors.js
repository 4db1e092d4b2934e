// Two classes, the field between them, the margin, and strengths that grow and vanish.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
stage.offer([
  {value: 0, label: "● class −", key: "1"},
  {value: 1, label: "■ class +", key: "2"},
  {value: "erase", label: "erase", key: "0"},
]);
const plane = new Plane(stage, {
  title: "Border, margin and support vectors", x: [-2, 2], y: [-2, 2],
  about: "Drag points. Keys: n and p choose one, arrows move it, Delete erases it, Enter draws one.",
});
plane.edit("points", {most: 60});
const values = new Plane(stage, {title: "Cost and dual value", ratio: 1.35, axes: ["frames", ""], about: "The cost of the weights from above, the dual value from below."});
const bars = new Plane(stage, {title: "Strength of each sample", ratio: 3.2, wide: true, axes: ["sample", ""], about: "Strengths of all samples; zero for all but the support vectors."});

stage.start((scene, frame) => {
  const {strengths, field} = frame;
  const points = stage.values.points;
  if (field) {
    const bytes = plane.field(field, ["c0", "ground", "c1"], 0.4);
    for (const [level, dash] of [[85, [5, 5]], [127.5, []], [170, [5, 5]]]) {
      plane.contour(bytes, field.rows, field.columns, level, "ink", {width: dash.length ? 1.2 : 2.5, dash});
    }
  }
  const cap = scene.common.C;
  const most = Math.max(...strengths, 1e-9);
  for (const [i, [x, y, label]] of points.entries()) {
    plane.mark(x, y, label);
    const strength = strengths[i] ?? 0;
    if (strength > 1e-6) plane.ring(x, y, 9 + 5 * Math.sqrt(strength / most), strength >= 0.9999 * cap ? "bad" : "ink", 2.5);
  }
  plane.legend([{colour: "ink", name: "border; rings: support vectors"}, {colour: "ink", dash: true, name: "margin"}]);
  if (!field) return "Draw points of both classes.";
  values.curves(
    [
      {y: scene.common.primal, colour: "c1", name: "cost |w|²/2 + C × violations"},
      {y: scene.common.dual, colour: "c2", name: "dual value"},
    ],
    stage.index,
  );
  bars.x = [0, points.length + 1];
  bars.y = [0, 1.1 * most];
  for (const [i, strength] of strengths.entries()) {
    const box = [[i + 0.6, 0], [i + 0.6, strength], [i + 1.4, strength], [i + 1.4, 0]];
    bars.path(box, "", {fill: `c${points[i]?.[2] ?? 0}`, width: 0, close: true});
  }
  const support = strengths.filter((each) => each > 1e-6).length;
  const capped = strengths.filter((each) => each >= 0.9999 * cap).length;
  return `After pass ${frame.pass}: ${support} of ${points.length} samples are support vectors, ${capped} at the cap C = ${short(cap)}.`;
});
