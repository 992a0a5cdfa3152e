import { callService, type Egress } from '../../http-client.ts';
import type { RateLimiter, RateLimits } from '../../rate-limiter.ts';
import { readAnswer } from '../errors.ts';
import type { Send } from './call.ts';
import { departuresOf } from './rate-limit.ts';
import type { Access, TracedCall } from './tokens.ts';

const minorVersion = '75';

/**
 * Sends one call with the tokens that are current at that moment, and reads its answer: the innermost layer. Tokens
 * that were revoked while the call waited are never sent. A write is never sent after its deadline or its sender's
 * lease.
 */
export const sendSigned = (of: {
  readonly apiUrl: URL;
  readonly realmId: string;
  readonly access: Access;
  readonly egress: Egress;
  readonly rateLimits: RateLimits;
  readonly limiter: Pick<RateLimiter, 'depart'>;
}): Send<TracedCall> => {
  // An answer may repeat tokens that were refreshed while it was on its way.
  const secrets = new Set<string>();
  return async (call) => {
    const read = () => of.access.current(call.operation);
    let tokens = await read();
    // The tokens may have been revoked while the call waited.
    const departure = await of.limiter.depart(departuresOf(of.rateLimits, of.realmId));
    if (departure.hasWaited) tokens = await read();
    const { accessToken, refreshToken, ...rest } = tokens;
    secrets.add(accessToken).add(refreshToken);
    call.onUse({ accessToken, refreshToken, ...rest });
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
        ...(call.isOnce === true && { mayLeave: () => isInTime(call) && of.egress.mayWrite?.() !== false }),
      },
      of.egress,
    );
    if (result.isAnswered) departure.answered();
    return readAnswer(call.operation, result, [...secrets]);
  };
};

const isInTime = ({ leavesBefore }: TracedCall): boolean =>
  leavesBefore === undefined || performance.now() <= leavesBefore;

/** Encodes spaces as `%20`, never `+`, and apostrophes as well. */
export const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
