"use strict";
(() => {
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];
  const token = document.querySelector("meta[name=csrf-token]").content;
  const asPiece = { "x-piece": "1", "x-csrf-token": token };

  // Day and night, as in the report: remembered where the browser allows it.
  const theme = document.querySelector("[data-theme-switch]");
  const remembered = (() => { try { return localStorage.getItem("assay-theme"); } catch { return null; } })();
  if (remembered) document.documentElement.dataset.theme = remembered;
  theme.hidden = false;
  theme.addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("assay-theme", dark ? "light" : "dark"); } catch { /* then only for this page */ }
  });

  // Forms whose result shows beside them while they are filled in. Without a script, their buttons do the same.
  for (const form of all("form[data-live]")) {
    const target = document.querySelector(form.dataset.live);
    let waiting = 0, asked = null;
    const ask = async () => {
      asked?.abort();
      asked = new AbortController();
      const said = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
      const path = form.dataset.liveAction ?? form.action;
      const posts = "liveAction" in form.dataset;
      try {
        target.setAttribute("aria-busy", "true");
        const answer = await fetch(posts ? path : `${path}?${said}`, {
          method: posts ? "POST" : "GET", body: posts ? said : undefined, headers: asPiece, signal: asked.signal,
        });
        target.innerHTML = await answer.text();
        if (!posts) history.replaceState(null, "", `${path}?${said}`);
      } catch (error) {
        if (error.name !== "AbortError") target.textContent = "The studio does not answer. Is it still running?";
        else return;
      }
      target.removeAttribute("aria-busy");
    };
    const soon = () => { clearTimeout(waiting); waiting = setTimeout(ask, 350); };
    form.addEventListener("input", (event) => {
      // What else can be chosen depends on it, so that the whole page is asked for.
      if (event.target.matches("[data-reload]")) form.requestSubmit();
      else soon();
    });
    for (const button of all("[data-live-now]", form)) {
      button.addEventListener("click", (event) => { event.preventDefault(); ask(); });
    }
    if ("liveAction" in form.dataset && form.elements.what.value && form.elements.label.value) ask();
  }

  for (const form of all("form[data-confirm]")) {
    form.addEventListener("submit", (event) => { if (!confirm(form.dataset.confirm)) event.preventDefault(); });
  }

  // Words that are selected in an item are the start of a source.
  const offer = document.querySelector("[data-selection]");
  if (offer) {
    document.addEventListener("selectionchange", () => {
      const chosen = getSelection(), words = chosen.toString().trim();
      const start = chosen.anchorNode;  // a text or, if all of it was selected, what holds it
      const place = (start instanceof Element ? start : start?.parentElement)?.closest("[data-column]");
      offer.closest(".selection").hidden = !(words && place);
      if (!words || !place) return;
      offer.href = `/sources/new?${new URLSearchParams({ words: words.slice(0, 200), on: place.dataset.column })}`;
      offer.textContent = `New source from “${words.length > 40 ? `${words.slice(0, 40)}…` : words}”`;
    });
  }

  // Labeling: one key an answer. Keys are sent one after the other, so that none overtakes another.
  const desk = document.querySelector("[data-labeling]");
  if (desk) {
    let last = Promise.resolve();
    const press = (key) => {
      last = last.then(async () => {
        const form = desk.querySelector("[data-key-form]");
        if (!form) return;
        const said = new URLSearchParams([...new FormData(form)].filter(([name]) => name !== "key"));
        said.set("key", key);
        try {
          const answer = await fetch("/label/press", { method: "POST", body: said, headers: asPiece });
          desk.innerHTML = await answer.text();
        } catch {
          desk.insertAdjacentHTML("afterbegin", '<p class="fault" role="alert">The studio does not answer: this answer was not kept. Is it still running?</p>');
        }
      });
      return last;
    };
    desk.addEventListener("submit", (event) => {
      event.preventDefault();
      press(event.submitter.value);
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      if (event.target.closest("input, select, textarea")) return;
      if (event.target.closest("button, a, summary") && (event.key === " " || event.key === "Enter")) return;
      const named = ["ArrowLeft", "ArrowRight", "Backspace"].includes(event.key);
      if (!named && event.key.length !== 1) return;
      event.preventDefault();
      press(event.key === " " ? "Space" : event.key);
    });
  }

  // What runs in the background tells how far it is; once it has ended, the page shows what it gave.
  for (const place of all("[data-events]")) {
    const events = new EventSource(place.dataset.events);
    events.addEventListener("state", (event) => {
      const open = place.querySelector("details")?.open;
      place.innerHTML = JSON.parse(event.data);
      const details = place.querySelector("details");
      if (details && open) details.open = true;
    });
    events.addEventListener("end", () => { events.close(); location.reload(); });
  }
})();
