import { Button, Divider, Text } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import { zoneName } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { Link } from 'react-router';
import { kinds, type SubmittableKind, submittableKinds } from '#core/kinds.ts';
import type { SubscriptionState } from '#contract/subscription.ts';
import { useEnvironment } from '../../data/environment.ts';
import { readLastInfo } from '../../data/last-info.ts';
import { Panel } from '../../components/page.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { Dim } from '../../components/note.tsx';

/** Prefixes of the fields of each kind in the subscription state. */
const prefixes = { invoice: 'inv', purchase_order: 'po', expense_report: 'exp' } as const satisfies Record<
  SubmittableKind,
  string
>;

interface Row {
  readonly kind: SubmittableKind;
  readonly checkedAt: string | null;
  readonly syncedAt: string | null;
  readonly info: string | null;
}

// An unreadable text counts as empty; the console shows the reason.
// oxlint-disable-next-line no-console
const report = (problem: string) => console.warn(problem);

interface ActivityProps {
  state: SubscriptionState | null | undefined;
  whyDisabled: (kind: SubmittableKind) => string | null;
  /** A request is running: the dialog must not open with outdated data. */
  isBusy: boolean;
  /** The last refresh failed, so the rows may be outdated. */
  isStale: boolean;
  onSyncNow: (kind: SubmittableKind) => void;
  /** Shown below the table. */
  children?: ReactNode;
}

/**
 * The last check and the last sync of each kind, with a button to sync now.
 *
 * @param state undefined while it loads, null without a subscription.
 * @param whyDisabled why the button of a kind is disabled; null when it is enabled.
 */
export function Activity({ state, whyDisabled, isBusy, isStale, onSyncNow, children }: ActivityProps) {
  const { psa, accounting } = useEnvironment();
  const timeZone = useTimeZone();
  const reasons = [...new Set(submittableKinds.flatMap((kind) => whyDisabled(kind) ?? []))];
  const rows = state === undefined ? undefined : rowsOf(state);
  const columns: readonly Column<Row>[] = [
    {
      key: 'kind',
      head: 'Type',
      cell: ({ kind }) => (
        <Text span size="sm" fw={500} style={{ whiteSpace: 'nowrap' }}>
          {kinds[kind].plural}
        </Text>
      ),
      width: '128px',
      narrow: 'lead',
    },
    {
      key: 'checked',
      head: 'Last Checked',
      cell: ({ checkedAt }) => <TimeOrNever at={checkedAt} />,
      width: '96px',
      narrowLabel: true,
    },
    {
      key: 'synced',
      head: 'Last Synced',
      cell: ({ syncedAt }) => <TimeOrNever at={syncedAt} />,
      width: '96px',
      narrowLabel: true,
    },
    {
      key: 'info',
      head: 'Additional Info',
      cell: ({ kind, info }) => (
        <LastDocument kind={kind} info={info} psa={psa.label} accounting={accounting.short_label} />
      ),
    },
    {
      key: 'action',
      head: '',
      cell: ({ kind }) => (
        <Button
          variant="default"
          size="xs"
          disabled={whyDisabled(kind) !== null}
          // A short wait does not take the focus away.
          aria-disabled={isBusy}
          data-disabled={isBusy}
          title={whyDisabled(kind) ?? undefined}
          aria-label={`Sync Now: ${kinds[kind].plural}`}
          onClick={() => !isBusy && onSyncNow(kind)}
        >
          Sync Now
        </Button>
      ),
      align: 'end',
      width: '108px',
      narrow: 'trail',
    },
  ];
  return (
    <Panel title="Latest Activity" actions={<Text c="dimmed">Times in {zoneName(timeZone)}</Text>} flush>
      <DataTable label="Latest Activity" columns={columns} rows={rows} rowKey={({ kind }) => kind} isStale={isStale} />
      {state !== undefined &&
        reasons.map((reason) => (
          <Fragment key={reason}>
            <Divider />
            <Text c="dimmed" size="sm" px="md" py="sm">
              {reason}
            </Text>
          </Fragment>
        ))}
      {children}
    </Panel>
  );
}

const rowsOf = (state: SubscriptionState | null): Row[] =>
  submittableKinds.map((kind) => {
    const prefix = prefixes[kind];
    return {
      kind,
      checkedAt: state?.[`last_${prefix}_poll`] ?? null,
      syncedAt: state?.[`last_${prefix}_sync`] ?? null,
      info: state?.[`last_${prefix}_info`] ?? null,
    };
  });

function TimeOrNever({ at }: { at: string | null }) {
  return at === null ? <Dim>never</Dim> : <RelativeTime at={at} />;
}

interface LastDocumentProps {
  kind: SubmittableKind;
  info: string | null;
  psa: string;
  accounting: string;
}

function LastDocument({ kind, info, psa, accounting }: LastDocumentProps) {
  const last = readLastInfo(kind, info, report);
  if (last === null) return null;
  const text = (
    <>
      {last.target !== null && `${accounting} ${kind === 'expense_report' ? 'bill ' : ''}${last.target}`}
      {last.target !== null && last.psaId !== null && ' ← '}
      {last.psaId !== null && `${psa} ${last.psaId}`}
    </>
  );
  return (
    <>
      {last.psaId === null ? text : <Link to={`/logs?type=${kind}&q=${encodeURIComponent(last.psaId)}`}>{text}</Link>}
      {last.count > 1 && <Dim>{` and ${last.count - 1} more`}</Dim>}
    </>
  );
}
