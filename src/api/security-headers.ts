import { createHash } from 'node:crypto';
import { pageStyle } from './pages.ts';

/** Long enough that a browser which was here before never asks over plain http (reliability reference 2.3, row 22). */
const strictTransportSeconds = 365 * 86_400;

const hashOf = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;

/**
 * No script but our own files, no frame around us, nothing from elsewhere, no style but our files and our pages' own.
 *
 * @param scripts contents of the scripts that the page itself holds.
 */
const policyOf = (scripts: readonly string[]): string =>
  [
    "default-src 'self'",
    ["script-src 'self'", ...scripts.map(hashOf)].join(' '),
    "script-src-attr 'none'",
    `style-src 'self' ${hashOf(pageStyle)}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ');

/** Policy for a page of the application, which lets the scripts run that the build wrote into it, and no other. */
export const pagePolicyOf = (page: string): string =>
  policyOf([...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, content = '']) => content));

/**
 * Policy for the one page that shows a mail as mail programs do: styles in attributes, and nothing that runs or is
 * fetched.
 */
export const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/**
 * The headers that every answer carries, failures included.
 *
 * @param isSecure the application is reached over https, and browsers may be told to use nothing else.
 */
export const securityHeaders = (isSecure: boolean): Readonly<Record<string, string>> => ({
  'content-security-policy': policyOf([]),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  ...(isSecure ? { 'strict-transport-security': `max-age=${strictTransportSeconds}` } : {}),
});
