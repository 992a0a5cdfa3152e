import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import { Icon } from './icons.tsx';
import { MessageText } from './message-text.tsx';

/** How long a message is shown by default (screens reference 1.9). */
export const flashMs = 5_000;

/** How long “Saved changes.” is shown (specification 1, section 8). */
export const savedMs = 3_000;

/** How long a message is shown at least, also if another one follows (specification 1, section 9). */
const minMs = 2_000;

/** How long a message takes to appear and to disappear. */
export const transitionMs = 140;

const errorId = 'error';
const loadErrorId = 'load-error';

/** An error replaces a message, and a message replaces the error of a background refresh. */
const priorities = { error: 2, message: 1, loadError: 0 } as const;

interface Message {
  readonly text: string;
  readonly forMs: number;
  readonly isSuccess: boolean;
  /** Not removed when another page opens. */
  readonly isProgress: boolean;
  /** Reverts what the message reports. */
  readonly undo?: (() => unknown) | undefined;
}

/** The message on the screen, and those that follow it. */
let shown: { readonly id: string; sinceMs: number; readonly message: Message } | null = null;
let waiting: Message[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let count = 0;

/**
 * Shows a message that disappears automatically. Only one is on the screen: the next one waits until it was shown for two
 * seconds.
 *
 * @param forMs display time; 2, 3 or 5 seconds are used.
 */
export const showMessage = (text: string, forMs = flashMs): void =>
  offer({ text, forMs, isSuccess: false, isProgress: false });

/**
 * Shows in green that an action succeeded; see {@link showMessage}. The error of an earlier action is over.
 *
 * @param undo reverts the action; offered next to the text
 */
export function showSuccess(text: string, forMs = flashMs, undo?: () => unknown): void {
  notifications.hide(errorId);
  offer({ text, forMs, isSuccess: true, isProgress: false, undo });
}

/**
 * Shows what is being saved or submitted, until the result is shown, but for at least two seconds. It stays while a page
 * opens.
 */
export const showProgress = (text: string, forMs = flashMs): void =>
  offer({ text, forMs, isSuccess: false, isProgress: true });

function offer(message: Message): void {
  waiting.push(message);
  showNext();
}

function showNext(): void {
  clearTimeout(timer);
  const [next] = waiting;
  if (next === undefined) return;
  const leftMs = shown === null ? 0 : shown.sinceMs + minMs + transitionMs - Date.now();
  if (leftMs > 0) {
    timer = setTimeout(showNext, leftMs);
    return;
  }
  waiting = waiting.slice(1);
  const before = shown;
  count += 1;
  const id = `message-${count}`;
  shown = { id, sinceMs: Date.now(), message: next };
  if (before !== null) notifications.hide(before.id);
  notifications.show({
    id,
    message: createElement(MessageText, {
      text: next.text,
      onShown: () => {
        if (shown?.id === id) shown.sinceMs = Date.now();
      },
      undo:
        next.undo === undefined
          ? undefined
          : () => {
              notifications.hide(id);
              next.undo?.();
            },
    }),
    // The time counts from when the message is fully visible.
    autoClose: next.forMs + transitionMs,
    priority: priorities.message,
    color: next.isSuccess ? 'ok' : 'info',
    icon: createElement(Icon, { name: next.isSuccess ? 'check' : 'info' }),
    role: 'status',
    'data-kind': 'message',
    'data-tone': next.isSuccess ? 'success' : 'info',
    onClose: () => {
      if (shown?.id !== id) return;
      shown = null;
      showNext();
    },
  });
  if (waiting.length > 0) showNext();
}

/** Removes the messages, also those that follow. */
function clearMessages(): void {
  waiting = [];
  clearTimeout(timer);
  if (shown === null) return;
  const { id } = shown;
  shown = null;
  notifications.hide(id);
}

/** Removes the messages of the page that the user leaves: not the one about what is being submitted, and its result. */
function clearPageMessages(): void {
  const first = shown?.message.isProgress === true ? 0 : waiting.findIndex(({ isProgress }) => isProgress);
  // What a button on the page reverts belongs to the page.
  const following = first < 0 ? [] : waiting.slice(first).filter(({ undo }) => undo === undefined);
  if (shown?.message.isProgress !== true) clearMessages();
  waiting = following;
  showNext();
}

/**
 * Shows an error until the user dismisses it, starts another action, or leaves the page.
 *
 * @param detail a second line, e.g. the response of a service.
 */
export function showError(text: string, detail: string | null = null): void {
  clearErrors();
  clearMessages();
  show(errorId, text, detail, priorities.error);
}

/** Shows why data could not be refreshed, until the next refresh succeeds; see {@link showError}. */
export function showLoadError(text: string): void {
  clearErrors();
  show(loadErrorId, text, null, priorities.loadError);
}

const show = (id: string, title: string, message: string | null, priority: number): unknown =>
  notifications.show({
    id,
    title,
    message,
    autoClose: false,
    priority,
    color: 'red',
    icon: createElement(Icon, { name: 'warning' }),
    'data-kind': 'error',
  });

/** Removes the error of a failed refresh. */
export const clearLoadError = (): unknown => notifications.hide(loadErrorId);

/** Removes errors before an action; messages disappear when their time is over. */
export function clearErrors(): void {
  notifications.hide(errorId);
  clearLoadError();
}

/** Clears the bar when the user opens another page. */
export function clearFlashes(): void {
  clearErrors();
  clearPageMessages();
}
