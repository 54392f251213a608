/** Styles that Vite takes in. */
declare module "*.css";
