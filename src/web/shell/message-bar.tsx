import { Notifications, notificationsStore, useNotifications } from '@mantine/notifications';
import { useLayoutEffect, useState } from 'react';
import { transitionMs } from '../components/flash.ts';
import { type Box, freePlace } from './free-place.ts';
import styles from './message-bar.module.css';

/**
 * Shows one message at the lower right: an error until it is dismissed, others for a limited time. It moves nothing, and
 * covers no control.
 */
export function MessageBar() {
  const up = useFreePlace(useNotifications(notificationsStore).notifications[0]?.id ?? null);
  return (
    <Notifications
      position="bottom-right"
      limit={1}
      containerWidth={420}
      transitionDuration={transitionMs}
      className={styles.bar ?? ''}
      style={{ '--up': `${up}px` }}
    />
  );
}

const controls = 'button, a[href], input, select, textarea, [role="tab"], [role="option"], [role="menuitem"]';
/** How often the place is checked while a message is shown, because a page changes without an event. */
const checkMs = 250;

/** Returns how far the message is moved up. @param id the shown message; null: none */
function useFreePlace(id: string | null): number {
  const [up, setUp] = useState(0);
  useLayoutEffect(() => {
    if (id === null) return undefined;
    let now = 0;
    const place = () => {
      const message = document.querySelector('[data-kind]');
      if (!(message instanceof HTMLElement)) return;
      // Its own transition moves the box, so the box is computed from its size.
      const [width, height] = [message.offsetWidth, message.offsetHeight];
      const [right, bottom] = [document.documentElement.clientWidth - edgePx, window.innerHeight - edgePx];
      const box = { left: right - width, top: bottom - height, right, bottom };
      now = freePlace(box, boxesOf(message), now);
      setUp(now);
    };
    place();
    const timer = setInterval(place, checkMs);
    window.addEventListener('resize', place);
    document.addEventListener('scroll', place, { capture: true, passive: true });
    return () => {
      clearInterval(timer);
      window.removeEventListener('resize', place);
      document.removeEventListener('scroll', place, { capture: true });
      setUp(0);
    };
  }, [id]);
  return up;
}

/** A wider control, for example the line of a closed step, stays usable beside the message. */
const maxControlPx = 640;

/** Space between the message and the edges of the window, as in the style sheet. */
const edgePx = 16;

/** The boxes of the controls that the user can reach: those of the open dialog, or of the page. */
function boxesOf(message: HTMLElement): readonly Box[] {
  const area = [...document.querySelectorAll('[role="dialog"]')].at(-1) ?? document;
  return [...area.querySelectorAll(controls)]
    .filter((one) => !message.contains(one))
    .map((one) => one.getBoundingClientRect())
    .filter(
      ({ width, height, bottom, top }) =>
        width > 0 && width < maxControlPx && height > 0 && bottom > 0 && top < window.innerHeight,
    );
}
