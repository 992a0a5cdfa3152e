import { lazy, Suspense } from 'react';
import { useSearchParams } from 'react-router';
import { useOpenRun } from '../runs/open-run.ts';

const ReviewPage = lazy(async () => ({ default: (await import('./review-page.tsx')).ReviewPage }));

/** The URL parameter with the ids of the reviewed tests, one per kind: `/my?review=…&review=…`. */
export const reviewKey = 'review';

/**
 * The review that replaces a screen. The review is part of the URL, so it survives a reload, and Back returns to the
 * screen. Posting opens the run.
 *
 * @param onPosted receives the ids of the posting jobs instead
 * @returns `page`: the open review or false; `review` opens one; `openRun` opens the run of jobs that were just started
 */
export function useReviews(onPosted?: (jobIds: readonly string[]) => void) {
  const [query, setQuery] = useSearchParams();
  const openRun = useOpenRun();
  const reviewing = query.getAll(reviewKey);
  const withIds = (ids: readonly string[]) => {
    const next = new URLSearchParams(query);
    next.delete(reviewKey);
    for (const id of ids) next.append(reviewKey, id);
    return next;
  };
  return {
    review: (ids: readonly string[]) => setQuery(withIds(ids)),
    openRun,
    page: reviewing.length > 0 && (
      <Suspense>
        <ReviewPage
          jobIds={reviewing}
          onReplanned={(from, to) =>
            setQuery(withIds(reviewing.map((id) => (id === from ? to : id))), { replace: true })
          }
          onLeave={() => setQuery(withIds([]), { replace: true })}
          onSubmitted={onPosted ?? ((ids) => openRun(ids, true))}
        />
      </Suspense>
    ),
  };
}
