/** Rules of sign-in with Microsoft, Google and other OpenID Connect providers. */

export const providerKinds = ['microsoft', 'google', 'other'] as const;
export type ProviderKind = (typeof providerKinds)[number];

/** Names of the products that sign users in, for people. */
export const providerNames: Readonly<Record<ProviderKind, string>> = {
  microsoft: 'Microsoft Entra ID',
  google: 'Google Workspace',
  other: 'Other (OpenID Connect)',
};

/** Names of the providers within a sentence. */
export const providerLabels: Readonly<Record<ProviderKind, string>> = {
  microsoft: 'Microsoft',
  google: 'Google',
  other: 'your identity provider',
};

/** Maximum number of email domains of a client. */
export const maxDomains = 20;

/** The claims of a validated ID token that decide who logs in. All but the subject are optional. */
export interface ProviderClaims {
  readonly sub: string;
  readonly email?: unknown;
  readonly email_verified?: unknown;
  /** Entra: the user name, an address in a verified domain of the directory. */
  readonly preferred_username?: unknown;
  /** Entra: the directory. */
  readonly tid?: unknown;
  /** Entra: the user’s id in the directory, the same for every application. */
  readonly oid?: unknown;
  /** Entra: whether the domain of the email address belongs to the user’s directory. */
  readonly xms_edov?: unknown;
  /** Google: the Workspace domain. */
  readonly hd?: unknown;
  /** How the user authenticated. */
  readonly amr?: unknown;
}

const entraPath = /^\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/v2\.0$/i;
const entraHosts = ['login.microsoftonline.com', 'login.microsoftonline.us', 'login.partner.microsoftonline.cn'];
/** The directory of personal Microsoft accounts, which anyone can create. */
const personalAccounts = '9188040d-6c67-4c5b-b112-36a304b66dad';
const googleIssuer = 'https://accounts.google.com';

/**
 * Returns why an issuer does not fit the kind of provider; null if it does. An issuer for every directory, such as
 * `common`, would let anyone create an account with any address.
 *
 * @param issuer an address that may be called.
 * @param isLocal a provider on this machine, for demos and tests: the host is not checked.
 */
export function issuerFault(kind: ProviderKind, issuer: URL, isLocal: boolean): string | null {
  if (issuer.search !== '' || issuer.hash !== '') return 'An issuer has no “?” and no “#”.';
  const isMicrosoft = entraHosts.includes(issuer.hostname);
  if (kind === 'microsoft') {
    const tenant = entraPath.exec(issuer.pathname)?.[1];
    if (!isMicrosoft && !isLocal) return `The issuer must begin with https://${entraHosts[0] ?? ''}/.`;
    if (tenant === undefined || tenant.toLowerCase() === personalAccounts)
      return 'Use the issuer of your directory: https://login.microsoftonline.com/<Directory (tenant) ID>/v2.0. “common” and “organizations” are not accepted.';
    return null;
  }
  if (kind === 'google') return isLocal || isGoogle(issuer) ? null : `The issuer of Google is ${googleIssuer}.`;
  if (isMicrosoft || isGoogle(issuer)) return 'Choose Microsoft or Google as the provider for this issuer.';
  return null;
}

/** Returns the kind of provider that an issuer belongs to. */
export function kindOf(issuer: string): ProviderKind {
  const url = new URL(issuer);
  return entraHosts.includes(url.hostname) ? 'microsoft' : isGoogle(url) ? 'google' : 'other';
}

const isGoogle = ({ hostname }: URL): boolean => hostname === new URL(googleIssuer).hostname;

/** Returns the domain of an email address, lower case; null if the text is not an address. */
export function domainOf(email: string): string | null {
  const [name, domain, more] = email.trim().toLowerCase().split('@');
  return more === undefined && name !== undefined && name !== '' && isDomain(domain ?? '') ? (domain ?? null) : null;
}

/** Whether the text is a domain name with at least two labels. */
export const isDomain = (text: string): boolean =>
  text.length <= 253 &&
  text.split('.').length >= 2 &&
  text.split('.').every((label) => /^[\p{L}\d-]{1,63}$/u.test(label));

