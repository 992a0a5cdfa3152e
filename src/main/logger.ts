import { hostname } from 'node:os';
import { destination, pino, type DestinationStream, type Logger as Pino } from 'pino';
import type { Logger } from '#core/ports/logger.ts';

/** Field names that are redacted in log lines, as a second protection besides never logging secrets. */
const secretNames = [
  'password',
  'secret',
  'token',
  'accessToken',
  'refreshToken',
  'access_token',
  'refresh_token',
  'authorization',
  'cookie',
  'api_secret',
  'clientSecret',
];

/**
 * Creates a logger that writes structured lines to standard output, or to another destination.
 *
 * @param identity of the process, in every line.
 */
export function createLogger(
  level: string,
  to: DestinationStream = destination(),
  identity: { readonly role?: string; readonly version?: string } = {},
): Logger {
  return wrap(
    pino(
      {
        level,
        base: { host: hostname(), pid: process.pid, ...identity },
        formatters: { level: (label) => ({ level: label }) },
        timestamp: pino.stdTimeFunctions.isoTime,
        redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
        serializers: { error: pino.stdSerializers.err },
      },
      to,
    ),
  );
}

const wrap = (logger: Pino): Logger => ({
  debug: (fields, message) => logger.debug(fields, message),
  info: (fields, message) => logger.info(fields, message),
  warn: (fields, message) => logger.warn(fields, message),
  error: (fields, message) => logger.error(fields, message),
  child: (fields) => wrap(logger.child(fields)),
});
