import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from '../../lib/router.tsx';
import { personStates } from '#core/person.ts';
import type { PersonReply } from '#contract/users.ts';
import { setDateTimeIn, setDay, zoneName } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { useTimeZone } from '../../lib/use-time-zone.ts';
import { usersQuery } from '../../lib/screen-queries.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { ToneBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { ReadOnlyNotice } from '../../ui/read-only-notice.tsx';
import { RowMenu } from '../../ui/row-menu.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { EmptyState, FailedState } from '../../ui/states.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { changed, pageSize, readFilter, stateWords } from './filters.ts';
import { InviteDialog } from './invite-dialog.tsx';
import { useUserActions, type UserActions } from './user-actions.tsx';
import styles from './users.module.css';
import { usersWords } from './words.ts';

/** The people of the client: who may sign in, who is invited, who may not any more. Search and page stand in the address. */
export function Component() {
  const [query, setQuery] = useSearchParams();
  const [isInviting, setInviting] = useState(false);
  const filter = readFilter(query);
  const list = useQuery(usersQuery(filter));
  const timeZone = useTimeZone();
  const isReadOnly = useReadOnly();
  const { actionsFor, dialog } = useUserActions();

  const change = (...one: Parameters<typeof changed> extends [URLSearchParams, ...infer Rest] ? Rest : never) =>
    setQuery((current) => changed(current, ...one), { replace: true, preventScrollReset: true });
  const total = list.data?.total ?? 0;
  const page = filter.page ?? 1;

  return (
    <Page
      title={usersWords.users}
      lead={usersWords.administratorsMayDoAll}
      actions={
        <Button leftSection={<Icon name="mail" size={16} />} disabled={isReadOnly} onClick={() => setInviting(true)}>
          {usersWords.inviteSomebody}
        </Button>
      }
    >
      <ReadOnlyNotice />
      <Panel flush>
        <search className={styles.filters} aria-label={usersWords.filterTheUsers}>
          <SearchField
            placeholder={usersWords.nameOrEmailAddress}
            value={query.get('q') ?? ''}
            onChange={(text) => change('q', text)}
          />
          <NativeSelect
            label={usersWords.state}
            data={[
              { value: '', label: usersWords.any },
              ...personStates.map((value) => ({ value, label: stateWords[value] })),
            ]}
            value={filter.state ?? ''}
            onChange={(event) => change('state', event.currentTarget.value)}
            rightSection={<Icon name="down" size={14} />}
          />
        </search>
        {list.isError && list.data === undefined ? (
          <FailedState what={usersWords.theUsers} error={list.error} onRetry={() => void list.refetch()} />
        ) : list.data !== undefined && list.data.users.length === 0 ? (
          <EmptyState
            icon="search"
            action={
              <Button variant="default" onClick={() => setQuery({}, { replace: true })}>
                {usersWords.showEverybody}
              </Button>
            }
          >
            {total > 0 ? usersWords.thereAreFewerPages : usersWords.nobodyFitsThisSearch}
          </EmptyState>
        ) : (
          <>
            <DataTable
              label={usersWords.users}
              columns={columnsFor(zoneName(timeZone), isReadOnly ? () => [] : actionsFor)}
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

const columnsFor = (zone: string, actionsFor: UserActions['actionsFor']): readonly Column<PersonReply>[] => [
  {
    key: 'name',
    head: usersWords.name,
    cell: ({ name, email, role, is_you: isYou }) => (
      <span className={styles.name}>
        {name === '' ? (email.split('@')[0] ?? '') : name}
        {role === 'accountant' && <ToneBadge tone="info">{usersWords.accountant}</ToneBadge>}
        {isYou && <ToneBadge tone="plain">{usersWords.you}</ToneBadge>}
      </span>
    ),
    ghost: 110,
    width: '21%',
    narrow: 'title',
  },
  {
    key: 'email',
    head: usersWords.email,
    cell: ({ email }) => <span className={styles.email}>{email}</span>,
    ghost: 180,
    width: '26%',
  },
  {
    key: 'state',
    head: usersWords.state,
    cell: (person) => <State person={person} />,
    ghost: 60,
    width: '15%',
  },
  {
    key: 'second_factor',
    head: usersWords.twoStepLogin,
    cell: ({ state, has_second_factor: isOn }) =>
      state === 'invited' ? '' : isOn ? 'on' : <span className={styles.dim}>{usersWords.off}</span>,
    ghost: 24,
    width: '11%',
    narrowLabel: true,
  },
  {
    key: 'last_sign_in',
    head: usersWords.lastLogin(zone),
    cell: ({ last_sign_in_at: at, sessions, state }) => {
      if (state === 'invited') return '';
      if (at === null) return <span className={styles.dim}>{usersWords.never}</span>;
      return (
        <>
          <When at={at} />
          {sessions > 0 && <span className={styles.dim}>{usersWords.sessionsOpen(sessions)}</span>}
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
      return actions.length === 0 ? '' : <RowMenu label={usersWords.actionsFor(person.email)} actions={actions} />;
    },
    align: 'end',
    ghost: 18,
    width: '64px',
    narrow: 'trail',
  },
];

function State({ person }: { person: PersonReply }) {
  const nowMs = useNow();
  const timeZone = useTimeZone();
  const { state, invitation_ends_at: endsAt, invited_by: by, since } = person;
  if (endsAt === null) return <ToneBadge tone={tones[state]}>{stateWords[state]}</ToneBadge>;
  const isOver = Date.parse(endsAt) <= nowMs;
  return (
    <span className={styles.state} title={usersWords.invitedBy(by ?? '', setDateTimeIn(since, timeZone))}>
      <ToneBadge tone={isOver ? 'bad' : 'info'}>{isOver ? usersWords.invitationExpired : stateWords.invited}</ToneBadge>
      {!isOver && <span className={styles.dim}>{usersWords.until(setDay(endsAt, timeZone))}</span>}
    </span>
  );
}
