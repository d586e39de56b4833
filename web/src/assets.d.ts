// Files whose content travels next to the scripts; importing one gives its address.
declare module "*.topology" {
  const address: string;
  export default address;
}
declare module "*.catalogue" {
  const address: string;
  export default address;
}
declare module "*.css";
declare const WORKER_FILE: string;
/** The folder of the flags next to the scripts. */
declare const FLAGS_FOLDER: string;
/** The cells of the ground that were built (ground.mjs). */
declare const GROUND_CELLS: { folder: string; region: string; names: string; local: string };
