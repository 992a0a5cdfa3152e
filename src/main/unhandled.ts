import { Counter, type Registry } from 'prom-client';
import type { Logger } from '#core/ports/logger.ts';

/**
 * Keeps the process alive after an unhandled rejection, which is always a defect: logs it as
 * `process.unhandled_rejection` and counts it for alerts. The affected work ends at its lease or deadline. An uncaught
 * exception leaves an unknown state, so the process logs it and ends.
 *
 * @returns a function that stops watching.
 */
export function watchUnhandled(logger: Logger, registry: Registry): () => void {
  const count = new Counter({
    name: 'tallybridge_unhandled_rejections_total',
    help: 'Unhandled promise rejections: defects.',
    registers: [registry],
  });
  const rejected = (error: unknown) => {
    count.inc();
    logger.error({ event: 'process.unhandled_rejection', error }, 'unhandled promise rejection');
  };
  const thrown = (error: unknown) =>
    logger.error({ event: 'process.uncaught_exception', error }, 'uncaught exception: the process ends');
  process.on('unhandledRejection', rejected);
  process.on('uncaughtExceptionMonitor', thrown);
  return () => {
    process.off('unhandledRejection', rejected);
    process.off('uncaughtExceptionMonitor', thrown);
  };
}
