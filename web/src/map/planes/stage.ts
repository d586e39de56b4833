// The aircraft above the map: three canvases that are drawn no more often than the movement on the screen is worth.
import { STRIDE, type TrailNews } from "../../live/messages";
import type { TrailRing } from "../all_trails/ring";
import { CanvasLabels } from "./labels_canvas";
import { EASE_S, positionOf, sizeAt, type AircraftLayer, type MapView, type Picture } from "./layer";
import { palette, type Palette } from "../../core/palette";
import { CanvasLayer } from "./canvas";
import { glLayer } from "./gl";

const EMPTY: Picture = {
  count: 0,
  data: new Float32Array(0),
  bits: new Uint32Array(0),
  at: 0,
  speed: 1,
  labels: [],
  selectedRow: -1,
  alsoRows: [],
  fastest: 0,
};
/** A movement of a third of a pixel is worth a frame, but no more than so many a second, and one a second at least. */
const STEP_PX = 0.34;
const MAX_FRAMES = 30;
/** Circles beyond so many say nothing any more. */
const MAX_MARKED = 300;

const markOf = (picture: Picture, row: number): number => (picture.bits[row * STRIDE + 11] >>> 16) & 255;

export interface TrailPoint {
  x: number;
  y: number;
  colour: string;
  /** Nothing was heard before this point: no line leads to it. */
  gap: boolean;
}

export class Stage {
  readonly element = document.createElement("div");
  readonly under = document.createElement("canvas");
  readonly over = document.createElement("canvas");
  layer: AircraftLayer;
  trails: TrailPoint[][] = [];
  private picture = EMPTY;
  private marked: number[] = [];
  private view: MapView | null = null;
  private dark = true;
  private still = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private readonly labels = new CanvasLabels();
  private trailsChanged = true;
  private isOverBlank = false;
  /** The trails of all aircraft; null where they are off. */
  private ring: TrailRing | null = null;
  private waiting: TrailNews[] = [];

  constructor(private readonly onKind: (kind: string) => void) {
    this.element.className = "stage";
    this.layer = this.makeLayer(true);
    this.element.append(this.under, this.layer.canvas, this.over);
  }

  private makeLayer(mayUseGl: boolean): AircraftLayer {
    const forced = new URLSearchParams(location.search).get("renderer") === "canvas";
    const layer = (mayUseGl && !forced && glLayer(() => this.fallBack())) || new CanvasLayer();
    layer.canvas.dataset.renderer = layer.kind;
    this.onKind(layer.kind);
    return layer;
  }

  /** The graphics card was taken away: go on with a canvas. */
  private fallBack(): void {
    const old = this.layer.canvas;
    this.layer = this.makeLayer(false);
    old.replaceWith(this.layer.canvas);
    if (this.ring) void this.drawRing(this.ring);
    this.layer.take(this.picture);
    this.draw();
  }

  /** What is new of the trails of all aircraft. */
  takeTrails(news: TrailNews | null): void {
    if (!news) {
      this.ring = this.layer.underlay = null;
      this.waiting = [];
    } else if (this.ring) {
      this.ring.take(news);
    } else {
      void this.beginRing(news);
    }
  }

  /** Their scripts are fetched by whoever wants trails; what comes meanwhile is taken up by the next picture. */
  private async beginRing(news: TrailNews): Promise<void> {
    this.waiting.push(news);
    if (this.waiting.length > 1) return;
    try {
      const { TrailRing } = await import("../all_trails/ring");
      if (!this.waiting.length) return; // They were switched off meanwhile.
      this.ring = new TrailRing();
      for (const one of this.waiting) this.ring.take(one);
      await this.drawRing(this.ring);
    } catch (error) {
      console.warn("The trails of all aircraft cannot be drawn:", error);
    } finally {
      this.waiting = [];
    }
  }

  private async drawRing(ring: TrailRing): Promise<void> {
    await this.layer.drawTrails(ring);
    this.draw();
  }

  take(picture: Picture): void {
    this.picture = picture;
    this.marked = [];
    for (let row = 0; row < picture.count && this.marked.length < MAX_MARKED; row += 1)
      if (markOf(picture, row)) this.marked.push(row);
    this.layer.take(picture);
    this.draw();
  }

  look(dark: boolean, still: boolean): void {
    this.dark = dark;
    this.still = still;
    this.labels.forget();
    this.layer.forget?.();
    this.trailsChanged = true;
    this.draw();
  }

  setTrails(trails: TrailPoint[][]): void {
    this.trails = trails;
    this.trailsChanged = true;
    this.draw();
  }

  setView(view: MapView): void {
    this.view = view;
    this.trailsChanged = true;
    cancelAnimationFrame(this.asked);
    this.asked = 0;
    this.paint();
  }

  /** Seconds of the picture's clock since the picture was made. */
  get elapsed(): number {
    if (this.still) return 0;
    return Math.max(0, ((performance.timeOrigin + performance.now() - this.picture.at) / 1000) * this.picture.speed);
  }

  draw(): void {
    this.asked ||= requestAnimationFrame(() => {
      this.asked = 0;
      this.paint();
    });
  }

  private paint(): void {
    const { view } = this;
    if (!view || document.hidden) return;
    const elapsed = this.elapsed;
    this.layer.draw(view, elapsed, this.dark);
    this.paintOver(view, elapsed);
    if (this.trailsChanged || this.chosenRows.some((row) => row >= 0)) this.paintUnder(view, elapsed);
    this.trailsChanged = false;
    this.planNext(view, elapsed);
  }

