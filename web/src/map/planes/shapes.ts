// Our own drawings of aircraft, seen from above with the nose up, in a square from -1 to 1. Each is a few outlines that
// are filled together; wings and tails are described by the numbers a side view of a wing has: root, tip, sweep, chord.
import { CLASSES, type AircraftClass } from "../../live/classes";

type Point = [number, number];
type Outline = Point[];

/** Both halves of a swept surface that leaves the middle line at `y`. */
function surface(y: number, span: number, sweep: number, root: number, tip: number): Outline {
  const right: Outline = [
    [0, y],
    [span, y + sweep],
    [span, y + sweep + tip],
    [0, y + root],
  ];
  return [
    ...right,
    ...right
      .slice()
      .reverse()
      .map(([x, z]): Point => [-x, z]),
  ];
}

/** A body from nose to tail: widths along the way. */
function body(...stations: Point[]): Outline {
  return [
    ...stations.map(([y, half]): Point => [half, y]),
    ...stations
      .slice()
      .reverse()
      .map(([y, half]): Point => [-half, y]),
  ];
}

function box(x: number, y: number, halfWidth: number, length: number): Outline[] {
  const one: Outline = [
    [x - halfWidth, y + halfWidth],
    [x, y],
    [x + halfWidth, y + halfWidth],
    [x + halfWidth * 0.7, y + length],
    [x - halfWidth * 0.7, y + length],
  ];
  return [one, one.map(([px, py]): Point => [-px, py])];
}

function circle(x: number, y: number, radius: number, corners = 24): Outline {
  return Array.from({ length: corners }, (_, at): Point => {
    const angle = (at / corners) * 2 * Math.PI;
    return [x + radius * Math.sin(angle), y - radius * Math.cos(angle)];
  });
}

function blade(angle: number, radius: number, half: number): Outline {
  const sin = Math.sin(angle);
  const cos = Math.cos(angle);
  const turn = ([x, y]: Point): Point => [x * cos - y * sin, x * sin + y * cos - 0.14];
  return [turn([-half, -radius]), turn([half, -radius]), turn([half, radius]), turn([-half, radius])];
}

const tube = (half: number, nose = -0.96, tail = 0.94): Outline =>
  body(
    [nose, 0.02],
    [nose + 0.05, half * 0.5],
    [nose + 0.15, half * 0.9],
    [nose + 0.28, half],
    [0.42, half],
    [tail - 0.14, half * 0.42],
    [tail, 0.03],
  );

