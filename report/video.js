/* The player: a slider, keys, a click on the activity chart. Works from the data in #film alone,
 * and plays the overlay beside the page where there is one. */
"use strict";
(function () {
  const film = JSON.parse(document.getElementById("film").textContent);
  const byId = (id) => document.getElementById(id);
  const slider = byId("slider"), play = byId("play"), place = byId("place"), method = byId("method");
  const count = film.frame.length;
  let at = film.start, timer = 0;
  const movie = byId("movie"), video = byId("video");

  function show(index) {
    at = Math.max(0, Math.min(count - 1, index));
    const result = film.results[method ? Number(method.value) : 0];
    byId("view-original").src = film.original[at];
    byId("view-background").src = result.background[at];
    byId("view-mask").src = result.mask[at];
    byId("view-overlay").src = result.overlay[at];
    slider.value = String(at);
    const text = "frame " + film.frame[at] + ", second " + film.time[at].toFixed(2);
    slider.setAttribute("aria-valuetext", text);
    place.textContent = text + " (" + (at + 1) + " of " + count + " on this page)";
    moveCursor();
  }

  /* A line on the chart of activity at the frame that is shown. */
  const chart = byId("activity-chart");
  let cursor = null;
  function moveCursor(frame) {
    if (!chart) return;
    if (frame === undefined) frame = film.frame[at];
    const data = chart.dataset;
    if (!cursor) {
      cursor = document.createElementNS("http://www.w3.org/2000/svg", "line");
      cursor.setAttribute("class", "now");
      cursor.setAttribute("y1", data.top);
      cursor.setAttribute("y2", data.bottom);
      chart.appendChild(cursor);
    }
    const share = (frame - Number(data.xLow)) / (Number(data.xHigh) - Number(data.xLow));
    const x = Number(data.left) + share * (Number(data.right) - Number(data.left));
    cursor.setAttribute("x1", x.toFixed(1));
    cursor.setAttribute("x2", x.toFixed(1));
  }

  /* Events are bars over the chart; a click or Enter goes to where one begins. */
  function placeOf(frame) {
    const data = chart.dataset, low = Number(data.xLow), high = Number(data.xHigh);
    const share = Math.max(0, Math.min(1, (frame - low) / (high - low)));
    return Number(data.left) + share * (Number(data.right) - Number(data.left));
  }
  function goTo(event, reason) {
    stop();
    show(nearest(event[0]));
    moveCursor(event[0]);
    seek(event[0]);
    reason.stopPropagation();
    reason.preventDefault();
  }
  function markEvent(event, number) {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const left = placeOf(event[0]), label = "event " + (number + 1) + ", second " + event[2].toFixed(1);
    bar.setAttribute("class", "event");
    bar.setAttribute("x", left.toFixed(1));
    bar.setAttribute("width", Math.max(3, placeOf(event[1] + 1) - left).toFixed(1));
    bar.setAttribute("y", String(Number(chart.dataset.top) - 9));
    bar.setAttribute("height", "8");
    bar.setAttribute("tabindex", "0");
    bar.setAttribute("role", "button");
    bar.setAttribute("aria-label", label);
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = label;
    bar.appendChild(title);
    bar.addEventListener("click", function (reason) { goTo(event, reason); });
    bar.addEventListener("keydown", function (reason) {
      if (reason.key === "Enter" || reason.key === " ") goTo(event, reason);
    });
    chart.appendChild(bar);
  }

  /* The video beside the page: it begins at its first frame, whatever the clip's clock says. */
  function between(value, from, to) {
    const clock = film.clock;
    let k = 1;
    while (k < clock.length - 1 && clock[k][from] < value) k++;
    if (clock.length < 2) return clock[0][to];
    const a = clock[k - 1], b = clock[k], share = (value - a[from]) / (b[from] - a[from]);
    return a[to] + Math.max(0, Math.min(1, share)) * (b[to] - a[to]);
  }
  function seek(frame) {
    if (video && !movie.hidden) video.currentTime = Math.max(0, between(frame, 0, 1) - film.clock[0][1]);
  }
  function load() {
    const name = film.results[method ? Number(method.value) : 0].movie;
    if (video && name && video.getAttribute("src") !== name) video.src = name;
  }
  if (video) {
    video.addEventListener("loadedmetadata", function () { movie.hidden = false; });
    video.addEventListener("error", function () { movie.hidden = true; });
    video.addEventListener("timeupdate", function () {
      if (!video.paused) moveCursor(between(video.currentTime + film.clock[0][1], 1, 0));
    });
    load();
  }

  function nearest(frame) {
    let best = 0;
    for (let i = 1; i < count; i++)
      if (Math.abs(film.frame[i] - frame) < Math.abs(film.frame[best] - frame)) best = i;
    return best;
  }

  function stop() {
    clearTimeout(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  }

  /* As fast as the clip was recorded, but never faster than one can follow. */
  function step() {
    const next = (at + 1) % count;
    const wait = next === 0 ? 600 : 1000 * (film.time[next] - film.time[at]);
    timer = setTimeout(function () { show(next); step(); }, Math.max(60, Math.min(400, wait)));
  }

  function toggle() {
    if (timer) { stop(); return; }
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    step();
  }

  const moves = {
    ArrowLeft: () => at - 1, ArrowRight: () => at + 1, ArrowDown: () => at - 1, ArrowUp: () => at + 1,
    PageUp: () => at + 10, PageDown: () => at - 10, Home: () => 0, End: () => count - 1
  };
  function onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target === method) return;
    const onSlider = event.target === slider;
    const inPlayer = onSlider || event.target === document.body || event.target === play;
    const turns = event.key === "ArrowLeft" || event.key === "ArrowRight";
    if (event.key === " " && event.target !== play && inPlayer) { toggle(); event.preventDefault(); }
    else if (moves[event.key] && inPlayer && (onSlider || turns || event.key === "Home" || event.key === "End")) {
      stop();
      show(moves[event.key]());
      event.preventDefault();
    }
  }

  slider.addEventListener("input", function () { stop(); show(Number(slider.value)); });
  play.addEventListener("click", toggle);
  if (method) method.addEventListener("change", function () { show(at); load(); });
  document.addEventListener("keydown", onKey);
  if (chart) chart.addEventListener("click", function (event) {
    const box = chart.getBoundingClientRect(), data = chart.dataset;
    const x = (event.clientX - box.left) * chart.viewBox.baseVal.width / box.width;
    const share = (x - Number(data.left)) / (Number(data.right) - Number(data.left));
    const frame = Number(data.xLow) + share * (Number(data.xHigh) - Number(data.xLow));
    stop();
    show(nearest(frame));
    seek(frame);
  });
  if (chart) film.events.forEach(markEvent);
  show(at);
})();
