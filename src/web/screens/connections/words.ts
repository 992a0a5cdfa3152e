/** Sentences of Connections; states and buttons to the letter of the specification. */
export const connectionsWords = {
  connections: 'Connections',
  tallybridgeReadsFromYour:
    'Tallybridge reads from your PSA and writes to your books. Both must be connected before anything can be mapped or synced.',
  refresh: 'Refresh',
  connectTheOtherCompany: 'Connect the other company',
  yourConnections: 'Your connections',
  connectionsBelongToA: 'Connections belong to a client. Choose one under “Masquerade as Client” on the Overview.',
  youDoNotHave: 'You do not have a current subscription.',
  yourBooksWhereDocuments: 'Your books: where documents are posted.',
  yourPsaWhereDocuments: 'Your PSA: where documents come from.',
  connected: 'Connected',
  connectedBy: 'Connected by',
  apiUser: 'API user',
  since: 'Since',
  connectAgain: 'Connect again',
  testConnection: 'Test Connection',
  disconnect: 'Disconnect',
  disconnectEffect: (service: string): string =>
    `Automatic syncs stop until you connect ${service} again. Posted documents stay as they are.`,
  connectedAs: (company: string): string => `Connected as ${company}`,
  booksOf: (service: string, client: string): string =>
    `The company that you choose at ${service} becomes the books of ${client}.`,
  psaOf: (client: string): string => `The API user that you enter opens the PSA of ${client}.`,
  connectTo: (service: string): string => `Connect to ${service}`,
  testing: 'Testing...',
  notConnected: 'Not Connected',
  endsOn: (service: string, day: string): string =>
    `${service} lets Tallybridge in until ${day}. Connect again before then, and nothing is interrupted.`,
  connectedOk: 'Connected OK.',
  disconnectedFrom: (service: string): string => `Disconnected from ${service}.`,
  isConnectedTo: (service: string, client: string): string => `${service} is connected to ${client}.`,
} as const;

/** Sentences of the pages that QuickBooks opens: launch, reconnect and disconnected. */
export const landingWords = {
  opening: 'Opening Tallybridge',
  otherCompany: 'Another QuickBooks company',
  notTheCompanyOf: (client: string): string =>
    `${client} is connected to a different QuickBooks company. Log in as a user of the client that uses this one.`,
  companyOf: (client: string): string => `This QuickBooks company belongs to ${client}.`,
  logInAsAnother: 'Log in as another user',
  actAs: (client: string): string => `Act as ${client}`,
  openTallybridge: 'Open Tallybridge',
  openConnections: 'Open Connections',
  reconnect: 'Reconnect QuickBooks',
  connect: 'Connect QuickBooks',
  sameCompany: (client: string): string =>
    `Choose the QuickBooks company of ${client} again. Its documents, mappings and settings do not change.`,
  askAdministrator: (client: string): string => `An administrator of ${client} can connect QuickBooks again.`,
  disconnecting: 'Disconnecting from QuickBooks',
  disconnected: 'QuickBooks disconnected',
  connected: 'QuickBooks is connected',
  whatItMeans: 'When you disconnect Tallybridge in QuickBooks, it can no longer read or post there.',
  effects: [
    'Posted documents stay in QuickBooks.',
    'Syncs stop until you connect the company again.',
    'Your mappings and settings stay in Tallybridge.',
  ],
  logInToCheck: 'Log in to check the connection',
  checking: 'Checking the connection with QuickBooks…',
  notChecked: (why: string): string => `The connection could not be checked. ${why}`,
  stillConnected: (client: string): string => `QuickBooks still accepts the connection of ${client}.`,
  ended: (client: string): string => `${client} is no longer connected to QuickBooks.`,
  tryAgain: 'Try again',
} as const;

/** Texts about a service that limits calls or does not respond. */
export const pauseWords = {
  tryAgain: 'Try Again',
  tryServiceAgain: (service: string): string => `Try ${service} again`,
  state: (service: string, code: string): string => {
    if (code === 'QBO_READS_BLOCKED') return `Reading ${service} is blocked; posting continues. First refused`;
    const isLimit = code.endsWith('THROTTLED') || code.endsWith('LIMIT');
    return isLimit
      ? `${service} limits the number of calls. First refused`
      : `${service} does not respond. First failed`;
  },
  retriesWithNextSync: 'The next sync tries again automatically.',
  nextTry: (time: string): string => `Syncs continue automatically after ${time}.`,
  dataFrom: (time: string): string => `You are seeing data from ${time}.`,
  triedAgain: 'Tallybridge just tried again without success.',
};
