import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { undoMappingChange, type MappingChangeReply } from '#contract/mappings.ts';
import { useAction } from '../../lib/queries.ts';
import { mappingHistoryQuery } from '../../lib/setup-queries.ts';
import { EmptyState, FailedState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';
import type { NamespaceWords } from './namespaces.ts';
import styles from './mappings.module.css';

/** The history of the mappings: who mapped what, when. The newest change can be taken back. */
export function HistoryDialog({
  words,
  isOpen,
  onClose,
}: {
  words: NamespaceWords;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { namespace } = words;
  const history = useQuery({ ...mappingHistoryQuery(namespace), enabled: isOpen });
  const undo = useAction(undoMappingChange, { changes: ['mappings'] });
  return (
    <Modal opened={isOpen} onClose={onClose} title="History" size={640}>
      {history.isError && history.data === undefined ? (
        <FailedState what="The history" error={history.error} onRetry={() => void history.refetch()} />
      ) : history.data === undefined ? (
        <Skeleton width="100%" height={80} />
      ) : history.data.changes.length === 0 ? (
        <EmptyState icon="logs">Nobody has mapped anything here yet.</EmptyState>
      ) : (
        <ol className={styles.history}>
          {history.data.changes.map((change, at) => (
            <li key={change.id} className={styles.change}>
              <div>
                <span className={styles.who}>{change.username}</span> <When at={change.at} />
                <ul className={styles.deeds}>
                  {deedsOf(change).map((text) => (
                    <li key={text}>{text}</li>
                  ))}
                </ul>
              </div>
              {at === 0 && change.action !== 'mappings.undone' && (
                <Button
                  size="xs"
                  variant="default"
                  loading={undo.isPending}
                  onClick={() => undo.mutate({ params: { namespace }, body: { change: change.id } })}
                >
                  Undo
                </Button>
              )}
            </li>
          ))}
        </ol>
      )}
    </Modal>
  );
}

const mostShown = 5;

/** The deeds of a change, one sentence per record. */
function deedsOf({ before, after }: MappingChangeReply): readonly string[] {
  const deeds = [
    ...after.map(({ source, target }) => {
      const old = before.find((one) => one.source === source);
      return old === undefined || old.target === target
        ? `${source} → ${target}`
        : `${source} → ${target} (before: ${old.target})`;
    }),
    ...before
      .filter(({ source }) => after.every((one) => one.source !== source))
      .map(({ source, target }) => `${source}: mapping to ${target} deleted`),
  ];
  const rest = deeds.length - mostShown;
  return rest <= 0 ? deeds : [...deeds.slice(0, mostShown), `and ${rest} more`];
}
