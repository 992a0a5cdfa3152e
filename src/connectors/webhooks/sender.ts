import type { Clock } from '#core/ports/clock.ts';
import type { Answer, WebhookSender } from '#core/ports/chats.ts';
import { parsePublicUrl } from '../addresses.ts';
import { retryAfterMs, send, TransportError } from '../http-client.ts';

const timeoutMs = 10_000;
/** The answer is only shown, so little of it is read and less is stored. */
const maxAnswerBytes = 64 * 1024;
const maxExcerpt = 300;

const loopbackHosts: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a path is the control address of a sandbox, also if it is written with percent signs. */
const isControlPath = ({ pathname }: URL): boolean =>
  /__sandbox/i.test(pathname.replaceAll(/%5f/gi, '_').replaceAll(/%([46-7][0-9a-f])/gi, decodeURIComponent));

/**
 * Posts to addresses that users have entered, and only to public ones: the name is resolved and checked for each
 * connection, and redirects are not followed. Nothing logs the address.
 *
 * @param allowedHosts `host:port` of sandboxes, by explicit configuration only; they may use http, but their control
 *   address is refused.
 * @param allowsLoopback true in a demo on this machine, whose users may test a receiver on it.
 */
export function createWebhookSender({
  allowedHosts,
  allowsLoopback = false,
  clock,
  transport = send,
}: {
  readonly allowedHosts: readonly string[];
  readonly allowsLoopback?: boolean;
  readonly clock: Clock;
  readonly transport?: typeof send;
}): WebhookSender {
  const isOnMachine = (url: URL): boolean =>
    allowedHosts.includes(url.host) || (allowsLoopback && loopbackHosts.has(url.hostname));
  const parseAddress = (text: string): URL | null => {
    const url = parsePublicUrl(text, isOnMachine);
    return url !== null && isOnMachine(url) && isControlPath(url) ? null : url;
  };
  const postOnce = async (
    address: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    withinMs = timeoutMs,
  ): Promise<Answer> => {
    const url = parseAddress(address);
    if (url === null) return { status: null, text: 'the address is not public', waitMs: undefined };
    try {
      const answer = await transport({
        url,
        method: 'POST',
        headers: { 'Content-Type': 'application/json; charset=utf-8', Accept: '*/*', ...headers },
        body,
        timeoutMs: withinMs,
        maxAnswerBytes,
        ownConnection: true,
        mayBePrivate: isOnMachine(url),
      });
      const waitMs = retryAfterMs(answer.headers, clock.now());
      return { status: answer.status, text: answer.text.slice(0, maxExcerpt), waitMs };
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      const { begun, isUnsent } = error;
      // The status decides, even if the rest of the answer is missing.
      if (begun !== undefined)
        return { status: begun.status, text: '', waitMs: retryAfterMs(begun.headers, clock.now()) };
      const reason = error.reason.replace(url.host, 'the host');
      return { status: null, text: reason, waitMs: undefined, ...(!isUnsent && { wasSent: true }) };
    }
  };
  return {
    parseAddress,
    postWith: (address, body, headers) => postOnce(address, body, headers),
    async post(address, body, withinMs) {
      const { status, text, waitMs, wasSent } = await postOnce(address, body, {}, withinMs);
      return status !== null && status >= 200 && status < 300
        ? { isDelivered: true }
        : {
            isDelivered: false,
            status,
            reason: status === null ? text : '',
            waitMs,
            ...(wasSent === true && { mayBePosted: true }),
          };
    },
  };
}
