import type { SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { isObject, type JsonObject } from '../kit/input.ts';

/** What the receivers do with a message. */
export const chatAnswers = ['accept', 'throttle', 'fail', 'gone'] as const;
export type ChatAnswer = (typeof chatAnswers)[number];

/** A message that a receiver got, in the format of its chat. */
export interface ChatMessage {
  readonly at: string;
  readonly chat: 'slack' | 'teams';
  readonly status: number;
  readonly body: JsonObject;
}

const maxStored = 200;
const maxSlackText = 40_000;
const maxTeamsBytes = 28_000;

const plain = (status: number, body: string, headers: Readonly<Record<string, string>> = {}): SandboxAnswer => ({
  status,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
  body,
});

/**
 * Receives messages like the incoming webhooks of Slack (`/webhooks/slack/…`) and the Workflows webhook of Teams
 * (`/webhooks/teams/…`): checks their shape and stores them.
 */
export class ChatReceiver {
  readonly messages: ChatMessage[] = [];
  readonly #now: () => string;
  readonly #answer: () => ChatAnswer;

  constructor(now: () => string, answer: () => ChatAnswer) {
    this.#now = now;
    this.#answer = answer;
  }

  /** Returns undefined for other paths. */
  handle(request: SandboxRequest): SandboxAnswer | undefined {
    const chat = /^\/webhooks\/(slack|teams)(?:\/|$)/.exec(request.path)?.[1];
    if (chat !== 'slack' && chat !== 'teams') return undefined;
    if (request.method !== 'POST') return plain(405, 'method_not_allowed');
    const body = parse(request);
    const answer = this.#answerTo(chat, body, request.body.byteLength);
    this.messages.push({ at: this.#now(), chat, status: answer.status, body: body ?? {} });
    if (this.messages.length > maxStored) this.messages.shift();
    return { ...answer, applied: answer.status < 300 };
  }

  #answerTo(chat: 'slack' | 'teams', body: JsonObject | undefined, bytes: number): SandboxAnswer {
    const mode = this.#answer();
    if (mode === 'throttle') return plain(429, 'rate_limited', { 'Retry-After': '120' });
    if (mode === 'fail') return plain(500, 'internal_error');
    if (mode === 'gone') return plain(404, chat === 'slack' ? 'no_service' : 'The workflow was not found.');
    if (body === undefined) return plain(400, 'invalid_payload');
    const wrong = chat === 'slack' ? wrongInSlack(body) : wrongInTeams(body, bytes);
    if (wrong !== undefined) return plain(400, wrong);
    return chat === 'slack' ? plain(200, 'ok') : plain(202, '');
  }
}

function parse(request: SandboxRequest): JsonObject | undefined {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) return undefined;
  try {
    const value: unknown = JSON.parse(request.text());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function wrongInSlack({ text }: JsonObject): string | undefined {
  if (typeof text !== 'string' || text.trim() === '') return 'no_text';
  if (text.length > maxSlackText) return 'msg_too_long';
  // A bare `&` or `<` is shown as text by Slack, but hides a mistake of the sender.
  return /&(?!amp;|lt;|gt;)/.test(text) || /<(?!https?:\/\/[^<>]+>)/.test(text) ? 'invalid_escape' : undefined;
}

function wrongInTeams({ type, attachments }: JsonObject, bytes: number): string | undefined {
  if (bytes > maxTeamsBytes) return 'The message is larger than 28 KB.';
  if (type !== 'message' || !Array.isArray(attachments) || attachments.length === 0)
    return 'A message needs the type “message” and attachments.';
  for (const one of attachments) {
    const content: unknown = isObject(one) ? one['content'] : undefined;
    if (!isObject(one) || one['contentType'] !== 'application/vnd.microsoft.card.adaptive' || !isObject(content))
      return 'An attachment needs an Adaptive Card.';
    if (content['type'] !== 'AdaptiveCard' || typeof content['version'] !== 'string' || !Array.isArray(content['body']))
      return 'A card needs type, version and body.';
  }
  return undefined;
}
