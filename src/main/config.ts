import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type ReadAllowance, tierNames, tiers } from '#core/metered-reads.ts';
import { withoutTrailing } from '#core/values/text.ts';
import { isDomain, isPublicMailDomain, issuerFault, kindOf } from '#core/sign-in-provider.ts';
import type { DeploymentSignIn } from '#flows/context.ts';
import { trustedProxies } from './proxies.ts';
import { isStrong } from './strength.ts';

/** The configuration is invalid; the message is one plain sentence with the fix. */
export class ConfigurationError extends Error {
  constructor(message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.name = 'ConfigurationError';
  }
}

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);
const optional = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text.trim() === '' ? undefined : text.trim()));
/** Keys that only this product uses, so it must check their strength. */
const strong = (text: string | undefined) => text === undefined || text.split(',').every((key) => isStrong(key.trim()));
const weak = 'is too easy to guess: use at least 32 random characters, e.g. of `openssl rand -base64 32`';
const proxies = optional.transform((text, context) => {
  try {
    return trustedProxies(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
    return z.NEVER;
  }
});
/** Reads `name=value` as the OpenTelemetry specification writes headers. @throws URIError if a value is not percent-encoded. */
const headersOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((header) => header.trim() !== '')
      .map((header) => {
        const [name = '', ...value] = header.split('=');
        if (value.length === 0) throw new URIError('no value');
        return [name.trim(), decodeURIComponent(value.join('=').trim())];
      }),
  );
const address = optional.refine((text) => text === undefined || URL.canParse(text), 'must be an address (URL)');

/** Every variable of the contract, section 4, and no other. */
const variables = z.object({
  PORT: port(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  APP_URL: address,
  WORKER_PORT: port(3001),
  DATABASE_URL: address,
  DATA_DIR: z.string().min(1).default('.data'),
  SECRET_KEY: optional
    .refine((text) => text === undefined || text.split(',').every((key) => key.trim().length >= 32), {
      message: 'must have at least 32 characters (several keys, newest first, are separated by commas)',
    })
    .refine(strong, weak),
  AUTOTASK_URL: address,
  AUTOTASK_INTEGRATION_CODE: optional,
  QBO_DISCOVERY_URL: address,
  QBO_API_URL: address,
  QBO_CLIENT_ID: optional,
  QBO_CLIENT_SECRET: optional,
  QBO_WEBHOOK_VERIFIER: optional,
  QBO_TIER: z.enum(tierNames).default('builder'),
  QBO_MONTHLY_READS: z.coerce.number().int().min(0).optional(),
  SMTP_URL: address,
  MAIL_FROM: optional,
  SECURITY_CONTACT: optional.refine(
    (text) => text === undefined || /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(text),
    'must begin with mailto: or https://',
  ),
  SIGN_IN_ISSUER: address,
  SIGN_IN_CLIENT_ID: optional,
  SIGN_IN_CLIENT_SECRET: optional,
  SIGN_IN_DOMAINS: optional,
  SIGN_IN_REQUIRED: optional,
  SIGN_IN_BREAK_GLASS: optional,
  SIGN_IN_SECOND_STEP: z.enum(['tallybridge', 'provider']).default('tallybridge'),
  REGISTRATION: z.enum(['open', 'closed']).default('open'),
  RETENTION_MONTHS: z.coerce.number().int().min(13).max(120).default(13),
  PROOF_HOUR: z.coerce.number().int().min(0).max(23).default(1),
  SYNC_INTERVAL_MINUTES: z.coerce.number().int().min(1).max(1_440).default(15),
  METRICS_TOKEN: optional.refine((text) => text === undefined || (text.length >= 32 && isStrong(text)), weak),
  OTEL_EXPORTER_OTLP_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_HEADERS: optional.transform((text = '', context) => {
    try {
      return headersOf(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'must be name=value, percent-encoded, several separated by commas' });
      return z.NEVER;
    }
  }),
  TRUST_PROXY: proxies,
  ENVIRONMENT_LABEL: z.string().default(''),
  VOIDS_ENABLED: optional,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  STOP_DELAY_SECONDS: z.coerce.number().int().min(0).max(60).optional(),
  TALLYBRIDGE_ROLE: z.enum(['api', 'worker', 'all']).default('all'),
  DEMO: optional,
  NODE_ENV: optional,
  /** Was read by `readEnvironmentFile`. */
  TALLYBRIDGE_ENV_FILE: optional,
  SANDBOX_HOST: z.string().min(1).default('127.0.0.1'),
  SANDBOX_AUTOTASK_PORT: port(4010),
  SANDBOX_QBO_PORT: port(4020),
});

