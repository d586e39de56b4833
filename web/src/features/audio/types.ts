// What the service's resources of audio hold.
export interface Segment {
  begin_s: number;
  end_s: number;
  text: string;
}
export interface Transmission {
  id: number;
  at: string;
  channel: string;
  frequency_mhz: number | null;
  duration_s: number;
  media_type: string;
  status: "none" | "queued" | "processing" | "done" | "no_speech" | "failed";
  reason: string | null;
  transcript: string | null;
  segments: Segment[];
  icao_hex: string | null;
  callsign: string | null;
  flags: string[];
  waveform?: number[];
}
export interface AudioChannel {
  channel: string;
  frequency_mhz: number | null;
  transmissions: number;
  last_at: string;
}
export interface PlaylistItem {
  id: number;
  at: string;
  channel: string;
  duration_s: number;
}
