import type { SettingTab } from '#core/settings/definition.ts';
import { countOf } from '../../lib/format.ts';

/** Sentences of Settings, most of them to the letter of the specification. */

export const settingsWords = {
  title: 'Settings',
  lead: (psa: string): string =>
    `What is synced from ${psa} to QuickBooks, how, and where it is booked. A change applies from the next sync on.`,
  saving: 'Saving settings...',
  reset: 'Settings reset to defaults.',
  /** Name of a tab's warning icon for screen readers. */
  wrongTab: 'Something here does not fit',
  conflict: 'Changed by someone else since you opened this page',
  theirs: (value: string): string => `Saved now: ${value}`,
  yours: (value: string): string => `Yours: ${value}`,
  takeTheirs: 'Use the saved value',
  keepYours: 'Keep yours',
  noAccount: 'No account fits.',
  unchanged: 'Nothing is changed.',
  changed: (count: number): string => `${countOf(count, 'setting')} changed.`,
} as const;

/** Facts that the notes of a tab are about; null while they were not told. */
export interface NotedFacts {
  readonly psa: string;
  readonly hasProcurement: boolean | null;
  readonly isMultiCurrency: { readonly psa: boolean; readonly books: boolean } | null;
}

/** The note on top of a tab: a fact of the services that concerns all of it. Null where there is nothing to say. */
export function noteOf(
  tab: SettingTab,
  { psa, hasProcurement, isMultiCurrency }: NotedFacts,
): { readonly tone: 'info' | 'warning'; readonly text: string } | null {
  if (tab === 'purchase_orders')
    return hasProcurement === false
      ? {
          tone: 'warning',
          text: `You must enable Procurement in ${psa} to use the Purchase Orders portion of the app.`,
        }
      : { tone: 'info', text: `Procurement must be enabled in ${psa}.` };
  if (tab !== 'invoices' || isMultiCurrency === null || isMultiCurrency.psa === isMultiCurrency.books) return null;
  const say = (isOn: boolean): string => (isOn ? 'on' : 'off');
  return {
    tone: 'info',
    text: `Multicurrency is ${say(isMultiCurrency.psa)} in ${psa} and ${say(isMultiCurrency.books)} in QuickBooks. All multicurrency settings are ignored on invoice sync.`,
  };
}

export const fileWords = {
  title: 'Settings as a file',
  out: 'Save as JSON',
  in: 'Fill the form from a file',
  read: 'The form shows what the file says. Nothing is saved yet.',
  tooLarge: 'This file is too large to hold settings.',
  empty: 'This file holds no settings.',
  unknown: (keys: readonly string[]): string =>
    `This file names what is no setting: ${keys.slice(0, mostKeys).join(', ')}.`,
  unfit: (label: string): string => `“${label}” cannot be what this file says.`,
  unreadable: 'This file cannot be read as JSON.',
} as const;

/** Nobody reads more names than this. */
const mostKeys = 3;

export const timeZoneWords = {
  title: 'Time zone',
  label: (psa: string): string => `Time zone of ${psa}`,
  help: (now: string): string =>
    `Decides on which day a document is dated, where the age window begins, and from which day automatic sync counts. It is now ${now} there. Documents that are posted keep their dates.`,
  change: 'Change time zone',
} as const;

/** Short labels of the screen and its dialogs. */
export const settingLabels = {
  chooseAnAccount: 'Choose an account',
  choose: 'Choose',
  annaExampleComBilling: 'anna@example.com, billing@example.com',
  settingsFile: 'Settings file',
  theSettings: 'The settings',
  settings: 'Settings',
  theTimeZone: 'The time zone',
  clear: (setting: string): string => `Clear ${setting}`,
} as const;
