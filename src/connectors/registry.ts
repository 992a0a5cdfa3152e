import type { AccountingDescriptor } from '#core/ports/accounting.ts';
import type { PsaDescriptor } from '#core/ports/psa.ts';

/** How the connected services are named on screens and in routes; the only place that knows their labels. */
export const descriptors = {
  psa: { autotask: { key: 'autotask', label: 'Autotask' } satisfies PsaDescriptor },
  accounting: {
    qbo: { key: 'qbo', label: 'QuickBooks Online', shortLabel: 'QuickBooks' } satisfies AccountingDescriptor,
  },
} as const;
