export { Accounts, chargeOf, type Money, type Sale } from './accounts.ts';
export { generate } from './generate.ts';
export { happen, isPossible, possibleSteps } from './play.ts';
export { differencesOf } from './proof.ts';
export type { PurchaseLine, PurchaseStep } from './purchase-steps.ts';
export type { Purchase } from './purchases.ts';
export { inWords, type Line, type Part, type SalesStep, type Sequence, shown, type Step } from './steps.ts';
export { adviceOn, comparedAdvice } from './sync.ts';
