import type { Logger } from '#core/ports/logger.ts';

/** Says nothing; for tests that do not look at log lines. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
