import type { SubmittableKind } from '#core/kinds.ts';
import { Refusal } from '#core/refusal.ts';
import { invoiceFlow } from './invoice.ts';
import type { KindFlow } from './kind.ts';

/** Facts are unknown here: they come from the flow that takes them again, and nothing else looks into them. */
const flows: Readonly<Partial<Record<SubmittableKind, KindFlow<unknown>>>> = { invoice: invoiceFlow };

/**
 * What a kind adds to the shared road.
 *
 * @throws Refusal `not_built` for a kind that this version does not sync yet.
 */
export function flowOf(kind: SubmittableKind): KindFlow<unknown> {
  const flow = flows[kind];
  if (flow === undefined) throw new Refusal('conflict', 'not_built', 'This version does not sync these documents yet.');
  return flow;
}
