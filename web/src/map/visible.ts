// The part of the map that nothing lies over: the panel of the selected aircraft, the list and a page may cover some of it.

/** Pixels at each edge of the map: top, right, bottom, left. */
export type Insets = [number, number, number, number];
export type Box = Pick<DOMRect, "left" | "top" | "right" | "bottom">;

const COVERS = ".panel, sw-list, .page.drawer";
/** What is as wide as this share of the map lies above or below what is seen, anything else next to it. */
const BAND_SHARE = 0.6;
/** At least so much of the map counts as visible, however much is covered. */
const MIN_PX = 80;

/** What covers leave of a map; where they leave next to nothing, they are not counted. */
export function insetsOf(map: Box, covers: readonly Box[]): Insets {
  const insets: Insets = [0, 0, 0, 0];
  const width = map.right - map.left;
  const height = map.bottom - map.top;
  for (const cover of covers) {
    const left = Math.max(map.left, cover.left);
    const right = Math.min(map.right, cover.right);
    const top = Math.max(map.top, cover.top);
    const bottom = Math.min(map.bottom, cover.bottom);
    if (right <= left || bottom <= top) continue;
    if (right - left >= width * BAND_SHARE) {
      if (top - map.top >= map.bottom - bottom) insets[2] = Math.max(insets[2], map.bottom - top);
      else insets[0] = Math.max(insets[0], bottom - map.top);
    } else if (left - map.left <= map.right - right) insets[3] = Math.max(insets[3], right - map.left);
    else insets[1] = Math.max(insets[1], map.right - left);
  }
  if (width - insets[1] - insets[3] < MIN_PX) insets[1] = insets[3] = 0;
  if (height - insets[0] - insets[2] < MIN_PX) insets[0] = insets[2] = 0;
  return insets;
}

/** How far a point is to be moved (px) so that it is seen with room around it; none where it is. */
export function shiftInto(
  [x, y]: [number, number],
  [width, height]: [number, number],
  [top, right, bottom, left]: Insets,
  margin: number,
): [number, number] {
  const into = (at: number, low: number, high: number): number =>
    (low > high ? (low + high) / 2 : Math.max(low, Math.min(high, at))) - at;
  return [into(x, left + margin, width - right - margin), into(y, top + margin, height - bottom - margin)];
}

/** The present insets of a map in the page. */
export function measuredInsets(map: Element): Insets {
  const covers = [...document.querySelectorAll(COVERS)]
    .filter((one) => one.checkVisibility())
    .map((one) => one.getBoundingClientRect());
  return insetsOf(map.getBoundingClientRect(), covers);
}
