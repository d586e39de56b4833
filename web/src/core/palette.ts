// Colours of the ground, by theme: night is a dark chart, day is paper.
export interface Palette {
  sea: string;
  land: string;
  coast: string;
  border: string;
  /** Borders within a country. */
  province: string;
  label: string;
  halo: string;
  ring: string;
  ringText: string;
  outline: string;
  airspace: string;
  airspaceFill: string;
  closed: string;
  closedFill: string;
  airport: string;
  /** Rivers; lakes have the colour of the sea. */
  river: string;
  town: string;
  runway: string;
  /** Where the sun is below the horizon. */
  night: string;
  nightEdge: string;
  text: string;
  textHalo: string;
  accent: string;
  alert: string;
  emergency: string;
  heat: [string, string, string];
}

const NIGHT: Palette = {
  sea: "#0a111d",
  land: "#172233",
  coast: "#34465f",
  border: "#3a4d68",
  province: "#2b3c53",
  label: "#62748c",
  halo: "#111a28",
  ring: "rgb(120 150 185 / 0.34)",
  ringText: "#8fa5c0",
  outline: "#5fae8b",
  airspace: "rgb(98 148 210 / 0.75)",
  airspaceFill: "rgb(98 148 210 / 0.07)",
  closed: "rgb(224 108 108 / 0.8)",
  closedFill: "rgb(224 108 108 / 0.1)",
  airport: "#7f93ad",
  river: "#24405f",
  town: "#7589a3",
  runway: "#8297b2",
  night: "rgb(0 3 10 / 0.38)",
  nightEdge: "rgb(150 175 210 / 0.35)",
  text: "#e8eef6",
  textHalo: "rgb(8 13 22 / 0.92)",
  accent: "#ffffff",
  alert: "#ffd75e",
  emergency: "#ff5a52",
  heat: ["#29406b", "#b04a8f", "#ffc45c"],
};
const DAY: Palette = {
  sea: "#d3e0e8",
  land: "#f6f2e7",
  coast: "#9fb3bf",
  border: "#b9ac8f",
  province: "#d3c9b0",
  label: "#8c846f",
  halo: "#f6f2e7",
  ring: "rgb(40 70 105 / 0.34)",
  ringText: "#4d6580",
  outline: "#1f7a55",
  airspace: "rgb(32 84 158 / 0.7)",
  airspaceFill: "rgb(32 84 158 / 0.06)",
  closed: "rgb(178 36 42 / 0.75)",
  closedFill: "rgb(178 36 42 / 0.07)",
  airport: "#7a6d8f",
  river: "#a9c3d4",
  town: "#7d7663",
  runway: "#857a96",
  night: "rgb(38 52 92 / 0.16)",
  nightEdge: "rgb(38 52 92 / 0.3)",
  text: "#101c2c",
  textHalo: "rgb(255 255 255 / 0.94)",
  accent: "#0a1626",
  alert: "#8a5200",
  emergency: "#b3141d",
  heat: ["#8fb6d8", "#a0308a", "#c25400"],
};

export function palette(dark: boolean): Palette {
  return dark ? NIGHT : DAY;
}
