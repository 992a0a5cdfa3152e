import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { masquerade } from '#contract/auth.ts';
import { startSession } from '../../lib/current-session.ts';
import { useAction } from '../../lib/queries.ts';
import { clientsQuery } from '../../lib/screen-queries.ts';
import { Panel } from '../../ui/page.tsx';
import styles from './overview.module.css';
import { masqueradeWords } from './words.ts';

/** How many names are offered at once; more letters narrow them down. */
const offered = 50;

/** Lets a system administrator act as a client: a new session for that client takes the place of this one. */
export function MasqueradeChooser({ current }: { current: string | null }) {
  const clients = useQuery(clientsQuery());
  const act = useAction(masquerade, { onSuccess: ({ token }) => startSession(token) });
  return (
    <Panel>
      <Select
        className={styles.chooser ?? ''}
        label={masqueradeWords.label}
        description={masqueradeWords.hint}
        placeholder={clients.isPending ? masqueradeWords.loading : masqueradeWords.type}
        data={(clients.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={act.variables?.body.client_id ?? current}
        onChange={(id) => id !== null && id !== current && act.mutate({ body: { client_id: id } })}
        searchable
        selectFirstOptionOnChange
        limit={offered}
        maxDropdownHeight={320}
        nothingFoundMessage={masqueradeWords.nothingFound}
        disabled={clients.isPending || act.isPending}
        error={clients.isError ? masqueradeWords.failed(clients.error.message) : undefined}
      />
    </Panel>
  );
}
