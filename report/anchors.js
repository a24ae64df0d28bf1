/* The column under the pointer, or the one that the slider or the arrow keys have reached: which anchors make it, and what
 * is left. Works from the data in #weights-data alone. */
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("weights-data").textContent);
  const byId = (id) => document.getElementById(id);
  const text = atob(data.shares.slice(data.shares.indexOf(",") + 1));
  const rank = data.anchors.length, shown = data.residual.length, most = 8;
  const picture = byId("shares"), slider = byId("which"), spot = document.createElement("span");
  let at = data.start;

  const columnName = (s) => data.point + " " + s * data.step + (data.names && data.names[s] ? " (" + data.names[s] + ")" : "");
  const anchorName = (k) => k + 1 + (data.anchors[k] ? " " + data.anchors[k] : "");

  function line(share, k) {
    const made = document.createElement("li"), name = document.createElement("span"), bar = document.createElement("i"),
      number = document.createElement("b");
    name.textContent = "anchor " + anchorName(k);
    name.title = name.textContent;
    bar.style.width = Math.max(1, 100 * share) + "%";
    number.textContent = (100 * share).toFixed(0) + " %";
    made.append(name, bar, number);
    return made;
  }

  function show() {
    const list = [];
    for (let k = 0; k < rank; k++) list.push([text.charCodeAt(at * rank + k) / 255, k]);
    list.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
    const parts = list.filter((one) => one[0] >= 0.005).slice(0, most);
    byId("column").textContent = columnName(at) + ": " + (100 * data.residual[at]).toFixed(1) + " % is not explained";
    byId("mixture").replaceChildren(...parts.map((one) => line(one[0], one[1])));
    spot.style.left = 100 * (at + 0.5) / shown + "%";
    slider.value = at;
    slider.setAttribute("aria-valuetext", byId("column").textContent);
  }

  function move(to) {
    at = Math.max(0, Math.min(shown - 1, to));
    show();
  }

  spot.className = "here screen-only";
  picture.appendChild(spot);
  const follow = function (event) {
    const frame = picture.getBoundingClientRect();
    move(Math.floor((event.clientX - frame.left) / frame.width * shown));
  };
  picture.addEventListener("pointerdown", follow);
  picture.addEventListener("pointermove", follow);
  picture.addEventListener("keydown", function (event) {
    const far = event.shiftKey ? 10 : 1, moves = { ArrowLeft: -far, ArrowRight: far };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Home") move(0);
    else if (event.key === "End") move(shown - 1);
    else if (moves[event.key]) move(at + moves[event.key]);
    else return;
    event.preventDefault();
  });
  slider.addEventListener("input", () => move(Number(slider.value)));
  for (const button of document.querySelectorAll("button[data-column]"))
    button.addEventListener("click", () => move(Number(button.dataset.column)));
  show();
})();
