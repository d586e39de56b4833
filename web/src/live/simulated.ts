// Whether all aircraft are simulated ones, as a new installation shows them until it has a receiver.
import { Cell } from "../core/cell";

export const simulated = new Cell<boolean>(false);
