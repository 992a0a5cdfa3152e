import { createHash } from 'node:crypto';
import { pageStyle } from './pages.ts';

/** Long enough that a returning browser never uses plain http (reliability reference 2.3, row 22). */
const strictTransportSeconds = 365 * 86_400;

const hashOf = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`;

/**
 * Allows only scripts and styles of Tallybridge: no frames around its pages, nothing from other sites.
 *
 * @param scripts contents of the inline scripts of the page.
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

/** Returns the policy for a page of the application, which allows the inline scripts that the build wrote into it. */
export const pagePolicyOf = (page: string): string =>
  policyOf([...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([, content = '']) => content));

/**
 * Policy for the page that shows an email as mail programs do: styles in attributes, no scripts, no external resources.
 */
export const mailPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/**
 * Returns the headers that every response has, including failures.
 *
 * @param isSecure true if the application uses https: browsers are then told to use nothing else.
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
