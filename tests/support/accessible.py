"""Checks of a page as people meet it who do not see it, see little, or have no mouse; run inside of the page."""

from __future__ import annotations

from typing import Any

_FAULTS = r"""() => {
  const faults = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const named = (one) => one.cloneNode(false).outerHTML.slice(0, 120);
  const visible = (one) => one.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });

  if (!document.documentElement.lang) faults.push("the page has no language");
  if (!document.title.trim()) faults.push("the page has no title");
  if (all("main").length !== 1) faults.push("there must be one main");

  const headings = all("h1, h2, h3, h4, h5, h6").filter(visible);
  if (all("h1").length !== 1) faults.push(`there must be one h1, but there are ${all("h1").length}`);
  let level = 0;
  for (const one of headings) {
    const own = Number(one.tagName[1]);
    if (own > level + 1) faults.push(`h${own} after h${level}: ${one.textContent.trim().slice(0, 40)}`);
    if (!one.textContent.trim()) faults.push(`a heading without text: ${named(one)}`);
    level = own;
  }

  const ids = all("[id]").map((one) => one.id);
  for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) faults.push(`two have the id ${id}`);

  for (const one of all("input:not([type=hidden]), select, textarea, progress")) {
    const label = one.getAttribute("aria-label")?.trim() || [...(one.labels ?? [])].some((l) => l.textContent.trim());
    if (!label) faults.push(`no label: ${named(one)}`);
  }
  for (const one of all("button, a[href], summary, [role=switch]")) {
    if (!(one.getAttribute("aria-label") || one.textContent).trim()) faults.push(`says nothing: ${named(one)}`);
  }
  for (const one of all("img, svg, iframe")) {
    const told = one.getAttribute("aria-label") || one.getAttribute("alt") || one.getAttribute("title");
    if (one.getAttribute("aria-hidden") !== "true" && !told) faults.push(`no text instead of it: ${named(one)}`);
  }
  for (const one of all("[for]")) if (!one.control) faults.push(`a label of nothing: ${named(one)}`);
  for (const one of all("table")) if (!one.querySelector("th[scope]")) faults.push(`no headers: ${named(one)}`);
  for (const one of all("[tabindex]")) if (one.tabIndex > 0) faults.push(`jumps the queue: ${named(one)}`);
  // What can be scrolled must be reachable for those who scroll by keyboard.
  for (const one of all("body *")) {
    const style = getComputedStyle(one);
    const scrolls = /auto|scroll/.test(style.overflowY) && one.scrollHeight > one.clientHeight + 1;
    if (scrolls && visible(one) && one.tabIndex < 0 && !one.querySelector("a, button, input, select, textarea"))
      faults.push(`scrolls by mouse alone: ${named(one)}`);
  }

  // Contrast: every colour is painted on a canvas over what is behind it, so that the browser itself mixes them.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  canvas.canvas.width = canvas.canvas.height = 1;
  const mixed = (colours) => {
    canvas.globalAlpha = 1;
    canvas.clearRect(0, 0, 1, 1);
    for (const [colour, alpha] of colours) {
      [canvas.globalAlpha, canvas.fillStyle] = [alpha, colour];
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (colour) => {
    const linear = (part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.map((part) => linear(part / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const dark = getComputedStyle(document.documentElement).colorScheme.includes("dark")
    && !getComputedStyle(document.documentElement).colorScheme.includes("light");
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const one = node.parentElement;
    const text = node.textContent.trim();
    if (!text || seen.has(one) || !visible(one)) continue;
    if (one.closest("script, style, option, [disabled], progress")) continue;
    seen.add(one);
    const box = one.getBoundingClientRect();
    if (box.right < 0 || !box.width) continue;  // for screen readers alone
    const behind = [];
    let opacity = 1;
    for (let up = one; up; up = up.parentElement) {
      const style = getComputedStyle(up);
      behind.unshift([style.backgroundColor, 1]);
      opacity *= Number(style.opacity);
    }
    behind.unshift([dark ? "black" : "white", 1]);
    const style = getComputedStyle(one);
    const colour = one.ownerSVGElement ? style.fill : style.color;
    const both = [luminance(mixed(behind)), luminance(mixed([...behind, [colour, opacity]]))];
    const [lighter, darker] = both.sort((a, b) => b - a);
    const contrast = (lighter + 0.05) / (darker + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5))
      faults.push(`contrast ${contrast.toFixed(2)} of “${text.slice(0, 30)}” in ${named(one)}`);
  }

  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) {
    const wide = all("body *").filter((one) => one.getBoundingClientRect().right > width + 1).map(named);
    faults.push(`${document.documentElement.scrollWidth} px wide: ${wide.slice(0, 3)}`);
  }
  return faults;
}"""

_REACHABLE = """() => [...document.querySelectorAll(
  "a[href], button, input:not([type=hidden]), select, textarea, summary, iframe, [tabindex]"
)].filter((one) => !one.disabled && one.tabIndex >= 0 && one.checkVisibility({ checkVisibilityCSS: true }))
  .map((one, at) => { one.dataset.at = at; return at; })"""


def faults_of(tab: Any) -> list[str]:
    """What is wrong with a page, each in words."""
    found: list[str] = tab.evaluate(_FAULTS)
    return found


def order_by_tab(tab: Any) -> tuple[list[int], list[int]]:
    """The numbers of what can be focused, in the order of the document, and in that in which Tab leads there."""
    wanted: list[int] = tab.evaluate(_REACHABLE)
    tab.evaluate("document.activeElement.blur(), getSelection().removeAllRanges(), scrollTo(0, 0)")
    reached: list[int] = []
    for _ in wanted:
        tab.keyboard.press("Tab")
        at = tab.evaluate("document.activeElement.dataset.at ?? null")
        reached.append(-1 if at is None else int(at))
    return wanted, reached
