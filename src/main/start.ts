/** `npm start`: the whole product. */
import { runProduct } from './run.ts';

await runProduct();
