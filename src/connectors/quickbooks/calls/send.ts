import { callService, type Egress } from '../../http-client.ts';
import { notSent, readAnswer } from '../errors.ts';
import type { Send } from './call.ts';
import type { Access, TracedCall } from './tokens.ts';

const minorVersion = '75';

/**
 * Sends one call with the tokens of the moment in which it leaves, and reads its answer: the innermost layer. Tokens that
 * were ended while the call waited never leave.
 */
export const sendSigned =
  (of: {
    readonly apiUrl: URL;
    readonly realmId: string;
    readonly access: Access;
    readonly egress: Egress;
  }): Send<TracedCall> =>
  async (call) => {
    const { accessToken, refreshToken, ...rest } = await of.access.current(call.operation);
    call.onUse({ accessToken, refreshToken, ...rest });
    if (call.leavesBefore !== undefined && performance.now() > call.leavesBefore)
      throw notSent(call.operation, 'Its turn came too late to be sure of it.');
    const realm = encodeURIComponent(of.realmId);
    const path = `/v3/company/${realm}/${call.path.replace('{realm}', realm)}`;
    const query = Object.entries({ ...call.query, minorversion: minorVersion });
    const result = await callService(
      {
        service: 'accounting',
        operation: call.operation,
        method: call.method,
        url: new URL(`${path}?${query.map(([name, value]) => `${name}=${encode(value)}`).join('&')}`, of.apiUrl),
        headers: {
          Accept: 'application/json',
          Authorization: `Bearer ${accessToken}`,
          ...(call.contentType !== undefined && { 'Content-Type': call.contentType }),
        },
        ...(call.body !== undefined && { body: call.body }),
        timeoutMs: call.timeoutMs,
        document: call.document,
        isOnce: call.isOnce === true,
      },
      of.egress,
    );
    return readAnswer(call.operation, result, [accessToken, refreshToken]);
  };

/** Blanks become `%20`, never `+`; apostrophes are encoded as well. */
export const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
