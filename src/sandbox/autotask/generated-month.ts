/**
 * Invoices of a real month, made up by a seeded generator: rates of four and six decimals, thirds of an hour, amounts
 * below a cent, goods that are taxable in part, several tax regions, an exempt customer, blocks, retainers, bundles, and
 * work for a branch that its parent pays. A total is what its lines come to before they are rounded, with their tax.
 */
import type { Random } from '../kit/random.ts';
import { hardware, labor, type Line, type SampleInvoice } from './sample-invoices.ts';

const firstId = 150_001;
const on = '2025-02-27';

/** Customers of the month with their region and the rates that are charged there, in percent; none: exempt. */
const customers = [
  { id: 175, region: 'Travis County', rates: [8.25] },
  { id: 176, region: 'Travis County', rates: [8.25] },
  { id: 179, region: 'Travis County', rates: [] },
  { id: 182, region: 'Alameda County', rates: [7.25, 3] },
  { id: 183, region: 'King County', rates: [10.1] },
] as const;
type Customer = (typeof customers)[number];

/** A fifth of data processing is not taxed in Texas. */
const partlyTaxedRate = 6.6;

const to = (decimals: number, value: number): number =>
  Number(`${Math.round(Number(`${value}e${decimals}`))}e-${decimals}`);
const taxOf = (amount: number, rates: readonly number[]): number =>
  to(
    2,
    rates.reduce((sum, rate) => sum + to(2, (amount * rate) / 100), 0),
  );

function lineOf(random: Random, { id, rates }: Customer): Line {
  const fine = (name: string, quantity: number, rate: number) =>
    labor(name, quantity, rate, on, { total: to(4, quantity * rate) });
  switch (random.whole(1, 10)) {
    case 1:
    case 2:
      return fine('Password reset', random.pick([0.3333, 0.6667, 1.1667, 3.175]), random.pick([125, 149.99, 187.4925]));
    case 3:
      return fine('Metered backup', to(4, random.whole(1, 400_000) / 10_000), 1.234567);
    case 4:
      return fine('Scan', 1, random.pick([33.3333, 66.6667, 0.0049]));
    case 5:
      return { kind: 'bundle', name: 'Office bundle', quantity: 6.0976, rate: 205, on, total: 1250 };
    case 6:
      return { kind: 'block', name: 'Block of 10 hours', quantity: 10, rate: random.pick([150, 149.995]), on };
    case 7:
      return { kind: 'retainer', name: 'Retainer', quantity: 1, rate: 2000, on, more: { contractID: 2003 } };
    case 8:
      return id === 175
        ? labor('Branch wiring', 2, 150, on, { more: { companyID: 181 } })
        : { kind: 'subscription', name: 'Mail security', quantity: random.whole(1, 60), rate: 2.5, on };
    case 9: {
      const amount = random.whole(100, 90_000) / 100;
      const isPartly = rates.length > 0 && id <= 176;
      return isPartly
        ? hardware('Data processing', 1, amount, on, taxOf(amount, [partlyTaxedRate]), { more: { taxCategoryID: 4 } })
        : hardware('Deck radio', 1, amount, on, taxOf(amount, rates));
    }
    default: {
      const [quantity, rate] = [random.whole(1, 5), random.whole(100, 90_000) / 100];
      return hardware('Docking station', quantity, rate, on, taxOf(to(2, quantity * rate), rates));
    }
  }
}

/** So many invoices; the same seed gives the same. */
export function generatedMonth(random: Random, count: number): readonly SampleInvoice[] {
  return Array.from({ length: count }, (_, at): SampleInvoice => {
    const customer = random.pick(customers);
    const lines = Array.from({ length: random.whole(1, 4) }, () => lineOf(random, customer));
    const net = lines.reduce((sum, line) => sum + (line.total ?? to(4, line.quantity * line.rate)), 0);
    const tax = to(
      2,
      lines.reduce((sum, line) => sum + (line.tax ?? 0), 0),
    );
    return {
      id: firstId + at,
      company: customer.id,
      total: to(2, to(4, net) + tax),
      tax,
      created: ['2025-03-03', `00:${String(at % 60).padStart(2, '0')}:07.000`],
      more: { taxRegionName: customer.region },
      lines,
    };
  });
}
