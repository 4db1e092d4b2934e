// A bowl, a path down or out of it, its parts along both directions, and the factor per step.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
const bowl = new Plane(stage, {
  title: "The bowl: drag the start", x: [-2, 2], y: [-2, 2],
  about: "Lines of equal cost, and the path. Keys: n chooses the start, arrows move it.",
});
bowl.edit("start", {most: 1});
bowl.tap = (x, y) => stage.set("start", [[x, y, 0]]);
const parts = new Plane(stage, {title: "Distance along both directions", ratio: 1, axes: ["steps", ""], about: "Distance from the minimum along the flat and the stiff direction."});
const factor = new Plane(stage, {
  title: "Factor per step, against the rate (drag)", ratio: 3, wide: true, y: [0, 1.6], axes: ["rate η", ""],
  about: "Size of 1 minus rate times curvature, for both directions. Above 1 the run is lost.",
});
factor.scrub = (x) => stage.set("rate", Math.min(2.5, Math.max(0.001, +x.toPrecision(3))));

stage.start((scene, frame, index) => {
  const {axes, field, limit, cost, radius} = scene.common;
  bowl.field(field, ["c5", "ground"], 0.35);
  const way = scene.frames.slice(0, index + 1).map((each) => each.at);
  bowl.clip(() => {
    for (let i = 1; i < 14; i += 1) bowl.path(ellipse(axes, 0.35 * i), "faint", {width: 0.8, alpha: 0.6, close: true});
    for (const [i, [x, y]] of axes.entries()) {
      bowl.path([[-3 * x, -3 * y], [3 * x, 3 * y]], `c${i}`, {width: 1.2, dash: [5, 5]});
    }
    bowl.path(way, "ink", {width: 1.8});
    for (const at of way) bowl.dot(...at, 2.6, "ink");
  });
  bowl.dot(0, 0, 5, "c2", {edge: "ground"});
  bowl.ring(...stage.values.start[0].slice(0, 2), 9, "ink", 2, [3, 3]);
  bowl.dot(...frame.at, 6.5, "c1", {edge: "ground"});
  bowl.legend([{colour: "c0", name: "flat direction", dash: true}, {colour: "c1", name: "stiff direction", dash: true}]);
  parts.curves(
    [
      {y: scene.common.parts[0], colour: "c0", name: "along the flat direction"},
      {y: scene.common.parts[1], colour: "c1", name: "along the stiff direction"},
    ],
    index, {log: scene.common.parts.flat().some((value) => value > 0)},
  );
  drawFactor(limit);
  const words = radius < 1 ? "It comes closer: the distance shrinks in the end" : "It is lost: the distance grows in the end";
  return `Step ${index}: cost ${short(cost[index])}. ${words} by a factor of ${short(radius)} per step.`;
});

// Where the cost is half the square of a number.
function ellipse([flat, stiff], size) {
  const short_ = size / Math.sqrt(stage.values.stiffness);
  return Array.from({length: 91}, (_, i) => {
    const [a, b] = [size * Math.cos((i * Math.PI) / 45), short_ * Math.sin((i * Math.PI) / 45)];
    return [a * flat[0] + b * stiff[0], a * flat[1] + b * stiff[1]];
  });
}

function drawFactor(limit) {
  const {rate, stiffness, rule} = stage.values;
  const most = Math.min(2.5, Math.max(2.6 * limit, 1.25 * rate));
  factor.x = [0, most];
  const at = (curvature) => Array.from({length: 201}, (_, i) => [(i * most) / 200, Math.abs(1 - ((i * most) / 200) * curvature)]);
  factor.clip(() => {
    factor.path([[limit, 0], [limit, 1.6], [most, 1.6], [most, 0]], "", {fill: "bad", alpha: 0.1, width: 0, close: true});
    factor.path([[0, 1], [most, 1]], "faint", {width: 1});
    factor.path(at(1), "c0");
    factor.path(at(stiffness), "c1");
    factor.path([[rate, 0], [rate, 1.6]], "ink", {width: 2});
    factor.text(`2 / ρ = ${short(limit)}`, limit, 1.45, {colour: "bad", dx: 5});
  });
  for (const [i, curvature] of [1, stiffness].entries()) factor.dot(rate, Math.min(1.6, Math.abs(1 - rate * curvature)), 5, `c${i}`, {edge: "ground"});
  factor.legend([
    {colour: "c0", name: "|1 − η|, flat"},
    {colour: "c1", name: "|1 − ηρ|, stiff"},
    {colour: "ink", name: rule === "plain" ? "this rate" : "this rate; momentum changes the factors, the claims have them"},
  ]);
}
