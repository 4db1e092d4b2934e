// The bowl of the mean squared error, the path of the filter, and its learning curve.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
const bowl = new Plane(stage, {
  title: "The bowl: drag the first weights", x: [-2, 2], y: [-2, 2],
  about: "Lines of equal error, and the weights. Keys: n chooses the first weights, arrows move them.",
});
bowl.edit("start", {most: 1});
bowl.tap = (x, y) => stage.set("start", [[x, y, 0]]);
const curve = new Plane(stage, {title: "Mean squared error", ratio: 1, axes: ["samples / 2", ""], about: "Error of the weights after each sample, and of the mean path."});

stage.start((scene, frame, index) => {
  const {axes, values, best, mean, cost, mean_cost: meanCost, noise, lost, limit} = scene.common;
  bowl.clip(() => {
    for (let i = 1; i < 12; i += 1) {
      const points = Array.from({length: 91}, (_, k) => {
        const [a, b] = [Math.cos((k * Math.PI) / 45), Math.sin((k * Math.PI) / 45)].map((part, j) => (0.3 * i * part) / Math.sqrt(values[j]));
        return [best[0] + a * axes[0][0] + b * axes[1][0], best[1] + a * axes[0][1] + b * axes[1][1]];
      });
      bowl.path(points, "faint", {width: 0.9, alpha: 0.6, close: true, fill: i === 1 ? "c5" : ""});
    }
    bowl.path(mean.slice(0, index + 1), "c2", {width: 2, dash: [6, 5]});
    bowl.path(scene.frames.slice(0, index + 1).map((each) => each.at), "ink", {width: 1.5});
  });
  bowl.dot(...best, 5, "c2", {edge: "ground"});
  bowl.ring(...stage.values.start[0].slice(0, 2), 9, "ink", 2, [3, 3]);
  bowl.clip(() => bowl.dot(...frame.at, 6.5, "c1", {edge: "ground"}));
  bowl.legend([{colour: "ink", name: "weights of the filter"}, {colour: "c2", name: "mean path", dash: true}]);
  curve.curves(
    [
      {y: cost, colour: "c1", name: "of the weights"},
      {y: meanCost, colour: "c2", dash: [5, 5], name: "of the mean path"},
      {y: cost.map(() => Math.max(noise, 1e-4)), colour: "c0", dash: [2, 4], name: "least possible: the noise"},
    ],
    index, {log: true},
  );
  const state = lost ? "The filter is lost: its weights have left every bound." : `The mean path is stable below μ = ${short(limit)}.`;
  return `After ${2 * index} samples the mean squared error is ${short(cost[index])}; the least possible is ${short(noise)}. ${state}`;
});
