import { kinds, type SubmittableKind } from '#core/kinds.ts';
import { countOf, setCount } from '../../lib/format.ts';

/** The dialog behind Sync Now. */
export const syncNowWords = {
  title: (kind: SubmittableKind): string => `Sync ${many(kind)} now`,
  mode: 'Mode',
  testHint: 'A simulation. Nothing is sent, neither service is changed.',
  liveHint: (books: string): string => `Creates documents in ${books}.`,
  looking: (kind: SubmittableKind): string => `Looking for eligible ${many(kind)}…`,
  lookFailed: (reason: string): string => `What is eligible could not be looked up: ${reason}`,
  none: (kind: SubmittableKind): string => `No ${one(kind)} is eligible now.`,
  /** @param most how many are reviewed at once, where there are more; else null */
  found: (worth: string, books: string, most: number | null): string =>
    `${worth}. You see the whole of it before anything is sent to ${books}.${most === null ? '' : ` The first ${setCount(most)} are reviewed now, the others after them.`}`,
  test: (kind: SubmittableKind): string =>
    `Every ${one(kind)} that is eligible now is prepared exactly as for live; the logs show what would be posted.`,
  documents: 'Documents',
  ifSynced: 'If already synced...',
  skip: 'Do not process',
  again: 'Sync it again',
  warning: (kind: SubmittableKind, books: string, psa: string): string =>
    `Each ${one(kind)} that is already synced gets a second document in ${books}: a duplicate, until you delete or void one. The earlier reference number in ${psa} is overwritten.`,
  cancel: 'Cancel',
  /** “12 invoices, $18,430.20”. @param sum empty where no amount is known */
  worth: (kind: SubmittableKind, count: number, sum: string): string =>
    sum === '' ? countOf(count, one(kind)) : `${countOf(count, one(kind))}, ${sum}`,
  /** @param count null where it is not known, or not all of them are reviewed */
  review: (kind: SubmittableKind, count: number | null, isAgain: boolean): string =>
    `Review ${count === null ? `eligible ${many(kind)}` : countOf(count, one(kind))}${isAgain ? ', again' : ''}`,
  submitTest: (kind: SubmittableKind): string => `TEST eligible ${many(kind)}`,
} as const;

const one = (kind: SubmittableKind): string => kinds[kind].label.toLowerCase();
const many = (kind: SubmittableKind): string => kinds[kind].plural.toLowerCase();
