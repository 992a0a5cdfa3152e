import { Button, Group, Text } from '@mantine/core';
import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useId, useMemo, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { type Kind, kinds, type Mode, type SubmittableKind } from '#core/kinds.ts';
import type { Subscription } from '#contract/subscription.ts';
import { usesPsaNumber } from '#core/settings/definitions.ts';
import { dateIn, instant } from '#core/values/dates.ts';
import { countOf, formatCount, formatMoney, sumsByCurrency, zoneName } from '../../data/format.ts';
import { useEnvironment } from '../../data/environment.ts';
import { useNow } from '../../data/use-now.ts';
import { modulesQuery } from '../../data/setup-queries.ts';
import { readinessOf } from '../../data/subscription.ts';
import { jobsQuery, subscriptionQuery } from '../../data/queries.ts';
import { describedQueries, type PsaRecords, psaQuery } from '../../data/screen-queries.ts';
import { useSession } from '../../data/current-session.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { placeOf, useDocumentOpener } from '../../components/document-link.tsx';
import { ListTable } from '../../components/list-table.tsx';
import type { TotalsRow } from '../../components/table.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedPanel, Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { EmptyState, FailedState, Skeleton } from '../../components/states.tsx';
import { RecentJobs } from '../jobs/recent-jobs.tsx';
import { useOpenRun } from '../runs/open-run.ts';
import { ConfirmResetDialog } from './confirm-reset-dialog.tsx';
import { ConfirmSyncDialog } from './confirm-sync-dialog.tsx';
import { columnsOf, type Row, statusTabs } from './columns.tsx';
import { type PsaDocument, psaEntities, readPsaDocument } from './documents.ts';
import { exportedOf } from './exported.ts';
import { liveStates } from './live-states.ts';
import { PaymentsAndVoidsDialog } from './payments-and-voids-dialog.tsx';
import { SyncReview } from './review.tsx';
import { SearchPanel } from './search-panel.tsx';
import {
  conditionsOf,
  describeSearch,
  isOfSearch,
  readSearch,
  type Search,
  type SearchFacts,
  startOfMonth,
  toQuery,
} from './search.ts';
import { sumOfRows } from './sums.ts';
import { Note } from '../../components/note.tsx';

/** Searches the PSA for documents of one kind and syncs the selected ones (specification 2, “Shared sync screens”). */
export function SyncScreen({ kind }: { kind: SubmittableKind }) {
  const subscription = useQuery(subscriptionQuery());
  const { psa } = useEnvironment();
  const { data } = subscription;
  const needsModule = kind === 'purchase_order';
  const { connectionsOk } = readinessOf(data);
  const modules = useQuery({ ...modulesQuery(), enabled: needsModule && connectionsOk }).data;
  return (
    <Page
      title={titles[kind]}
      lead={`Find ${kinds[kind].plural.toLowerCase()} in ${psa.label}, test them, and sync them.`}
    >
      {needsModule && modules?.procurement === false ? (
        <Notice tone="warning">
          You must enable Procurement in {psa.label} to use the Purchase Orders portion of the app.
        </Notice>
      ) : data !== undefined && data !== null ? (
        <Documents key={kind} kind={kind} subscription={data} />
      ) : data === null ? (
        <Notice tone="warning">You do not have a current subscription.</Notice>
      ) : subscription.isError ? (
        <FailedPanel what="Your subscription" of={subscription} />
      ) : (
        <Skeleton width="100%" height={220} />
      )}
    </Page>
  );
}

const titles = {
  invoice: 'My Invoices',
  purchase_order: 'My Purchase Orders',
  expense_report: 'My Expenses',
} as const satisfies Record<SubmittableKind, string>;

const none: ReadonlySet<string> = new Set();

const searchText = ({ id, name, party, reference, memo }: Row) => [id, name, party, reference, memo].join(' ');
const searchPlaceholder = {
  invoice: 'Find a customer or number',
  purchase_order: 'Find a vendor, number or memo',
  expense_report: 'Find an employee or name',
} as const satisfies Record<SubmittableKind, string>;

