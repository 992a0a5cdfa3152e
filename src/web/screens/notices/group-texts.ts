import type { NoticeGroup } from '#core/notice-preferences.ts';

/** What a group of notices is called, and what it contains. */
export const groupTexts: Readonly<Record<NoticeGroup, { readonly label: string; readonly detail: string }>> = {
  failed_documents: {
    label: 'Failed documents',
    detail: 'Documents of automatic syncs that need attention, at most once an hour.',
  },
  failed_runs: { label: 'Failed runs', detail: 'Documents failed in a run that you started, or it stopped.' },
  sync_paused: {
    label: 'Paused or stalled syncs',
    detail: 'A service limits calls or does not respond, or a defect stops the sync.',
  },
  connection_lost: {
    label: 'Lost connections',
    detail: 'Autotask or QuickBooks needs to be reconnected, or a webhook is paused.',
  },
  expiring: { label: 'Expiring access', detail: 'A connection or an API key expires soon.' },
  approval: { label: 'Waiting for approval', detail: 'Documents that you may approve, at most once an hour.' },
  requests: { label: 'Requests', detail: 'Another user asks you to approve or to sign.' },
  month_signed: { label: 'Signed months', detail: 'Another user signed a month.' },
};
