import type { PsaCredentials } from '#core/tenant.ts';
import { callService, type Egress } from '../../http-client.ts';
import { readAnswer } from '../errors.ts';
import type { Send, ZonedCall } from './call.ts';

/**
 * Sends one call with the API user's name and secret, and reads its answer: the innermost layer. A write is never sent
 * after its sender's lease has ended.
 */
export const sendSigned =
  (of: {
    readonly credentials: PsaCredentials;
    readonly integrationCode: string;
    readonly egress: Egress;
    readonly timeoutMs: number;
  }): Send<ZonedCall> =>
  async (call) => {
    const { credentials, integrationCode } = of;
    const result = await callService(
      {
        service: 'psa',
        operation: call.operation,
        method: call.method,
        url: new URL(`V1.0/${call.path}`, call.zone.url),
        headers: {
          Accept: 'application/json',
          ApiIntegrationCode: integrationCode,
          UserName: credentials.userName,
          Secret: credentials.secret,
          ...(call.body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
        timeoutMs: of.timeoutMs,
        document: call.document,
        ...(call.method === 'PATCH' && { mayLeave: () => of.egress.mayWrite?.() !== false }),
      },
      of.egress,
    );
    return readAnswer(call.operation, result, [credentials.secret, integrationCode]);
  };
