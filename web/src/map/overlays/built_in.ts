// The layers that the map has of its own.
import { live } from "../../live/live";
import { declared } from "./declared";
import { OVERLAYS } from "./overlay";

OVERLAYS.unshift(
  {
    name: "outline",
    title: "map.outline",
    isOffered: () => live.station.value !== null,
    load: () => import("./outline"),
  },
  { name: "airspaces", title: "map.airspaces", isOffered: () => declared.airspaces, load: () => import("./airspaces") },
  {
    name: "weather",
    title: "map.weather",
    isOffered: () => declared.weather !== null,
    load: () => import("./weather"),
  },
  { name: "night", title: "map.night", isOffered: () => true, load: () => import("./night") },
  { name: "ruler", title: "map.ruler", isOffered: () => true, load: () => import("./ruler") },
);
