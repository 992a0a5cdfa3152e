import type { Notice } from '../notices.ts';
import type { Mail } from '../ports/mailer.ts';

/** A message that a process has taken to send. */
interface Taken {
  readonly id: string;
  /** Number of attempts, including this one. */
  readonly tries: number;
  /** The receiver may have it already: the process that took it before died, or the receiver did not respond. */
  readonly mayHaveArrived: boolean;
}

export interface TakenMail extends Taken, Mail {
  readonly kind: 'mail';
  /** The client that the email is about; null for an email about a user's account. */
  readonly tenantId: string | null;
}

export interface TakenChatMessage extends Taken {
  readonly kind: 'chat';
  readonly chatId: string;
  readonly notice: Notice;
}

export type TakenMessage = TakenMail | TakenChatMessage;

/** Why a message was not sent. */
export interface SendFailure {
  /** The receiver may have got the message although it did not confirm it. */
  readonly mayHaveArrived: boolean;
  /** Another attempt cannot succeed. */
  readonly isFinal: boolean;
  /** The time that the receiver asks to wait. */
  readonly waitMs: number;
}

/** Lane of all emails. Each client has one lane for its chat messages, named by the client's id. */
export const mailLane = 'mail';
