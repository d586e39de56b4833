// What the service's resources of audio hold.
import type { Schemas } from "../../session/operations";

export type Segment = Schemas["TranscriptSegment"];
export type Transmission = Schemas["TransmissionRecord"];
export type AudioChannel = Schemas["AudioChannel"];
