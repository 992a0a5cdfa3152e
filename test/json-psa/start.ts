/** The whole product with the PSA that is one JSON file, as `npm start` runs it with Autotask. */
import { runProduct } from '#main/run.ts';
import { jsonPsa } from './psa.ts';

await runProduct(jsonPsa);
