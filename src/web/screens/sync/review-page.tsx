import { Page } from '../../ui/page.tsx';
import { SyncReview } from './review.tsx';

/** The review in place of a screen, while something that was asked for there is reviewed. */
export function ReviewPage(props: Parameters<typeof SyncReview>[0]) {
  return (
    <Page
      title="Review"
      lead="Everything is planned first, as a test does. Nothing is sent before you press the last button."
    >
      <SyncReview {...props} />
    </Page>
  );
}
