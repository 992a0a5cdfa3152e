import { autotask } from './autotask/entry.ts';
import type { PsaEntry } from './psa-entry.ts';

/** Every PSA that the product supports, by key. */
export const psas = { autotask } as const satisfies Record<string, PsaEntry>;
