import { setTimeout as delay } from 'node:timers/promises';
import { Refusal } from '#core/refusal.ts';
import { problemOfService } from '#core/problems.ts';
import { isReadRefusal, needsAction, ServiceError } from '#core/service-error.ts';
import type { Service } from '#core/tenant.ts';
import type { App, TenantContext } from '../context.ts';
import { reconsider } from './adopt-company.ts';

/** Maximum time that a user waits for the result. */
const defaultMaxWaitMs = 15_000;

/** Result of a test; `error` is a machine-readable code, null after success. */
export interface TestOutcome {
  readonly isConnected: boolean;
  readonly message: string;
  readonly error: string | null;
}

/**
 * Tests a connection and stores the result: a rejected connection becomes inactive, a working one active. An
 * unreachable service changes nothing. Lifts the service's pause first, so that the test really makes a call.
 *
 * @param maxWaitMs a service that has not responded by then counts as unreachable.
 */
export async function testConnection(
  app: App,
  context: TenantContext,
  service: Service,
  maxWaitMs = defaultMaxWaitMs,
): Promise<TestOutcome> {
  const { label } = app.descriptors[service];
  const lost = { evenIfLost: true, endsPause: true };
  try {
    const port = service === 'psa' ? await context.psa(lost) : await context.accounting(lost);
    const pauses = await context.store.listPauses();
    const isRefused = pauses.some((pause) => pause.service === service && pause.refusedRead !== null);
    // The name of the company can be read while lists are refused.
    const read = async () => {
      const identity = await port.identify();
      if (isRefused) await port.readReferenceData();
      return identity;
    };
    const found = await Promise.race([read(), delay(maxWaitMs, null, { ref: false })]);
    if (found === null)
      return {
        isConnected: false,
        message: `${label} does not respond. Try again later.`,
        error: 'service_unavailable',
      };
    const { companyName } = found;
    await context.store.markConnection(service, { status: 'active', problem: null, name: companyName });
    await reconsider(app, context);
    return { isConnected: true, message: `Connected to ${companyName}.`, error: null };
  } catch (error) {
    if (error instanceof Refusal) return { isConnected: false, message: error.message, error: error.code };
    if (!(error instanceof ServiceError)) throw error;
    context.logger.warn({ ...error.about }, 'a connection test failed');
    if (error.about.next === 'reconnect') {
      const problem = `${label} needs to be reconnected.`;
      await context.store.markConnection(service, { status: 'inactive', problem });
      return { isConnected: false, message: problem, error: error.about.code };
    }
    if (needsAction(error.about)) {
      const { message, remedy } = problemOfService(error.about, label);
      const problem = `${message} ${remedy ?? ''}`.trim();
      await context.store.markConnection(service, { status: 'active', problem });
      return { isConnected: false, message: problem, error: error.about.code };
    }
    const { detail, next, code } = error.about;
    if (isReadRefusal(error.about)) return { isConnected: false, message: detail, error: code };
    const advice = next === 'refuse' ? '' : ' Try again later.';
    return { isConnected: false, message: `${label}: ${detail}${advice}`, error: code };
  }
}