/** Mail services whose addresses anyone can create, so that no company owns the domain. */
const publicMail: ReadonlySet<string> = new Set([
  'gmail.com',
  'googlemail.com',
  'outlook.com',
  'hotmail.com',
  'live.com',
  'msn.com',
  'yahoo.com',
  'aol.com',
  'icloud.com',
  'me.com',
  'proton.me',
  'protonmail.com',
  'gmx.com',
  'gmx.net',
  'gmx.de',
  'web.de',
  'mail.com',
  'zoho.com',
  'fastmail.com',
]);

/** Whether anyone can get an address in this domain. */
export const isPublicMailDomain = (domain: string): boolean => publicMail.has(domain);

/** The account of a login, or why it is rejected. */
export type Account =
  | {
      readonly isAccepted: true;
      /** Stable id at the provider. */
      readonly subject: string;
      /** Verified address, lower case, to find the user at the first login; null: only a linked account may log in. */
      readonly email: string | null;
      /** The provider reports that it checked a second step, or does not report how the user authenticated. */
      readonly mayHaveSecondStep: boolean;
    }
  | { readonly isAccepted: false; readonly reason: 'directory' };

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const isTrue = (value: unknown): boolean => value === true || value === 1 || value === '1' || value === 'true';
const isFalse = (value: unknown): boolean => value === false || value === 0 || value === '0' || value === 'false';

/**
 * Decides which account an ID token is for. The address counts only if the provider verified it: Microsoft never sends
 * `email_verified`, so there the directory vouches for the addresses in the client’s own domains.
 */
export function accountOf(
  {
    kind,
    issuer,
    domains,
  }: { readonly kind: ProviderKind; readonly issuer: string; readonly domains: readonly string[] },
  claims: ProviderClaims,
): Account {
  const subject = subjectOf(kind, claims);
  if (subject === null) return { isAccepted: false, reason: 'directory' };
  if (kind === 'microsoft') {
    const tenant = entraPath.exec(new URL(issuer).pathname)?.[1]?.toLowerCase();
    if (text(claims.tid)?.toLowerCase() !== tenant) return { isAccepted: false, reason: 'directory' };
  }
  // The subject of a Google account remains valid after its user left the Workspace domain.
  if (kind === 'google' && !domains.includes(text(claims.hd)?.toLowerCase() ?? ''))
    return { isAccepted: false, reason: 'directory' };
  const email = verifiedEmail(kind, claims)?.trim().toLowerCase() ?? null;
  const domain = email === null ? null : domainOf(email);
  return {
    isAccepted: true,
    subject,
    email: domain !== null && domains.includes(domain) ? email : null,
    mayHaveSecondStep: mayHaveSecondStep(claims.amr),
  };
}

/** Returns the stable id of an account: at Microsoft the object id, which survives a new application registration. */
export const subjectOf = (kind: ProviderKind, { sub, oid }: ProviderClaims): string | null =>
  kind === 'microsoft' ? (text(oid)?.toLowerCase() ?? null) : text(sub);

function verifiedEmail(kind: ProviderKind, claims: ProviderClaims): string | null {
  if (isFalse(claims.email_verified) || isFalse(claims.xms_edov)) return null;
  if (kind === 'microsoft') return text(claims.email) ?? text(claims.preferred_username);
  return isTrue(claims.email_verified) ? text(claims.email) : null;
}

/** Methods (RFC 8176) that are a second step, or include one. */
const secondSteps = new Set([
  'mfa',
  'otp',
  'hwk',
  'swk',
  'sms',
  'tel',
  'fpt',
  'face',
  'iris',
  'fido',
  'rsa',
  'wia',
  'ngcmfa',
]);

function mayHaveSecondStep(amr: unknown): boolean {
  if (!Array.isArray(amr) || amr.length === 0) return true;
  return amr.some((method) => typeof method === 'string' && secondSteps.has(method));
}
