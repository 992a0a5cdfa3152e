import type { Kind, Mode } from '#core/kinds.ts';
import { Icon } from './icons.tsx';
import styles from './badge.module.css';

/** The six words for the state of a document, and no others (docs/look.md). */
export const documentStates = {
  waiting: 'Waiting',
  syncing: 'Syncing',
  synced: 'Synced',
  awaits_approval: 'Waiting for approval',
  held: 'Held',
  needs_you: 'Failed',
} as const;

export type DocumentState = keyof typeof documentStates;

/** A document's state as word and mark: never colour alone. */
export function StateBadge({ state, label = documentStates[state] }: { state: DocumentState; label?: string }) {
  return (
    <span className={styles.state} data-state={state}>
      <StateMark state={state} />
      {label}
    </span>
  );
}

/** The mark alone, for places where the word stands nearby. */
export function StateMark({ state }: { state: DocumentState }) {
  if (state === 'needs_you' || state === 'held' || state === 'awaits_approval')
    return (
      <span className={styles.mark} data-state={state} aria-hidden="true">
        <Icon name={state === 'needs_you' ? 'warning' : 'pause'} size={14} />
      </span>
    );
  return <span className={styles.dot} data-state={state} aria-hidden="true" />;
}

/** TEST is outlined and blue-grey, Live is solid: the two can never be confused. */
export function ModeBadge({ mode }: { mode: Mode }) {
  return (
    <span className={styles.mode} data-mode={mode}>
      {mode === 'test' ? 'TEST' : 'Live'}
    </span>
  );
}

const kindWords: Record<Kind, string> = {
  invoice: 'invoice',
  purchase_order: 'purchase order',
  expense_report: 'expense report',
  payment: 'payment',
  void: 'void',
  difference: 'difference',
};

/** The kind of document that a row is about. */
export function KindBadge({ kind }: { kind: Kind }) {
  return <span className={styles.kind}>{kindWords[kind]}</span>;
}

/** A short word about a whole thing, e.g. a subscription: `tone` says how it is meant. */
export function ToneBadge({ tone, children }: { tone: 'ok' | 'info' | 'bad' | 'plain'; children: string }) {
  return (
    <span className={styles.tone} data-tone={tone}>
      {children}
    </span>
  );
}
