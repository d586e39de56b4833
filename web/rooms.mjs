// The rooms of the sources, the lowest first. Imports go down only: into the same room or into one that stands before it.
// Features do not import each other. The lint rules and test/rooms.test.ts are made from this list.
export const ROOMS = ["core", "i18n", "ui", "session", "live", "map", "list", "panel", "shell", "features"];
