/**
 * Rare situations with high risk: a few steps that belong together, with random details. Other steps and situations run
 * before and after.
 */
import type { Random } from '#sandbox/kit/random.ts';
import type { Step, Strike } from './step.ts';

/** The document of the situation: the one that was billed last. */
const newest = -1;
const work: Step = { do: 'work', worker: 'a' };
const wait = (minutes: number): Step => ({ do: 'wait', minutes });
const minutesOfCycle = 17;
/** Paths of the books that make a document. */
const sends = '/(batch|invoice|creditmemo|purchaseorder|bill)$';
/** Until the feed of changes is read, by the hour. */
const minutesOfFeed = 61;

/** An invoice of a few lines, or a credit memo when chance will have it so. */
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

/** An invoice that stands in the books by now. */
const posted = (random: Random): readonly Step[] => [invoice(random), { do: 'sync', invoice: newest }, work];

/** It is synced for the first time, or stands already and another document is asked for. */
const asked = (random: Random): readonly Step[] =>
  random.chance(0.5)
    ? [...posted(random), { do: 'sync_again', invoice: newest }]
    : [invoice(random), { do: 'sync', invoice: newest }];

/** A document is sent and its response is lost, or arrives long after the request was given up. */
function answerLost(random: Random, requestid: 'all' | 'none'): readonly Step[] {
  // A repetition stands for the call that comes after it, however late, where request ids are honoured.
  const lateSeconds = requestid === 'all' && random.chance(0.7) ? random.whole(200, 600) : random.whole(20, 110);
  const by = random.pick<Strike>([
    { reset: 'after' },
    { reset: 'late', apply_after_seconds: lateSeconds },
    { reset: 'late', apply_after_seconds: lateSeconds },
    { status: 503, apply: true },
    { truncate: random.whole(1, 60) },
  ]);
  const at = { service: 'books', path: sends } as const;
  return [...asked(random), { do: 'strike', at, skip: 0, times: 1, by }, work, wait(3), work, wait(11), work];
}

/** A worker crashes between sending and handling the response. */
const diesAtSend = (random: Random): readonly Step[] => [
  ...asked(random),
  {
    do: 'die',
    worker: 'a',
    effect: 1,
    moment: random.pick(['before', 'after', 'after']),
    at: random.pick(['^post:', '^post:', '^commit:posted$', '^psa:write$']),
  },
  wait(3),
  work,
];

/** A worker is paused until another has done its work, then resumes with stale data. */
const standsStill = (random: Random): readonly Step[] => [
  ...asked(random),
  {
    do: 'stand_still',
    worker: 'a',
    effect: random.whole(1, 2),
    moment: random.pick(['before', 'before', 'after']),
    at: random.pick([
      '^store.openAttempts$',
      '^store.openAttempts$',
      '^store.advanceAll$',
      '^store.(takeJob|finishJob)$',
      '^books.post',
      '^psa.write',
    ]),
  },
  wait(3),
  work,
];

/** A customer pays in QuickBooks, and the update of the PSA fails. */
const paidAndCut = (random: Random): readonly Step[] => [
  ...posted(random),
  { do: 'pay', invoice: newest },
  wait(minutesOfFeed),
  random.pick<Step>([
    {
      do: 'strike',
      at: { service: 'psa', path: random.pick(['/Invoices$', '/query$', '.*']) },
      skip: 0,
      times: random.whole(1, 6),
      by: random.pick<Strike>([{ status: 503 }, { reset: 'before' }, { reset: 'after' }]),
    },
    {
      do: 'die',
      worker: 'a',
      effect: 1,
      moment: random.pick(['before', 'after']),
      at: random.pick(['^books.readCdc$', '^store.saveCdcReading$', '^psa.read', '^psa:write$']),
    },
  ]),
  work,
  wait(minutesOfCycle),
  work,
];

/** Our database forgets a posting; a customer pays it before that or afterwards, or nobody touches it. */
function forgotten(random: Random): readonly Step[] {
  const pay: Step = { do: 'pay', invoice: newest };
  const paid = random.pick(['before', 'after', 'after', 'never']);
  return [
    { do: 'backup' },
    ...posted(random),
    ...(paid === 'before' ? [pay] : []),
    { do: 'restore' },
    ...(paid === 'after' ? [pay] : []),
    wait(minutesOfCycle),
    work,
  ];
}

