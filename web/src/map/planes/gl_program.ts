// Programs of the graphics card: compiled in the background, and waited for when they are first used.

/** A program that is being compiled: to ask for its state would wait for it. */
export function link(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const program = gl.createProgram();
  for (const [kind, source] of [
    [gl.VERTEX_SHADER, vertex],
    [gl.FRAGMENT_SHADER, fragment],
  ] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  return program;
}

/** The places of the uniforms of a program, once it is compiled; throws what is wrong with it. */
export function linked(
  gl: WebGL2RenderingContext,
  program: WebGLProgram,
  names: string[],
): Record<string, WebGLUniformLocation | null> {
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(faultOf(gl, program));
  return Object.fromEntries(names.map((name) => [name, gl.getUniformLocation(program, name)]));
}

/** Why a program could not be linked. */
function faultOf(gl: WebGL2RenderingContext, program: WebGLProgram): string {
  const shaders = gl.getAttachedShaders(program) ?? [];
  const faults = [...shaders.map((shader) => gl.getShaderInfoLog(shader)), gl.getProgramInfoLog(program)];
  return faults.filter(Boolean).join("\n") || "the program cannot be linked";
}
