import { nextCommand } from '#core/attempt.ts';
import { type Command, type Plan, sharedRecordOf } from '#core/planning/plan.ts';
import type { DocumentContext } from '../document/context.ts';
import { decide } from '../document/decide.ts';
import { withClaims } from '../document/shared-records.ts';
import type { Row } from './rows.ts';

/** A row that was decided, and the keys of the shared records that it would create; none if it waits or has ended. */
export interface Planned {
  readonly row: Row;
  readonly keys: readonly string[];
}

/**
 * Decides about rows, one after another, so that each sees the customers and vendors chosen before.
 *
 * @param waited PSA ids of documents that have waited for others of their job, each once; grows. Undefined if none wait
 */
export async function plan(rows: readonly Row[], waited: Set<number> | undefined): Promise<readonly Planned[]> {
  const planned: Planned[] = [];
  for (const row of rows) planned.push({ row, keys: await missingRecords(row, waited) });
  return planned;
}

async function missingRecords(row: Row, waited: Set<number> | undefined): Promise<readonly string[]> {
  const { doc, attempt } = row;
  if (doc.flow.changesOnly === true) return [];
  if (attempt.state === 'posting' || attempt.state === 'unsure') {
    await claimParties(doc, attempt.plan);
    const next = nextCommand(attempt);
    return sharedRecordOf(next) === null ? [] : keysOf(attempt.plan.commands.slice(attempt.posted.length));
  }
  if (attempt.state !== 'planning') return [];
  try {
    const decision = await decide(doc, attempt);
    if (decision.outcome === 'refuse' && attempt.mode === 'live' && waited?.has(attempt.psaId) === false) {
      // The sale may be another document of this job, so this one is decided again after the others.
      row.isWaiting = decision.problems.some(({ code }) => code === 'PREPAID_SALE_NOT_SYNCED');
      if (row.isWaiting) waited.add(attempt.psaId);
    }
    if (decision.outcome !== 'plan') return [];
    await claimParties(doc, decision.plan);
    return attempt.mode === 'test' ? [] : keysOf(decision.plan.commands);
  } catch {
    // The row's own step will report the same error.
    return [];
  }
}

async function claimParties({ shared }: DocumentContext, decided: Plan): Promise<void> {
  const facts = await shared();
  facts.mappings = withClaims(facts.mappings, decided);
}

const keysOf = (commands: readonly Command[]): readonly string[] =>
  commands.flatMap((command) => {
    const record = sharedRecordOf(command);
    return record === null ? [] : [`${record.list} ${record.name.toLowerCase()}`];
  });
