/** Codes in the `error` parameter of the redirect back to Connections, each with its message for the user. */
export const connectProblems = {
  link_expired: 'The link to connect has expired. Please try again.',
  consent_refused: 'The connection was not approved in QuickBooks. Nothing was changed.',
  session_ended: 'Your session ended before the connection was finished. Log in and connect again.',
  subscription_suspended: 'The subscription is suspended or canceled, so nothing was connected. Contact support.',
  wrong_browser: 'Finish the connection in the browser in which you started it. Please try again.',
  company_taken: 'This company is connected to another subscription already. Disconnect it there first.',
  different_company:
    'This company differs from the one that was connected before. If you connect it, mappings and selected accounts are removed. Synced documents keep their references; unfinished ones stop with an error. Queued jobs end, drafts are closed, and automatic syncs are turned off until you turn them on again.',
  not_accepted: 'The service did not accept the connection. Please try again.',
} as const;
export type ConnectProblem = keyof typeof connectProblems;
