import { Box, Stack } from '@mantine/core';
import type { DocumentPlace } from '../../components/document-link.tsx';
import { StateBadge } from '../../components/badge.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { Skeleton } from '../../components/states.tsx';
import { kinds } from '#core/kinds.ts';
import { Actions } from './actions.tsx';
import { DocumentContent, HeadLine, NoDocument } from './document-content.tsx';
import { stateBadges, titleOf, withCurrentState } from './texts.ts';
import { useDocument } from './use-document.ts';

/** A document: its state, both systems side by side, its history, payments and credits. */
export function DocumentPage({ place }: { place: DocumentPlace }) {
  const shown = useDocument(place);
  const stored = shown.stored.data;
  if (stored === undefined)
    return (
      <Page title={`${kinds[place.kind].label} ${place.id}`}>
        {shown.stored.isError ? (
          <Panel>
            <NoDocument of={shown.stored} />
          </Panel>
        ) : (
          <Ghost />
        )}
      </Page>
    );
  const data = withCurrentState(stored, shown.current.data);
  return (
    <Page
      title={titleOf(data)}
      aside={<StateBadge {...stateBadges[data.state]} />}
      lead={<HeadLine document={data} current={shown.current.data} />}
      actions={<Actions document={data} />}
    >
      <ReadOnlyNotice />
      <Box style={{ containerType: 'inline-size' }}>
        <DocumentContent document={data} shown={shown} />
      </Box>
    </Page>
  );
}

const Ghost = () => (
  <Stack gap="lg" aria-busy="true">
    <Panel>
      <Skeleton width="100%" height={320} />
    </Panel>
  </Stack>
);
