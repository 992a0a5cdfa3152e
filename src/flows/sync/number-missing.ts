import type { Attempt } from '#core/attempt.ts';
import { documentName } from '#core/kinds.ts';
import type { Psa } from '#core/ports/psa.ts';
import { problem, type Problem } from '#core/problems.ts';

/** Returns the problem of a document that QuickBooks did not number. It would not number the following ones either. */
export const numberMissing = (
  { psa }: { readonly psa: Pick<Psa, 'describe'> },
  { kind, psaId }: Pick<Attempt, 'kind' | 'psaId'>,
  id: string | null,
): Problem => problem('NUMBER_MISSING', { psa: psa.describe.label, name: documentName(kind, psaId), id: id ?? '' });
