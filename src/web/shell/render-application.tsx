import type { ReactNode } from 'react';
import type { Session } from '../lib/session.ts';
import { Application } from './application.tsx';

/** Path of the only screen without the application frame. */
export const loginPath = '/login';

/**
 * Renders the frame for the screen of a path.
 *
 * @param path as in the screen table; null if there is no screen yet.
 * @returns null for a screen without the frame.
 */
export const renderApplication = (path: string | null, session: Session | null): ReactNode =>
  path === null || path === loginPath ? null : <Application session={session} />;
