import { join, resolve } from 'node:path';

/** Environment of Node processes with a shared compile cache, which halves their start time. */
export const withCompiledCode = {
  NODE_COMPILE_CACHE: join(resolve(import.meta.dirname, '..', '..'), '.cache', 'compiled'),
} as const;
