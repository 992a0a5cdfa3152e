import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { CurrentDocumentReply, DocumentEventReply, DocumentReply } from '#contract/documents.ts';
import type { Kind } from '#core/kinds.ts';
import { useEnvironment } from '../../data/environment.ts';
import { ModeBadge, StateIcon } from '../../components/badge.tsx';
import { Panel } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { RelativeTime } from '../../components/time.tsx';
import styles from './document.module.css';
import { logPath } from './next-action.ts';
import { eventState, eventTitle } from './texts.ts';

interface TimelineProps {
  document: DocumentReply;
  current: CurrentDocumentReply | undefined;
  /** Null if there are no older events, or too many. */
  showOlder: (() => void) | null;
}

/** What happened to a document, newest first: each with who, when, and its log. */
export function Timeline({ document, current, showOlder }: TimelineProps) {
  const { psa } = useEnvironment();
  const { events, type, entityid, more } = document;
  const createdAt = current?.psa.created_at ?? null;
  const isEmpty = events.length === 0 && createdAt === null;
  return (
    <Panel title="History">
      {isEmpty ? (
        <EmptyState icon="logs">Nothing happened yet. Tests and syncs appear here.</EmptyState>
      ) : (
        <ol className={styles.timeline}>
          {events.map((event, place) => (
            // Events of one moment have no id; the list only grows at its ends.
            // oxlint-disable-next-line react/no-array-index-key
            <Event key={`${event.at} ${event.event} ${event.type} ${place}`} event={event} kind={type} />
          ))}
          {!more && createdAt !== null && (
            <li className={styles.event}>
              <span className={styles.icon}>
                <StateIcon state="waiting" />
              </span>
              <div>
                <Text fw={500}>
                  {type === 'expense_report' ? 'Submitted' : 'Created'} in {psa.label}
                </Text>
                <Text size="xs" c="dimmed">
                  <RelativeTime at={createdAt} />
                </Text>
              </div>
            </li>
          )}
        </ol>
      )}
      {showOlder !== null ? (
        <Button variant="subtle" color="gray" size="xs" mt="sm" onClick={showOlder}>
          Show older
        </Button>
      ) : (
        more && (
          <Text size="sm" mt="sm">
            <Link to={`/logs?type=${type}&q=${entityid}`}>Older entries in the logs</Link>
          </Text>
        )
      )}
    </Panel>
  );
}

function Event({ event, kind }: { event: DocumentEventReply; kind: Kind }) {
  const { at, by, manual, message, log_key: key, run_id: run, month } = event;
  const title = eventTitle(event, kind);
  return (
    <li className={styles.event}>
      <span className={styles.icon}>
        <StateIcon state={eventState(event)} />
      </span>
      <div>
        <Text component="div" fw={500} className={styles.eventTitle ?? ''}>
          {title}
          {event.event === 'tested' && <ModeBadge mode="test" />}
        </Text>
        {message !== '' && (
          <Text size="sm" c="soft" style={{ overflowWrap: 'anywhere' }}>
            {message}
          </Text>
        )}
        <Text component="div" size="xs" c="dimmed" className={styles.eventFoot ?? ''}>
          <RelativeTime at={at} />
          {event.event !== 'mailed' && <bdi>{by ?? (manual ? 'a user' : 'automatic')}</bdi>}
          {key !== null && (
            <Link to={logPath(key)} aria-label={`Log of “${title}”`}>
              Log
            </Link>
          )}
          {run !== null && (
            <Link to={`/runs/${run}`} aria-label={`Run of “${title}”`}>
              Run
            </Link>
          )}
          {month !== null && (
            <Link to={`/month-end/${month}`} aria-label={`Month-end close of “${title}”`}>
              Close
            </Link>
          )}
        </Text>
      </div>
    </li>
  );
}
