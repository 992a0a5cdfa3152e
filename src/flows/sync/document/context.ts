import type { Attempt, Posted, UnderWay } from '#core/attempt.ts';
import type { Command, Plan } from '#core/planning/plan.ts';
import type { Posting } from '#core/ports/postings.ts';
import { assert } from '#core/values/assert.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { KindFlow } from '../kinds/kind.ts';
import type { BatchSlot } from '../batching/coordinator.ts';
import type { Shared } from '../run.ts';

/** What the steps of one document share: its kind's flow, and what was read for it. */
export interface DocumentContext {
  readonly flow: KindFlow<unknown>;
  readonly shared: () => Promise<Shared>;
  /** Undefined when the PSA has no such document. `isFresh` asks the services again. */
  readonly facts: (isFresh?: boolean) => Promise<unknown>;
  /** The document that exists in the books for it already, looked at just now. */
  readonly posting: Posting | null;
  /** Its participation in the batches of its chunk. */
  readonly slot: BatchSlot;
  /** What the Overview tells of each document that this run has synced, in order; grows with each. */
  readonly handled: JsonObject[];
}

/** The first command of a plan that has no answer yet. */
export function nextCommand(attempt: Attempt & UnderWay): Command {
  const command = attempt.plan.commands[attempt.posted.length];
  assert(command !== undefined, 'a plan has a command for every send');
  return command;
}

/** The command of a plan that makes or changes the document itself. */
export function lastCommand(plan: Plan): Command {
  const command = plan.commands.at(-1);
  assert(command !== undefined, 'a plan makes at least one document');
  return command;
}

/** What a command makes, for people: `credit memo`. */
export function nameOf(command: Command): string {
  const what = command.do.replace('create_', '').replaceAll('_', ' ');
  switch (command.do) {
    case 'create_customer':
      return `${what} ${command.customer.displayName}`;
    case 'create_vendor':
      return `${what} ${command.vendor.displayName}`;
    case 'create_item':
      return `${what} ${command.item.name}`;
    default:
      return what;
  }
}

/** Stands for answers that are not there yet, where only their number counts. */
export const unanswered: Posted = {
  type: '',
  id: '',
  syncToken: null,
  number: null,
  total: null,
  tax: null,
  subtotal: null,
  dueOn: null,
  name: null,
  document: {},
};
