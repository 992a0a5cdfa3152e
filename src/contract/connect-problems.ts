/** Codes in the `error` parameter of the redirect back to Connections, each with its message for the user. */
export const connectProblems = {
  link_expired: 'The link to connect has expired. Please try again.',
  consent_refused: 'The connection was not allowed at QuickBooks. Nothing was changed.',
  session_ended: 'Your session ended before the connection was finished. Log in and connect again.',
  subscription_suspended: 'The subscription is suspended or cancelled: nothing was connected. Please talk to support.',
  wrong_browser: 'The connection must be finished in the browser in which it was begun. Please try again.',
  company_taken: 'This company is connected to another subscription already. Disconnect it there first.',
  different_company:
    'This is another company than the one that was connected before. If you connect it, mappings and chosen accounts are forgotten, documents that are synced keep their references, and documents on their way wait for you as errors. Queued jobs end, drafts are closed, and automatic syncs are turned off until you turn them on again.',
  not_accepted: 'The service did not accept the connection. Please try again.',
} as const;
export type ConnectProblem = keyof typeof connectProblems;