const maxAge = {
  invoice: 'inv_max_age_days',
  purchase_order: 'po_max_age_days',
  expense_report: 'exp_max_age_days',
} as const satisfies Record<SubmittableKind, string>;

function Documents({ kind, subscription }: { kind: SubmittableKind; subscription: Subscription }) {
  const [query, setQuery] = useSearchParams();
  const openRun = useOpenRun();
  const username = useSession()?.claims.username;
  const { settings, time_zone: timeZone } = subscription;
  const facts: SearchFacts = {
    timeZone,
    maxAgeDays: settings[maxAge[kind]],
    usesPsaNumber: kind === 'invoice' && usesPsaNumber(settings.inv_numbering_option),
    now: instant(useNow()),
  };
  const search = readSearch(query, kind);
  const listKey = toQuery(search).toString();
  const { entity, fields } = psaEntities[kind];
  const jobs = useQuery(jobsQuery()).data ?? [];
  const found = useQuery(
    psaQuery(
      entity,
      {
        key: [listKey, facts.maxAgeDays, facts.usesPsaNumber],
        conditions: () => conditionsOf(kind, search, facts),
      },
      fields,
    ),
  );

  const reviewing = query.get('review');
  if (reviewing !== null)
    return (
      <SyncReview
        jobIds={[reviewing]}
        onReplanned={(_, to) => {
          const next = new URLSearchParams(query);
          next.set('review', to);
          setQuery(next, { replace: true });
        }}
        onLeave={() => setQuery(toQuery(search), { replace: true })}
        onSubmitted={(ids) => openRun(ids, { isReplaced: true })}
      />
    );

  return (
    <>
      <ReadOnlyNotice />
      <SearchPanel
        key={listKey}
        kind={kind}
        search={search}
        startOn={startOfMonth(dateIn(facts.now, timeZone))}
        isBusy={found.isFetching}
        error={found.isError ? found.error.message : null}
        onSearch={(next) => {
          const address = toQuery(next);
          if (address.toString() === listKey) void found.refetch();
          else setQuery(address, { preventScrollReset: true });
        }}
      />
      {shownKinds[kind].map((one) => (
        <RecentJobs key={one} stopped={[]} kind={one} />
      ))}
      <FoundDocuments
        kind={kind}
        search={search}
        facts={facts}
        found={found}
        hasSubmitted={jobs.some(({ type, submitted_by: by }) => type === kind && by === username)}
        onSubmitted={(jobId, mode) => {
          // The review is part of the URL, so that it survives a reload.
          if (mode === 'live') setQuery(new URLSearchParams([...toQuery(search), ['review', jobId]]));
          else openRun([jobId]);
        }}
      />
    </>
  );
}

interface FoundDocumentsProps {
  kind: SubmittableKind;
  search: Search;
  facts: SearchFacts;
  found: UseQueryResult<PsaRecords>;
  hasSubmitted: boolean;
  onSubmitted: (jobId: string, mode: Mode) => void;
}