  private planNext(view: MapView, elapsed: number): void {
    clearTimeout(this.timer);
    if (this.still || !this.picture.count) return;
    const pixels = ((this.picture.fastest * this.picture.speed) / view.resolution) * (elapsed < EASE_S ? 1.5 : 1);
    const wait = Math.max(1000 / MAX_FRAMES, Math.min(1000, (1000 * STEP_PX) / Math.max(pixels, 0.001)));
    this.timer = setTimeout(() => this.draw(), wait);
  }

  /** What is drawn above the aircraft; where there is nothing, an empty canvas is left alone. */
  private paintOver(view: MapView, elapsed: number): void {
    const { picture } = this;
    const chosen = this.chosenRows.filter((row) => row >= 0);
    const isBlank = !this.marked.length && !chosen.length && (this.layer.drawsLabels || !picture.labels.length);
    if (isBlank && this.isOverBlank) return;
    this.isOverBlank = isBlank;
    const context = prepared(this.over, view);
    const shades = palette(this.dark);
    if (!this.layer.drawsLabels) this.labels.draw(context, picture, view, elapsed, this.dark);
    if (this.marked.length) this.paintMarks(context, view, elapsed, shades);
    for (const row of chosen) this.paintRing(context, row, view, elapsed, shades);
  }

  /** A circle around each aircraft in an emergency, and around those that the person has an alert about. */
  private paintMarks(context: CanvasRenderingContext2D, view: MapView, elapsed: number, shades: Palette): void {
    context.save();
    context.scale(view.ratio, view.ratio);
    context.lineWidth = 2;
    for (const [mark, colour] of [
      [1, shades.alert],
      [2, shades.emergency],
    ] as const) {
      context.strokeStyle = colour;
      context.beginPath();
      for (const row of this.marked) {
        if (markOf(this.picture, row) !== mark) continue;
        const [x, y] = positionOf(this.picture, row, view, elapsed);
        const half = sizeAt(view.resolution) * 0.62 + 3;
        context.moveTo(x + half, y);
        context.arc(x, y, half, 0, 2 * Math.PI);
      }
      context.stroke();
    }
    context.restore();
  }

  /** Rows of the selected aircraft, in the order of their trails. */
  private get chosenRows(): number[] {
    return [this.picture.selectedRow, ...this.picture.alsoRows];
  }

  private paintRing(
    context: CanvasRenderingContext2D,
    row: number,
    view: MapView,
    elapsed: number,
    shades: Palette,
  ): void {
    const [x, y] = positionOf(this.picture, row, view, elapsed);
    const size = (this.picture.bits[row * STRIDE + 11] >>> 8) & 255;
    const half = (sizeAt(view.resolution) * size) / 100 / 1.5 + 6;
    context.save();
    context.scale(view.ratio, view.ratio);
    context.strokeStyle = shades.accent;
    context.lineWidth = 1.6;
    context.beginPath();
    // Four corners, as of a viewfinder.
    for (const [sx, sy] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ]) {
      context.moveTo(x + sx * half, y + sy * half * 0.5);
      context.lineTo(x + sx * half, y + sy * half);
      context.lineTo(x + sx * half * 0.5, y + sy * half);
    }
    context.stroke();
    context.restore();
  }

  private paintUnder(view: MapView, elapsed: number): void {
    const context = prepared(this.under, view);
    if (!this.trails.length) return;
    context.save();
    context.scale(view.ratio, view.ratio);
    context.lineCap = context.lineJoin = "round";
    const rows = this.chosenRows;
    this.trails.forEach((trail, at) => this.strokeTrail(context, trail, view, elapsed, rows[at] ?? -1));
    context.restore();
  }

  private strokeTrail(
    context: CanvasRenderingContext2D,
    trail: TrailPoint[],
    view: MapView,
    elapsed: number,
    row: number,
  ): void {
    const screen = ({ x, y }: TrailPoint): [number, number] => [
      (x - view.x) / view.resolution + view.width / 2,
      view.height / 2 - (y - view.y) / view.resolution,
    ];
    let at = 0;
    while (at < trail.length - 1) {
      const colour = trail[at + 1].colour;
      const run = new Path2D();
      run.moveTo(...screen(trail[at]));
      let end = at + 1;
      for (; end < trail.length && trail[end].colour === colour; end += 1) {
        const [x, y] = screen(trail[end]);
        if (trail[end].gap) run.moveTo(x, y);
        else run.lineTo(x, y);
      }
      if (end === trail.length && row >= 0) run.lineTo(...positionOf(this.picture, row, view, elapsed));
      context.strokeStyle = palette(this.dark).textHalo;
      context.lineWidth = 4.5;
      context.stroke(run);
      context.strokeStyle = colour;
      context.lineWidth = 2.2;
      context.stroke(run);
      at = end - 1;
      if (end === trail.length) break;
    }
  }
}

function prepared(canvas: HTMLCanvasElement, view: MapView): CanvasRenderingContext2D {
  const width = Math.round(view.width * view.ratio);
  const height = Math.round(view.height * view.ratio);
  const context = canvas.getContext("2d")!;
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  } else {
    context.clearRect(0, 0, width, height);
  }
  return context;
}
