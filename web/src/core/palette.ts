// Colours of the ground, by theme: night is a dark chart, day is paper.
export interface Palette {
  sea: string;
  land: string;
  coast: string;
  border: string;
  label: string;
  halo: string;
  ring: string;
  ringText: string;
  airport: string;
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
  label: "#62748c",
  halo: "#111a28",
  ring: "rgb(120 150 185 / 0.34)",
  ringText: "#8fa5c0",
  airport: "#7f93ad",
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
  label: "#8c846f",
  halo: "#f6f2e7",
  ring: "rgb(40 70 105 / 0.34)",
  ringText: "#4d6580",
  airport: "#7a6d8f",
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
