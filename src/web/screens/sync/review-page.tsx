import { Page } from '../../components/page.tsx';
import { SyncReview } from './review.tsx';

/** A review as a whole page; it replaces the screen on which it was started. */
export function ReviewPage(props: Parameters<typeof SyncReview>[0]) {
  return (
    <Page title="Review" lead="This is the plan. Nothing is sent until you press the last button.">
      <SyncReview {...props} />
    </Page>
  );
}
