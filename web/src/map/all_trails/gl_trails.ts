// The trails of all aircraft drawn by the graphics card, below the aircraft: segments that stay where they are, and one
// from the end of each trail to where its aircraft is drawn at this moment.
import { HALF_WORLD } from "../../core/mercator";
import { RAMP_SIZE, packedRamp } from "../../core/ramp";
import { SEGMENT_WORDS } from "../../live/trails/book";
import { STRIDE } from "../../live/messages";
import { link, linked } from "../planes/gl_program";
import { COAST_S, EASE_S, type MapView, type Underlay } from "../planes/layer";
import type { TrailRing } from "./ring";

const WIDTH_PX = 2;
const STRENGTH = 0.8;
const OLDEST_STRENGTH = 0.35;

/** A line from `from` to `to`, both in metres from the middle of the map, as four corners. */
const LINE = `
uniform vec2 screen;
uniform float resolution;
uniform float width;
void line(vec2 from, vec2 to) {
  vec2 along = (to - from) / resolution;
  float metres = length(along);
  vec2 across = metres > 0.0 ? vec2(-along.y, along.x) / metres : vec2(0.0, 1.0);
  vec2 corner = vec2(float(gl_VertexID >> 1), float(gl_VertexID & 1) * 2.0 - 1.0);
  vec2 at = from / resolution + along * corner.x + across * corner.y * width * 0.5;
  gl_Position = vec4(at / screen * 2.0, 0.0, 1.0);
}
`;

const SEGMENTS = `#version 300 es
precision highp float;
precision highp usampler2D;
layout(location=0) in vec4 ends;
layout(location=1) in float at;
layout(location=2) in uvec4 mark;
uniform vec2 offset;
uniform vec2 time;
uniform sampler2D ramp;
uniform usampler2D shown;
out vec4 tint;
${LINE}
void main() {
  float age = time.x - at;
  if (texelFetch(shown, ivec2(mark.x, mark.y), 0).r != mark.z || age > time.y) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec2 turn = vec2(floor((ends.x + offset.x) / ${(2 * HALF_WORLD).toFixed(3)} + 0.5) * ${(2 * HALF_WORLD).toFixed(3)}, 0.0);
  line(ends.xy + offset - turn, ends.zw + offset - turn);
  float strength = mix(${STRENGTH.toFixed(2)}, ${OLDEST_STRENGTH.toFixed(2)}, clamp(age / time.y, 0.0, 1.0));
  tint = vec4(texelFetch(ramp, ivec2(mark.w, 0), 0).rgb * strength, strength);
}`;

const HEADS = `#version 300 es
precision highp float;
layout(location=0) in vec4 place;
layout(location=1) in vec4 motion;
layout(location=2) in vec2 timing;
layout(location=3) in vec4 colour;
layout(location=4) in vec2 anchor;
uniform vec2 offset;
uniform vec4 centre;
uniform float elapsed;
out vec4 tint;
${LINE}
void main() {
  float age = clamp(elapsed - timing.x, 0.0, ${COAST_S.toFixed(1)});
  float ease = max(0.0, 1.0 - elapsed / ${EASE_S.toFixed(2)});
  vec2 to = (place.xz - centre.xz) + (place.yw - centre.yw) + motion.xy * age + motion.zw * ease;
  if (isnan(anchor.x)) {
    gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
    return;
  }
  vec2 from = anchor + offset;
  from.x += floor((to.x - from.x) / ${(2 * HALF_WORLD).toFixed(3)} + 0.5) * ${(2 * HALF_WORLD).toFixed(3)};
  line(from, to);
  tint = vec4(colour.rgb * ${STRENGTH.toFixed(2)}, ${STRENGTH.toFixed(2)});
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec4 tint;
out vec4 result;
void main() {
  result = tint;
}`;

export class GlTrails implements Underlay {
  private readonly segments: WebGLProgram;
  private readonly heads: WebGLProgram;
  private readonly segmentPlaces: Record<string, WebGLUniformLocation | null>;
  private readonly headPlaces: Record<string, WebGLUniformLocation | null>;
  private readonly segmentState: WebGLVertexArrayObject;
  private readonly headState: WebGLVertexArrayObject;
  private readonly buffer: WebGLBuffer;
  private readonly anchors: WebGLBuffer;
  private readonly ramp: WebGLTexture;
  private readonly shown: WebGLTexture;
  private version = -1;
  private uploaded = 0;
  private takenNews: object | null = null;
  private takenRamp: Uint32Array | null = null;

