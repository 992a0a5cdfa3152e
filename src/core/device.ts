import { truncate } from './values/text.ts';

/** The first match wins: most browsers also include the names of others. */
const browsers = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\/|\bOpera\b/],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\bFirefox\/|\bFxiOS\//],
  ['Chrome', /\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//],
  ['Safari', /\bSafari\//],
] as const;

const systems = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMacintosh\b|\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b|\bX11\b/],
] as const;

const maxProgramNameLength = 30;

/**
 * Describes the browser or program of a sign-in, e.g. “Firefox on Windows” or “A program (curl)”.
 *
 * @param userAgent as the client sent it. It can be forged, so the description helps to recognize a device and proves
 *   nothing.
 */
export function describeDevice(userAgent: string): string {
  const find = (names: readonly (readonly [string, RegExp])[]) => names.find(([, shape]) => shape.test(userAgent))?.[0];
  const browser = find(browsers);
  const system = find(systems);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  if (system !== undefined) return `A browser on ${system}`;
  const program = /^[\w.-]+/.exec(userAgent)?.[0];
  return program === undefined ? 'A program' : `A program (${truncate(program, maxProgramNameLength, '…')})`;
}