/** The names of all variables, for documentation. */
export const variableNames: readonly string[] = Object.keys(variables.shape);

/** Variables that are required outside demo mode. */
const requiredOutsideDemo = [
  'SECRET_KEY',
  'AUTOTASK_INTEGRATION_CODE',
  'QBO_CLIENT_ID',
  'QBO_CLIENT_SECRET',
  'QBO_WEBHOOK_VERIFIER',
] as const;

/** Secrets that may be in a file, whose path is in the variable with `_FILE`. */
export const secretVariables = [
  'DATABASE_URL',
  'SECRET_KEY',
  'AUTOTASK_INTEGRATION_CODE',
  'QBO_CLIENT_ID',
  'QBO_CLIENT_SECRET',
  'QBO_WEBHOOK_VERIFIER',
  'SIGN_IN_CLIENT_SECRET',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

type Given = Readonly<Record<string, string | undefined>>;

/** Returns the variables, with secrets read from their files. @throws ConfigurationError if a file cannot be read. */
function withFiles(given: Given): Given {
  const read = secretVariables.flatMap((name) => {
    const variable = `${name}_FILE`;
    const path = given[variable];
    if (path === undefined) return [];
    if (given[name] !== undefined)
      throw new ConfigurationError(`${name} and ${variable} are both set: unset one of them.`);
    try {
      return [[name, readFileSync(path, 'utf8').trim()] as const];
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      throw new ConfigurationError(
        `The file of ${variable} cannot be read (${why}): check the path and its permissions.`,
      );
    }
  });
  return { ...given, ...Object.fromEntries(read) };
}

const vendors = {
  autotaskUrl: 'https://webservices.autotask.net/ATServicesRest/',
  qboDiscoveryUrl: 'https://developer.api.intuit.com/.well-known/openid_configuration',
  qboApiUrl: 'https://quickbooks.api.intuit.com',
} as const;

/** A collector of traces and metrics (OpenTelemetry). */
export interface Collector {
  /** Base address of its HTTP receiver, e.g. `https://otel.example:4318`. */
  readonly endpoint: string;
  /** Sent with each export; may be secret. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface Config {
  /** `NODE_ENV=production`: standard output has log lines only. */
  readonly isProduction: boolean;
  readonly port: number;
  readonly host: string;
  /** Port of a worker process, for health and metrics. */
  readonly workerPort: number;
  /** Undefined until the port is known, if `PORT` is 0. */
  readonly appUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  /** Undefined in demo mode, which generates a key and stores it in the data folder. */
  readonly secretKey: string | undefined;
  readonly autotask: { readonly url: string | undefined; readonly integrationCode: string | undefined };
  readonly qbo: {
    readonly discoveryUrl: string | undefined;
    readonly apiUrl: string | undefined;
    readonly clientId: string | undefined;
    readonly clientSecret: string | undefined;
    readonly webhookVerifier: string | undefined;
  };
  /** Tier of the application at Intuit, and the metered calls that it includes per month. */
  readonly reads: ReadAllowance;
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  /** URI for vulnerability reports; undefined: no security.txt is served. */
  readonly securityContact: string | undefined;
  /** Bearer token for reading the metrics; undefined: only a demo serves them. */
  readonly metricsToken: string | undefined;
  /** Undefined: traces and metrics are sent nowhere. */
  readonly collector: Collector | undefined;
  /** Trusted proxies that report the caller's address: their number, or their addresses. */
  readonly trustProxy: false | number | readonly string[];
  /** Where system administrators log in besides passwords; null: nowhere. */
  readonly signIn: DeploymentSignIn | null;
  readonly isRegistrationOpen: boolean;
  /** Months for which logs and jobs are stored. */
  readonly retentionMonths: number;
  readonly syncIntervalMinutes: number;
  /** Hour of each client's clock from which its open months are proved at night, 0 to 23. */
  readonly proofHour: number;
  readonly environmentLabel: string;
  readonly voidsEnabled: boolean;
  readonly logLevel: string;
  readonly role: 'api' | 'worker' | 'all';
  /** Seconds for which a stopping server still serves, so that load balancers notice. */
  readonly stopDelaySeconds: number;
  readonly isDemo: boolean;
  /** Other machines can reach the demo: it has no published passwords, and shows no emails or metrics. */
  readonly isExposedDemo: boolean;
  readonly sandboxes: { readonly host: string; readonly autotask: number; readonly qbo: number };
}

/** Variables that only a deployment sets: any one of them prevents the demo from starting. */
const ofDeployments = [
  'DATABASE_URL',
  'SECRET_KEY',
  'APP_URL',
  'AUTOTASK_INTEGRATION_CODE',
  'QBO_CLIENT_ID',
  'QBO_CLIENT_SECRET',
  'QBO_WEBHOOK_VERIFIER',
  'SMTP_URL',
  'MAIL_FROM',
  'SECURITY_CONTACT',
  'SIGN_IN_ISSUER',
  'METRICS_TOKEN',
  'TRUST_PROXY',
] as const;
/** Secrets for the vendors' services, which a demo would send to its sandboxes. */
const vendorAccess = [
  'AUTOTASK_INTEGRATION_CODE',
  'QBO_CLIENT_ID',
  'QBO_CLIENT_SECRET',
  'QBO_WEBHOOK_VERIFIER',
] as const;
const vendorHosts = /(^|\.)(autotask\.net|intuit\.com)$/;
/** Addresses of services; a demo may use sandboxes on this machine. */
const serviceAddresses = ['AUTOTASK_URL', 'QBO_DISCOVERY_URL', 'QBO_API_URL'] as const;

/** Returns true for a host on this machine. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '::1' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

const isVendor = (url: string): boolean => vendorHosts.test(new URL(url).hostname);

/** Returns true for https, or an address on this machine. */
const isProtected = (appUrl: string): boolean => {
  const { protocol, hostname } = new URL(appUrl);
  return protocol === 'https:' || isLoopback(hostname);
};

/** @throws ConfigurationError if a demo has access to the vendors, or a deployment lacks a variable. */
function assertComplete(values: z.infer<typeof variables>, isDemo: boolean): void {
  if (isDemo) {
    const real = [
      ...vendorAccess.filter((name) => values[name] !== undefined),
      ...serviceAddresses.filter((name) => values[name] !== undefined && isVendor(values[name])),
    ];
    if (real.length > 0)
      throw new ConfigurationError(
        `A demo uses the sandbox services only, so these variables must not be set: ${real.join(', ')}. Unset them, or run a deployment with DEMO=false.`,
      );
  }
  if (!isDemo) {
    // Without NODE_ENV=production, a deployment on one machine may use the embedded database.
    const needed = [
      ...requiredOutsideDemo,
      ...(values.NODE_ENV === 'production' ? (['DATABASE_URL'] as const) : []),
      ...(values.SMTP_URL === undefined ? [] : (['MAIL_FROM'] as const)),
    ];
    const missing = needed.filter((name) => values[name] === undefined);
    if (missing.length > 0)
      throw new ConfigurationError(
        `Outside demo mode these variables must be set: ${missing.join(', ')}. Set them, or run the demo with DEMO=true.`,
      );
    if (values.APP_URL !== undefined && !isProtected(values.APP_URL))
      throw new ConfigurationError(
        'APP_URL must begin with https:// outside demo mode: passwords and sessions would travel in the open.',
      );
  }
}

/** @throws ConfigurationError if the variables of sign-in are incomplete or do not fit. */
function signInOf(values: z.infer<typeof variables>, isDemo: boolean): DeploymentSignIn | null {
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_CLIENT_ID: clientId, SIGN_IN_CLIENT_SECRET: clientSecret } = values;
  const domains = (values.SIGN_IN_DOMAINS ?? '')
    .split(',')
    .map((domain) => domain.trim().toLowerCase())
    .filter((domain) => domain !== '');
  if (issuer === undefined) return null;
  if (clientId === undefined || clientSecret === undefined || domains.length === 0)
    throw new ConfigurationError(
      'SIGN_IN_ISSUER needs SIGN_IN_CLIENT_ID, SIGN_IN_CLIENT_SECRET and SIGN_IN_DOMAINS as well: set all of them.',
    );
  const wrong = domains.find((domain) => !isDomain(domain) || isPublicMailDomain(domain));
  if (wrong !== undefined) throw new ConfigurationError(`SIGN_IN_DOMAINS: ${wrong} is not a domain of a company.`);
  const isLocal = isDemo && isLoopback(new URL(issuer).hostname);
  const kind = kindOf(issuer);
  const fault = isLocal ? null : issuerFault(kind, new URL(issuer), false);
  if (fault !== null || (!isLocal && !issuer.startsWith('https://')))
    throw new ConfigurationError(`SIGN_IN_ISSUER cannot be used: ${fault ?? 'it must begin with https://.'}`);
  const isRequired = values.SIGN_IN_REQUIRED === 'true';
  const breakGlass = values.SIGN_IN_BREAK_GLASS?.toLowerCase() ?? null;
  if (isRequired && breakGlass === null)
    throw new ConfigurationError(
      'SIGN_IN_REQUIRED needs SIGN_IN_BREAK_GLASS: the email address of the system administrator who can still log in with a password.',
    );
  return {
    access: { kind, issuer, clientId, clientSecret },
    domains,
    coversSecondStep: values.SIGN_IN_SECOND_STEP === 'provider',
    isRequired,
    breakGlass,
  };
}

