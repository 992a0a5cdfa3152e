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
