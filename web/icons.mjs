// The application's icon as PNG, which phones ask for: drawn here, so that no picture has to be kept.
import { deflateSync } from "node:zlib";

const GROUND = [11, 19, 32];
const BEAM = [124, 196, 255];
const PLANE = [255, 190, 60];

export function iconPng(size) {
  const rows = [];
  for (let y = 0; y < size; y += 1) {
    const row = [0];
    for (let x = 0; x < size; x += 1)
      row.push(...pixel(((x + 0.5) / size) * 64 - 32, ((y + 0.5) / size) * 64 - 32, 64 / size));
    rows.push(Buffer.from(row));
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function pixel(x, y, step) {
  let colour = GROUND;
  const cover = (distance) => Math.max(0, Math.min(1, 0.5 - distance / step));
  const paint = (paint, share) => (colour = colour.map((part, at) => part + (paint[at] - part) * share));
  const radius = Math.hypot(x, y);
  const faint = x > 0 && y < 0;
  if (!(x > 0 && y > 0)) paint(BEAM, cover(Math.abs(radius - 21) - 1.8) * (faint ? 0.55 : 1));
  if (faint) paint(BEAM, cover(Math.abs(radius - 12) - 1.8) * 0.55);
  const along = Math.max(0, Math.min(14 * Math.SQRT2, (x - y) / Math.SQRT2));
  paint(PLANE, cover(Math.hypot(x - along / Math.SQRT2, y + along / Math.SQRT2) - 2));
  paint(PLANE, cover(radius - 3.6));
  return colour.map(Math.round);
}

const TABLE = Array.from({ length: 256 }, (_, at) => {
  let value = at;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data]);
  let crc = 0xffffffff;
  for (const byte of body) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
