import type { Attempt, Posted } from '#core/attempt.ts';
import { kinds } from '#core/kinds.ts';
import { problem, type Problem } from '#core/problems.ts';

/** Returns the problem of a document that QuickBooks did not number. It would not number the following ones either. */
export const numberMissing = ({ kind, psaId }: Pick<Attempt, 'kind' | 'psaId'>, { id }: Pick<Posted, 'id'>): Problem =>
  problem('NUMBER_MISSING', { name: `${kinds[kind].label} ${psaId}`, id });
