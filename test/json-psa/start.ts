/** Runs the product with the JSON file as its PSA, like `npm start` does with Autotask. */
import { runProduct } from '#main/run.ts';
import { jsonPsa } from './psa.ts';

await runProduct({ psa: jsonPsa });
