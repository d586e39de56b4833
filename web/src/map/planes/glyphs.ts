// The characters of labels, each painted once on one canvas: red where the character is, green where its halo is.
import { FONTS, HALO_PX, LINE_PX } from "./label_style";

export const GLYPH_COLUMNS = 32;
export const GLYPH_ROWS = 16;
/** A cell, in pixels of the page: a character with its halo, as high as a line with its edges. */
const WIDTH_PX = LINE_PX + 1;
const HEIGHT_PX = LINE_PX + 4;

export class Glyphs {
  readonly canvas = document.createElement("canvas");
  /** The size of a cell in pixels of the screen. */
  readonly width: number;
  readonly height: number;
  /** How far the next character is, by font, in whole pixels of the screen. */
  readonly advances: number[];
  /** Whether a character was painted that the graphics card does not have. */
  isChanged = true;
  private readonly context: CanvasRenderingContext2D;
  private readonly cells = new Map<string, number>();

  constructor(readonly ratio: number) {
    this.width = Math.ceil(WIDTH_PX * ratio);
    this.height = Math.ceil(HEIGHT_PX * ratio);
    this.canvas.width = this.width * GLYPH_COLUMNS;
    this.canvas.height = this.height * GLYPH_ROWS;
    this.context = this.canvas.getContext("2d", { willReadFrequently: true })!;
    this.clear();
    this.context.textAlign = "center";
    this.context.textBaseline = "middle";
    this.context.lineJoin = "round";
    this.context.lineWidth = HALO_PX;
    this.advances = FONTS.map((font) => {
      this.context.font = font;
      return Math.round(this.context.measureText("0").width * ratio);
    });
  }

  /** The cell of a character, which is painted where it has none yet. */
  cellOf(font: number, character: string): number {
    const key = font + character;
    let cell = this.cells.get(key);
    if (cell === undefined) {
      // More characters than any alphabet of callsigns has: start over.
      if (this.cells.size === GLYPH_COLUMNS * GLYPH_ROWS) this.clear();
      cell = this.cells.size;
      this.cells.set(key, cell);
      this.paint(cell, FONTS[font], character);
    }
    return cell;
  }

  private clear(): void {
    this.cells.clear();
    this.context.fillStyle = "#000";
    this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
  }

  private paint(cell: number, font: string, character: string): void {
    const { context, width, height, ratio } = this;
    const left = (cell % GLYPH_COLUMNS) * width;
    const top = Math.floor(cell / GLYPH_COLUMNS) * height;
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.translate(left + width / 2, top + height / 2);
    context.scale(ratio, ratio);
    context.font = font;
    context.strokeStyle = "#0f0";
    context.fillStyle = "#ff0";
    context.strokeText(character, 0, 0);
    context.fillText(character, 0, 0);
    context.restore();
    this.isChanged = true;
  }
}
