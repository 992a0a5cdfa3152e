import { setTimeout as delay } from 'node:timers/promises';
import type { Budget } from '#core/ports/budget.ts';
import { ServiceError } from '#core/service-error.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import { exchange, type WayOut } from '../http.ts';
import { createPace, repeating, type Lane } from '../pace.ts';
import { limitReached, readAnswer, signInRefused, type JsonRecord } from './errors.ts';
import { quotaWaitMs, usageOf, type Threshold } from './usage.ts';
import type { Zone, ZoneFinder } from './zone.ts';

/** One call of the REST API. */
export interface ApiCall {
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below `V1.0/`, e.g. `Invoices/query`; its first part is the entity, whose calls at once are limited. */
  readonly path: string;
  readonly body?: unknown;
  readonly document?: string;
}

export interface AutotaskApi {
  /** Makes a call that may be repeated: every read, and every write of a fixed value. */
  call(call: ApiCall): Promise<JsonRecord>;
  databaseId(): Promise<string>;
}

export interface ApiOptions {
  readonly credentials: PsaCredentials;
  readonly integrationCode: string;
  readonly zones: ZoneFinder;
  readonly budget: Budget;
  readonly wayOut: WayOut;
  readonly timeoutMs: number;
  readonly sleep?: ((ms: number) => Promise<unknown>) | undefined;
}

/** Calls at once per tracking code and endpoint (autotask reference section 3). */
const callsAtOnce = 3;
/** Of the 10,000 calls an hour that all integrations of a database share, we take at most so many. */
const callsAnHour = 8_000;

/** Signs calls in, keeps the limits, finds the zone again when it has moved. */
export function autotaskApi(options: ApiOptions): AutotaskApi {
  const { credentials, zones, budget, wayOut, sleep = delay } = options;
  const pace = createPace(budget, sleep);
  const secrets = [credentials.secret, options.integrationCode];
  // A wrong password is tried twice and then never again by this connector: more would lock the API user.
  let refusal: ServiceError | undefined;
  let isProven = false;
  let proving: Promise<unknown> = Promise.resolve();

  async function send(call: ApiCall, zone: Zone): Promise<JsonRecord> {
    const entity = call.path.split('/')[0] ?? '';
    const lane: Lane = {
      windows: [{ key: `psa:hour:${zone.databaseId}`, calls: callsAnHour, perSeconds: 3_600 }],
      slot: `psa:${zone.databaseId}:${entity}`,
      places: callsAtOnce,
    };
    const request = async () =>
      readAnswer(
        call.operation,
        await exchange(
          {
            service: 'psa',
            operation: call.operation,
            method: call.method,
            url: new URL(`V1.0/${call.path}`, zone.url),
            headers: {
              Accept: 'application/json',
              ApiIntegrationCode: options.integrationCode,
              UserName: credentials.userName,
              Secret: credentials.secret,
              ...(call.body !== undefined && { 'Content-Type': 'application/json' }),
            },
            ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
            timeoutMs: options.timeoutMs,
            document: call.document,
          },
          wayOut,
        ),
        secrets,
      );
    try {
      return await pace.run(lane, request, (waitMs) => limitReached(call.operation, waitMs));
    } catch (error) {
      if (error instanceof ServiceError && error.about.waitMs !== undefined) await pace.pause(lane, error.about.waitMs);
      throw error;
    }
  }

  /** A refused sign-in or a lost address may mean that the tenant was moved: looks once, tries once more. */
  async function sendWherever(call: ApiCall): Promise<JsonRecord> {
    const zone = await zones.find();
    try {
      return await send(call, zone);
    } catch (error) {
      const status = error instanceof ServiceError ? error.about.status : undefined;
      const hasMoved = status === 404 || (status !== undefined && status >= 300 && status < 400);
      if (status !== 401 && !hasMoved) throw error;
      const found = await zones.findAnew();
      if (hasMoved && found.url === zone.url) throw error;
      return send(call, found);
    }
  }

  async function signedIn(call: ApiCall): Promise<JsonRecord> {
    if (refusal !== undefined) throw refusal;
    try {
      const answer = await sendWherever(call);
      isProven = true;
      return answer;
    } catch (error) {
      if (error instanceof ServiceError && error.about.code === 'PSA_AUTH')
        refusal = signInRefused(call.operation, 'Autotask refused the API user or its password.');
      throw refusal ?? error;
    }
  }

  /** Until the credentials have worked once, one call at a time leaves. */
  function gently(call: ApiCall): Promise<JsonRecord> {
    if (isProven) return signedIn(call);
    const turn = proving.then(
      () => signedIn(call),
      () => signedIn(call),
    );
    proving = turn.catch(() => undefined);
    return turn;
  }

  async function readThreshold(): Promise<Threshold | null> {
    try {
      const answer = await gently({ operation: 'read the quota', method: 'GET', path: 'ThresholdInformation' });
      const used = Number(answer.currentTimeframeRequestCount);
      const allowed = Number(answer.externalRequestThreshold);
      return Number.isFinite(used) && Number.isFinite(allowed) ? { used, allowed } : null;
    } catch (error) {
      if (error instanceof ServiceError) return null;
      throw error;
    }
  }

  async function considerate(call: ApiCall): Promise<JsonRecord> {
    const { databaseId } = await zones.find();
    const usage = usageOf(budget, databaseId, wayOut.now);
    const isWrite = call.method === 'PATCH';
    await usage.refreshWhenDue(isWrite, readThreshold);
    if (isWrite && usage.stopsWrites) throw limitReached(call.operation, quotaWaitMs);
    if (usage.delayMs > 0) await sleep(usage.delayMs);
    return gently(call);
  }

  return {
    call: (call) => repeating(() => considerate(call), sleep),
    databaseId: async () => (await zones.find()).databaseId,
  };
}
