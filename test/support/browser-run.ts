import { newRunFolder } from './run-folder.ts';

/** Before the browser journeys: makes the folder that they share. Answers what removes it after them. */
export default async function setup(): Promise<() => Promise<void>> {
  return (await newRunFolder()).clear;
}
