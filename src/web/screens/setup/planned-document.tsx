import { useQuery } from '@tanstack/react-query';
import { logQuery } from '../../data/screen-queries.ts';
import { FailedState, Skeleton } from '../../components/states.tsx';
import { DocumentPreview } from '../preview/document-preview.tsx';

/** The document that a live sync would send, from the log entry of a test. Renders nothing if there is none. */
export function PlannedDocument({ logKey }: { logKey: string }) {
  const log = useQuery(logQuery(logKey));
  const { data } = log;
  if (log.isLoadingError) return <FailedState what="The document" of={log} />;
  if (data === undefined) return <Skeleton width="100%" height={120} />;
  if (data.preview === null) return null;
  return <DocumentPreview document={data.preview.document} currency={data.preview.currency} isCard />;
}
