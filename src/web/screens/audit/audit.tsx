import { Anchor, Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { AuditEventReply } from '#contract/audit.ts';
import { zoneName } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { auditQuery, type AuditFilter } from '../../data/screen-queries.ts';
import { ExportButton } from '../../components/export-button.tsx';
import { Icon } from '../../components/icons.tsx';
import { Page, Panel, FilterBar } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { EmptyState, FailedState } from '../../components/states.tsx';
import { useEnvironment } from '../../data/environment.ts';
import { type Column, DataTable } from '../../components/table.tsx';
import { TwoLines } from '../../components/two-lines.tsx';
import { DateTime } from '../../components/time.tsx';
import styles from './audit.module.css';
import { type Change, changesOf, sentenceOf } from './sentences.ts';
import { Dim } from '../../components/note.tsx';

const pageSize = 20;
const typingMs = 300;
/** Changes and characters of a value shown before “Show all”. */
const maxChanges = 3;
const maxCharacters = 120;

/** Lists who changed what and when. The address contains the filter. */
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
    <Page
      title="Audit Trail"
      lead="Who changed what, and when. Entries cannot be edited or deleted."
      actions={<ExportButton />}
    >
      <Panel flush>
        <FilterBar label="Filter the trail" columns="minmax(0, 1.4fr) minmax(0, 1fr) auto">
          <FilterField label="Search" value={query.get('q') ?? ''} onChange={(text) => change('q', text)} isSearch />
          <FilterField label="Person" value={query.get('person') ?? ''} onChange={(text) => change('person', text)} />
          <Button variant="default" disabled={!isFiltered} onClick={() => setQuery({}, { replace: true })}>
            Clear
          </Button>
        </FilterBar>
        {page.isError && page.data === undefined ? (
          <FailedState what="The audit trail" of={page} />
        ) : page.data !== undefined && page.data.events.length === 0 ? (
          <EmptyState
            icon="shield"
            action={
              isFiltered && (
                <Button variant="default" onClick={() => setQuery({}, { replace: true })}>
                  Clear filters
                </Button>
              )
            }
          >
            {isFiltered ? 'No matches.' : 'No changes yet. Changes by users will appear here.'}
          </EmptyState>
        ) : (
          <>
            <div className={styles.trail}>
              <DataTable
                label="Audit trail"
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
    head: `Date and Time (${zoneName(timeZone)})`,
    cell: ({ at }) => <DateTime at={at} />,
    width: '190px',
    narrow: 'line',
    narrowLabel: true,
  },
  { key: 'who', head: 'Who', cell: (event) => <Who {...event} />, width: '28%', narrow: 'lead' },
  { key: 'what', head: 'What', cell: (event) => <What event={event} /> },
];

/** The user, or the system administrator who acted as the client. */
function Who({ username, masquerader }: AuditEventReply) {
  return <TwoLines note={masquerader === null ? null : 'as this client'}>{masquerader ?? username}</TwoLines>;
}

function What({ event }: { event: AuditEventReply }) {
  const [isOpen, setOpen] = useState(false);
  const { psa } = useEnvironment();
  const changes = changesOf(event, psa.label);
  const isLong =
    changes.length > maxChanges ||
    changes.some(({ before, after }) => Math.max(before.length, after.length) > maxCharacters);
  const shown = isOpen ? changes : changes.slice(0, maxChanges);
  return (
    <Stack gap="xs" align="flex-start" py="sm" miw={0}>
      <span className={styles.sentence}>{sentenceOf(event, psa.label)}</span>
      {shown.length > 0 && (
        <Stack component="dl" gap={2} m={0} c="soft" fz="sm" lh="sm">
          {shown.map((change) => (
            <OneChange key={change.name} change={change} isOpen={isOpen} />
          ))}
        </Stack>
      )}
      {isLong && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          fw={500}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Show less' : changes.length > maxChanges ? `Show all ${changes.length} changes` : 'Show all'}
        </Anchor>
      )}
    </Stack>
  );
}

function OneChange({ change: { name, before, after }, isOpen }: { change: Change; isOpen: boolean }) {
  const cut = (text: string) => (isOpen || text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`);
  return (
    <Group gap="0 8px">
      <Text component="dt" inherit c="dimmed">
        {name}
      </Text>
      <Box component="dd" style={{ overflowWrap: 'anywhere' }}>
        {before !== '–' && (
          <>
            <Dim>{cut(before)}</Dim>
            <Group
              component="span"
              gap={0}
              align="stretch"
              wrap="nowrap"
              display="inline-flex"
              mx="xs"
              style={{ verticalAlign: '-2px' }}
              role="img"
              aria-label="changed to"
            >
              <Icon name="arrow" size={14} />
            </Group>
          </>
        )}
        {cut(after)}
      </Box>
    </Group>
  );
}

/** A text field that updates the address after a pause in typing. */
function FilterField({
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
  // Follows changes of the address, e.g. Back or “Clear”.
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
