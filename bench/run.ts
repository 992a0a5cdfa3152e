/**
 * `npm run bench -- NAME [numbers]`: benchmarks that take too long for the tests; each compares within one run. Without
 * a name it lists them.
 */
import { api } from './api.ts';
import { close } from './close.ts';
import { job } from './job.ts';
import { lists } from './lists.ts';
import { load } from './load.ts';
import { log } from './log.ts';
import { neighbour } from './neighbour.ts';
import { tenants } from './tenants.ts';
import { timing } from './timing.ts';

const [name, ...given] = process.argv.slice(2);
const number = (index: number, fallback: number): number => Number(given[index] ?? fallback);

interface Bench {
  /** Optional numbers in their order. */
  readonly takes: string;
  readonly shows: string;
  readonly run: () => Promise<boolean>;
}

const benches: Readonly<Record<string, Bench>> = {
  job: {
    takes: '[invoices] [psa|books]',
    shows: 'a job of invoices against its floor; who numbers them',
    run: () => job(number(0, 100), given[1] === 'books' ? 'books' : 'psa'),
  },
  naive: {
    takes: '[invoices] [at once]',
    shows: 'the same job by a script on the usual clients',
    run: () => job(number(0, 100), 'psa', number(1, 10)),
  },
  log: {
    takes: '[entries] [rounds]',
    shows: 'pages, filters, sorts and searches of a long log: 10 ms and 50 ms',
    run: () => log(number(0, 1_000_000), number(1, 7)),
  },
  api: {
    takes: '[calls a second] [seconds of a stretch] [rounds]',
    shows: 'calls of the screens at an even pace: 99 % within 25 ms',
    run: () => api(number(0, 300), number(1, 10), number(2, 3)),
  },
  load: {
    takes: '[rounds]',
    shows: 'the first visit of login and Overview on slow 4G: painted within 1.5 s',
    run: () => load(number(0, 5)),
  },
  lists: {
    takes: '[companies] [products] [rounds]',
    shows: 'long lists on the mapping screens: 25 ms for an answer, 100 ms for a key',
    run: () => lists(number(0, 5_000), number(1, 2_000), number(2, 8)),
  },
  close: {
    takes: '[invoices] [rounds]',
    shows: 'the proof of a month: 26 calls, 2 s of our own time',
    run: () => close(number(0, 2_000), number(1, 5)),
  },
  neighbour: {
    takes: '[rounds] [milliseconds of a stretch] [attack]',
    shows: 'what each attack costs a neighbor: at most twice the quiet times',
    run: () => neighbour(number(0, 3), number(1, 3_000), given[2]),
  },
  tenants: {
    takes: '[count] [latency in milliseconds]',
    shows: 'idle clients that one worker carries',
    run: () => tenants(number(0, 10_000), number(1, 0)),
  },
  timing: {
    takes: '[samples]',
    shows: 'that the time of an answer tells nobody who has an account',
    run: () => timing(number(0, 1_000)),
  },
};

/** Benchmarks of the table in docs/performance.md, run one after another. */
const ofTheTable = ['job', 'naive', 'log', 'api', 'load'] as const;

const chosen = name === 'all' ? ofTheTable.map((one) => benches[one]) : [benches[name ?? '']];
if (chosen.includes(undefined)) {
  console.log('npm run bench -- NAME [numbers]; `all` runs those of the table in docs/performance.md.\n');
  for (const [one, { takes, shows }] of Object.entries(benches))
    console.log(`${one.padEnd(10)}${takes.padEnd(52)}${shows}`);
  process.exitCode = name === undefined ? 0 : 2;
}
for (const one of chosen) if (one !== undefined && !(await one.run())) process.exitCode = 1;
