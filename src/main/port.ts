const troubles: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is used by another program',
  EACCES: 'may not be opened by this user',
  EADDRNOTAVAIL: 'does not exist on this machine',
  ENOTFOUND: 'does not exist on this machine',
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** True when a server could not listen because of its port or address. */
export const isPortTrouble = (error: unknown): boolean => codeOf(error) in troubles;

/** One sentence: what is wrong with the port and which variable chooses another. */
export const portSentence = (port: number, variable: string, error: unknown): string =>
  `Port ${port} ${troubles[codeOf(error)] ?? 'cannot be opened'}: end that program, or choose another port with ${variable}.`;
