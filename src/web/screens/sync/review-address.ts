import { useSearchParams } from 'react-router';

/** The URL parameter with the ids of the reviewed tests, one per kind: `/my?review=…&review=…`. */
const reviewKey = 'review';

/**
 * A review that replaces a screen. It is part of the URL, so it survives a reload, and Back returns to the screen.
 *
 * @returns `reviewing`: ids of the reviewed tests, empty without a review; `review` opens one
 */
export function useReviewAddress() {
  const [query, setQuery] = useSearchParams();
  const withIds = (ids: readonly string[]) => {
    const next = new URLSearchParams(query);
    next.delete(reviewKey);
    for (const id of ids) next.append(reviewKey, id);
    return next;
  };
  return {
    reviewing: query.getAll(reviewKey),
    review: (ids: readonly string[]) => setQuery(withIds(ids)),
    leave: () => setQuery(withIds([]), { replace: true }),
  };
}
