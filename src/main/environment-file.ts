import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { ConfigurationError } from './config.ts';

/**
 * Reads the file that `TALLYBRIDGE_ENV_FILE` names, otherwise `.env` in the current folder if it exists. Variables that
 * are already set take precedence. Services and commands read the file with this function, so both have the same values.
 *
 * @throws ConfigurationError if the named file cannot be read, or a value would lose what follows a `#`.
 */
export function readEnvironmentFile(): void {
  const { TALLYBRIDGE_ENV_FILE: named = '' } = process.env;
  const path = named === '' ? '.env' : named;
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (named === '') return;
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new ConfigurationError(
      `The file of TALLYBRIDGE_ENV_FILE, ${path}, cannot be read (${why}): check the path and its permissions.`,
    );
  }
  const cut = variableWithComment(text);
  if (cut !== null)
    throw new ConfigurationError(
      `In ${path}, the value of ${cut} has a #, which begins a comment: put the value in double quotes.`,
    );
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
}

/** Returns the first variable with a `#` right after an unquoted character; null: none. */
function variableWithComment(text: string): string | null {
  for (const line of text.split('\n')) {
    const [name = '', ...rest] = line.split('=');
    const value = rest.join('=').trim();
    if (!name.trim().startsWith('#') && !/^["'`]/.test(value) && /\S#/.test(value)) return name.trim();
  }
  return null;
}
