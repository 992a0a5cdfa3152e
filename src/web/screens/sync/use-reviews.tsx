import { lazy, Suspense, useState } from 'react';
import { useSearchParams } from 'react-router';

const ReviewPage = lazy(async () => ({ default: (await import('./review-page.tsx')).ReviewPage }));

/** The URL parameter with the ids of the reviewed tests, one per kind: `/my?review=…&review=…`. */
const reviewKey = 'review';

/**
 * The review that replaces a screen, and the jobs started on the screen. The review is part of the URL, so it survives a
 * reload, and Back returns to the screen.
 *
 * @returns `page`: the open review or false; `review` opens one; `submitted`: ids of the jobs started on the screen;
 *   `posted`: id of the job that posts the documents just reviewed, or null
 */
export function useReviews() {
  const [query, setQuery] = useSearchParams();
  const [submitted, setSubmitted] = useState<readonly string[]>([]);
  const [posted, setPosted] = useState<string | null>(null);
  const reviewing = query.getAll(reviewKey);
  const withIds = (ids: readonly string[]) => {
    const next = new URLSearchParams(query);
    next.delete(reviewKey);
    for (const id of ids) next.append(reviewKey, id);
    return next;
  };
  const submit = (ids: readonly string[]) => setSubmitted([...submitted, ...ids]);
  const close = (ids: readonly string[]) => {
    submit(ids);
    setPosted(ids[0] ?? null);
    setQuery(withIds([]), { replace: true });
  };
  return {
    review: (ids: readonly string[]) => setQuery(withIds(ids)),
    submitted,
    submit,
    posted,
    page: reviewing.length > 0 && (
      <Suspense>
        <ReviewPage
          jobIds={reviewing}
          onReplanned={(from, to) =>
            setQuery(withIds(reviewing.map((id) => (id === from ? to : id))), { replace: true })
          }
          onLeave={() => close([])}
          onSubmitted={close}
        />
      </Suspense>
    ),
  };
}
