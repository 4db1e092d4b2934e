// A bundle of fits with its mean and band, and the parts of the error against the degree.

import {Plane, short} from "./plane.js";
import {Stage} from "./stage.js";

const stage = new Stage();
const bundle = new Plane(stage, {
  title: "Fits to one data set after another", ratio: 1.9, wide: true, x: [-1, 1], y: [-2.2, 2.2], axes: ["x", "y"],
  about: "Each thin line is a fit to its own data; the band is two standard deviations wide.",
});
const parts = new Plane(stage, {
  title: "Parts of the error, against the degree (drag)", ratio: 2.4, wide: true, axes: ["degree K", ""],
  about: "Squared bias falls and variance rises with the degree; their sum has a minimum.",
});
parts.scrub = (x) => stage.set("degree", Math.max(0, Math.min(12, Math.round(x))));

stage.start((scene, frame, index) => {
  const {x, fine, truth, mean, band, fits, bias, variance} = scene.common;
  const along = (values) => values.map((value, i) => [fine[i], value]);
  bundle.clip(() => {
    const upper = along(mean.map((value, i) => value + 2 * band[i]));
    const lower = along(mean.map((value, i) => value - 2 * band[i])).reverse();
    bundle.path([...upper, ...lower], "", {fill: "c0", alpha: 0.16, width: 0, close: true});
    for (let i = 0; i < index; i += 1) bundle.path(along(fits[i]), "c0", {width: 1, alpha: 0.28});
    bundle.path(along(truth), "c2", {width: 3});
    bundle.path(along(mean), "ink", {width: 2.2, dash: [7, 5]});
    bundle.path(along(fits[index]), "c1", {width: 2.2});
    for (const [i, value] of frame.y.entries()) bundle.dot(x[i], value, 4, "c1", {edge: "ground", width: 1});
  });
  bundle.legend([
    {colour: "c2", name: "truth"}, {colour: "ink", name: "mean fit", dash: true},
    {colour: "c1", name: "this data set and its fit"}, {colour: "c0", name: "earlier fits, band of two deviations"},
  ]);
  const {degree, noise} = stage.values;
  const total = bias.map((value, i) => value + variance[i]);
  parts.curves(
    [
      {y: total, colour: "ink", name: "bias² + variance"},
      {y: bias, colour: "c2", name: "bias²"},
      {y: variance, colour: "c0", name: "variance"},
    ],
    degree, {low: 0, high: Math.min(0.6, Math.max(...total))},
  );
  const best = total.indexOf(Math.min(...total));
  return `Data set ${index + 1}. Degree ${degree}: bias² ${short(bias[degree])}, variance ${short(variance[degree])}, noise ${short(noise ** 2)}. The best degree is ${best}.`;
});