  constructor(
    private readonly gl: WebGL2RenderingContext,
    instances: WebGLBuffer,
    private readonly ring: TrailRing,
  ) {
    this.segments = link(gl, SEGMENTS, FRAGMENT);
    this.heads = link(gl, HEADS, FRAGMENT);
    this.segmentPlaces = linked(gl, this.segments, [
      "screen",
      "resolution",
      "width",
      "offset",
      "time",
      "ramp",
      "shown",
    ]);
    this.headPlaces = linked(gl, this.heads, ["screen", "resolution", "width", "offset", "centre", "elapsed"]);
    this.buffer = gl.createBuffer();
    this.anchors = gl.createBuffer();
    this.segmentState = gl.createVertexArray();
    this.headState = gl.createVertexArray();
    this.describeHeads(instances);
    this.ramp = this.texture();
    this.shown = this.texture();
    gl.useProgram(this.segments);
    gl.uniform1i(this.segmentPlaces.ramp, 1);
    gl.uniform1i(this.segmentPlaces.shown, 2);
  }

  private texture(): WebGLTexture {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return texture;
  }

  private describeHeads(instances: WebGLBuffer): void {
    const { gl } = this;
    gl.bindVertexArray(this.headState);
    gl.bindBuffer(gl.ARRAY_BUFFER, instances);
    const bytes = STRIDE * 4;
    for (const [index, size, word] of [
      [0, 4, 0],
      [1, 4, 4],
      [2, 2, 8],
    ])
      gl.vertexAttribPointer(index, size, gl.FLOAT, false, bytes, word * 4);
    gl.vertexAttribPointer(3, 4, gl.UNSIGNED_BYTE, true, bytes, 40);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.anchors);
    gl.vertexAttribPointer(4, 2, gl.FLOAT, false, 8, 0);
    for (let index = 0; index < 5; index += 1) {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribDivisor(index, 1);
    }
    gl.bindVertexArray(null);
  }

  draw(view: MapView, elapsed: number, dark: boolean, count: number): void {
    const { gl, ring } = this;
    const { news } = ring;
    if (!news) return;
    this.upload();
    this.useRamp(dark);
    const [originX, originY] = news.origin;
    const common = (places: Record<string, WebGLUniformLocation | null>): void => {
      gl.uniform2f(places.screen, view.width, view.height);
      gl.uniform1f(places.resolution, view.resolution);
      gl.uniform1f(places.width, WIDTH_PX);
      gl.uniform2f(places.offset, originX - view.x, originY - view.y);
    };
    gl.useProgram(this.segments);
    common(this.segmentPlaces);
    gl.uniform2f(this.segmentPlaces.time, news.now + elapsed, news.span);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.shown);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindVertexArray(this.segmentState);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    for (const [start, some] of ring.runs(ring.tail, ring.head)) {
      this.describeSegments(start);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, some);
    }
    gl.useProgram(this.heads);
    common(this.headPlaces);
    const xHigh = Math.fround(view.x);
    const yHigh = Math.fround(view.y);
    gl.uniform4f(this.headPlaces.centre, xHigh, view.x - xHigh, yHigh, view.y - yHigh);
    gl.uniform1f(this.headPlaces.elapsed, elapsed);
    gl.bindVertexArray(this.headState);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, Math.min(count, news.anchors.byteLength / 8));
    gl.bindVertexArray(null);
  }

  /** The first instance is part of the addresses: WebGL has no other way to begin in the middle. */
  private describeSegments(start: number): void {
    const { gl } = this;
    const bytes = SEGMENT_WORDS * 4;
    const from = start * bytes;
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, bytes, from);
    gl.vertexAttribPointer(1, 1, gl.FLOAT, false, bytes, from + 16);
    gl.vertexAttribIPointer(2, 4, gl.UNSIGNED_BYTE, bytes, from + 20);
    for (let index = 0; index < 3; index += 1) {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribDivisor(index, 1);
    }
  }

  /** Bring what is new to the graphics card. */
  private upload(): void {
    const { gl, ring } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    if (this.version !== ring.version) {
      gl.bufferData(gl.ARRAY_BUFFER, ring.data, gl.DYNAMIC_DRAW);
      this.version = ring.version;
      this.uploaded = ring.head;
    }
    for (const [start, count] of ring.runs(Math.max(this.uploaded, ring.tail), ring.head)) {
      gl.bufferSubData(
        gl.ARRAY_BUFFER,
        start * SEGMENT_WORDS * 4,
        ring.data,
        start * SEGMENT_WORDS,
        count * SEGMENT_WORDS,
      );
    }
    this.uploaded = ring.head;
    const { news } = ring;
    if (!news || news === this.takenNews) return;
    this.takenNews = news;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.anchors);
    gl.bufferData(gl.ARRAY_BUFFER, news.anchors, gl.DYNAMIC_DRAW);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, this.shown);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    const shown = new Uint8Array(news.shown);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8UI, 256, shown.length / 256, 0, gl.RED_INTEGER, gl.UNSIGNED_BYTE, shown);
    gl.activeTexture(gl.TEXTURE0);
  }

  private useRamp(dark: boolean): void {
    const ramp = packedRamp(dark);
    if (ramp === this.takenRamp) return;
    this.takenRamp = ramp;
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.ramp);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, RAMP_SIZE, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(ramp.buffer));
    gl.activeTexture(gl.TEXTURE0);
  }
}
