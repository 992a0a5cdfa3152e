import { Badge, Group } from '@mantine/core';
import { type Kind, kinds, type Mode } from '#core/kinds.ts';
import { Icon } from './icons.tsx';
import styles from './badge.module.css';

/** The labels of all document states (docs/look.md). */
export const documentStates = {
  waiting: 'Waiting',
  syncing: 'Syncing',
  synced: 'Synced',
  awaits_approval: 'Waiting for approval',
  held: 'On hold',
  needs_you: 'Failed',
} as const;

export type DocumentState = keyof typeof documentStates;

const textColors = {
  waiting: 'soft',
  syncing: 'accent',
  synced: 'ok',
  awaits_approval: 'held',
  held: 'held',
  needs_you: 'red',
} as const satisfies Record<DocumentState, string>;

/** A document's state as text and icon, so that color is never the only sign. */
export function StateBadge({ state, label = documentStates[state] }: { state: DocumentState; label?: string }) {
  return (
    <Group
      component="span"
      gap={6}
      wrap="nowrap"
      display="inline-flex"
      c={textColors[state]}
      style={{ verticalAlign: 'top', whiteSpace: 'nowrap' }}
    >
      <StateIcon state={state} />
      {label}
    </Group>
  );
}

/** Only the icon, for places with the text nearby. */
export function StateIcon({ state }: { state: DocumentState }) {
  if (state === 'needs_you' || state === 'held' || state === 'awaits_approval')
    return (
      <span className={styles.mark} data-state={state} aria-hidden="true">
        <Icon name={state === 'needs_you' ? 'warning' : 'pause'} size={14} />
      </span>
    );
  return <span className={styles.dot} data-state={state} aria-hidden="true" />;
}

/** TEST is outlined and blue-gray, Live is solid, so that they cannot be confused. */
export function ModeBadge({ mode }: { mode: Mode }) {
  return (
    <Badge component="span" variant={mode === 'test' ? 'outline' : 'filled'} color={mode === 'test' ? 'test' : 'gray'}>
      {mode === 'test' ? 'TEST' : 'Live'}
    </Badge>
  );
}

/** The kind of a row's document. */
export function KindBadge({ kind }: { kind: Kind }) {
  return (
    <Badge component="span" variant="light" color="gray">
      {kinds[kind].label.toLowerCase()}
    </Badge>
  );
}

/** A short status of a whole object, e.g. a subscription; `tone` sets its color. */
export function ToneBadge({ tone, children }: { tone: 'ok' | 'info' | 'bad' | 'plain'; children: string }) {
  return (
    <Badge
      component="span"
      variant={tone === 'plain' ? 'default' : 'light'}
      color={tone === 'bad' ? 'red' : tone === 'plain' ? 'gray' : tone}
    >
      {children}
    </Badge>
  );
}
