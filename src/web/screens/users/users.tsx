import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import { personStates } from '#core/person.ts';
import type { PersonReply } from '#contract/users.ts';
import { countOf, setDateTime, setDay } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { usersQuery } from '../../lib/queries.ts';
import { ToneBadge } from '../../ui/badge.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { RowMenu } from '../../ui/row-menu.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { EmptyState, FailedState } from '../../ui/states.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { changed, pageSize, readFilter, stateWords } from './filters.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { useUserActions, type UserActions } from './user-actions.tsx';
import styles from './users.module.css';

/** The people of the client: who may sign in, who is invited, who may not any more. Search and page stand in the address. */
export function Component() {
  const [query, setQuery] = useSearchParams();
  const [isInviting, setInviting] = useState(false);
  const filter = readFilter(query);
  const list = useQuery(usersQuery(filter));
  const { actionsFor, dialog } = useUserActions();

  const change = (...one: Parameters<typeof changed> extends [URLSearchParams, ...infer Rest] ? Rest : never) =>
    setQuery((current) => changed(current, ...one), { replace: true, preventScrollReset: true });
  const total = list.data?.total ?? 0;
  const page = filter.page ?? 1;

  return (
    <Page
      title="Users"
      lead="Administrators may do all that you may do; accountants read everything and sign months. What each of them changes stands in the audit trail under their name."
      actions={
        <Button leftSection={<Icon name="mail" size={16} />} onClick={() => setInviting(true)}>
          Invite somebody
        </Button>
      }
    >
      <Panel flush>
        <search className={styles.filters} aria-label="Filter the users">
          <SearchField
            placeholder="Name or email address"
            value={query.get('q') ?? ''}
            onChange={(text) => change('q', text)}
          />
          <NativeSelect
            label="State"
            data={[{ value: '', label: 'Any' }, ...personStates.map((value) => ({ value, label: stateWords[value] }))]}
            value={filter.state ?? ''}
            onChange={(event) => change('state', event.currentTarget.value)}
            rightSection={<Icon name="down" size={14} />}
          />
        </search>
        {list.isError && list.data === undefined ? (
          <FailedState what="The users" error={list.error} onRetry={() => void list.refetch()} />
        ) : list.data !== undefined && list.data.users.length === 0 ? (
          <EmptyState
            icon="search"
            action={
              <Button variant="default" onClick={() => setQuery({}, { replace: true })}>
                Show everybody
              </Button>
            }
          >
            {total > 0 ? 'There are fewer pages than that.' : 'Nobody fits this search.'}
          </EmptyState>
        ) : (
          <>
            <DataTable
              label="Users"
              columns={columnsFor(actionsFor)}
              rows={list.data?.users}
              rowKey={({ id }) => id}
              ghosts={4}
              isStale={list.isPlaceholderData || list.isError}
            />
            <Pager page={page} pageSize={pageSize} total={total} onPage={(to) => change('page', String(to))} />
          </>
        )}
      </Panel>
      <InviteDialog isOpen={isInviting} onClose={() => setInviting(false)} />
      {dialog}
    </Page>
  );
}

const tones = { active: 'ok', invited: 'info', deactivated: 'plain' } as const;

const columnsFor = (actionsFor: UserActions['actionsFor']): readonly Column<PersonReply>[] => [
  {
    key: 'name',
    head: 'Name',
    cell: ({ name, email, role, is_you: isYou }) => (
      <span className={styles.name}>
        {name === '' ? (email.split('@')[0] ?? '') : name}
        {role === 'accountant' && <ToneBadge tone="info">Accountant</ToneBadge>}
        {isYou && <ToneBadge tone="plain">You</ToneBadge>}
      </span>
    ),
    ghost: 110,
    width: '21%',
    narrow: 'title',
  },
  {
    key: 'email',
    head: 'Email',
    cell: ({ email }) => <span className={styles.email}>{email}</span>,
    ghost: 180,
    width: '26%',
  },
  {
    key: 'state',
    head: 'State',
    cell: (person) => <State person={person} />,
    ghost: 60,
    width: '15%',
  },
  {
    key: 'second_factor',
    head: 'Two-step login',
    cell: ({ state, has_second_factor: isOn }) =>
      state === 'invited' ? '' : isOn ? 'on' : <span className={styles.dim}>off</span>,
    ghost: 24,
    width: '11%',
    narrowLabel: true,
  },
  {
    key: 'last_sign_in',
    head: 'Last login',
    cell: ({ last_sign_in_at: at, sessions, state }) => {
      if (state === 'invited') return '';
      if (at === null) return <span className={styles.dim}>never</span>;
      return (
        <>
          <When at={at} />
          {sessions > 0 && <span className={styles.dim}>, {countOf(sessions, 'session')} open</span>}
        </>
      );
    },
    ghost: 90,
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
    ghost: 18,
    width: '64px',
    narrow: 'trail',
  },
];

function State({ person }: { person: PersonReply }) {
  const nowMs = useNow();
  const { state, invitation_ends_at: endsAt, invited_by: by, since } = person;
  if (endsAt === null) return <ToneBadge tone={tones[state]}>{stateWords[state]}</ToneBadge>;
  const isOver = Date.parse(endsAt) <= nowMs;
  return (
    <span className={styles.state} title={`Invited by ${by}, ${setDateTime(since)}`}>
      <ToneBadge tone={isOver ? 'bad' : 'info'}>{isOver ? 'Invitation expired' : stateWords.invited}</ToneBadge>
      {!isOver && <span className={styles.dim}>until {setDay(endsAt)}</span>}
    </span>
  );
}
