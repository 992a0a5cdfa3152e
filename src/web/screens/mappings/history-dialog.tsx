import { Rows } from '../../components/page.tsx';
import { Box, Button, Text, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { undoMappingChange } from '#contract/calls/mappings.ts';
import type { MappingChangeReply } from '#contract/mappings.ts';
import { useAction } from '../../data/queries.ts';
import { mappingHistoryQuery } from '../../data/setup-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { EmptyState, FailedState, Skeleton } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { Modal } from '../../components/modal.tsx';
import { recordChangesOf } from './record-changes.ts';
import type { NamespaceLabels } from './namespaces.ts';
import { BulletList } from '../../components/bullet-list.tsx';
import { countOf, zoneName } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';

interface HistoryDialogProps {
  labels: NamespaceLabels;
  isOpen: boolean;
  onClose: () => void;
}

/** Lists who changed which mappings. A change can be undone while one of its records is as it left it. */
export function HistoryDialog({ labels, isOpen, onClose }: HistoryDialogProps) {
  const { namespace } = labels;
  const history = useQuery({ ...mappingHistoryQuery(namespace), enabled: isOpen });
  const timeZone = useTimeZone();
  const isReadOnly = useReadOnly();
  const undo = useAction(undoMappingChange, { changes: ['mappings'] });
  return (
    <Modal opened={isOpen} onClose={onClose} title="History" size={640}>
      {history.isLoadingError ? (
        <FailedState what="The history" of={history} />
      ) : history.data === undefined ? (
        <Skeleton width="100%" height={80} />
      ) : history.data.changes.length === 0 ? (
        <EmptyState icon="logs">No changes yet. Changes of mappings will appear here.</EmptyState>
      ) : (
        <>
          <Text size="sm" c="dimmed">
            Times in {zoneName(timeZone)}
          </Text>
          <Rows>
            {history.data.changes.map((change) => (
              <Group
                component="li"
                key={change.id}
                gap={12}
                py={12}
                align="flex-start"
                justify="space-between"
                wrap="nowrap"
              >
                <Box miw={0}>
                  <Box component="span" fw={500}>
                    {change.username}
                  </Box>{' '}
                  <RelativeTime at={change.at} />
                  <RecordChanges change={change} />
                </Box>
                {!isReadOnly && change.undoable > 0 && (
                  <Button
                    size="xs"
                    flex="none"
                    variant="default"
                    loading={undo.isPending && undo.variables.body.change === change.id}
                    disabled={undo.isPending}
                    {...(change.undoable < change.records && {
                      title: `${countOf(change.records - change.undoable, 'mapping')} changed since stay as they are.`,
                    })}
                    onClick={() => undo.mutate({ params: { namespace }, body: { change: change.id } })}
                  >
                    Undo
                  </Button>
                )}
              </Group>
            ))}
          </Rows>
        </>
      )}
    </Modal>
  );
}

const maxShown = 5;

/** Lists a change record by record; `bdi` isolates the text direction of each name. */
function RecordChanges({ change }: { change: MappingChangeReply }) {
  return (
    <BulletList
      max={maxShown}
      total={change.records}
      items={recordChangesOf(change).map(({ source, target, before }) => (
        <>
          <bdi>{source}</bdi>
          {target === null ? (
            <>
              : deleted the mapping to <bdi>{before}</bdi>
            </>
          ) : (
            <>
              {' → '}
              <bdi>{target}</bdi>
              {before !== null && (
                <>
                  {' '}
                  (before: <bdi>{before}</bdi>)
                </>
              )}
            </>
          )}
        </>
      ))}
    />
  );
}
