/** Formats of dates and amounts that the user can choose in this browser; the default is the United States. */

export const locales = {
  'en-US': { label: 'United States', currency: 'USD' },
  'en-CA': { label: 'Canada', currency: 'CAD' },
  'en-GB': { label: 'United Kingdom', currency: 'GBP' },
  'en-AU': { label: 'Australia', currency: 'AUD' },
  'en-NZ': { label: 'New Zealand', currency: 'NZD' },
  'en-IE': { label: 'Ireland', currency: 'EUR' },
  'en-ZA': { label: 'South Africa', currency: 'ZAR' },
} as const;

export type Locale = keyof typeof locales;

const storageKey = 'tallybridge-locale';

const isLocale = (text: string | null): text is Locale => text !== null && text in locales;

/** Returns the user's choice; `en-US` without one, or without storage. */
export function readLocale(): Locale {
  const stored = typeof localStorage === 'undefined' ? null : localStorage.getItem(storageKey);
  return isLocale(stored) ? stored : 'en-US';
}

/** Stores the choice and re-renders everything. */
export function chooseLocale(locale: Locale): void {
  localStorage.setItem(storageKey, locale);
  window.location.reload();
}
