import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { CurrentDocumentReply, DocumentReply } from '#contract/documents.ts';
import type { DocumentPlace } from '../../components/document-link.tsx';
import { currentDocumentQuery, documentQuery } from '../../data/screen-queries.ts';

const eventsAtOnce = 20;
/** The server returns at most this many events; older ones are in the logs. */
const maxEvents = 200;

/** A document, as it is stored and as both services have it now. */
export interface ShownDocument {
  readonly stored: UseQueryResult<DocumentReply>;
  /** The services are read separately, so that stored data is shown at once. */
  readonly current: UseQueryResult<CurrentDocumentReply>;
  /** Loads older events; null if the page has all that the server returns. */
  readonly showOlder: (() => void) | null;
}

/** Reads a document. The services are read after the stored document, which may not exist. */
export function useDocument({ kind, id }: DocumentPlace): ShownDocument {
  const [events, setEvents] = useState(eventsAtOnce);
  const stored = useQuery(documentQuery(kind, id, events));
  const current = useQuery({ ...currentDocumentQuery(kind, id), enabled: stored.data !== undefined });
  const more = stored.data?.more === true && events < maxEvents;
  return {
    stored,
    current,
    showOlder: more ? () => setEvents(Math.min(maxEvents, events + eventsAtOnce * 2)) : null,
  };
}
