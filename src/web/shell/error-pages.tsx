import { useEnvironment } from '../data/environment.ts';
import { useLocation, useSearchParams } from 'react-router';
import { MessagePage, MessageText, MessageDetail } from './message-page.tsx';

/** Shown to a logged-in user without permission for the screen. */
export function UnauthorizedPage() {
  return (
    <MessagePage icon="warning" title="Not Authorized.">
      <MessageText>Unable to continue.</MessageText>
    </MessagePage>
  );
}

/** Shown for every path without a screen; the PSA sends failed connections to `/autota…`. */
export function NotFoundPage() {
  const { pathname } = useLocation();
  if (/^\/autota[^/]*\/?$/.test(pathname)) return <ConnectionErrorPage />;
  return (
    <MessagePage icon="search" title="Not Found.">
      <MessageText>This page does not exist.</MessageText>
    </MessagePage>
  );
}

/** Maximum lengths in characters. The author of the link controls these texts, so they are short and marked as reported. */
const maxMessageLength = 300;
const maxErrorLength = 60;

const shortened = (text: string | null, maxLength: number): string => {
  const line = (text ?? '').replace(/\s+/g, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line;
};

function ConnectionErrorPage() {
  const { psa } = useEnvironment();
  const [query] = useSearchParams();
  const message = shortened(query.get('message'), maxMessageLength);
  const error = shortened(query.get('error'), maxErrorLength);
  return (
    <MessagePage icon="unplug" title={`Unable to Connect to ${psa.label}`}>
      {message !== '' && <MessageText>Reported message: {message}</MessageText>}
      {error !== '' && <MessageDetail>{error}</MessageDetail>}
    </MessagePage>
  );
}
