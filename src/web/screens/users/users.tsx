import { Box, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type PersonState, personStates } from '#core/person.ts';
import type { PersonReply } from '#contract/users.ts';
import { formatDateTime, formatDay, zoneName, countOf } from '../../data/format.ts';
import { useNow } from '../../data/use-now.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { usersQuery, type UsersFilter } from '../../data/screen-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { FilterChips } from '../../components/filter-chips.tsx';
import { Icon } from '../../components/icons.tsx';
import { ViewsMenu } from '../../components/list-views.tsx';
import { Page, Panel, FilterBar } from '../../components/page.tsx';
import { PagedList, usePaging } from '../../components/paged-list.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { RowMenu } from '../../components/row-menu.tsx';
import { FilterSelect } from '../../components/filter-select.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { oneOf, textOf } from '../../components/use-address.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { useUserActions, type UserActions } from './user-actions.tsx';
import { Dim } from '../../components/note.tsx';

/** The users of the client with their states. Search, filter and page are part of the URL. */
export function Component() {
  const { query, change, place, paging } = usePaging('users', 25);
  const [isInviting, setInviting] = useState(false);
  const [text, state] = [textOf(query, 'q'), oneOf(query, 'state', personStates)];
  const filter: UsersFilter = { ...(text !== '' && { q: text }), ...(state !== undefined && { state }), ...place };
  const list = useQuery(usersQuery(filter));
  const timeZone = useTimeZone();
  const isReadOnly = useReadOnly();
  const { actionsFor, dialog } = useUserActions();

  return (
    <Page
      title="Users"
      lead="Administrators have full access. Accountants read everything and sign months. The audit trail records all changes."
      actions={
        <>
          <ViewsMenu list="users" />
          <Button leftSection={<Icon name="mail" size={16} />} disabled={isReadOnly} onClick={() => setInviting(true)}>
            Invite user
          </Button>
        </>
      }
    >
      <ReadOnlyNotice />
      <Panel flush>
        <FilterBar label="Filter users" columns="minmax(200px, 360px) 180px">
          <SearchField placeholder="Name or email address" value={text} onChange={(q) => change({ q })} />
          <FilterSelect label="State" labels={stateLabels} value={state} onChange={(to) => change({ state: to })} />
          <FilterChips
            chips={state === undefined ? [] : [{ name: 'state', label: `State ${stateLabels[state]}` }]}
            onRemove={(name) => change({ [name]: '' })}
            onClear={() => change({ q: '', state: '' })}
          />
        </FilterBar>
        <PagedList
          what="The users"
          found={list}
          {...paging}
          total={list.data?.total ?? 0}
          empty={
            <EmptyState
              icon="search"
              action={
                <Button variant="default" onClick={() => change({ q: '', state: '' })}>
                  Show all users
                </Button>
              }
            >
              No user matches this search.
            </EmptyState>
          }
          label="Users"
          columns={columnsFor(zoneName(timeZone), isReadOnly ? () => [] : actionsFor)}
          rows={list.data?.users}
          rowKey={({ id }) => id}
          placeholderRows={4}
        />
      </Panel>
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} />
      {dialog}
    </Page>
  );
}

const stateLabels: Readonly<Record<PersonState, string>> = {
  active: 'Active',
  invited: 'Invited',
  deactivated: 'Deactivated',
};

const tones = { active: 'ok', invited: 'info', deactivated: 'plain' } as const;

const columnsFor = (zone: string, actionsFor: UserActions['actionsFor']): readonly Column<PersonReply>[] => [
  {
    key: 'name',
    head: 'Name',
    cell: ({ name, email, role, is_you: isYou }) => (
      <Group
        component="span"
        gap="sm"
        wrap="nowrap"
        display="inline-flex"
        fw={500}
        style={{ overflowWrap: 'anywhere' }}
      >
        {name === '' ? (email.split('@')[0] ?? '') : name}
        {role === 'accountant' && <ToneBadge tone="info">Accountant</ToneBadge>}
        {isYou && <ToneBadge tone="plain">You</ToneBadge>}
      </Group>
    ),
    width: '21%',
    narrow: 'title',
  },
  {
    key: 'email',
    head: 'Email',
    cell: ({ email }) => (
      <Box component="span" c="soft" style={{ overflowWrap: 'anywhere' }}>
        {email}
      </Box>
    ),
    width: '26%',
  },
  { key: 'state', head: 'State', cell: (person) => <State person={person} />, width: '15%' },
  {
    key: 'second_factor',
    head: 'Two-step login',
    cell: ({ state, has_second_factor: isOn }) => (state === 'invited' ? '' : isOn ? 'on' : <Dim>off</Dim>),
    width: '11%',
    narrowLabel: true,
  },
  {
    key: 'last_sign_in',
    head: `Last login (${zone})`,
    cell: ({ last_sign_in_at: at, sessions, state }) => {
      if (state === 'invited') return '';
      if (at === null) return <Dim>never</Dim>;
      return (
        <>
          <RelativeTime at={at} />
          {sessions > 0 && <Dim>, {countOf(sessions, 'session')} open</Dim>}
        </>
      );
    },
    narrowLabel: true,
  },
  {
    key: 'actions',
    head: '',
    cell: (person) => {
      const actions = actionsFor(person);
      return actions.length === 0 ? '' : <RowMenu label={`Actions for ${person.email}`} actions={actions} />;
    },
    align: 'end',
    width: '64px',
    narrow: 'trail',
  },
];

function State({ person }: { person: PersonReply }) {
  const nowMs = useNow();
  const timeZone = useTimeZone();
  const { state, invitation_ends_at: endsAt, invited_by: by, since } = person;
  if (endsAt === null) return <ToneBadge tone={tones[state]}>{stateLabels[state]}</ToneBadge>;
  const isExpired = Date.parse(endsAt) <= nowMs;
  return (
    <Group
      component="span"
      gap="sm"
      display="inline-flex"
      title={`Invited by ${by ?? ''}, ${formatDateTime(since, timeZone)}`}
    >
      <ToneBadge tone={isExpired ? 'bad' : 'info'}>{isExpired ? 'Invitation expired' : stateLabels.invited}</ToneBadge>
      {!isExpired && <Dim>until {formatDay(endsAt, timeZone)}</Dim>}
    </Group>
  );
}
