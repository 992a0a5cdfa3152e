import type { Trigger } from './kinds.ts';
import type { Settings } from './settings/definitions.ts';
import { absolute, compare, isZero, type Decimal } from './values/decimal.ts';
import type { Instant } from './values/dates.ts';

/** Settings that decide who approves. */
export type ApprovalSettings = Pick<Settings, 'require_approval' | 'approval_limit' | 'approval_four_eyes'>;

/** Amount that waits for approval. */
export interface ApprovalAmount {
  readonly amount: Decimal | null;
  /** ISO 4217; null: the home currency. */
  readonly currency: string | null;
  readonly homeCurrency: string;
}

/** Audit actions that change how documents are posted. */
export const setupActions = [
  'settings.saved',
  'item_settings.saved',
  'mappings.saved',
  'mapping.deleted',
  'mappings.undone',
] as const;

/**
 * Whether a document needs a second approver because its amount is above the limit for one. An amount that is unknown
 * or in another currency than the limit counts as above.
 */
export function isOverLimit(
  { amount, currency, homeCurrency }: ApprovalAmount,
  { approval_limit: limit }: Pick<Settings, 'approval_limit'>,
): boolean {
  if (isZero(limit)) return false;
  if (amount === null || (currency !== null && currency !== homeCurrency)) return true;
  return compare(absolute(amount), limit) > 0;
}

/**
 * Whether a live document waits for approval before it is posted. A manual sync approves its own documents, unless two
 * people have to approve.
 */
export function needsApproval(of: ApprovalAmount & { readonly trigger: Trigger }, settings: ApprovalSettings): boolean {
  if (!settings.require_approval) return false;
  return of.trigger === 'automatic' || settings.approval_four_eyes || isOverLimit(of, settings);
}

/** The fields of a draft that decide who may approve it. */
export interface Approvable extends ApprovalAmount {
  /** User who started the run; null: the schedule. */
  readonly preparedBy: string | null;
  /** User who gave the first of two approvals. */
  readonly firstApprovedBy: string | null;
}

/** Why a user cannot approve. */
export type ApprovalObstacle = 'changed_setup' | 'prepared_it' | 'approved_it';

/** Effect of one user's approval of a draft. */
export type ApprovalStep =
  | { readonly is: 'final' | 'first' }
  | { readonly is: 'refused'; readonly why: ApprovalObstacle };

/**
 * Decides the effect of one user's approval of a draft: final, the first of two, or refused.
 *
 * @param by the user; a system administrator counts as themselves while acting as a client
 * @param hasChangedSetup from {@link hasChangedSetup}
 */
export function approvalOf(
  draft: Approvable,
  of: { readonly by: string; readonly hasChangedSetup: boolean },
  settings: ApprovalSettings,
): ApprovalStep {
  if (settings.approval_four_eyes) {
    if (draft.preparedBy === of.by) return { is: 'refused', why: 'prepared_it' };
    if (of.hasChangedSetup) return { is: 'refused', why: 'changed_setup' };
  }
  if (!isOverLimit(draft, settings)) return { is: 'final' };
  if (draft.firstApprovedBy === null) return { is: 'first' };
  return draft.firstApprovedBy === of.by ? { is: 'refused', why: 'approved_it' } : { is: 'final' };
}

/** A change or an approval from the audit trail. */
export interface AuditedAction {
  readonly at: Instant;
  readonly by: string;
}

/**
 * Whether a user changed settings or mappings and no other user has approved a run since.
 *
 * @param changes of settings and mappings
 * @param approvals of drafts, by any user
 */
export function hasChangedSetup(
  by: string,
  changes: readonly AuditedAction[],
  approvals: readonly AuditedAction[],
): boolean {
  const seen = approvals.filter((approval) => approval.by !== by).map(({ at }) => at);
  return changes.some((change) => change.by === by && !seen.some((at) => at > change.at));
}
