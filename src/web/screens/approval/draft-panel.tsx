import { PlainTable } from '../../components/plain-table.tsx';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { DraftReply } from '#contract/drafts.ts';
import type { FieldChangeReply } from '#contract/planned.ts';
import { useEnvironment } from '../../data/environment.ts';
import { draftQuery } from '../../data/screen-queries.ts';
import { DocumentLink } from '../../components/document-link.tsx';
import { Panel } from '../../components/page.tsx';
import { FailedState, Skeleton } from '../../components/states.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { DocumentPreview } from '../preview/document-preview.tsx';
import { nameOf } from './draft-table.tsx';
import { EntryTable } from './summary.tsx';

interface DraftPanelProps {
  draft: DraftReply | null;
  drafts: readonly DraftReply[];
  onOpen: (draft: DraftReply) => void;
  onClose: () => void;
}

/** Previews a draft with its changes and ledger entries. @param draft null closes the panel */
export function DraftPanel({ draft, drafts, onOpen, onClose }: DraftPanelProps) {
  // Keeps the content while the panel fades out.
  const [shown, setShown] = useState(draft);
  if (draft !== null && draft !== shown) setShown(draft);
  return (
    <SidePanel
      title={shown === null ? '' : `Preview of ${nameOf(shown)}`}
      open={draft?.id ?? null}
      keys={drafts.map(({ id }) => id)}
      onOpen={(key) => {
        const next = drafts.find(({ id }) => id === key);
        if (next !== undefined) onOpen(next);
      }}
      onClose={onClose}
    >
      {shown !== null && <Detail draft={shown} />}
    </SidePanel>
  );
}

function Detail({ draft }: { draft: DraftReply }) {
  const query = useQuery(draftQuery(draft.id));
  const { changed, replaces } = draft;
  const { accounting, psa } = useEnvironment();
  if (query.isLoadingError) return <FailedState what="The draft" of={query} />;
  if (query.data === undefined) return <Skeleton width="100%" height={320} />;
  const { document, entries } = query.data;
  return (
    <Stack gap="md" miw={0}>
      <span>
        <DocumentLink type={draft.type} entityid={draft.entityid} isPage>
          Open {nameOf(draft)}
        </DocumentLink>
      </span>
      {changed !== null && changed.changes.length > 0 && (
        <ChangesPanel
          title={changed.in_psa ? `Changed in ${psa.label} since` : 'Changed by settings, mappings or QuickBooks since'}
          heads={['Field', 'Before', 'Now']}
          changes={changed.changes}
        />
      )}
      {replaces.length > 0 && (
        <ChangesPanel
          title={`Replaced in ${accounting.label}`}
          heads={['Field', accounting.label, 'New value']}
          changes={replaces}
        />
      )}
      <DocumentPreview document={document} currency={draft.currency} />
      {entries.length > 0 && (
        <Panel title="Ledger entries" flush>
          <EntryTable label="Ledger entries of this document" entries={entries} currency={draft.currency} />
        </Panel>
      )}
    </Stack>
  );
}

interface ChangesPanelProps {
  title: string;
  heads: readonly string[];
  changes: readonly FieldChangeReply[];
}

const ChangesPanel = ({ title, heads, changes }: ChangesPanelProps) => (
  <Panel title={title} flush>
    <PlainTable heads={[...heads]}>
      <tbody>
        {changes.map(({ what, was, is }) => (
          <tr key={what}>
            <th scope="row">{what}</th>
            <td>
              <del>{was}</del>
            </td>
            <td>{is}</td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  </Panel>
);
