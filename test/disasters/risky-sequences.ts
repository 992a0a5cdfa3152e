/** Risky sequences: a few related steps with random details. Other steps and sequences run before and after. */
import type { Random } from '@tallybridge/sandbox';
import type { Step, Fault } from './step.ts';

/** The newest document. */
const newest = -1;
const work: Step = { do: 'work', worker: 'a' };
const wait = (minutes: number): Step => ({ do: 'wait', minutes });
const cycleMinutes = 17;
/** Paths in QuickBooks that create a document. */
const createPaths = '/(batch|invoice|creditmemo|purchaseorder|bill)$';
/** The change feed is read once an hour. */
const feedMinutes = 61;

/** An invoice with up to three lines, or sometimes a credit memo. */
export const bill = (random: Random): Step => ({
  ...invoice(random),
  ...(random.chance(0.1) ? { isCredit: true as const } : {}),
});

const invoice = (random: Random): Step => ({
  do: 'bill',
  company: random.whole(0, 5),
  cents: Array.from({ length: random.whole(1, 3) }, () => random.whole(100, 250_000)),
  isTaxed: random.chance(0.3),
});

/** An invoice that is posted. */
const postInvoice = (random: Random): readonly Step[] => [invoice(random), { do: 'sync', invoice: newest }, work];

/** An invoice that is synced for the first time, or forced after its first sync. */
const firstOrForced = (random: Random): readonly Step[] =>
  random.chance(0.5)
    ? [...postInvoice(random), { do: 'sync_again', invoice: newest }]
    : [invoice(random), { do: 'sync', invoice: newest }];

/** A document is sent and its response is lost, or arrives long after the request was given up. */
function lostResponse(random: Random, requestid: 'all' | 'none'): readonly Step[] {
  // With request ids, a repeated call is recognized even if the first one is applied much later.
  const lateSeconds = requestid === 'all' && random.chance(0.7) ? random.whole(200, 600) : random.whole(20, 110);
  const by = random.pick<Fault>([
    { reset: 'after' },
    { reset: 'late', apply_after_seconds: lateSeconds },
    { reset: 'late', apply_after_seconds: lateSeconds },
    { status: 503, apply: true },
    { truncate: random.whole(1, 60) },
  ]);
  const at = { service: 'accounting', path: createPaths } as const;
  return [...firstOrForced(random), { do: 'fault', at, skip: 0, times: 1, by }, work, wait(3), work, wait(11), work];
}

/** A worker crashes between sending and handling the response. */
const crashWhileSending = (random: Random): readonly Step[] => [
  ...firstOrForced(random),
  {
    do: 'crash',
    worker: 'a',
    effect: 1,
    moment: random.pick(['before', 'after', 'after']),
    at: random.pick(['^post:', '^post:', '^commit:posted$', '^psa:write$']),
  },
  wait(3),
  work,
];

/** A worker is paused until another has done its work, then resumes with stale data. */
const freeze = (random: Random): readonly Step[] => [
  ...firstOrForced(random),
  {
    do: 'freeze',
    worker: 'a',
    effect: random.whole(1, 2),
    moment: random.pick(['before', 'before', 'after']),
    at: random.pick([
      '^store.openAttempts$',
      '^store.openAttempts$',
      '^store.advanceAll$',
      '^store.(takeJob|finishJob)$',
      '^accounting.post',
      '^psa.write',
    ]),
  },
  wait(3),
  work,
];

/** A customer pays in QuickBooks, and the update of Autotask fails. */
const interruptedPayment = (random: Random): readonly Step[] => [
  ...postInvoice(random),
  { do: 'pay', invoice: newest },
  wait(feedMinutes),
  random.pick<Step>([
    {
      do: 'fault',
      at: { service: 'psa', path: random.pick(['/Invoices$', '/query$', '.*']) },
      skip: 0,
      times: random.whole(1, 6),
      by: random.pick<Fault>([{ status: 503 }, { reset: 'before' }, { reset: 'after' }]),
    },
    {
      do: 'crash',
      worker: 'a',
      effect: 1,
      moment: random.pick(['before', 'after']),
      at: random.pick(['^accounting.readCdc$', '^store.saveCdcReading$', '^psa.read', '^psa:write$']),
    },
  ]),
  work,
  wait(cycleMinutes),
  work,
];

/** The product's database loses a posting. The customer pays before, after, or never. */
function lostPosting(random: Random): readonly Step[] {
  const pay: Step = { do: 'pay', invoice: newest };
  const paid = random.pick(['before', 'after', 'after', 'never']);
  return [
    { do: 'backup' },
    ...postInvoice(random),
    ...(paid === 'before' ? [pay] : []),
    { do: 'restore' },
    ...(paid === 'after' ? [pay] : []),
    wait(cycleMinutes),
    work,
  ];
}

/** Autotask loses a posted invoice in a restore and reuses its id. */
const reusedId = (random: Random): readonly Step[] => [
  { do: 'backup_psa' },
  ...postInvoice(random),
  { do: 'restore_psa' },
  ...postInvoice(random),
];

