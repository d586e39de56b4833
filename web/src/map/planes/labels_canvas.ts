// The labels on a plain canvas, for browsers without WebGL: each text is painted once and kept.
import type { Label } from "../../live/messages";
import { EDGE_PX, FONTS, HALO_PX, LINE_PX, STRENGTHS, cornerOf, fontOf, heightOf } from "./label_style";
import { positionOf, type MapView, type Picture } from "./layer";
import { palette, type Palette } from "../../core/palette";

const LABEL_MEMORY = 400;
/** Widths of labels in steps, so that the canvas of one fits another. */
const WIDTH_STEP_PX = 16;

/** A painted label, and the part of its canvas that it takes, in pixels of the page. */
interface Bitmap {
  canvas: HTMLCanvasElement;
  width: number;
}

export class CanvasLabels {
  private readonly bitmaps = new Map<string, Bitmap>();

  /** Colours or fonts are other ones. */
  forget(): void {
    this.bitmaps.clear();
  }

  draw(context: CanvasRenderingContext2D, picture: Picture, view: MapView, elapsed: number, dark: boolean): void {
    const shades = palette(dark);
    for (const label of picture.labels) {
      const { canvas, width } = this.bitmapOf(label, shades, view.ratio);
      const [left, top] = cornerOf(label, picture, view, positionOf(picture, label.row, view, elapsed), width);
      context.drawImage(canvas, Math.round(left * view.ratio), Math.round(top * view.ratio));
    }
  }

  private bitmapOf(label: Label, shades: Palette, ratio: number): Bitmap {
    const key = `${label.lines.join("\n")}\n${label.strong}\n${ratio}`;
    let bitmap = this.bitmaps.get(key);
    if (bitmap) {
      this.bitmaps.delete(key);
    } else {
      // A new canvas costs more than all that is painted on it: the one that was not used for longest is repainted.
      const [oldest] = this.bitmaps.size >= LABEL_MEMORY ? this.bitmaps : [];
      if (oldest) this.bitmaps.delete(oldest[0]);
      bitmap = paint(label, shades, ratio, oldest?.[1].canvas ?? document.createElement("canvas"));
    }
    this.bitmaps.set(key, bitmap);
    return bitmap;
  }
}

function paint(label: Label, shades: Palette, ratio: number, canvas: HTMLCanvasElement): Bitmap {
  const context = canvas.getContext("2d")!;
  const widths = label.lines.map((line, at) => {
    context.font = FONTS[fontOf(label, at)];
    return context.measureText(line).width;
  });
  const width = Math.max(...widths) + 2 * EDGE_PX;
  const across = Math.ceil((width * ratio) / WIDTH_STEP_PX) * WIDTH_STEP_PX;
  const down = Math.ceil(heightOf(label) * ratio);
  if (canvas.width !== across || canvas.height !== down) {
    canvas.width = across;
    canvas.height = down;
  } else {
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalAlpha = 1;
    context.clearRect(0, 0, across, down);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = HALO_PX;
  context.strokeStyle = shades.textHalo;
  context.fillStyle = shades.text;
  label.lines.forEach((line, at) => {
    if (!line) return;
    const font = fontOf(label, at);
    context.font = FONTS[font];
    context.globalAlpha = STRENGTHS[font];
    context.strokeText(line, EDGE_PX, 2 + LINE_PX * (at + 0.5));
    context.fillText(line, EDGE_PX, 2 + LINE_PX * (at + 0.5));
  });
  return { canvas, width };
}
