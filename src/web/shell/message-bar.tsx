import { Notifications } from '@mantine/notifications';
import { transitionMs } from '../components/flash.ts';

/** Shows errors until they are dismissed, and messages for a limited time. It covers the page and never moves it. */
export const MessageBar = () => (
  <Notifications position="top-center" limit={3} containerWidth={520} transitionDuration={transitionMs} />
);
