export { Accounts, chargeOf, type Money, type Sale } from './accounts.ts';
export { generate } from './generate.ts';
export { happen, isPossible, possibleSteps } from './play.ts';
export { differencesOf } from './proof.ts';
export { inWords, type Line, type Part, type Sequence, shown, type Step } from './steps.ts';
export { adviceOn, comparedAdvice } from './sync.ts';