/** The PSA loses a posted invoice in a restore, and reuses its id for another one. */
const givenOutAgain = (random: Random): readonly Step[] => [
  { do: 'backup_psa' },
  ...posted(random),
  { do: 'restore_psa' },
  ...posted(random),
];

/** A document is being sent to QuickBooks when a fault occurs. */
function breaksAtSend(random: Random, requestid: 'all' | 'none'): Step {
  const lateSeconds = requestid === 'all' ? random.whole(20, 600) : random.whole(20, 110);
  return random.pick<Step>([
    {
      do: 'strike',
      at: { service: 'books', path: sends },
      skip: 0,
      times: 1,
      by: random.pick<Strike>([
        { reset: 'before' },
        { reset: 'after' },
        { reset: 'late', apply_after_seconds: lateSeconds },
        { status: 503, apply: true },
      ]),
    },
    {
      do: 'die',
      worker: 'a',
      effect: 1,
      moment: random.pick(['before', 'after', 'after']),
      at: random.pick(['^post:', '^post:', '^commit:posted$', '^psa:write$']),
    },
    {
      do: 'stand_still',
      worker: 'a',
      effect: random.whole(1, 2),
      moment: random.pick(['before', 'after']),
      at: random.pick(['^store.openAttempts$', '^store.advanceAll$', '^books.post']),
    },
  ]);
}

/** A document that bills a difference is deleted, perhaps, and the invoice is changed or voided. */
const afterwards = (random: Random): readonly Step[] => [
  ...(random.chance(0.3) ? [{ do: 'delete_difference', invoice: newest, which: random.whole(0, 1) } as const] : []),
  ...random.pick<readonly Step[]>([
    [],
    [{ do: 'bounce', invoice: newest }, { do: 'void_in_psa', invoice: newest }, wait(minutesOfCycle), work],
    [{ do: 'bounce', invoice: newest }, { do: 'update_books', invoice: newest }, work],
    [{ do: 'bill_difference', invoice: newest }, work],
  ]),
];

/** An invoice changes after posting. QuickBooks follows, or its difference is billed, and a fault occurs. */
function changedSince(random: Random, requestid: 'all' | 'none'): readonly Step[] {
  const isPaid = random.chance(0.5);
  const ask: Step = { do: isPaid || random.chance(0.3) ? 'bill_difference' : 'update_books', invoice: newest };
  return [
    ...posted(random),
    ...(isPaid ? [{ do: 'pay', invoice: newest } as const] : []),
    ...(random.chance(0.3) ? [{ do: 'backup' } as const] : []),
    { do: 'change_in_psa', invoice: newest },
    ask,
    breaksAtSend(random, requestid),
    work,
    wait(3),
    work,
    ...(random.chance(0.3) ? [{ do: 'restore' } as const] : []),
    ...(random.chance(0.5) ? [{ do: 'change_in_psa', invoice: newest } as const, ask] : [ask]),
    wait(11),
    work,
    ...afterwards(random),
  ];
}

/** A user reviews a test and posts it; meanwhile the document may have changed, or been posted. */
const reviewed = (random: Random, requestid: 'all' | 'none'): readonly Step[] => [
  ...(random.chance(0.3) ? posted(random) : [invoice(random)]),
  { do: 'test', invoice: newest },
  work,
  ...random.pick<readonly Step[]>([
    [],
    [],
    [{ do: 'change_in_psa', invoice: newest }],
    [{ do: 'sync', invoice: newest }],
    [{ do: 'void_in_psa', invoice: newest }],
  ]),
  { do: 'post_reviewed', invoice: newest },
  breaksAtSend(random, requestid),
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
    breaksAtSend(random, requestid),
    work,
    wait(3),
    work,
    ...(isForgotten ? [{ do: 'restore' } as const] : []),
    wait(11),
    work,
  ];
}

/** How often each situation comes, relative to the others. */
const situations: readonly (readonly [number, (random: Random, requestid: 'all' | 'none') => readonly Step[]])[] = [
  [5, answerLost],
  [2, diesAtSend],
  [5, standsStill],
  [4, paidAndCut],
  [3, forgotten],
  [3, givenOutAgain],
  [4, changedSince],
  [3, reviewed],
];

/**
 * One situation.
 *
 * @param requestid the writes of the books that honour a request id in this scenario
 */
export function situationOf(random: Random, requestid: 'all' | 'none'): readonly Step[] {
  let left = random.next() * situations.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of situations) {
    left -= weight;
    if (left < 0) return make(random, requestid);
  }
  return [];
}
