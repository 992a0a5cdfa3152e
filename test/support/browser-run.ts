import { newRunFolder } from './run-folder.ts';

/** Creates the shared folder of the browser tests. Returns the cleanup. */
export default async function setup(): Promise<() => Promise<void>> {
  return (await newRunFolder()).clear;
}