/** The documents that a search found, with the actions for selected ones. */
function FoundDocuments({ kind, search, facts, found, hasSubmitted, onSubmitted }: FoundDocumentsProps) {
  const { timeZone, usesPsaNumber: isPsaNumber } = facts;
  const opener = useDocumentOpener();
  const [chosen, setChosen] = useState(none);
  const [dialog, setDialog] = useState<DialogKey | null>(null);
  const listKey = toQuery(search).toString();
  // Another search, tab or text clears the selection, so that no action changes rows out of sight.
  const [query] = useSearchParams();
  const tab = statusTabs.find(({ key }) => key === query.get('tab'));
  const partKey = [listKey, tab?.key, query.get('find')].join(' ');
  const [chosenIn, setChosenIn] = useState(partKey);
  if (chosenIn !== partKey) {
    setChosenIn(partKey);
    setChosen(none);
  }
  const documents = found.data?.items
    .flatMap((row) => readPsaDocument(kind, row, isPsaNumber) ?? [])
    .filter(({ invoicedAt }) => isOfSearch(search, invoicedAt, timeZone));
  const rows = useLiveRows(kind, documents);
  const hasTests = rows?.some(({ live }) => live?.isTest === true) === true;
  const columns = useMemo(() => columnsOf(kind, timeZone, hasTests), [kind, timeZone, hasTests]);
  // A sync that runs meanwhile can move a selected row to another tab.
  const selectedRows = rows?.filter((row) => chosen.has(String(row.id)) && tab?.has(row) !== false) ?? [];
  const selected = new Set(selectedRows.map(({ id }) => String(id)));
  // A background refresh does not count: disabling a button would drop its focus.
  const isPartial = found.data?.isComplete === false;
  const isBusy = found.isPending || found.isPlaceholderData || isPartial;

  return (
    <>
      <Panel flush>
        <ListHead kind={kind} search={search} facts={facts} hasSubmitted={hasSubmitted} onOpen={setDialog} />
        {found.isError && (documents === undefined || isPartial) ? (
          <FailedState what={`The ${kinds[kind].plural.toLowerCase()}`} of={found} />
        ) : rows?.length === 0 ? (
          <EmptyState icon="search">No eligible {kinds[kind].plural.toLowerCase()} found.</EmptyState>
        ) : (
          <ListTable
            screen={kind}
            label={kinds[kind].plural}
            columns={columns}
            rows={rows}
            rowKey={({ id }) => String(id)}
            name={({ id, name }) => `${kinds[kind].label} ${name ?? id}`}
            chosen={selected}
            onChoose={setChosen}
            {...(opener !== null && { onOpen: ({ id }: Row) => opener.openBeside(placeOf(kind, id)) })}
            isDisabled={isBusy}
            totals={(shown) => (isPartial ? [] : totalsOf(kind, shown))}
            isPartial={isPartial}
            tabs={statusTabs}
            amount={({ total, currency }) => ({ amount: total, currency })}
            search={{ placeholder: searchPlaceholder[kind], text: searchText }}
            isStale={found.isPlaceholderData || found.isError}
            isFixed
            exported={exportedOf(kind)}
            foot={<SelectionActions kind={kind} rows={selectedRows} isBusy={isBusy} onOpen={setDialog} />}
          />
        )}
      </Panel>
      <Dialogs
        kind={kind}
        open={dialog}
        rows={selectedRows}
        usesPsaNumber={isPsaNumber}
        onClose={() => setDialog(null)}
        onDone={(jobId, mode) => {
          setChosen(none);
          setDialog(null);
          if (jobId !== null) onSubmitted(jobId, mode);
        }}
      />
    </>
  );
}

type DialogKey = Mode | 'clear' | 'payments-and-voids';

interface ListHeadProps {
  kind: SubmittableKind;
  search: Search;
  facts: SearchFacts;
  hasSubmitted: boolean;
  onOpen: (dialog: DialogKey) => void;
}

function ListHead({ kind, search, facts, hasSubmitted, onOpen }: ListHeadProps) {
  const { psa } = useEnvironment();
  const isReadOnly = useReadOnly();
  return (
    <Group gap="sm" py="sm" pl="md" pr={12} c="soft">
      <Text inherit flex="1 1 240px">
        {describeSearch(kind, search, facts, psa.label)}
      </Text>
      <Note>Times in {zoneName(facts.timeZone)}</Note>
      {hasSubmitted && (
        <Button component={Link} to={`/logs?type=${kind}`} variant="subtle" color="gray">
          View Results
        </Button>
      )}
      {kind === 'invoice' && (
        <Button variant="default" disabled={isReadOnly} onClick={() => onOpen('payments-and-voids')}>
          Payments and voids
        </Button>
      )}
    </Group>
  );
}

interface SelectionActionsProps {
  kind: SubmittableKind;
  rows: readonly Row[];
  isBusy: boolean;
  onOpen: (dialog: DialogKey) => void;
}

