import { Anchor, Box, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditEventReply } from '#contract/audit.ts';
import { zoneName } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { auditQuery, type AuditFilter } from '../../data/screen-queries.ts';
import { ExportButton } from '../../components/export-button.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { Icon } from '../../components/icons.tsx';
import { ViewsMenu } from '../../components/list-views.tsx';
import { Page, Panel, FilterBar } from '../../components/page.tsx';
import { PagedList, usePaging } from '../../components/paged-list.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { EmptyState } from '../../components/states.tsx';
import { textOf } from '../../components/use-address.ts';
import { useEnvironment } from '../../data/environment.ts';
import type { Column } from '../../components/table.tsx';
import { TwoLines } from '../../components/two-lines.tsx';
import { DateTime } from '../../components/time.tsx';
import styles from './audit.module.css';
import { type Change, changesOf, sentenceOf } from './sentences.ts';
import { Dim } from '../../components/note.tsx';

/** Changes and characters of a value shown before “Show all”. */
const maxChanges = 3;
const maxCharacters = 120;

/** Lists who changed what and when. The address contains the filter. */
export function Component() {
  const { query, change, place, paging } = usePaging('audit', 25);
  const [text, person] = [textOf(query, 'q'), textOf(query, 'person')];
  const filter: AuditFilter = { ...(text !== '' && { q: text }), ...(person !== '' && { person }), ...place };
  const page = useQuery(auditQuery(filter));
  const timeZone = useTimeZone();
  const isFiltered = text !== '' || person !== '';
  const clear = () => change({ q: '', person: '' });
  return (
    <Page
      title="Audit Trail"
      lead="Who changed what, and when. Entries cannot be edited or deleted."
      actions={
        <>
          <ViewsMenu list="audit" />
          <ExportButton />
        </>
      }
    >
      <Panel flush>
        <FilterBar label="Filter the trail" columns="minmax(0, 1.4fr) minmax(0, 1fr)">
          <SearchField value={text} placeholder="Change or value" onChange={(q) => change({ q })} />
          <SearchField
            filters="Person"
            value={person}
            placeholder="Name or email address"
            onChange={(who) => change({ person: who })}
          />
          <FilterChips
            chips={person === '' ? [] : [{ name: 'person', label: `Person ${person}` }]}
            onRemove={(name) => change({ [name]: '' })}
            onClear={clear}
          />
        </FilterBar>
        <div className={styles.trail}>
          <PagedList
            what="The audit trail"
            found={page}
            {...paging}
            total={page.data?.total ?? 0}
            more={page.data?.more === true}
            empty={
              <EmptyState
                icon="shield"
                action={
                  isFiltered && (
                    <Button variant="default" onClick={clear}>
                      Clear filters
                    </Button>
                  )
                }
              >
                {isFiltered ? 'No matches.' : 'No changes yet. Changes by users will appear here.'}
              </EmptyState>
            }
            label="Audit trail"
            columns={columnsIn(timeZone)}
            rows={page.data?.events}
            rowKey={({ id }) => id}
          />
        </div>
      </Panel>
    </Page>
  );
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
            <Box component="span" mx="xs" style={{ verticalAlign: '-2px' }} role="img" aria-label="changed to">
              <Icon name="arrow" size={14} />
            </Box>
          </>
        )}
        {cut(after)}
      </Box>
    </Group>
  );
}
