import type { JsonObject } from '#core/values/json.ts';
import { createRandom, type Random } from '@tallybridge/sandbox';
import { bill, purchase, riskySequence } from './risky-sequences.ts';
import type { Step, Fault, Target } from './step.ts';

/** A reproducible sequence of faults and business, generated from a seed. */
export interface Scenario {
  readonly seed: number;
  /** The writes that honor requestid (quickbooks reference 2.3). */
  readonly requestid: 'all' | 'none';
  /** The service that numbers invoices. */
  readonly numbering: 'psa' | 'accounting';
  /** The start date, sometimes the last day of a month. */
  readonly today: '2027-07-05' | '2027-07-31';
  /** How invoices of earlier months are voided. */
  readonly voids: 'void' | 'credit_memo';
  readonly steps: readonly Step[];
}

const targets: readonly Target[] = [
  { service: 'accounting', path: '/batch$' },
  { service: 'accounting', path: '/(invoice|payment|bill|purchaseorder|creditmemo)$' },
  { service: 'accounting', path: '/query$' },
  { service: 'accounting', path: '/cdc$' },
  { service: 'accounting', path: '.*' },
  { service: 'psa', path: '/Invoices$' },
  { service: 'psa', path: '/query$' },
  { service: 'psa', path: '.*' },
];

function randomFault(random: Random): Fault {
  return random.pick<Fault>([
    { reset: 'before' },
    { reset: 'after' },
    { reset: 'late', apply_after_seconds: random.whole(5, 110) },
    { status: random.pick([500, 502, 503]) },
    { status: 503, apply: true },
    { status: 429 },
    { truncate: random.whole(1, 60) },
  ]);
}

/** Settings that users change during the scenario. */
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

/** Steps with their relative frequency. */
const weights: readonly (readonly [number, (random: Random) => Step])[] = [
  [14, (random) => ({ do: 'wait', minutes: random.whole(1, 50) })],
  [2, (random) => ({ do: 'wait', minutes: random.whole(1, 2) * minutesOfDay })],
  [22, (random) => ({ do: 'work', worker: random.pick(['a', 'b']) })],
  [
    14,
    (random) => ({
      do: 'crash',
      worker: random.pick(['a', 'b']),
      effect: random.whole(1, 90),
      moment: random.pick(['before', 'after']),
    }),
  ],
  [
    3,
    (random) => ({
      do: 'freeze',
      worker: random.pick(['a', 'b']),
      effect: random.whole(1, 90),
      moment: random.pick(['before', 'after']),
    }),
  ],
  [
    14,
    (random) => ({
      do: 'fault',
      at: random.pick(targets),
      skip: random.whole(0, 4),
      times: random.whole(1, 3),
      by: randomFault(random),
    }),
  ],
  [6, bill],
  [1, (random) => ({ do: 'order', cents: random.whole(100, 90_000) })],
  [1, (random) => ({ do: 'report', cents: random.whole(100, 90_000) })],
  [
    8,
    (random) => ({
      do: random.pick(['void_in_autotask', 'change_in_autotask', 'set_paid_date', 'remove_paid_date'] as const),
      invoice: random.whole(0, 99),
    }),
  ],
  [
    9,
    (random) => ({
      do: random.pick(['pay', 'pay', 'pay_part', 'bounce', 'void_in_quickbooks', 'delete_in_quickbooks'] as const),
      invoice: random.whole(0, 99),
    }),
  ],
  [3, (random) => ({ do: 'change_in_quickbooks', invoice: random.whole(0, 99) })],
  [7, (random) => ({ do: random.pick(['clear', 'sync', 'sync_again'] as const), invoice: random.whole(0, 99) })],
  [
    4,
    (random) => ({
      do: random.pick(['update_in_quickbooks', 'bill_difference'] as const),
      invoice: random.whole(0, 99),
    }),
  ],
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
  [
    1,
    (random) => ({ do: 'skew', service: random.pick(['psa', 'accounting'] as const), seconds: random.whole(20, 900) }),
  ],
  [2, (random) => ({ do: random.pick(['revoke', 'reconnect'] as const) })],
  [2, () => ({ do: 'cut_database' })],
];

function randomStep(random: Random): Step {
  let left = random.next() * weights.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, make] of weights) {
    left -= weight;
    if (left < 0) return make(random);
  }
  return { do: 'wait', minutes: 1 };
}

/** Maximum number of risky sequences per scenario. */
const maxSequences = 4;

/** Returns the scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  const random = createRandom(seed);
  const requestid = random.pick(['all', 'none'] as const);
  const numbering = random.pick(['psa', 'accounting', 'accounting'] as const);
  const today = random.pick(['2027-07-05', '2027-07-05', '2027-07-31'] as const);
  const voids = random.pick(['void', 'credit_memo'] as const);
  const bills = Array.from({ length: random.whole(3, 12) }, () => bill(random));
  const others = Array.from({ length: random.whole(0, 3) }, (): Step => ({
    do: random.pick(['order', 'report'] as const),
    cents: random.whole(100, 9_000),
  }));
  const blocks = Array.from({ length: random.whole(6, 24) }, (): readonly Step[] => [randomStep(random)]);
  const insertBlock = (block: readonly Step[], from = 0, chance = random): number => {
    const at = chance.whole(from, blocks.length);
    blocks.splice(at, 0, block);
    return at;
  };
  for (let left = random.whole(0, maxSequences); left > 0; left -= 1) insertBlock(riskySequence(random, requestid));
  // Some scenarios restore a database, a few restore both.
  for (const [share, saves, restores] of [
    [0.2, 'backup', 'restore'],
    [0.1, 'backup_psa', 'restore_psa'],
  ] as const)
    if (random.chance(share)) insertBlock([{ do: restores }], insertBlock([{ do: saves }]) + 1);
  // A separate generator, so that the other steps of each seed stay the same.
  const more = createRandom(~seed);
  if (more.chance(0.4)) insertBlock(purchase(more, requestid), 0, more);
  if (more.chance(0.1)) insertBlock([{ do: 'reconnect' }], insertBlock([{ do: 'disconnect' }], 0, more) + 1, more);
  return { seed, requestid, numbering, today, voids, steps: [...bills, ...others, ...blocks.flat()] };
}
