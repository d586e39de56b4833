// Files whose content travels beside the scripts; importing one gives its address.
declare module "*.topology" {
  const address: string;
  export default address;
}
declare module "*.catalogue" {
  const address: string;
  export default address;
}
declare module "*.airports" {
  const address: string;
  export default address;
}
declare module "*.css";
declare const WORKER_FILE: string;
