import { noticeGroupLabels, noticeGroups, type NoticeGroup } from '#core/notice-preferences.ts';

const withLabels = (details: Readonly<Record<NoticeGroup, { readonly detail: string }>>) =>
  Object.fromEntries(
    noticeGroups.map((group) => [group, { label: noticeGroupLabels[group], ...details[group] }]),
  ) as Record<NoticeGroup, { readonly label: string; readonly detail: string }>;

/** What a group of notices is called, and what it contains; `{psa}` in it is the label of the PSA. */
export const groupTexts: Readonly<Record<NoticeGroup, { readonly label: string; readonly detail: string }>> =
  withLabels({
    failed_documents: {
      detail: 'Documents of automatic syncs that need attention, at most once an hour.',
    },
    failed_runs: { detail: 'Documents failed in a run that you started, or it stopped.' },
    sync_paused: {
      detail: 'A service limits calls or does not respond, or a defect stops the sync.',
    },
    connection_lost: {
      detail: '{psa} or QuickBooks needs to be reconnected, or a webhook is paused.',
    },
    expiring: { detail: 'A connection or an API key expires soon.' },
    approval: { detail: 'Documents that you may approve, at most once an hour.' },
    requests: { detail: 'Another user asks you to approve or to sign, or a month must be signed again.' },
    month_signed: { detail: 'Another user signed a month.' },
  });
