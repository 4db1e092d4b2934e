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
  const specs = JSON.parse(document.querySelector("#figures").textContent);
  document.querySelectorAll(".chart").forEach((chart, index) => {
    vegaEmbed(chart, specs[index], look)
      .then(() => { chart.dataset.drawn = "yes"; })
      .catch((error) => { chart.dataset.drawn = "no"; console.error(error); });
  });
})();
