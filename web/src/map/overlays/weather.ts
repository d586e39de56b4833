// Weather radar as a layer: tiles of the address that the installation names, half transparent, fetched again now and then.
import TileLayer from "ol/layer/Tile";
import XYZ from "ol/source/XYZ";
import { attribution } from "../ground/base_maps";
import { declared } from "./declared";
import { noteFailure, weatherSource } from "./sources";

const EVERY_MS = 300_000;
const { address, attribution: from } = declared.weather!;
const source = new XYZ({ url: address, transition: 0 });
export const layer = new TileLayer({ source, opacity: 0.5, zIndex: 1.4 });
let timer: ReturnType<typeof setInterval> | undefined;

source.on("tileloaderror", () => noteFailure("map.weather_failed", true));
source.on("tileloadend", () => noteFailure("map.weather_failed", false));

export function start(): void {
  source.refresh();
  timer = setInterval(() => !document.hidden && source.refresh(), EVERY_MS);
  weatherSource.set(attribution(from));
}

export function stop(): void {
  clearInterval(timer);
  weatherSource.set(null);
  noteFailure("map.weather_failed", false);
}
