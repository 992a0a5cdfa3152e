/**
 * `npm run bench -- NAME [numbers]`: benchmarks that take too long for the tests; each compares within one run. Without
 * a name it lists them.
 */
import { api } from './api.ts';
import { growth } from './growth.ts';
import { job } from './job.ts';
import { load } from './load.ts';
import { log } from './log.ts';
import { neighbor, sweep } from './neighbor.ts';
import { proof } from './proof.ts';
import { tenants } from './tenants.ts';
import { timing } from './timing.ts';

const [name, ...given] = process.argv.slice(2);
function number(index: number, fallback: number): number {
  const value = Number(given[index] ?? fallback);
  if (Number.isNaN(value)) throw new Error(`not a number: ${given[index]}`);
  return value;
}

interface Bench {
  /** Optional numbers in their order. */
  readonly takes: string;
  readonly shows: string;
  readonly run: () => Promise<boolean>;
}

const benches: Readonly<Record<string, Bench>> = {
  job: {
    takes: '[invoices] [psa|accounting]',
    shows: 'posts a job of invoices, compared to its lower bound',
    run: () => job(number(0, 100), given[1] === 'accounting' ? 'accounting' : 'psa'),
  },
  log: {
    takes: '[entries] [rounds]',
    shows: 'log pages, filters, sort orders, and searches: 50 ms',
    run: () => log(number(0, 1_000_000), number(1, 7)),
  },
  api: {
    takes: '[calls per second] [seconds per stretch] [rounds]',
    shows: 'screen calls at a fixed rate: 99 % within 25 ms',
    run: () => api(number(0, 300), number(1, 10), number(2, 3)),
  },
  load: {
    takes: '[rounds]',
    shows: 'first visit of login and Overview on slow 4G: painted within 1.5 s',
    run: () => load(number(0, 5)),
  },
  growth: {
    takes: '[invoices]',
    shows: 'what a document adds to the database: 100 kB',
    run: () => growth(number(0, 1_000)),
  },
  proof: {
    takes: '[documents] [more documents]',
    shows: 'proof of a month: a document of a large month takes at most 1.25 times as long',
    run: () => proof(number(0, 1_000), number(1, 4_000)),
  },
  neighbor: {
    takes: '[rounds] [milliseconds per stretch] [attack]',
    shows: 'slowdown of another client by each attack: at most twice',
    run: () => neighbor(number(0, 3), number(1, 3_000), given[2]),
  },
  sweep: {
    takes: '[rounds] [milliseconds per stretch] [load]',
    shows: 'slowdown of another client by 1 to 40 parallel callers of each load: at most twice',
    run: () => sweep(number(0, 1), number(1, 2_000), given[2]),
  },
  tenants: {
    takes: '[count] [latency in milliseconds]',
    shows: 'number of idle clients per worker',
    run: () => tenants(number(0, 10_000), number(1, 0)),
  },
  timing: {
    takes: '[samples]',
    shows: 'response times do not reveal which users exist',
    run: () => timing(number(0, 1_000)),
  },
};

/** Benchmarks of the table in docs/performance.md, run one after another. */
const inTable = ['job', 'log', 'api', 'load', 'proof'] as const;

const chosen = name === 'all' ? inTable.map((one) => benches[one]) : [benches[name ?? '']];
if (chosen.includes(undefined)) {
  console.log('npm run bench -- NAME [numbers]; `all` runs those in the table of docs/performance.md.\n');
  for (const [one, { takes, shows }] of Object.entries(benches))
    console.log(`${one.padEnd(10)}${takes.padEnd(52)}${shows}`);
  process.exitCode = name === undefined ? 0 : 2;
}
for (const one of chosen) if (one !== undefined && !(await one.run())) process.exitCode = 1;
