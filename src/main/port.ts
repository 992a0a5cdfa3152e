const portErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is used by another program',
  EACCES: 'may not be opened by this user',
  EADDRNOTAVAIL: 'does not exist on this machine',
  ENOTFOUND: 'does not exist on this machine',
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Returns true if a server could not listen because of its port or address. */
export const isPortError = (error: unknown): boolean => codeOf(error) in portErrors;

/** Returns one sentence with the port problem and the variable for another port. */
export const portSentence = (port: number, variable: string, error: unknown): string =>
  `Port ${port} ${portErrors[codeOf(error)] ?? 'cannot be opened'}: end that program, or choose another port with ${variable}.`;
