import { mailLane } from '#core/records/outbox.ts';
import type { App } from '../context.ts';
import { sendInLanes } from '../lanes.ts';
import { deliver } from '../mail/send.ts';
import { postToChat } from '../notices/post-to-chat.ts';

/** Returns lanes with messages that are due, for {@link sendOutbox}. */
export const dueLanes = ({ store, clock }: App, limit: number): Promise<readonly string[]> =>
  store.dueLanes(clock.now(), limit);

/**
 * Sends the due messages of a lane; several workers share them. A message is sent once. If a worker dies after sending
 * a message and before recording it, the message is sent once again (decision 11).
 *
 * @param lane {@link mailLane}, or the id of a client for its chat messages
 * @param signal ends it between two messages.
 * @returns the number of sent messages.
 */
export function sendOutbox(app: App, lane: string, signal?: AbortSignal): Promise<number> {
  return sendInLanes(
    () => app.store.takeMessage(lane, app.clock.now()),
    (taken) => (taken.kind === 'mail' ? deliver(app, taken) : postToChat(app, lane, taken)),
    signal,
    // The mail server gets one email after the other.
    lane === mailLane ? 1 : undefined,
  );
}
