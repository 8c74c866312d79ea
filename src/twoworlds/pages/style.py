"""How a page looks: one style sheet, without anything to load. Light or dark is the reader's choice; paper is light."""

from __future__ import annotations

from .palette import DARK, LIGHT

__all__ = ["STYLE"]


def _variables(colours: dict[str, str]) -> str:
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


STYLE = (
    f":root{{{_variables(LIGHT)}color-scheme:light dark}}\n"
    f"@media screen and (prefers-color-scheme: dark){{:root{{{_variables(DARK)}}}}}\n"
    r"""
*, *::before, *::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 Charter, "Bitstream Charter", "Sitka Text", "Source Serif 4", Cambria, "Liberation Serif", serif;
  overflow-wrap: anywhere;
}
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1rem 4rem }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; break-after: avoid }
h1 { font-size: 1.75rem; margin: 0 0 1.5rem; padding-bottom: .75rem; border-bottom: 2px solid var(--ink) }
h2 { font-size: 1.3rem; margin: 2rem 0 .5rem }
h3 { font-size: 1.0625rem; margin: 1.5rem 0 .25rem }
p { margin: .25rem 0 .75rem; max-width: 38rem; text-wrap: pretty }
.memo + .memo { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--rule) }
.memo > :first-child { margin-top: 0 }
main { counter-reset: memo }
.memo:not(:only-of-type) > h2::before { counter-increment: memo; content: counter(memo) "\2002"; color: var(--muted) }
table, figure { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif }
.scroll {
  overflow-x: auto; margin: 1.5rem 0;
  /* where a table goes on beyond the window, its edge is shaded; at its end the paper covers the shade */
  background:
    linear-gradient(to right, var(--paper), var(--paper)) 0 0 / .75rem 100% no-repeat local,
    linear-gradient(to left, var(--paper), var(--paper)) 100% 0 / .75rem 100% no-repeat local,
    linear-gradient(to right, var(--rule), transparent) 0 0 / .75rem 100% no-repeat scroll,
    linear-gradient(to left, var(--rule), transparent) 100% 0 / .75rem 100% no-repeat scroll;
}
.scroll:focus-visible { outline: 2px solid var(--series-0); outline-offset: 2px }
table, svg text { font-variant-numeric: tabular-nums lining-nums }
table { border-collapse: collapse; font-size: .9375rem; line-height: 1.35 }
caption { text-align: left; padding-bottom: .5rem }
caption span { display: block; position: sticky; left: 0; width: max-content; max-width: min(42rem, 100vw - 2rem) }
caption, figcaption { color: var(--muted); font-size: .9375rem; line-height: 1.4 }
figcaption b { color: var(--ink); font-weight: 600; margin-right: .35em }
th, td { padding: .3rem 1.75rem .3rem 0; text-align: left; vertical-align: top; font-weight: 400 }
th:last-child, td:last-child { padding-right: 0 }
thead th { color: var(--muted); vertical-align: bottom; border-bottom: 1px solid var(--ink); overflow-wrap: normal }
tbody tr + tr > * { border-top: 1px solid var(--rule) }
tbody tr:last-child > * { border-bottom: 1px solid var(--ink) }
tbody th { max-width: 20rem; overflow-wrap: break-word }
.number { text-align: right; white-space: nowrap; overflow-wrap: normal }
td.number::after { content: ""; display: inline-block; width: var(--room, 0) }
thead .number { white-space: normal }
.unknown { color: var(--muted) }
figure { margin: 1.75rem 0 }
figcaption { margin-bottom: .5rem }
svg { display: block; width: 100%; height: auto; overflow: visible; stroke-linejoin: round; stroke-linecap: butt }
svg.narrow { display: none }
@media (max-width: 37.5rem) {
  main { padding-top: 1.5rem }
  h1 { font-size: 1.5rem }
  table { font-size: .875rem }
  th, td { padding-right: .75rem }
  tbody th { max-width: 10rem }
  svg.wide { display: none }
  svg.narrow { display: block; max-width: 27rem }
}
@page { margin: 2cm }
@media print {
  body { font-size: 10.5pt }
  main { max-width: none; padding: 0 }
  .scroll { overflow: visible; background: none }
  thead { display: table-header-group }
  tr, figcaption { break-inside: avoid }
  figcaption { break-after: avoid }
  figure svg { max-height: 23cm; break-inside: avoid }
}
"""
)