/** A document is being sent to QuickBooks when a fault occurs. */
function faultWhileSending(random: Random, requestid: 'all' | 'none'): Step {
  const lateSeconds = requestid === 'all' ? random.whole(20, 600) : random.whole(20, 110);
  return random.pick<Step>([
    {
      do: 'fault',
      at: { service: 'accounting', path: createPaths },
      skip: 0,
      times: 1,
      by: random.pick<Fault>([
        { reset: 'before' },
        { reset: 'after' },
        { reset: 'late', apply_after_seconds: lateSeconds },
        { status: 503, apply: true },
      ]),
    },
    {
      do: 'crash',
      worker: 'a',
      effect: 1,
      moment: random.pick(['before', 'after', 'after']),
      at: random.pick(['^post:', '^post:', '^commit:posted$', '^psa:write$']),
    },
    {
      do: 'freeze',
      worker: 'a',
      effect: random.whole(1, 2),
      moment: random.pick(['before', 'after']),
      at: random.pick(['^store.openAttempts$', '^store.advanceAll$', '^accounting.post']),
    },
  ]);
}

/** A difference may be deleted, then the invoice is changed or voided. */
const afterDifference = (random: Random): readonly Step[] => [
  ...(random.chance(0.3) ? [{ do: 'delete_difference', invoice: newest, which: random.whole(0, 1) } as const] : []),
  ...random.pick<readonly Step[]>([
    [],
    [{ do: 'bounce', invoice: newest }, { do: 'void_in_autotask', invoice: newest }, wait(cycleMinutes), work],
    [{ do: 'bounce', invoice: newest }, { do: 'update_in_quickbooks', invoice: newest }, work],
    [{ do: 'bill_difference', invoice: newest }, work],
  ]),
];

/** An invoice changes after posting. It is updated in QuickBooks or its difference is billed, with a fault. */
function changedAfterPosting(random: Random, requestid: 'all' | 'none'): readonly Step[] {
  const isPaid = random.chance(0.5);
  const ask: Step = { do: isPaid || random.chance(0.3) ? 'bill_difference' : 'update_in_quickbooks', invoice: newest };
  return [
    ...postInvoice(random),
    ...(isPaid ? [{ do: 'pay', invoice: newest } as const] : []),
    ...(random.chance(0.3) ? [{ do: 'backup' } as const] : []),
    { do: 'change_in_autotask', invoice: newest },
    ask,
    faultWhileSending(random, requestid),
    work,
    wait(3),
    work,
    ...(random.chance(0.3) ? [{ do: 'restore' } as const] : []),
    ...(random.chance(0.5) ? [{ do: 'change_in_autotask', invoice: newest } as const, ask] : [ask]),
    wait(11),
    work,
    ...afterDifference(random),
  ];
}

/** A user reviews a test and posts it; meanwhile the document may have changed, or been posted. */
const reviewedTest = (random: Random, requestid: 'all' | 'none'): readonly Step[] => [
  ...(random.chance(0.3) ? postInvoice(random) : [invoice(random)]),
  { do: 'test', invoice: newest },
  work,
  ...random.pick<readonly Step[]>([
    [],
    [],
    [{ do: 'change_in_autotask', invoice: newest }],
    [{ do: 'sync', invoice: newest }],
    [{ do: 'void_in_autotask', invoice: newest }],
  ]),
  { do: 'post_reviewed', invoice: newest },
  faultWhileSending(random, requestid),
  work,
  wait(3),
  { do: 'post_reviewed', invoice: newest },
  work,
  wait(11),
  work,
];

/** A purchase order or an expense report is sent to QuickBooks, possibly again, and a fault occurs. */
export function purchase(random: Random, requestid: 'all' | 'none'): readonly Step[] {
  const enter: Step = { do: random.pick(['order', 'report'] as const), cents: random.whole(100, 90_000) };
  const sync: Step = { do: 'sync_purchase', which: newest };
  const isForgotten = random.chance(0.3);
  return [
    ...(isForgotten ? [{ do: 'backup' } as const] : []),
    enter,
    sync,
    ...random.pick<readonly Step[]>([
      [],
      [work, { do: 'sync_purchase_again', which: newest }],
      [work, { do: 'clear_purchase', which: newest }, sync],
    ]),
    faultWhileSending(random, requestid),
    work,
    wait(3),
    work,
    ...(isForgotten ? [{ do: 'restore' } as const] : []),
    wait(11),
    work,
  ];
}

/** Sequences with their relative frequency. */
const sequences: readonly (readonly [number, (random: Random, requestid: 'all' | 'none') => readonly Step[]])[] = [
  [5, lostResponse],
  [2, crashWhileSending],
  [5, freeze],
  [4, interruptedPayment],
  [3, lostPosting],
  [3, reusedId],
  [4, changedAfterPosting],
  [3, reviewedTest],
];

/**
 * Returns a random sequence.
 *
 * @param requestid the writes that honor a request id in this scenario
 */
export function riskySequence(random: Random, requestid: 'all' | 'none'): readonly Step[] {
  let left = random.next() * sequences.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of sequences) {
    left -= weight;
    if (left < 0) return make(random, requestid);
  }
  return [];
}
