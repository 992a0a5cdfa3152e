import { Counter, type Registry } from 'prom-client';
import type { Logger } from '#core/ports/logger.ts';

/**
 * Keeps a process alive when a promise fails that nobody waits for, which is always a defect of ours: it is logged as
 * `process.unhandled_rejection` and counted, so that an alert tells of it. What the promise was part of ends by its own
 * lease or deadline. An exception that nobody caught leaves a state that nobody knows: the process ends with it, as
 * before, after a line in the log.
 *
 * @returns ends the watching.
 */
export function watchUnhandled(logger: Logger, registry: Registry): () => void {
  const count = new Counter({
    name: 'tallybridge_unhandled_rejections_total',
    help: 'Promises that failed and that nobody waited for: defects.',
    registers: [registry],
  });
  const rejected = (error: unknown) => {
    count.inc();
    logger.error({ event: 'process.unhandled_rejection', error }, 'a promise failed that nobody waited for');
  };
  const thrown = (error: unknown) =>
    logger.error({ event: 'process.uncaught_exception', error }, 'an exception was caught by nobody: the process ends');
  process.on('unhandledRejection', rejected);
  process.on('uncaughtExceptionMonitor', thrown);
  return () => {
    process.off('unhandledRejection', rejected);
    process.off('uncaughtExceptionMonitor', thrown);
  };
}
