// Aircraft drawn by the graphics card: one upload for each picture, and one call for each frame in between.
import { STRIDE } from "../../live/messages";
import { link, linked } from "./gl_program";
import { GlLabels } from "./labels_gl";
import type { TrailRing } from "../all_trails/ring";
import { ATLAS_COLUMNS, ATLAS_ROWS, TURNS, drawAtlas } from "./shapes";
import { COAST_S, EASE_S, sizeAt, type AircraftLayer, type MapView, type Picture, type Underlay } from "./layer";

const VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec2 corner;
layout(location=1) in vec4 place;
layout(location=2) in vec4 motion;
layout(location=3) in vec2 timing;
layout(location=4) in vec4 colour;
layout(location=5) in uvec4 look;
uniform vec4 centre;
uniform vec2 scale;
uniform float elapsed;
uniform float unit;
uniform vec2 atlas;
out vec2 cell;
out vec4 tint;
flat out uint mark;
void main() {
  float age = clamp(elapsed - timing.x, 0.0, ${COAST_S.toFixed(1)});
  float ease = max(0.0, 1.0 - elapsed / ${EASE_S.toFixed(2)});
  vec2 away = (place.xz - centre.xz) + (place.yw - centre.yw) + motion.xy * age + motion.zw * ease;
  float turn = timing.y;
  float size = unit * float(look.y) / 100.0 * ((look.w & 2u) != 0u ? 1.2 : 1.0);
  vec2 turned = vec2(corner.x * cos(turn) + corner.y * sin(turn), corner.y * cos(turn) - corner.x * sin(turn));
  gl_Position = vec4((away * scale.x + turned * size) * vec2(1.0, scale.y), 0.0, 1.0);
  vec2 at = vec2(mod(float(look.x), atlas.x), floor(float(look.x) / atlas.x));
  cell = (at + vec2(corner.x, -corner.y) * 0.5 + 0.5) / atlas;
  tint = vec4(colour.rgb, (look.w & 1u) != 0u ? 0.45 : 1.0);
  mark = look.z;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
uniform sampler2D shapes;
uniform vec3 edge;
in vec2 cell;
in vec4 tint;
flat in uint mark;
out vec4 result;
void main() {
  vec4 part = texture(shapes, cell);
  vec3 rim = mark == 2u ? vec3(0.9, 0.05, 0.1) : mark == 1u ? vec3(0.95, 0.6, 0.0) : edge;
  vec3 paint = mix(rim, tint.rgb, part.r);
  float cover = max(part.r, part.g) * tint.a;
  result = vec4(paint * cover, cover);
}`;

let prepared: GlLayer | null = null;

/** Makes the layer that `glLayer` is going to ask for: the graphics card compiles while scripts are on their way. */
export function prepareGlLayer(): void {
  prepared ??= makeLayer();
}

/** Null where WebGL is missing, or does not do what it says: a picture is drawn and a pixel of it read back. */
export function glLayer(onLost: () => void): AircraftLayer | null {
  const layer = prepared ?? makeLayer();
  prepared = null;
  try {
    if (!layer?.works()) return null;
    layer.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      onLost();
    });
    return layer;
  } catch (error) {
    warn(error);
    return null;
  }
}

function makeLayer(): GlLayer | null {
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", {
    alpha: true,
    antialias: false,
    premultipliedAlpha: true,
    failIfMajorPerformanceCaveat: false,
  });
  try {
    return gl && new GlLayer(canvas, gl);
  } catch (error) {
    warn(error);
    return null;
  }
}

function warn(error: unknown): void {
  console.warn("WebGL cannot be used, aircraft are drawn on a canvas:", error);
}

class GlLayer implements AircraftLayer {
  readonly kind = "webgl";
  readonly drawsLabels = true;
  private readonly program: WebGLProgram;
  private places: Record<string, WebGLUniformLocation | null> = {};
  private readonly instances: WebGLBuffer;
  private readonly texture: WebGLTexture;
  private readonly labels: GlLabels;
  underlay: Underlay | null = null;
  private picture: Picture | null = null;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly gl: WebGL2RenderingContext,
  ) {
    this.program = link(gl, VERTEX, FRAGMENT);
    const corners = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, corners);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    this.instances = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    const bytes = STRIDE * 4;
    const float = (index: number, size: number, offset: number): void => {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, size, gl.FLOAT, false, bytes, offset * 4);
      gl.vertexAttribDivisor(index, 1);
    };
    float(1, 4, 0);
    float(2, 4, 4);
    float(3, 2, 8);
    gl.enableVertexAttribArray(4);
    gl.vertexAttribPointer(4, 4, gl.UNSIGNED_BYTE, true, bytes, 40);
    gl.vertexAttribDivisor(4, 1);
    gl.enableVertexAttribArray(5);
    gl.vertexAttribIPointer(5, 4, gl.UNSIGNED_BYTE, bytes, 44);
    gl.vertexAttribDivisor(5, 1);
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, drawAtlas());
    gl.generateMipmap(gl.TEXTURE_2D);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.labels = new GlLabels(gl);
  }

  /** Wait until the programs are compiled. */
  private prepare(): void {
    const { gl, program } = this;
    this.places = linked(gl, program, ["centre", "scale", "elapsed", "unit", "atlas", "shapes", "edge"]);
    gl.useProgram(program);
    gl.uniform2f(this.places.atlas, ATLAS_COLUMNS, ATLAS_ROWS);
    gl.uniform1i(this.places.shapes, 0);
    this.labels.prepare();
  }

  works(): boolean {
    const gl = this.gl;
    this.prepare();
    const data = new Float32Array(STRIDE);
    const bits = new Uint32Array(data.buffer);
    bits[10] = 0xff0000ff;
    bits[11] = 1 | (100 << 8);
    this.take({ count: 1, data, bits, at: 0, speed: 1, labels: [], alsoRows: [], selectedRow: -1, fastest: 0 });
    this.draw({ x: 0, y: 0, resolution: 1, width: 64, height: 64, ratio: 1 }, 0, true);
    const pixel = new Uint8Array(4);
    gl.readPixels(32, 32, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    return gl.getError() === gl.NO_ERROR && pixel[0] > 200 && pixel[1] < 60 && pixel[3] > 200;
  }

  take(picture: Picture): void {
    const gl = this.gl;
    for (let row = 0; row < picture.count; row += 1) {
      if (!TURNS[picture.bits[row * STRIDE + 11] & 255]) picture.data[row * STRIDE + 9] = 0;
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, picture.data.subarray(0, picture.count * STRIDE), gl.DYNAMIC_DRAW);
    this.picture = picture;
  }

  draw(view: MapView, elapsed: number, dark: boolean): void {
    const gl = this.gl;
    const width = Math.round(view.width * view.ratio);
    const height = Math.round(view.height * view.ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const { picture } = this;
    if (!picture?.count) return;
    this.underlay?.draw(view, elapsed, dark, picture.count);
    this.drawAircraft(picture, view, elapsed, dark);
    this.labels.draw(picture, view, elapsed, dark);
  }

  private drawAircraft(picture: Picture, view: MapView, elapsed: number, dark: boolean): void {
    const gl = this.gl;
    gl.useProgram(this.program);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    const xHigh = Math.fround(view.x);
    const yHigh = Math.fround(view.y);
    gl.uniform4f(this.places.centre, xHigh, view.x - xHigh, yHigh, view.y - yHigh);
    const toClip = 2 / (view.width * view.resolution);
    gl.uniform2f(this.places.scale, toClip, view.width / view.height);
    gl.uniform1f(this.places.elapsed, elapsed);
    // Half the length of an aircraft, as a part of half the width of the map; the drawing fills 0.84 of its cell.
    gl.uniform1f(this.places.unit, sizeAt(view.resolution) / 0.84 / view.width);
    gl.uniform3fv(this.places.edge, dark ? [0.03, 0.05, 0.09] : [1, 1, 1]);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, picture.count);
  }

  async drawTrails(ring: TrailRing): Promise<void> {
    const { GlTrails } = await import("../all_trails/gl_trails");
    this.underlay = new GlTrails(this.gl, this.instances, ring);
  }

  forget(): void {
    this.labels.forget();
  }

  destroy(): void {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
    this.canvas.remove();
  }
}
