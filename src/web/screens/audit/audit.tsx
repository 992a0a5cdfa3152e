import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import type { AuditEventReply } from '#contract/audit.ts';
import { zoneName } from '../../lib/format.ts';
import { useTimeZone } from '../../lib/use-time-zone.ts';
import { auditQuery, type AuditFilter } from '../../lib/screen-queries.ts';
import { Button } from '../../ui/button.tsx';
import { ExportButton } from '../../ui/export-button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { EmptyState, FailedState } from '../../ui/states.tsx';
import { useEnvironment } from '../../lib/environment.ts';
import { type Column, DataTable } from '../../ui/table.tsx';
import { DateTime } from '../../ui/time.tsx';
import styles from './audit.module.css';
import { type Change, changesOf, deedOf } from './sentences.ts';
import { auditWords } from './words.ts';

const pageSize = 20;
const typingMs = 300;
/** More values than this are folded: the list stays a list. */
const shownChanges = 3;
/** A longer value is cut until it is asked for. */
const shownLetters = 120;

/** The audit trail: who changed what, when, from what to what. The filter stands in the address. */
export function Component() {
  const [query, setQuery] = useSearchParams();
  const filter = readFilter(query);
  const page = useQuery(auditQuery(filter));
  const timeZone = useTimeZone();
  const isFiltered = query.has('q') || query.has('person');
  const change = (name: 'q' | 'person' | 'page', value: string) =>
    setQuery(
      (current) => {
        const next = new URLSearchParams(current);
        if (name !== 'page') next.delete('page');
        if (value === '' || (name === 'page' && value === '1')) next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <Page title={auditWords.auditTrail} lead={auditWords.whoChangedWhatAnd} actions={<ExportButton />}>
      <Panel flush>
        <div className={styles.filters}>
          <Typed
            label={auditWords.search}
            value={query.get('q') ?? ''}
            onChange={(text) => change('q', text)}
            isSearch
          />
          <Typed
            label={auditWords.person}
            value={query.get('person') ?? ''}
            onChange={(text) => change('person', text)}
          />
          <span className={styles.clear}>
            <Button variant="default" disabled={!isFiltered} onClick={() => setQuery({}, { replace: true })}>
              {auditWords.clear}
            </Button>
          </span>
        </div>
        {page.isError && page.data === undefined ? (
          <FailedState what={auditWords.theAuditTrail} error={page.error} onRetry={() => void page.refetch()} />
        ) : page.data !== undefined && page.data.events.length === 0 ? (
          <EmptyState
            icon="shield"
            action={
              isFiltered && (
                <Button variant="default" onClick={() => setQuery({}, { replace: true })}>
                  {auditWords.showEverything}
                </Button>
              )
            }
          >
            {isFiltered ? auditWords.nothingLikeThisWas : auditWords.nothingWasChangedYet}
          </EmptyState>
        ) : (
          <>
            <div className={styles.trail}>
              <DataTable
                label={auditWords.table}
                columns={columnsIn(timeZone)}
                rows={page.data?.events}
                rowKey={({ id }) => id}
                placeholderRows={10}
                isStale={page.isPlaceholderData || page.isError}
              />
            </div>
            <Pager
              page={filter.page ?? 1}
              pageSize={pageSize}
              total={page.data?.total ?? 0}
              more={page.data?.more === true}
              onPage={(to) => change('page', String(to))}
            />
          </>
        )}
      </Panel>
    </Page>
  );
}

function readFilter(query: URLSearchParams): AuditFilter {
  const page = Number(query.get('page'));
  const text = (name: string) => query.get(name)?.trim().slice(0, 200) ?? '';
  return {
    ...(text('q') !== '' && { q: text('q') }),
    ...(text('person') !== '' && { person: text('person') }),
    page: Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1,
    page_size: pageSize,
  };
}

const columnsIn = (timeZone: string): readonly Column<AuditEventReply>[] => [
  {
    key: 'at',
    head: auditWords.when(zoneName(timeZone)),
    cell: ({ at }) => <DateTime at={at} />,
    placeholderWidth: 90,
    width: '190px',
    narrow: 'line',
    narrowLabel: true,
  },
  {
    key: 'who',
    head: auditWords.who,
    cell: (event) => <Who {...event} />,
    placeholderWidth: 150,
    width: '28%',
    narrow: 'lead',
  },
  { key: 'what', head: auditWords.what, cell: (event) => <What event={event} />, placeholderWidth: 280 },
];

/** The person, and the name of a system administrator who acted as the client. */
function Who({ username, masquerader }: AuditEventReply) {
  return (
    <span className={styles.who}>
      {masquerader ?? username}
      {masquerader !== null && <span className={styles.as}>{auditWords.asThisClient}</span>}
    </span>
  );
}

function What({ event }: { event: AuditEventReply }) {
  const [isOpen, setOpen] = useState(false);
  const { psa } = useEnvironment();
  const changes = changesOf(event, psa.label);
  const isLong =
    changes.length > shownChanges ||
    changes.some(({ before, after }) => Math.max(before.length, after.length) > shownLetters);
  const shown = isOpen ? changes : changes.slice(0, shownChanges);
  return (
    <div className={styles.what}>
      <span className={styles.deed}>{deedOf(event, psa.label)}</span>
      {shown.length > 0 && (
        <dl className={styles.changes}>
          {shown.map((change) => (
            <OneChange key={change.name} change={change} isOpen={isOpen} />
          ))}
        </dl>
      )}
      {isLong && (
        <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen
            ? auditWords.showLess
            : changes.length > shownChanges
              ? auditWords.showAllChanges(changes.length)
              : auditWords.showAll}
        </button>
      )}
    </div>
  );
}

function OneChange({ change: { name, before, after }, isOpen }: { change: Change; isOpen: boolean }) {
  const cut = (text: string) => (isOpen || text.length <= shownLetters ? text : `${text.slice(0, shownLetters)}…`);
  return (
    <div className={styles.change}>
      <dt>{name}</dt>
      <dd>
        {before !== '–' && (
          <>
            <span className={styles.before}>{cut(before)}</span>
            <span className={styles.arrow} role="img" aria-label={auditWords.became}>
              <Icon name="arrow" size={14} />
            </span>
          </>
        )}
        {cut(after)}
      </dd>
    </div>
  );
}

/** A text that goes to the address after a pause. */
function Typed({
  label,
  value,
  onChange,
  isSearch = false,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  isSearch?: boolean;
}) {
  const [typed, setTyped] = useState(value);
  const [seen, setSeen] = useState(value);
  // The address may change by itself: going back, or “Clear”.
  if (seen !== value) {
    setSeen(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => onChange(typed.trim()), typingMs);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <TextInput
      label={label}
      value={typed}
      maxLength={200}
      onChange={(event) => setTyped(event.currentTarget.value)}
      {...(isSearch && { 'data-search': true, leftSection: <Icon name="search" size={16} /> })}
    />
  );
}
