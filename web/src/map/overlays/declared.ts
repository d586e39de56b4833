// Which layers this installation has, which the service writes into the page's head.
interface Declared {
  airspaces: boolean;
  /** Address of the tiles, and who they are from. */
  weather: { address: string; attribution: string } | null;
}

const meta = document.querySelector<HTMLMetaElement>('meta[name="skywatch-layers"]');
export const declared: Declared = meta ? (JSON.parse(meta.content) as Declared) : { airspaces: false, weather: null };
