import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the space in which Node makes new objects as small as it begins, for the rest of this process. It doubles again and
 * again otherwise while a large job runs, up to 64 MB that stay with the process, for objects most of which live for one
 * document. To be called before anything large is made.
 */
export const keepNewSpaceSmall = (): void => setFlagsFromString('--semi-space-growth-factor=1');