/** Returns what a variable must be; nothing if its schema has a text. */
function textOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type') return 'must be a whole number';
  if (issue.code === 'invalid_value') return `must be one of: ${issue.values.join(', ')}`;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  return undefined;
}

/**
 * Reads the configuration from environment variables (contract, section 4). The demo starts with `DEMO=true`, or if no
 * deployment is configured: no `DEMO=false`, no `NODE_ENV=production`, no database, key, address or service.
 *
 * @throws ConfigurationError one sentence that names every wrong or missing variable.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = withFiles(
    Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== '')),
  );
  const parsed = variables.safeParse(given, { error: textOf });
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')} (${issue.message})`);
    throw new ConfigurationError(`The configuration cannot be used: ${[...new Set(wrong)].join(', ')}.`);
  }
  const values = parsed.data;
  const isConfigured =
    values.NODE_ENV === 'production' ||
    ofDeployments.some((name) => given[name] !== undefined) ||
    serviceAddresses.some((name) => values[name] !== undefined && !isLoopback(new URL(values[name]).hostname));
  const isDemo = values.DEMO === 'true' || (values.DEMO === undefined && !isConfigured);
  assertComplete(values, isDemo);
  return {
    isProduction: values.NODE_ENV === 'production',
    port: values.PORT,
    host: values.HOST,
    workerPort: values.WORKER_PORT,
    appUrl: values.APP_URL === undefined ? undefined : withoutTrailing(values.APP_URL, '/'),
    databaseUrl: values.DATABASE_URL,
    dataDir: values.DATA_DIR,
    secretKey: values.SECRET_KEY,
    autotask: {
      url: values.AUTOTASK_URL ?? (isDemo ? undefined : vendors.autotaskUrl),
      integrationCode: values.AUTOTASK_INTEGRATION_CODE,
    },
    qbo: {
      discoveryUrl: values.QBO_DISCOVERY_URL ?? (isDemo ? undefined : vendors.qboDiscoveryUrl),
      apiUrl: values.QBO_API_URL ?? (isDemo ? undefined : vendors.qboApiUrl),
      clientId: values.QBO_CLIENT_ID,
      clientSecret: values.QBO_CLIENT_SECRET,
      webhookVerifier: values.QBO_WEBHOOK_VERIFIER,
    },
    smtpUrl: values.SMTP_URL,
    mailFrom: values.MAIL_FROM ?? 'Tallybridge <no-reply@tallybridge.example>',
    securityContact: values.SECURITY_CONTACT,
    reads: {
      tier: values.QBO_TIER,
      calls: values.QBO_MONTHLY_READS === 0 ? null : (values.QBO_MONTHLY_READS ?? tiers[values.QBO_TIER].calls),
    },
    proofHour: values.PROOF_HOUR,
    metricsToken: values.METRICS_TOKEN,
    collector:
      values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? undefined
        : { endpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT, headers: values.OTEL_EXPORTER_OTLP_HEADERS },
    trustProxy: values.TRUST_PROXY,
    signIn: signInOf(values, isDemo),
    isRegistrationOpen: values.REGISTRATION === 'open',
    retentionMonths: values.RETENTION_MONTHS,
    syncIntervalMinutes: values.SYNC_INTERVAL_MINUTES,
    environmentLabel: values.ENVIRONMENT_LABEL === '' && isDemo ? 'DEMO' : values.ENVIRONMENT_LABEL,
    voidsEnabled: (values.VOIDS_ENABLED ?? (isDemo ? 'true' : '')) === 'true',
    logLevel: values.LOG_LEVEL,
    role: values.TALLYBRIDGE_ROLE,
    stopDelaySeconds: values.STOP_DELAY_SECONDS ?? (isDemo ? 0 : 5),
    isDemo,
    isExposedDemo:
      isDemo &&
      (!isLoopback(values.HOST) ||
        values.TRUST_PROXY !== false ||
        (values.APP_URL !== undefined && !isLoopback(new URL(values.APP_URL).hostname))),
    sandboxes: {
      host: values.SANDBOX_HOST,
      autotask: values.SANDBOX_AUTOTASK_PORT,
      qbo: values.SANDBOX_QBO_PORT,
    },
  };
}
