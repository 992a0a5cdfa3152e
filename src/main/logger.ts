import { destination, pino, type DestinationStream, type Logger as Pino } from 'pino';
import type { Logger } from '#core/ports/logger.ts';

/** Names under which a secret could slip into a log line; a second wall behind not logging them at all. */
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

/** Structured lines on standard output, or wherever else they are to be written. */
export function createLogger(level: string, to: DestinationStream = destination()): Logger {
  return wrap(
    pino(
      {
        level,
        base: { pid: process.pid },
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
