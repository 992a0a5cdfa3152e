import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Service } from '#core/tenant.ts';
import type { App, TenantContext } from '../context.ts';
import { reconsider } from './adopt-company.ts';

/** Outcome of a test; `error` is a machine code, null when it went well. */
export interface TestOutcome {
  readonly isConnected: boolean;
  readonly message: string;
  readonly error: string | null;
}

/**
 * Tries a connection out and keeps what was learned: a refused one becomes inactive, one that works again active. A
 * service that is merely out of reach changes nothing.
 */
export async function testConnection(app: App, context: TenantContext, service: Service): Promise<TestOutcome> {
  const { label } = app.descriptors[service];
  const lost = { evenIfLost: true };
  try {
    const { companyName } = await (
      service === 'psa' ? await context.psa(lost) : await context.accounting(lost)
    ).identify();
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
    return { isConnected: false, message: `${label}: ${error.about.detail}`, error: error.about.code };
  }
}
