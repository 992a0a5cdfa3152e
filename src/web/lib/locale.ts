/** How dates and amounts are written: the person's choice in this browser, as in the United States unless chosen. */

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

/** The person's choice; `en-US` without one, or where nothing is stored. */
export function readLocale(): Locale {
  const stored = typeof localStorage === 'undefined' ? null : localStorage.getItem(storageKey);
  return isLocale(stored) ? stored : 'en-US';
}

/** Keeps the choice and shows everything anew. */
export function chooseLocale(locale: Locale): void {
  localStorage.setItem(storageKey, locale);
  window.location.reload();
}
