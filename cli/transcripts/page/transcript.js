"use strict";
(() => {
  const root = document.documentElement;
  const items = [...document.querySelectorAll(".item")];
  const found = document.getElementById("found");
  const search = document.getElementById("search");
  let opened = [];
  const show = () => {
    const words = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    for (const fold of opened) fold.open = false;
    opened = [];
    let hits = 0;
    for (const item of items) {
      const text = words.length ? item.textContent.toLowerCase() : "";
      const hit = words.length > 0 && words.every((word) => text.includes(word));
      item.classList.toggle("hit", hit);
      item.classList.toggle("hidden", words.length > 0 && !hit);
      if (!hit) continue;
      hits += 1;
      for (let fold = item.closest("details"); fold && hits <= 200; fold = fold.parentElement.closest("details")) {
        if (!fold.open) { fold.open = true; opened.push(fold); }
      }
    }
    found.textContent = words.length ? hits + " found" : "";
  };
  let timer = 0;
  search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(show, 150); });
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  document.getElementById("folds").addEventListener("click", () => {
    const folds = [...document.querySelectorAll("main details")];
    const open = folds.some((fold) => !fold.open);
    for (const fold of folds) fold.open = open;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
  });
  root.dataset.ready = "yes";
  const asked = new URLSearchParams(location.search).get("find");
  if (asked) { search.value = asked; show(); }
  reveal();
})();
