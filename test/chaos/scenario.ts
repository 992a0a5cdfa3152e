import type { JsonObject } from '#core/values/json.ts';
import { createRandom, type Random } from '#sandbox/kit/random.ts';
import { bill, purchase, situationOf } from './situations.ts';
import type { Step, Strike, Target } from './step.ts';

/** A sequence of disasters and of ordinary business, made from a seed and playable again. */
export interface Scenario {
  readonly seed: number;
  /** The writes that honour a requestid (quickbooks reference 2.3). */
  readonly requestid: 'all' | 'none';
  /** The service that numbers invoices. */
  readonly numbering: 'psa' | 'books';
  /** The day on which it begins, which may be the last of a month. */
  readonly today: '2027-07-05' | '2027-07-31';
  /** How an invoice of an earlier month is taken back. */
  readonly voids: 'void' | 'credit_memo';
  readonly steps: readonly Step[];
}

const targets: readonly Target[] = [
  { service: 'books', path: '/batch$' },
  { service: 'books', path: '/(invoice|payment|bill|purchaseorder|creditmemo)$' },
  { service: 'books', path: '/query$' },
  { service: 'books', path: '/cdc$' },
  { service: 'books', path: '.*' },
  { service: 'psa', path: '/Invoices$' },
  { service: 'psa', path: '/query$' },
  { service: 'psa', path: '.*' },
];

function strikeBy(random: Random): Strike {
  return random.pick<Strike>([
    { reset: 'before' },
    { reset: 'after' },
    { reset: 'late', apply_after_seconds: random.whole(5, 110) },
    { status: random.pick([500, 502, 503]) },
    { status: 503, apply: true },
    { status: 429 },
    { truncate: random.whole(1, 60) },
  ]);
}

/** Settings that people change in the middle of the business. */
const changes: readonly JsonObject[] = [
  { inv_sync_active: false },
  { inv_sync_active: true },
  { pay_sync_active: false },
  { pay_sync_active: true },
  { void_sync_active: false },
  { po_sync_active: false, exp_sync_active: false },
  { inv_group_invoice_lines: true },
  { inv_group_invoice_lines: false },
  { require_approval: true },
  { require_approval: true },
  { require_approval: false },
];

const minutesOfDay = 1_440;

/** How often each kind of step comes, relative to the others. */
const weights: readonly (readonly [number, (random: Random) => Step])[] = [
  [14, (random) => ({ do: 'wait', minutes: random.whole(1, 50) })],
  [2, (random) => ({ do: 'wait', minutes: random.whole(1, 2) * minutesOfDay })],
  [22, (random) => ({ do: 'work', worker: random.pick(['a', 'b']) })],
  [
    14,
    (random) => ({
      do: 'die',
      worker: random.pick(['a', 'b']),
      effect: random.whole(1, 90),
      moment: random.pick(['before', 'after']),
    }),
  ],
  [
    3,
    (random) => ({
      do: 'stand_still',
      worker: random.pick(['a', 'b']),
      effect: random.whole(1, 90),
      moment: random.pick(['before', 'after']),
    }),
  ],
  [
    14,
    (random) => ({
      do: 'strike',
      at: random.pick(targets),
      skip: random.whole(0, 4),
      times: random.whole(1, 3),
      by: strikeBy(random),
    }),
  ],
  [6, bill],
  [1, (random) => ({ do: 'order', cents: random.whole(100, 90_000) })],
  [1, (random) => ({ do: 'report', cents: random.whole(100, 90_000) })],
  [
    8,
    (random) => ({
      do: random.pick(['void_in_psa', 'change_in_psa', 'note_paid', 'take_paid_back'] as const),
      invoice: random.whole(0, 99),
    }),
  ],
  [
    9,
    (random) => ({
      do: random.pick(['pay', 'pay', 'pay_part', 'bounce', 'void_in_books', 'delete_in_books'] as const),
      invoice: random.whole(0, 99),
    }),
  ],
  [3, (random) => ({ do: 'change_in_books', invoice: random.whole(0, 99) })],
  [7, (random) => ({ do: random.pick(['clear', 'sync', 'sync_again'] as const), invoice: random.whole(0, 99) })],
  [4, (random) => ({ do: random.pick(['update_books', 'bill_difference'] as const), invoice: random.whole(0, 99) })],
  [
    3,
    (random) => ({
      do: 'sync_all',
      kind: random.pick(['invoices', 'invoices', 'purchase-orders', 'expense-reports', 'payments', 'voids'] as const),
    }),
  ],
  [1, (random) => ({ do: random.pick(['delete_order', 'delete_report'] as const), which: random.whole(0, 9) })],
  [4, (random) => ({ do: 'set', change: random.pick(changes) })],
  [3, () => ({ do: 'approve' })],
  [1, (random) => ({ do: 'skew', service: random.pick(['psa', 'books'] as const), seconds: random.whole(20, 900) })],
  [2, (random) => ({ do: random.pick(['revoke', 'reconnect'] as const) })],
  [2, () => ({ do: 'cut_database' })],
];

function stepOf(random: Random): Step {
  let left = random.next() * weights.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of weights) {
    left -= weight;
    if (left < 0) return make(random);
  }
  return { do: 'wait', minutes: 1 };
}

/** So many situations come in one scenario at most. */
const mostSituations = 4;

/** The scenario of a seed: always the same one. */
export function scenarioOf(seed: number): Scenario {
  const random = createRandom(seed);
  const requestid = random.pick(['all', 'none'] as const);
  const numbering = random.pick(['psa', 'books', 'books'] as const);
  const today = random.pick(['2027-07-05', '2027-07-05', '2027-07-31'] as const);
  const voids = random.pick(['void', 'credit_memo'] as const);
  const bills = Array.from({ length: random.whole(3, 12) }, () => bill(random));
  const others = Array.from({ length: random.whole(0, 3) }, (): Step => ({
    do: random.pick(['order', 'report'] as const),
    cents: random.whole(100, 9_000),
  }));
  const blocks = Array.from({ length: random.whole(6, 24) }, (): readonly Step[] => [stepOf(random)]);
  const putIn = (block: readonly Step[], from = 0, chance = random): number => {
    const at = chance.whole(from, blocks.length);
    blocks.splice(at, 0, block);
    return at;
  };
  for (let left = random.whole(0, mostSituations); left > 0; left -= 1) putIn(situationOf(random, requestid));
  // Each database is restored in a share of the scenarios, and now and then both are.
  for (const [share, saves, restores] of [
    [0.2, 'backup', 'restore'],
    [0.1, 'backup_psa', 'restore_psa'],
  ] as const)
    if (random.chance(share)) putIn([{ do: restores }], putIn([{ do: saves }]) + 1);
  // A chance of its own: everything else of a seed stays as it is without it.
  const more = createRandom(~seed);
  if (more.chance(0.4)) putIn(purchase(more, requestid), 0, more);
  if (more.chance(0.1)) putIn([{ do: 'reconnect' }], putIn([{ do: 'disconnect' }], 0, more) + 1, more);
  return { seed, requestid, numbering, today, voids, steps: [...bills, ...others, ...blocks.flat()] };
}
