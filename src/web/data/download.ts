import type { RouteDefinition } from '#contract/define.ts';
import { CallError, disconnectedText } from './call.ts';
import { currentSession } from './current-session.ts';

/**
 * Downloads the response of a call as a file, with the name from the server.
 *
 * @throws CallError when there is no file.
 */
export async function download({ method, path }: Pick<RouteDefinition, 'method' | 'path'>): Promise<void> {
  const session = currentSession();
  const response = await fetch(path, {
    method,
    headers: session === null ? {} : { authorization: `Bearer ${session.token}` },
  }).catch(() => null);
  if (response === null) throw new CallError(disconnectedText, { status: 0 });
  if (!response.ok)
    throw new CallError('The file is not available. Try again in a few minutes.', { status: response.status });
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'tallybridge.zip';
  saveFile(await response.blob(), name);
}

/** Saves a file created in the browser. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
