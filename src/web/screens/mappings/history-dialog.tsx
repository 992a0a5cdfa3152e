import { useQuery } from '@tanstack/react-query';
import { undoMappingChange, type MappingChangeReply } from '#contract/mappings.ts';
import { useAction } from '../../lib/queries.ts';
import { mappingHistoryQuery } from '../../lib/setup-queries.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, FailedState, Skeleton } from '../../ui/states.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { Modal } from '../../ui/modal.tsx';
import { deedsOf } from './deeds.ts';
import type { NamespaceWords } from './namespaces.ts';
import { andMore, historyWords, mappingLabels } from './words.ts';
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
  const isReadOnly = useReadOnly();
  const undo = useAction(undoMappingChange, { changes: ['mappings'] });
  return (
    <Modal opened={isOpen} onClose={onClose} title={historyWords.title} size={640}>
      {history.isError && history.data === undefined ? (
        <FailedState what={mappingLabels.theHistory} error={history.error} onRetry={() => void history.refetch()} />
      ) : history.data === undefined ? (
        <Skeleton width="100%" height={80} />
      ) : history.data.changes.length === 0 ? (
        <EmptyState icon="logs">{historyWords.empty}</EmptyState>
      ) : (
        <ol className={styles.history}>
          {history.data.changes.map((change, at) => (
            <li key={change.id} className={styles.change}>
              <div>
                <span className={styles.who}>{change.username}</span> <RelativeTime at={change.at} />
                <Deeds change={change} />
              </div>
              {at === 0 && !isReadOnly && change.action !== 'mappings.undone' && (
                <Button
                  size="xs"
                  variant="default"
                  loading={undo.isPending}
                  onClick={() => undo.mutate({ params: { namespace }, body: { change: change.id } })}
                >
                  {historyWords.undo}
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

/** The deeds of a change, one line per record; each name keeps its own direction. */
function Deeds({ change }: { change: MappingChangeReply }) {
  const deeds = deedsOf(change);
  return (
    <ul className={styles.deeds}>
      {deeds.slice(0, mostShown).map(({ id, source, target, before }) => (
        <li key={id}>
          <bdi>{source}</bdi>
          {target === null ? (
            <>
              {historyWords.deleted} <bdi>{before}</bdi>
            </>
          ) : (
            <>
              {' → '}
              <bdi>{target}</bdi>
              {before !== null && (
                <>
                  {' '}
                  ({historyWords.before} <bdi>{before}</bdi>)
                </>
              )}
            </>
          )}
        </li>
      ))}
      {deeds.length > mostShown && <li>{andMore(deeds.length - mostShown)}</li>}
    </ul>
  );
}
