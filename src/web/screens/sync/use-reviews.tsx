import { lazy, Suspense } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { reviewKey, startedFrom, useOpenRun } from '../runs/open-run.ts';

const ReviewPage = lazy(async () => ({ default: (await import('./review-page.tsx')).ReviewPage }));

/**
 * The review that replaces a screen. The review is part of the URL, so it survives a reload, and Back returns to the
 * screen. Cancel also returns to another screen that opened the review, for example a run. Posting opens the run.
 *
 * @param onPosted receives the ids of the posting jobs instead
 * @returns `page`: the open review or false; `review` opens one; `openRun` opens the run of jobs that were just started
 */
export function useReviews(onPosted?: (jobIds: readonly string[]) => void) {
  const [query, setQuery] = useSearchParams();
  const navigate = useNavigate();
  const state: unknown = useLocation().state;
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
            setQuery(withIds(reviewing.map((id) => (id === from ? to : id))), { replace: true, state })
          }
          onLeave={() => (startedFrom(state) === null ? setQuery(withIds([]), { replace: true }) : void navigate(-1))}
          onSubmitted={onPosted ?? ((ids) => openRun(ids, { isReplaced: true }))}
        />
      </Suspense>
    ),
  };
}
