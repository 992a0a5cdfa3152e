import { notifications, notificationsStore } from '@mantine/notifications';
import { isValidElement } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearFlashes, flashMs, showError, showMessage, showProgress, showSuccess } from './flash.ts';

const stepMs = 2_200;

/** The text on the screen: the bar shows one message or error at a time. */
function onScreen(): unknown {
  const [first] = notificationsStore.getState().notifications;
  if (first === undefined) return null;
  if (first.title !== undefined) return first.title;
  return isValidElement<{ text: string }>(first.message) ? first.message.props.text : first.message;
}

beforeEach(() => {
  vi.useFakeTimers();
  notificationsStore.setState({ ...notificationsStore.getState(), limit: 1 });
});
afterEach(() => {
  // An error removes all messages, and leaving the page removes the error.
  showError('End of the test');
  clearFlashes();
  notifications.clean();
  vi.useRealTimers();
});

test('messages follow each other, each for at least two seconds', () => {
  showMessage('one');
  showMessage('two');
  expect(onScreen()).toBe('one');
  vi.advanceTimersByTime(1_900);
  expect(onScreen()).toBe('one');
  vi.advanceTimersByTime(stepMs - 1_900);
  expect(onScreen()).toBe('two');
});

test('an error is visible at once, and the messages that waited are not shown later', () => {
  for (const text of ['one', 'two', 'three', 'four']) showMessage(text);
  expect(onScreen()).toBe('one');
  showError('Server error.');
  expect(onScreen()).toBe('Server error.');
  vi.advanceTimersByTime(4 * stepMs + flashMs);
  expect(onScreen()).toBe('Server error.');
  expect(notificationsStore.getState().queue).toEqual([]);
});

test('another page removes messages, but not what is being submitted and its result', () => {
  showMessage('Saved changes.');
  showMessage('Refreshed.');
  showProgress('Submitting invoice sync job...');
  showMessage('The sync was queued.');
  clearFlashes();
  expect(onScreen()).toBe('Submitting invoice sync job...');
  vi.advanceTimersByTime(stepMs);
  expect(onScreen()).toBe('The sync was queued.');
  clearFlashes();
  expect(onScreen()).toBeNull();
});

test('another page removes a result with Undo', () => {
  showProgress('Saving settings...');
  showSuccess('Saved changes.', flashMs, () => undefined);
  clearFlashes();
  vi.advanceTimersByTime(stepMs);
  expect(onScreen()).toBe('Saving settings...');
});
