// The same aircraft on a plain canvas, for browsers without WebGL: drawn from small pictures in 5 degree steps.
import { CLASSES } from "../../live/classes";
import { STRIDE } from "../../live/messages";
import type { TrailRing } from "../all_trails/ring";
import { positionOf, sizeAt, type AircraftLayer, type MapView, type Picture, type Underlay } from "./layer";
import { TURNS, pathOf } from "./shapes";

const STEPS = 72;
const MAX_SPRITES = 4000;

export class CanvasLayer implements AircraftLayer {
  readonly kind = "canvas";
  readonly drawsLabels = false;
  readonly canvas = document.createElement("canvas");
  private readonly context = this.canvas.getContext("2d")!;
  private readonly paths = CLASSES.map(pathOf);
  private sprites = new Map<string, HTMLCanvasElement>();
  underlay: Underlay | null = null;
  private picture: Picture | null = null;

  take(picture: Picture): void {
    this.picture = picture;
  }

  draw(view: MapView, elapsed: number, dark: boolean): void {
    const { canvas, context, picture } = this;
    const width = Math.round(view.width * view.ratio);
    const height = Math.round(view.height * view.ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    context.clearRect(0, 0, width, height);
    if (!picture) return;
    this.underlay?.draw(view, elapsed, dark, picture.count);
    const unit = Math.round(sizeAt(view.resolution));
    for (let row = 0; row < picture.count; row += 1) {
      const [x, y] = positionOf(picture, row, view, elapsed);
      if (x < -40 || y < -40 || x > view.width + 40 || y > view.height + 40) continue;
      const sprite = this.sprite(picture, row, unit, view.ratio, dark);
      const faint = ((picture.bits[row * STRIDE + 11] >>> 24) & 1) === 1;
      if (faint) context.globalAlpha = 0.45;
      context.drawImage(
        sprite,
        Math.round(x * view.ratio - sprite.width / 2),
        Math.round(y * view.ratio - sprite.height / 2),
      );
      if (faint) context.globalAlpha = 1;
    }
  }

  private sprite(picture: Picture, row: number, unit: number, ratio: number, dark: boolean): HTMLCanvasElement {
    const at = row * STRIDE;
    const colour = picture.bits[at + 10];
    const look = picture.bits[at + 11];
    const drawing = look & 255;
    const turn = picture.data[at + 9] / (2 * Math.PI);
    const step = TURNS[drawing] ? Math.round((turn - Math.floor(turn)) * STEPS) % STEPS : 0;
    const key = `${look} ${colour} ${step} ${unit} ${ratio} ${dark}`;
    let sprite = this.sprites.get(key);
    if (!sprite) {
      if (this.sprites.size > MAX_SPRITES) this.sprites = new Map();
      const size = ((look >>> 8) & 255) / 100;
      const chosen = ((look >>> 24) & 2) !== 0 ? 1.2 : 1;
      sprite = paint(
        this.paths[drawing],
        unit * size * chosen * ratio,
        (step / STEPS) * 2 * Math.PI,
        colour,
        (look >>> 16) & 255,
        dark,
      );
      this.sprites.set(key, sprite);
    }
    return sprite;
  }

  async drawTrails(ring: TrailRing): Promise<void> {
    const { CanvasTrails } = await import("../all_trails/canvas_trails");
    this.underlay = new CanvasTrails(this.context, ring, () => this.picture);
  }

  destroy(): void {
    this.canvas.remove();
  }
}

function paint(
  path: Path2D,
  length: number,
  angle: number,
  colour: number,
  mark: number,
  dark: boolean,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.ceil(length * 1.5);
  const context = canvas.getContext("2d")!;
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate(angle);
  context.scale(length / 2, length / 2);
  context.lineJoin = "round";
  context.lineWidth = 0.22;
  context.strokeStyle = mark === 2 ? "#e60d1a" : mark === 1 ? "#f29900" : dark ? "#080d17" : "#fff";
  context.stroke(path);
  context.fillStyle = `rgb(${colour & 255} ${(colour >>> 8) & 255} ${(colour >>> 16) & 255})`;
  context.fill(path, "nonzero");
  return canvas;
}
