import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { masquerade } from '#contract/calls/auth.ts';
import type { ClientState } from '#contract/clients.ts';
import { startSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { useAction } from '../../data/queries.ts';
import { clientStatesQuery } from '../../data/screen-queries.ts';
import { formatCount } from '../../data/format.ts';
import { useNow } from '../../data/use-now.ts';
import { Panel } from '../../components/page.tsx';
import { PagedList, usePaging } from '../../components/paged-list.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { textOf } from '../../components/use-address.ts';
import { ClientPanel } from './client-panel.tsx';
import { columnsOf } from './columns.tsx';
import { MonthlyReads } from './monthly-reads.tsx';

/**
 * Lists all clients of the deployment for system administrators, those that need help first: state, failures and the next
 * action of each.
 */
export function ClientList() {
  const { query, change, place, paging } = usePaging('clients', 25);
  const [openId, setOpenId] = useState<string | null>(null);
  const { psa, accounting } = useEnvironment();
  const nowMs = useNow();
  const onActAs = useActAs();
  const tab = query.get('tab') === 'help' ? 'help' : 'all';
  const text = textOf(query, 'q');
  const found = useQuery(clientStatesQuery({ q: text, needs_help: tab === 'help' ? 'true' : 'false', ...place }));
  const { data } = found;
  const total = tab === 'help' ? data?.needing_help : data?.total;
  const columns = columnsOf({
    psa: psa.label,
    accounting: accounting.label,
    nowMs,
    onActAs,
  });
  const counted = (label: string, count: number | undefined) =>
    count === undefined ? label : `${label} ${formatCount(count)}`;
  return (
    <>
      <Panel flush>
        <Tabs
          label="Parts of clients"
          tabs={[
            { key: 'all', label: counted('All', data?.total) },
            { key: 'help', label: counted('Need help', data?.needing_help) },
          ]}
          open={tab}
          onOpen={(key) => change({ tab: key === 'all' ? '' : key })}
        >
          <Box maw={420} px="md" py="sm">
            <SearchField
              label="Find clients"
              placeholder="Find a client"
              value={text}
              onChange={(q) => change({ q })}
            />
          </Box>
          <PagedList
            what="The clients"
            found={found}
            {...paging}
            total={total ?? 0}
            empty={
              <EmptyState icon="clients">
                {text !== ''
                  ? 'No client has this name.'
                  : tab === 'help'
                    ? 'No client needs help.'
                    : 'No clients yet. Clients appear here after they register.'}
              </EmptyState>
            }
            label="Clients"
            columns={columns}
            rows={data?.clients}
            rowKey={({ id }) => id}
            rowLabel={({ name }) => name}
            onOpen={({ id }) => setOpenId(id)}
            current={openId}
            isFixed
          />
        </Tabs>
      </Panel>
      <MonthlyReads />
      <ClientPanel open={openId} clients={data?.clients ?? []} nowMs={nowMs} onOpen={setOpenId} onActAs={onActAs} />
    </>
  );
}

/** Returns a function that opens a screen as a client; null: the Overview. */
function useActAs() {
  const navigate = useNavigate();
  const act = useAction(masquerade);
  // The session of the client starts on the Overview, because both roles can open it.
  const start = async (token: string, path: string | null) => {
    await navigate('/my');
    if (startSession(token) && path !== null) await navigate(path);
  };
  return ({ id }: ClientState, path: string | null) =>
    act.mutate({ body: { client_id: id } }, { onSuccess: ({ data }) => void start(data.token, path) });
}
