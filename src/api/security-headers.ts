import { createHash } from 'node:crypto';
import { pageStyle } from './pages.ts';

/** Long enough that a returning browser never uses plain http (reliability reference 2.3, row 22). */
const strictTransportSeconds = 365 * 86_400;

const styleHash = createHash('sha256').update(pageStyle).digest('base64');

/** Allows only scripts and styles of Tallybridge: no inline scripts, no frames, nothing from other sites. */
const pagePolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "script-src-attr 'none'",
  `style-src 'self' 'sha256-${styleHash}'`,
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join('; ');

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
  'content-security-policy': pagePolicy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  ...(isSecure ? { 'strict-transport-security': `max-age=${strictTransportSeconds}` } : {}),
});
