"use strict";

// The search field hides, while one types, what the server would hide.
const search = document.querySelector("#search");
if (search) {
  let texts = null;
  const filter = async () => {
    texts ??= fetch("/search.json").then((answer) => answer.json());
    const found = await texts;
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of document.querySelectorAll(".card")) {
      card.hidden = !words.every((word) => found[card.dataset.path].includes(word));
    }
    for (const section of document.querySelectorAll("section")) {
      section.hidden = !section.querySelector(".card:not([hidden])");
      document.querySelector(`.chapters [href="#${section.id}"]`).hidden = section.hidden;
    }
    document.querySelector("#nothing").hidden = Boolean(document.querySelector(".card:not([hidden])"));
    // So that a reload, or the way back from an experiment, shows the same.
    history.replaceState(null, "", words.length ? `/?q=${encodeURIComponent(search.value)}` : "/");
  };
  search.addEventListener("input", filter);
}

// The page of a run asks how far it is, and loads anew once it has ended.
const progress = document.querySelector("#progress");
if (progress) {
  const silence = document.querySelector("#silence");
  const ask = async () => {
    try {
      const answer = await fetch(progress.dataset.address);
      const told = answer.ok ? await answer.json() : {active: false};
      if (!told.active) {
        location.reload();
        return;
      }
      progress.innerHTML = told.html;
      silence.hidden = true;
    } catch (error) {
      silence.hidden = false;
    }
    setTimeout(ask, 500);
  };
  setTimeout(ask, 500);
}