function SelectionActions({ kind, rows, isBusy, onOpen }: SelectionActionsProps) {
  const isReadOnly = useReadOnly();
  const hintId = useId();
  const common = {
    disabled: rows.length === 0 || isBusy || isReadOnly,
    ...(rows.length === 0 && { 'aria-describedby': hintId }),
  };
  return (
    <Group gap="sm">
      <Text id={hintId} fw={600} flex="1 1 240px" role="status">
        {rows.length === 0
          ? `Select ${kinds[kind].plural.toLowerCase()} to sync, test or clear them.`
          : [`${formatCount(rows.length)} selected`, sumOfRows(rows)].filter(Boolean).join(' · ')}
      </Text>
      <Button variant="default" {...common} onClick={() => onOpen('clear')}>
        Clear Sync Status
      </Button>
      <Button variant="outline" color="test" {...common} onClick={() => onOpen('test')}>
        Test Sync
      </Button>
      <Button {...common} onClick={() => onOpen('live')}>
        Sync
      </Button>
    </Group>
  );
}

interface DialogsProps {
  kind: SubmittableKind;
  open: DialogKey | null;
  rows: readonly Row[];
  usesPsaNumber: boolean;
  onClose: () => void;
  /** `jobId` is null if only the sync status was cleared. */
  onDone: (jobId: string | null, mode: Mode) => void;
}

function Dialogs({ kind, open, rows, usesPsaNumber: isPsaNumber, onClose, onDone }: DialogsProps) {
  return (
    <>
      <ConfirmSyncDialog
        kind={kind}
        mode={open === 'live' || open === 'test' ? open : null}
        rows={rows}
        onClose={onClose}
        onSubmitted={onDone}
      />
      <PaymentsAndVoidsDialog isOpen={open === 'payments-and-voids'} onClose={onClose} onSubmitted={onDone} />
      <ConfirmResetDialog
        kind={kind}
        isOpen={open === 'clear'}
        rows={rows}
        usesPsaNumber={isPsaNumber}
        onClose={onClose}
        onCleared={() => onDone(null, 'live')}
      />
    </>
  );
}

/** The kinds of jobs that a screen shows; payments and voids belong to invoices. */
const shownKinds = {
  invoice: ['invoice', 'payment', 'void'],
  purchase_order: ['purchase_order'],
  expense_report: ['expense_report'],
} as const satisfies Record<SubmittableKind, readonly Kind[]>;

/** The rows with their names, currencies, and states in running jobs. */
function useLiveRows(kind: SubmittableKind, documents: readonly PsaDocument[] | undefined): readonly Row[] | undefined {
  const jobs = useQuery(jobsQuery()).data ?? [];
  const states = liveStates(jobs.filter(({ type }) => type === kind));
  const described = useQueries(describedQueries(kind, documents?.map(({ id }) => id) ?? []));
  return documents?.map((document) => ({
    ...document,
    party: described.get(document.id)?.party ?? null,
    currency: described.get(document.id)?.currency ?? null,
    live: states.get(document.id) ?? null,
    awaitsApproval: described.get(document.id)?.awaits_approval === true,
    isOnHold: described.get(document.id)?.on_hold === true,
  }));
}

/** The total of the rows in each currency, on one line each; none if the PSA’s list has no amounts. */
function totalsOf(kind: SubmittableKind, rows: readonly Row[]): readonly TotalsRow[] {
  const amounts = rows.flatMap(({ total, currency }) => (total === null ? [] : [{ amount: total, currency }]));
  if (kind === 'purchase_order' || amounts.some(({ currency }) => currency === null)) return [];
  const all = `All ${countOf(rows.length, 'row')}`;
  return sumsByCurrency(amounts).map(({ amount, currency, count }, index, { length }) => ({
    key: currency ?? '',
    label:
      length === 1 ? all : [...(index === 0 ? [all] : []), `${formatCount(count)} in ${currency ?? ''}`].join(', '),
    cells: { total: formatMoney(amount, currency) },
  }));
}
