/** Labels and colors of a subscription's status. */
export const statusTones = { pending: 'info', active: 'ok', suspended: 'bad', cancelled: 'bad' } as const;
export const statusLabels = {
  pending: 'Pending',
  active: 'Active',
  suspended: 'Suspended',
  cancelled: 'Canceled',
} as const;
