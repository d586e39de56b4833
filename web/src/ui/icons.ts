// Drawn for this application on a 20 px grid, as strokes.
import { html, svg, type TemplateResult } from "lit";

const PATHS = {
  plus: "M10 4v12M4 10h12",
  minus: "M4 10h12",
  home: "M10 2.5v3M10 14.5v3M2.5 10h3M14.5 10h3M10 6.2a3.8 3.8 0 1 0 0 7.6a3.8 3.8 0 0 0 0-7.6",
  layers: "M10 3l7 4-7 4-7-4zM3.6 10.6L10 14.2l6.4-3.6M3.6 13.8L10 17.4l6.4-3.6",
  clock: "M3.4 10a6.6 6.6 0 1 0 2-4.7M3 3.2v3.4h3.4M10 6v4.3l2.8 1.7",
  search: "M8.8 3.6a5.2 5.2 0 1 0 0 10.4a5.2 5.2 0 0 0 0-10.4M12.7 12.7l4 4",
  close: "M5 5l10 10M15 5L5 15",
  filter: "M3 4.5h14l-5.4 6.4v5l-3.2-1.6v-3.4z",
  list: "M3.5 4.5h13v11h-13zM11.5 4.5v11M13.5 7.5h1M13.5 10h1M13.5 12.5h1",
  rows: "M3.5 5h13M3.5 10h13M3.5 15h13",
  columns: "M3.5 4.5h13v11h-13zM8 4.5v11M12.3 4.5v11",
  follow: "M10 3v3M10 14v3M3 10h3M14 10h3M10 8.6a1.4 1.4 0 1 0 0 2.8a1.4 1.4 0 0 0 0-2.8",
  up: "M10 16V5M5.5 9L10 4.5 14.5 9",
  down: "M10 4v11M5.5 11l4.5 4.5 4.5-4.5",
  play: "M6 4l10 6-10 6z",
  pause: "M6.5 4v12M13.5 4v12",
  more: "M4.5 10h.1M10 10h.1M15.5 10h.1",
  chevron: "M7 4l6 6-6 6",
  previous: "M13 4l-6 6 6 6",
  random: "M3 6h3.2l7 8H17M3 14h3.2l2-2.3M11.2 8.3l2-2.3H17M14.8 3.8L17 6l-2.2 2.2M14.8 11.8L17 14l-2.2 2.2",
  alone: "M10 7a3 3 0 1 0 0 6a3 3 0 0 0 0-6M3.5 6.5v-3h3M13.5 3.5h3v3M16.5 13.5v3h-3M6.5 16.5h-3v-3",
  fit: "M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4M6 13.5l3-4 2.4 2L14 7",
  link: "M8.5 11.5a3 3 0 0 0 4.3 0l2.7-2.7a3 3 0 0 0-4.3-4.3l-1.2 1.2M11.5 8.5a3 3 0 0 0-4.3 0l-2.7 2.7a3 3 0 0 0 4.3 4.3l1.2-1.2",
  sound: "M3.5 8v4h3l4 3.4V4.6L6.5 8zM13.3 7.5a3.5 3.5 0 0 1 0 5M15.5 5.3a6.6 6.6 0 0 1 0 9.4",
  trash: "M4 5.5h12M8 5.5V3.8h4v1.7M5.5 5.5l.8 11h7.4l.8-11",
  edit: "M4 16l.8-3.4 8.6-8.6 2.6 2.6-8.6 8.6z",
  check: "M4 10.5l4 4 8-9",
} as const;
export type IconName = keyof typeof PATHS;

export function icon(name: IconName): TemplateResult {
  return drawing(PATHS[name]);
}

/** A drawing that is not one of the shared ones, by its path. */
export function drawing(path: string): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 20 20" width="20" height="20" aria-hidden="true" focusable="false">
    ${svg`<path d=${path} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />`}
  </svg>`;
}

/** The mark: a receiver's beam over the horizon. */
export function mark(): TemplateResult {
  return html`<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">
    ${svg`<path d="M12 2.5a9.5 9.5 0 0 1 9.5 9.5M12 6.5a5.5 5.5 0 0 1 5.5 5.5" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" opacity=".55" />
    <path d="M2.5 12A9.5 9.5 0 0 0 12 21.5M12 2.5A9.5 9.5 0 0 0 2.5 12" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" />
    <path d="M12 12l6.5-6.5M12 12a.9.9 0 1 0 .1 0z" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />`}
  </svg>`;
}
