import { countOf, setCount } from '../../../lib/format.ts';

/** Sentences of the first steps on the Overview. */
export const guideWords = {
  title: 'First steps',
  steps: { 'set-up': '1. Set up', try: '2. Try, then go live' },
  close: 'Close the guide',
  continue: 'Continue to test syncs',
  saved: 'Saved changes.',
} as const;

/** Settings that both systems tell, to be accepted. */
export const detectedWords = {
  title: 'What both systems say',
  accept: 'Accept these settings',
  accepted: 'These settings are accepted.',
  all: 'See all settings',
} as const;

const acceptText = (suggestions: number): string =>
  suggestions === 1 ? 'Accept it' : `Accept all ${setCount(suggestions)}`;

/** Suggestions for the lists that documents need. */
export const mappingStepWords = {
  title: 'What belongs together',
  lead: 'Names that are the same in both systems are matched by themselves. Mapping fixes a match for good; only expense categories must be mapped before expense reports can be synced.',
  lists: {
    Customer: 'Customers',
    ItemBilling: 'Items',
    LineOfBusiness: 'Lines of business',
    ExpenseCategoryBillable: 'Billable expenses',
    ExpenseCategoryNonBillable: 'Non-billable expenses',
  },
  mapped: (mapped: number, all: number): string => `${setCount(mapped)} of ${setCount(all)} mapped`,
  needed: ' · a report with an unmapped one fails',
  accept: acceptText,
  acceptOf: (suggestions: number, list: string): string => `${acceptText(suggestions)}: ${list}`,
  suggestionsOf: (list: string): string => `Suggestions: ${list}`,
  more: (count: number): string => `and ${setCount(count)} more`,
  open: 'Open',
} as const;

/** A test sync of each kind. */
export const tryWords = {
  title: 'Try it',
  lead: 'A test does everything but write: nothing is sent to QuickBooks, nothing changes.',
  button: 'Test Sync',
  testing: 'Testing…',
  nothing: 'Nothing is waiting to be synced.',
  wouldPass: (passed: number, all: number): string => `${setCount(passed)} of ${countOf(all, 'document')} would pass.`,
  log: 'See the log',
  document: 'The document',
} as const;

/** The switch of each automatic sync. */
export const goLiveWords = {
  title: 'Go live',
  cutOff: 'Cut-off date',
  save: 'Save the date',
  hint: 'Nothing dated earlier is ever picked up automatically. Empty: the day on which automatic sync is first turned on.',
  state: (isOn: boolean): string => `Automatic sync is ${isOn ? 'on' : 'off'}.`,
  turnOff: 'Turn off',
  turnOn: 'Turn on.',
} as const;
