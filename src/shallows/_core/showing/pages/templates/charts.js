"use strict";
(() => {
  // An interpreter evaluates the expressions of a figure, so that the page's policy may forbid eval.
  const look = {
    renderer: "svg",
    ast: true,
    defaultStyle: false,
    forceActionsMenu: true,
    tooltip: {disableDefaultStyle: true},
    actions: {export: true, source: false, compiled: false, editor: false},
  };
  const inside = document.querySelector("#figures");
  const specs = inside ? JSON.parse(inside.textContent) : [];
  document.querySelectorAll(".chart").forEach(async (chart, index) => {
    try {
      const spec = specs[index] ?? await (await fetch(chart.dataset.address)).json();
      await vegaEmbed(chart, spec, look);
      chart.dataset.drawn = "yes";
    } catch (error) {
      chart.dataset.drawn = "no";
      console.error(error);
    }
  });
})();
