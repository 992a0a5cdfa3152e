/** `npm run bench -- timing [samples]`: comparisons that take too long for the tests; each compares within one run. */
import { timing } from './timing.ts';

const [name, count] = process.argv.slice(2);
const benches: Readonly<Record<string, () => Promise<boolean>>> = {
  timing: () => timing(count === undefined ? 1_000 : Number(count)),
};
const chosen = benches[name ?? ''];
if (chosen === undefined) {
  console.error(`Usage: npm run bench -- NAME, where NAME is one of: ${Object.keys(benches).join(', ')}`);
  process.exitCode = 2;
} else if (!(await chosen())) process.exitCode = 1;
