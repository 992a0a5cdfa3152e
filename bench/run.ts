/** `npm run bench -- NAME [numbers]`: comparisons that take too long for the tests; each compares within one run. */
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
const benches: Readonly<Record<string, () => Promise<boolean>>> = {
  /** `[calls a second] [seconds of a stretch] [rounds]` */
  api: () => api(number(0, 300), number(1, 10), number(2, 3)),
  /** `[samples]` */
  timing: () => timing(number(0, 1_000)),
  /** `[invoices] [at once]`: the same job by a script on the usual clients. */
  naive: () => job(number(0, 100), 'psa', number(1, 10)),
  /** `[invoices] [psa|books]`: who numbers them. */
  job: () => job(number(0, 100), given[1] === 'books' ? 'books' : 'psa'),
  /** `[invoices] [rounds]` */
  close: () => close(number(0, 2_000), number(1, 5)),
  /** `[companies] [products] [rounds]` */
  lists: () => lists(number(0, 5_000), number(1, 2_000), number(2, 8)),
  /** `[rounds]`: the first visit of login and Overview. */
  load: () => load(number(0, 5)),
  /** `[entries] [rounds]` */
  log: () => log(number(0, 1_000_000), number(1, 7)),
  /** `[rounds] [milliseconds of a stretch]` */
  neighbour: () => neighbour(number(0, 4), number(1, 5_000)),
  /** `[count] [latency in milliseconds]` */
  tenants: () => tenants(number(0, 10_000), number(1, 0)),
};
const chosen = benches[name ?? ''];
if (chosen === undefined) {
  console.error(`Usage: npm run bench -- NAME, where NAME is one of: ${Object.keys(benches).join(', ')}`);
  process.exitCode = 2;
} else if (!(await chosen())) process.exitCode = 1;
