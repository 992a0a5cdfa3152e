import type { ComponentType, ReactNode } from 'react';
import type { Session } from '../lib/session.ts';

/** Path of the only screen without the application frame. */
export const loginPath = '/login';

/** The application frame; null until it is loaded. */
let Application: ComponentType<{ readonly session: Session | null }> | null = null;

/** Loads the application frame; resolves immediately if it is loaded. */
export async function loadApplication(): Promise<void> {
  Application ??= (await import('./application.tsx')).Application;
}

/**
 * Renders the frame for the screen of a path.
 *
 * @param path as in the screen table; null if there is no screen yet.
 * @returns null for a screen without the frame, and before the frame is loaded.
 */
export const renderApplication = (path: string | null, session: Session | null): ReactNode =>
  path === null || path === loginPath || Application === null ? null : <Application session={session} />;
