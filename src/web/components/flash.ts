import { notifications } from '@mantine/notifications';
import { createElement } from 'react';
import { Icon } from './icons.tsx';

/** How long a message is shown by default (screens reference 1.9). */
export const flashMs = 5_000;

/** How long “Saved changes.” is shown (specification 1, section 8). */
export const savedMs = 3_000;

/** How long a message takes to appear and to disappear. */
export const transitionMs = 140;

const errorId = 'error';
const loadErrorId = 'load-error';
const savingId = 'saving';

/**
 * Shows a message that disappears automatically. Later messages and calls do not shorten its time.
 *
 * @param forMs display time; 2, 3 or 5 seconds are used.
 * @param id of a message that an error replaces
 */
export function showMessage(text: string, forMs = flashMs, id?: string): void {
  notifications.show({
    ...(id !== undefined && { id }),
    message: text,
    // The time counts from when the message is fully visible.
    autoClose: forMs + transitionMs,
    color: 'info',
    icon: createElement(Icon, { name: 'info' }),
    role: 'status',
    'data-kind': 'message',
  });
}

/** Shows that a form is being saved, until its time is over or an error is shown. */
export const showSaving = (text: string): void => showMessage(text, flashMs, savingId);

/**
 * Shows an error until the user dismisses it, starts another action, or leaves the page.
 *
 * @param detail a second line, e.g. the response of a service.
 */
export function showError(text: string, detail: string | null = null): void {
  clearErrors();
  notifications.hide(savingId);
  show(errorId, text, detail);
}

/** Shows why data could not be refreshed, until the next refresh succeeds; see {@link showError}. */
export function showLoadError(text: string): void {
  clearErrors();
  show(loadErrorId, text, null);
}

const show = (id: string, title: string, message: string | null): unknown =>
  notifications.show({
    id,
    title,
    message,
    autoClose: false,
    // Shown at once, even if the bar is full of messages.
    priority: 1,
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
export const clearFlashes = (): void => notifications.clean();
