import type { Posted } from '#core/attempt.ts';
import type { Command } from '#core/planning/plan.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import { isPlanLimit, ServiceError } from '#core/service-error.ts';
import type { JsonObject } from '#core/values/json.ts';
import { sentNumber } from '../exact-json.ts';
import type { QuickbooksApi } from './api.ts';
import { postBatch } from './batch.ts';
import { readPlanName } from './company.ts';
import { isRecord, withPlan, wrongShape, type JsonRecord } from './errors.ts';
import { entityOf, isVoided, toBody, toPosted, verbOf } from './translate.ts';
import { qboRecord, readShape } from './wire.ts';

/** Adds the name of the plan to a refusal that depends on it. */
async function namingPlan(api: QuickbooksApi, error: unknown): Promise<unknown> {
  if (!(error instanceof ServiceError) || !isPlanLimit(error.about)) return error;
  const plan = await readPlanName(api);
  return plan === null ? error : withPlan(error, plan);
}

/** Posts one command. */
export async function post(
  api: QuickbooksApi,
  command: Command,
  answers: readonly Posted[],
  requestId: string,
): Promise<Posted> {
  try {
    return await postAlone(api, command, answers, requestId);
  } catch (error) {
    throw await namingPlan(api, error);
  }
}

/** Posts commands in one call; a refusal that depends on the plan names it. */
export async function postAll(api: QuickbooksApi, ...of: Parameters<Accounting['postBatch']>) {
  const outcomes = await postBatch(api, ...of);
  const limit = outcomes.find((one) => one instanceof ServiceError && isPlanLimit(one.about));
  const named = limit === undefined ? undefined : await namingPlan(api, limit);
  return outcomes.map((one) =>
    named instanceof ServiceError && one instanceof ServiceError && isPlanLimit(one.about) ? named : one,
  );
}

async function postAlone(
  api: QuickbooksApi,
  command: Command,
  answers: readonly Posted[],
  requestId: string,
): Promise<Posted> {
  const entity = entityOf(command);
  const operation = `${verbOf(command)} ${entity}`;
  const body = JSON.stringify(toBody(command, answers, sentNumber));
  const how = command.do === 'void' ? { action: 'void' as const } : {};
  const answer = await api.write({ operation, path: entity.toLowerCase(), body, requestId, ...how });
  const row = answer[entity];
  if (!isRecord(row)) throw wrongShape(operation, `QuickBooks returned no ${entity}.`);
  return toPosted(entity, readShape(operation, qboRecord, row), toJson(row));
}

/** Returns whether QuickBooks mailed the invoice; null if it does not exist or is voided. */
export async function readMailed(api: QuickbooksApi, id: string): Promise<boolean | null> {
  const found = await readRecord(api, 'Invoice', id);
  if (found === null || found.isVoided) return null;
  return found.document['EmailStatus'] === 'EmailSent';
}

/** Lets QuickBooks mail an invoice. */
export async function mailInvoice(api: QuickbooksApi, id: string, address: string, requestId: string): Promise<void> {
  const path = `invoice/${encodeURIComponent(id)}/send`;
  await api.write({ operation: 'mail Invoice', path, query: { sendTo: address }, requestId });
}

/** Returns a record; null if it was deleted or never existed. */
export async function readRecord(api: QuickbooksApi, type: string, id: string) {
  const operation = `read ${type}`;
  // Both come from our ledger, but they become part of a URL.
  if (!/^[A-Za-z]+$/.test(type) || !/^\d+$/.test(id)) throw new RangeError(`No record of QuickBooks: ${type} ${id}`);
  try {
    const row = (await api.read({ operation, path: `${type.toLowerCase()}/${id}` }))[type];
    if (!isRecord(row)) throw wrongShape(operation, `QuickBooks returned no ${type}.`);
    const wire = readShape(operation, qboRecord, row);
    return { ...toPosted(type, wire, toJson(row)), isVoided: isVoided(wire) };
  } catch (error) {
    // Deleted, or it never existed (quickbooks reference 4.2).
    if (error instanceof ServiceError && error.about.vendorCode === '610') return null;
    throw error;
  }
}

// A row parsed from JSON is JSON.
const toJson = (row: JsonRecord): JsonObject => row as JsonObject;
