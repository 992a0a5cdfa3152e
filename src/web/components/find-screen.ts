import { createContext, use } from 'react';

export interface Place {
  readonly path: string;
  readonly label: string;
}

/** Returns the screen of a path, or null if the user cannot open it. The shell provides it. */
export type FindScreen = (path: string) => Place | null;

export const FindScreenContext = createContext<FindScreen>(() => null);

/**
 * Returns a function that checks if the user can open a path, so that links, e.g. in a remedy, never lead to a
 * forbidden screen.
 */
export const useFindScreen = (): FindScreen => use(FindScreenContext);
