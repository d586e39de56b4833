// The labels drawn by the graphics card: a label is a row of characters that were painted before.
import { GLYPH_COLUMNS, GLYPH_ROWS, Glyphs } from "./glyphs";
import { EDGE_PX, LINE_PX, STRENGTHS, cornerOf, fontOf } from "./label_style";
import { link, linked } from "./gl_program";
import { inkOf } from "./ink";
import { positionOf, type MapView, type Picture } from "./layer";
import { palette } from "../../core/palette";

const VERTEX = `#version 300 es
precision highp float;
layout(location=0) in vec4 glyph;
uniform vec2 screen;
uniform vec2 size;
const vec2 atlas = vec2(${GLYPH_COLUMNS.toFixed(1)}, ${GLYPH_ROWS.toFixed(1)});
out vec2 cell;
out float strength;
void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  vec2 at = (glyph.xy + corner * size) / screen * 2.0 - 1.0;
  gl_Position = vec4(at.x, -at.y, 0.0, 1.0);
  float row = floor(glyph.z / atlas.x);
  cell = (vec2(glyph.z - row * atlas.x, row) + corner) / atlas;
  strength = glyph.w;
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
uniform sampler2D glyphs;
uniform vec4 ink;
uniform vec2 channel;
in vec2 cell;
in float strength;
out vec4 result;
void main() {
  result = vec4(ink.rgb, 1.0) * (ink.a * strength * dot(texture(glyphs, cell).rg, channel));
}`;

/** Floats for each character: x and y of its cell in pixels of the screen, cell, strength. */
const FLOATS = 4;

export class GlLabels {
  private readonly program: WebGLProgram;
  private places: Record<string, WebGLUniformLocation | null> = {};
  private readonly state: WebGLVertexArrayObject;
  private readonly instances: WebGLBuffer;
  private readonly texture: WebGLTexture;
  private glyphs: Glyphs | null = null;
  private data = new Float32Array(0);
  private count = 0;

  constructor(private readonly gl: WebGL2RenderingContext) {
    this.program = link(gl, VERTEX, FRAGMENT);
    this.state = gl.createVertexArray();
    this.instances = gl.createBuffer();
    this.texture = gl.createTexture();
    gl.bindVertexArray(this.state);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, FLOATS, gl.FLOAT, false, 4 * FLOATS, 0);
    gl.vertexAttribDivisor(0, 1);
    gl.bindVertexArray(null);
  }

  /** Use the program for the first time, which waits until it is compiled. */
  prepare(): void {
    this.places = linked(this.gl, this.program, ["screen", "size", "glyphs", "ink", "channel"]);
  }

  /** Fonts are other ones. */
  forget(): void {
    this.glyphs = null;
  }

  draw(picture: Picture, view: MapView, elapsed: number, dark: boolean): void {
    if (!picture.labels.length) return;
    if (this.glyphs?.ratio !== view.ratio) this.glyphs = new Glyphs(view.ratio);
    this.count = 0;
    for (const label of picture.labels) this.place(label, picture, view, elapsed, this.glyphs);
    this.show(view, this.glyphs, dark);
  }

  private place(
    label: Picture["labels"][number],
    picture: Picture,
    view: MapView,
    elapsed: number,
    glyphs: Glyphs,
  ): void {
    const { ratio } = view;
    const advances = label.lines.map((_, line) => glyphs.advances[fontOf(label, line)]);
    const width = Math.max(...label.lines.map((text, line) => text.length * advances[line])) / ratio + 2 * EDGE_PX;
    const [left, top] = cornerOf(label, picture, view, positionOf(picture, label.row, view, elapsed), width);
    label.lines.forEach((text, line) => {
      const font = fontOf(label, line);
      const y = Math.round((top + line * LINE_PX) * ratio);
      let x = Math.round((left + EDGE_PX) * ratio + (advances[line] - glyphs.width) / 2);
      for (const character of text) {
        if (character !== " ") this.add(x, y, glyphs.cellOf(font, character), STRENGTHS[font]);
        x += advances[line];
      }
    });
  }

  private add(x: number, y: number, cell: number, strength: number): void {
    const at = this.count * FLOATS;
    if (at + FLOATS > this.data.length) {
      const wider = new Float32Array(Math.max(4096, 2 * this.data.length));
      wider.set(this.data);
      this.data = wider;
    }
    this.data[at] = x;
    this.data[at + 1] = y;
    this.data[at + 2] = cell;
    this.data[at + 3] = strength;
    this.count += 1;
  }

  private show(view: MapView, glyphs: Glyphs, dark: boolean): void {
    const { gl, places } = this;
    gl.useProgram(this.program);
    gl.bindVertexArray(this.state);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.instances);
    gl.bufferData(gl.ARRAY_BUFFER, this.data.subarray(0, this.count * FLOATS), gl.DYNAMIC_DRAW);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    if (glyphs.isChanged) this.upload(glyphs);
    gl.uniform1i(places.glyphs, 0);
    gl.uniform2f(places.screen, Math.round(view.width * view.ratio), Math.round(view.height * view.ratio));
    gl.uniform2f(places.size, glyphs.width, glyphs.height);
    const { text, textHalo } = palette(dark);
    // All halos first, so that none covers a part of the character before it.
    for (const [colour, red, green] of [
      [textHalo, 0, 1],
      [text, 1, 0],
    ] as const) {
      gl.uniform4fv(places.ink, inkOf(colour));
      gl.uniform2f(places.channel, red, green);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count);
    }
    gl.bindVertexArray(null);
  }

  private upload(glyphs: Glyphs): void {
    const { gl } = this;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, glyphs.canvas);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    glyphs.isChanged = false;
  }
}
