import { join, resolve } from 'node:path';

/** Environment of Node processes that tests start: what one has compiled, the next need not, which halves a start. */
export const withCompiledCode = {
  NODE_COMPILE_CACHE: join(resolve(import.meta.dirname, '..', '..'), '.cache', 'compiled'),
} as const;
