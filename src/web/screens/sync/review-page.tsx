import { Page } from '../../ui/page.tsx';
import { SyncReview } from './review.tsx';
import { reviewWords } from './review-words.ts';

/** The review in place of a screen, while something that was asked for there is reviewed. */
export function ReviewPage(props: Parameters<typeof SyncReview>[0]) {
  return (
    <Page title={reviewWords.title} lead={reviewWords.lead}>
      <SyncReview {...props} />
    </Page>
  );
}
