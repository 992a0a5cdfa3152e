import { statusText, type SubscriptionStatus } from '#core/tenant.ts';
import { useEndedStatus } from '../data/use-read-only.ts';
import { Notice } from './notice.tsx';

/** Explains why the forms of a screen are read-only; renders nothing while they are editable. */
export function ReadOnlyNotice() {
  const status = useEndedStatus();
  return status === null ? null : <Notice tone="warning">{readOnlyText(status)}</Notice>;
}

const readOnlyText = (status: SubscriptionStatus): string =>
  `This subscription is ${statusText(status)}. Syncs and changes are off; you can read and export.`;
