import { useQuery } from '@tanstack/react-query';
import { logQuery } from '../../../lib/screen-queries.ts';
import { FailedState, Skeleton } from '../../../ui/states.tsx';
import { DocumentPreview } from '../../preview/document-preview.tsx';
import { tryWords } from './words.ts';

/** The document that live mode would send, as it came out of a test; nothing while an entry has none. */
export function WouldMake({ logKey }: { logKey: string }) {
  const { data, isError, error, refetch } = useQuery(logQuery(logKey));
  if (isError && data === undefined)
    return <FailedState what={tryWords.document} error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Skeleton width="100%" height={120} />;
  if (data.preview === null) return null;
  return <DocumentPreview document={data.preview.document} currency={data.preview.currency} isCard />;
}
