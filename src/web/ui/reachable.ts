import { createContext, use } from 'react';

export interface Place {
  readonly path: string;
  readonly label: string;
}

/** Answers the screen behind a path, or null when this person cannot go there. The shell provides it. */
export type FindPlace = (path: string) => Place | null;

export const ReachableContext = createContext<FindPlace>(() => null);

/** Whether a link leads somewhere: what names a screen, e.g. a remedy, must not lead to a closed door. */
export const useReachable = (): FindPlace => use(ReachableContext);
