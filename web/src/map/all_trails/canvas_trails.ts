// The trails of all aircraft on a plain canvas, for browsers without WebGL: the newest segments alone, one stroke for each
// colour.
import { RAMP_SIZE, packedRamp } from "../../core/ramp";
import { SEGMENT_WORDS } from "../../live/trails/book";
import { unwrap } from "../../live/fleet";
import { STRIDE } from "../../live/messages";
import { positionOf, type MapView, type Picture, type Underlay } from "../planes/layer";
import type { TrailRing } from "./ring";

const MAX_SEGMENTS = 12_000;
const STRENGTH = 0.7;
/** Ramps have a colour for each 250 ft; strokes one for each 1000 ft. */
const COLOURS_PER_STROKE = 4;

/** The middle of a band of colours; those of the ground and of no altitude stand alone. */
function bandOf(colour: number): number {
  return colour >= RAMP_SIZE - 2 || colour < 0
    ? Math.max(0, colour)
    : Math.floor(colour / COLOURS_PER_STROKE) * COLOURS_PER_STROKE;
}

export class CanvasTrails implements Underlay {
  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly ring: TrailRing,
    private readonly picture: () => Picture | null,
  ) {}

  draw(view: MapView, elapsed: number, dark: boolean): void {
    const { context, ring } = this;
    const { news } = ring;
    if (!news) return;
    const strokes = new Map<number, Path2D>();
    const shown = new Uint8Array(news.shown);
    const ramp = packedRamp(dark);
    const line = (colour: number, x0: number, y0: number, x1: number, y1: number): void => {
      if (
        Math.max(x0, x1) < 0 ||
        Math.max(y0, y1) < 0 ||
        Math.min(x0, x1) > view.width ||
        Math.min(y0, y1) > view.height
      )
        return;
      let path = strokes.get(colour);
      if (!path) strokes.set(colour, (path = new Path2D()));
      path.moveTo(x0, y0);
      path.lineTo(x1, y1);
    };
    const left = (x: number): number => (x - view.x) / view.resolution + view.width / 2;
    const top = (y: number): number => view.height / 2 - (news.origin[1] + y - view.y) / view.resolution;
    for (let number = Math.max(ring.tail, ring.head - MAX_SEGMENTS); number < ring.head; number += 1) {
      const at = (number % ring.capacity) * SEGMENT_WORDS;
      const mark = ring.bits[at + 5];
      if (shown[mark & 0xffff] !== ((mark >>> 16) & 255) || news.now - ring.data[at + 4] > news.span) continue;
      const x = unwrap(news.origin[0] + ring.data[at], view.x);
      line(
        bandOf(mark >>> 24),
        left(x),
        top(ring.data[at + 1]),
        left(x + ring.data[at + 2] - ring.data[at]),
        top(ring.data[at + 3]),
      );
    }
    const picture = this.picture();
    const anchors = new Float32Array(news.anchors);
    for (let row = 0; picture && row < Math.min(picture.count, anchors.length / 2); row += 1) {
      if (Number.isNaN(anchors[2 * row])) continue;
      const x = left(unwrap(news.origin[0] + anchors[2 * row], view.x));
      line(
        bandOf(ramp.indexOf(picture.bits[row * STRIDE + 10])),
        x,
        top(anchors[2 * row + 1]),
        ...positionOf(picture, row, view, elapsed),
      );
    }
    context.save();
    context.scale(view.ratio, view.ratio);
    context.globalAlpha = STRENGTH;
    context.lineWidth = 1.5;
    for (const [colour, path] of strokes) {
      const packed = ramp[colour];
      context.strokeStyle = `rgb(${packed & 255} ${(packed >>> 8) & 255} ${(packed >>> 16) & 255})`;
      context.stroke(path);
    }
    context.restore();
  }
}
