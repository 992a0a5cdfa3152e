import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { StateBadge } from '../../components/badge.tsx';
import { documentPath, type DocumentPlace, keyOfPlace } from '../../components/document-link.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { Skeleton } from '../../components/states.tsx';
import { Actions } from './actions.tsx';
import { DocumentContent, HeadLine, NoDocument } from './document-content.tsx';
import { stateBadges, titleOf, withCurrentState } from './texts.ts';
import { useDocument } from './use-document.ts';

/**
 * The page of a document beside the list that names it.
 *
 * @param place null closes the panel
 * @param keys the documents of the list, in its order
 */
export function DocumentPanel({
  place,
  ...list
}: {
  place: DocumentPlace | null;
  keys: readonly string[];
  onOpen: (key: string) => void;
  onClose: () => void;
}) {
  // Keeps the content while the panel fades out.
  const [shown, setShown] = useState(place);
  if (place !== null && (shown === null || keyOfPlace(place) !== keyOfPlace(shown))) setShown(place);
  return (
    <SidePanel title="Document" open={place === null ? null : keyOfPlace(place)} {...list}>
      {shown !== null && <Details key={keyOfPlace(shown)} place={shown} />}
    </SidePanel>
  );
}

function Details({ place }: { place: DocumentPlace }) {
  const shown = useDocument(place);
  const stored = shown.stored.data;
  if (stored === undefined)
    return shown.stored.isError ? (
      <NoDocument of={shown.stored} />
    ) : (
      <Stack gap={12} mih={420} aria-busy="true">
        <Skeleton width={220} height={18} />
        <Skeleton width={380} />
        <Skeleton width="100%" height={280} />
      </Stack>
    );
  const data = withCurrentState(stored, shown.current.data);
  return (
    <Stack gap="md" miw={0}>
      <Box>
        <Group gap={10}>
          <Title order={3} fw={600} fz="xl" lh={1.4} lts="-0.01em" style={{ overflowWrap: 'anywhere' }}>
            {titleOf(data)}
          </Title>
          <StateBadge {...stateBadges[data.state]} />
        </Group>
        <Text component="div" c="dimmed">
          <HeadLine document={data} current={shown.current.data} />
        </Text>
      </Box>
      <Group gap="sm">
        <Actions document={data} />
        <Link to={documentPath(place)}>Open page</Link>
      </Group>
      <DocumentContent document={data} shown={shown} />
    </Stack>
  );
}