const DRAWINGS: Record<AircraftClass, Outline[]> = {
  unknown: [
    [
      [0, -0.85],
      [0.55, 0.7],
      [0, 0.42],
      [-0.55, 0.7],
    ],
  ],
  airliner: [
    tube(0.105),
    surface(-0.24, 0.92, 0.48, 0.42, 0.1),
    surface(0.62, 0.36, 0.2, 0.22, 0.08),
    ...box(0.33, -0.2, 0.07, 0.26),
  ],
  heavy: [
    tube(0.125),
    surface(-0.3, 0.97, 0.6, 0.5, 0.09),
    surface(0.6, 0.38, 0.22, 0.24, 0.08),
    ...box(0.33, -0.26, 0.088, 0.3),
  ],
  jumbo: [
    tube(0.135),
    surface(-0.34, 0.98, 0.62, 0.56, 0.1),
    surface(0.58, 0.4, 0.24, 0.26, 0.09),
    ...box(0.3, -0.3, 0.072, 0.28),
    ...box(0.58, -0.1, 0.066, 0.26),
  ],
  business_jet: [
    tube(0.085, -0.9, 0.86),
    surface(-0.08, 0.74, 0.34, 0.36, 0.1),
    surface(0.68, 0.32, 0.14, 0.18, 0.08),
    ...box(0.17, 0.24, 0.065, 0.3),
  ],
  turboprop: [
    tube(0.1, -0.9, 0.88),
    surface(-0.2, 0.94, 0.06, 0.26, 0.13),
    surface(0.64, 0.36, 0.06, 0.18, 0.1),
    ...box(0.34, -0.42, 0.062, 0.44),
    ...[0.34, -0.34].map((x): Outline => [
      [x - 0.17, -0.42],
      [x + 0.17, -0.42],
      [x + 0.17, -0.38],
      [x - 0.17, -0.38],
    ]),
  ],
  light: [
    body([-0.72, 0.05], [-0.6, 0.11], [-0.1, 0.12], [0.3, 0.06], [0.8, 0.03]),
    surface(-0.42, 0.95, 0.04, 0.3, 0.22),
    surface(0.6, 0.36, 0.04, 0.2, 0.14),
    [
      [-0.24, -0.8],
      [0.24, -0.8],
      [0.24, -0.74],
      [-0.24, -0.74],
    ],
  ],
  glider: [
    body([-0.62, 0.03], [-0.48, 0.08], [-0.1, 0.085], [0.14, 0.04], [0.74, 0.022]),
    surface(-0.26, 1, 0.1, 0.17, 0.05),
    surface(0.62, 0.26, 0.02, 0.12, 0.08),
  ],
  helicopter: [
    body([-0.56, 0.06], [-0.46, 0.16], [-0.1, 0.2], [0.14, 0.13], [0.3, 0.05], [0.88, 0.035]),
    blade(Math.PI / 4, 0.82, 0.04),
    blade(-Math.PI / 4, 0.82, 0.04),
    [
      [-0.2, 0.8],
      [0.2, 0.8],
      [0.2, 0.87],
      [-0.2, 0.87],
    ],
  ],
  fighter: [
    body([-0.98, 0.01], [-0.7, 0.06], [-0.4, 0.11], [0.6, 0.13], [0.82, 0.09]),
    surface(-0.3, 0.68, 0.72, 0.86, 0.14),
    surface(0.5, 0.4, 0.3, 0.3, 0.12),
  ],
  transport: [
    tube(0.135, -0.84, 0.9),
    surface(-0.26, 0.98, 0.06, 0.3, 0.15),
    surface(0.62, 0.42, 0.06, 0.22, 0.12),
    ...box(0.3, -0.42, 0.055, 0.36),
    ...box(0.58, -0.38, 0.055, 0.34),
  ],
  balloon: [
    circle(0, -0.16, 0.66, 32),
    [
      [-0.14, 0.62],
      [0.14, 0.62],
      [0.12, 0.86],
      [-0.12, 0.86],
    ],
    [
      [-0.3, 0.4],
      [-0.26, 0.4],
      [-0.1, 0.64],
      [-0.14, 0.64],
    ],
    [
      [0.3, 0.4],
      [0.26, 0.4],
      [0.1, 0.64],
      [0.14, 0.64],
    ],
  ],
  drone: [
    blade(Math.PI / 4, 0.66, 0.07).map(([x, y]): Point => [x, y + 0.14]),
    blade(-Math.PI / 4, 0.66, 0.07).map(([x, y]): Point => [x, y + 0.14]),
    ...[
      [-1, -1],
      [1, -1],
      [-1, 1],
      [1, 1],
    ].map(([x, y]) => circle(x * 0.5, y * 0.5, 0.3, 16)),
    circle(0, 0, 0.22, 12),
  ],
  vehicle: [body([-0.7, 0.3], [-0.6, 0.4], [0.6, 0.4], [0.7, 0.32])],
};

/** Shapes that look the same from every side are not turned. */
export const TURNS: boolean[] = CLASSES.map((name) => name !== "balloon" && name !== "drone");

export function pathOf(name: AircraftClass): Path2D {
  const path = new Path2D();
  for (const outline of DRAWINGS[name]) {
    outline.forEach(([x, y], at) => (at === 0 ? path.moveTo(x, y) : path.lineTo(x, y)));
    path.closePath();
  }
  return path;
}

/** The same as the text of an SVG path, for the list and the panel. */
export function svgPath(name: AircraftClass): string {
  return DRAWINGS[name]
    .map((outline) => `M${outline.map(([x, y]) => `${(x * 100).toFixed(0)} ${(y * 100).toFixed(0)}`).join("L")}Z`)
    .join("");
}

export const CELL_PX = 128;
const COLUMNS = 4;
export const ATLAS_COLUMNS = COLUMNS;
export const ATLAS_ROWS = Math.ceil(CLASSES.length / COLUMNS);

/** All drawings on one canvas: red where the aircraft is, green where its outline is. */
export function drawAtlas(): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = CELL_PX * COLUMNS;
  canvas.height = CELL_PX * ATLAS_ROWS;
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.fillStyle = "#000";
  context.fillRect(0, 0, canvas.width, canvas.height);
  CLASSES.forEach((name, at) => {
    const path = pathOf(name);
    context.save();
    context.translate(((at % COLUMNS) + 0.5) * CELL_PX, (Math.floor(at / COLUMNS) + 0.5) * CELL_PX);
    context.scale(CELL_PX * 0.42, CELL_PX * 0.42);
    context.lineJoin = "round";
    context.strokeStyle = "#0f0";
    context.fillStyle = "#0f0";
    context.lineWidth = 0.22;
    context.stroke(path);
    context.fill(path, "nonzero");
    context.fillStyle = "#ff0";
    context.strokeStyle = "#ff0";
    context.lineWidth = 0.035;
    context.fill(path, "nonzero");
    context.stroke(path);
    context.restore();
  });
  return canvas;
}
